"""Success of body solvers: verified, within limits, within tolerances; and what failures say."""

import pickle

import numpy as np
import pytest

import robots
from ik_node import IkError, StopReason, body_solver_names, make_body_solver
from ik_node.support.exceptions import InputError, OptionError
from ik_node.tasks import (
    AlignAxis,
    CenterOfMass,
    CustomTask,
    Distance,
    Force,
    HalfSpace,
    LookAt,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    RelativePose,
    Spring,
)
from task_bodies import ROOTS, bounds, figure, hand, two_arms

EVERY = pytest.mark.parametrize('name', body_solver_names())


def inside(body, rng, part=0.8):
    lower, upper = bounds(body)
    return rng.uniform(part * lower, part * upper)


def near(body, q, rng, distance=0.15):
    return np.clip(q + rng.uniform(-distance, distance, body.n_joints), body.lower, body.upper)


def tasks_at(body, q):
    F, com = body.forward(q), body.center_of_mass(q)
    hand, nose = F['hand'], F['nose']
    return [
        [Pose('hand', hand), LookAt('nose', (1, 0, 0), nose[:3, 3] + 0.8 * nose[:3, 0])],
        [PointOnLine('hand', (0.1, 0, 0), hand[:3, 3] + 0.1 * hand[:3, 0] - 0.3 * nose[:3, 1],
                     nose[:3, 1]), AlignAxis('fore', (0, 0, 1), F['fore'][:3, 2])],
        [PointOnPlane('hand', (0, 0, 0), hand[:3, 3], (1, 1, 0)), CenterOfMass(com)],
        [RelativePose('hand', 'nose', np.linalg.inv(nose) @ hand)],
        [HalfSpace('hand', (0, 0, 0), hand[:3, 3], (1, 0, 0)),
         Distance('finger', 'nose', upper=np.linalg.norm(F['finger'][:3, 3] - nose[:3, 3])),
         CenterOfMass(polygon=com[:2] + 0.02 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))]]


@EVERY
@pytest.mark.parametrize('root', ROOTS)
@pytest.mark.parametrize('which', range(5))
def test_tasks_that_a_configuration_meets_are_met_from_near_it(name, root, which):
    body, rng = figure(root), np.random.default_rng(which)
    for _ in range(2):
        q = inside(body, rng)
        tasks = tasks_at(body, q)[which]
        result = make_body_solver(name, body, tasks).solve(near(body, q, rng))
        assert result.success, result
        assert result.reason is StopReason.CONVERGED
        assert robots.inside(body, result.q)
        for task in tasks:
            r, layout = task.residual(body, result.q), task.rows(body)
            missed = np.where(layout.one_sided, np.minimum(r, 0.0), r)
            assert np.abs(missed).max() <= 1e-6


@EVERY
def test_posture_spring_and_force_never_count_but_act(name):
    body = two_arms()
    reach = Position('left_hand', (0.9, 0.5, 0.0))
    wanted = np.array([0.0, 0.0, 0.0, 0.7, -0.4, 0.2])
    result = make_body_solver(name, body, [reach, Posture(wanted)]).solve()
    assert result.success
    assert result.q[3:] == pytest.approx(wanted[3:], abs=1e-3)
    pulled = make_body_solver(name, body, [reach, Force('right_hand', (0.0, -3.0, 0.0))]).solve()
    assert pulled.success
    assert hand(body, pulled.q, 'right') == pytest.approx([0.0, -1.5, 0.0], abs=0.02)
    sprung = make_body_solver(name, body, [reach, Spring(
        'right_hand', None, 50.0, point_b=(0.5, -0.9, 0.0))]).solve()
    assert sprung.success
    assert hand(body, sprung.q, 'right') == pytest.approx([0.5, -0.9, 0.0], abs=1e-3)
    assert make_body_solver(name, body, [Posture(wanted)]).solve().success
    far = Spring('left_hand', None, 5.0, point_b=(9.0, 0.0, 0.0), priority=0)
    if name == 'hierarchy':  # strict even of what does not count
        far.priority = 2
    assert make_body_solver(name, body, [reach, far]).solve().success


@EVERY
def test_a_posture_of_priority_0_counts(name):
    body = two_arms()
    wanted = np.full(6, 0.3)
    met = make_body_solver(name, body, [Posture(wanted, priority=0)]).solve()
    assert met.success
    assert met.q == pytest.approx(wanted, abs=1e-6)
    beyond = make_body_solver(name, body, [Posture(np.full(6, 3.0), priority=0)],
                              max_restarts=1).solve()
    assert (beyond.success, beyond.reason) == (False, StopReason.LIMITS)
    assert "it is outside the limits of 'left_joint_1', " in beyond.diagnosis
    assert beyond.errors['posture'][1] == pytest.approx(0.2 * np.sqrt(6.0), rel=1e-3)


@EVERY
def test_a_failure_names_tasks_misses_and_joints_at_limits(name):
    body = two_arms()
    tasks = [Position('left_hand', (3.0, 0.3, 0.0), name='far'),
             Position('right_hand', (0.8, -0.5, 0.0), name='near')]
    result = make_body_solver(name, body, tasks, max_restarts=2).solve()
    assert not result.success
    assert result.reason is StopReason.UNREACHABLE
    assert "'far' misses by 1.8 m: it is out of reach by at least 1.8 m" in result.diagnosis
    assert 'near' not in result.diagnosis
    assert result.errors['far'][0] == pytest.approx(1.8, abs=1e-3)
    assert result.errors['near'][0] < 1e-6
    assert result.restarts == 0  # the proof ended the search


@EVERY
def test_weights_and_row_weights_do_not_change_the_tolerance(name):
    body = two_arms()
    for weight in (1e-4, 1.0, 1e4):
        task = Position('left_hand', (0.9, 0.5, 0.0), weight=weight)
        result = make_body_solver(name, body, [task]).solve()
        assert result.success
        assert result.errors['position_left_hand'][0] <= 1e-6
        assert task.residual(body, result.q) == pytest.approx(np.zeros(3), abs=1e-6)


@EVERY
def test_what_is_no_task_and_double_names_are_refused(name):
    body = two_arms()
    for tasks, words in (([], 'at least one'), (Posture(), 'list of tasks'),
                         ([3], r'tasks\[0\] must be a task'), (None, 'list of tasks'),
                         ([Posture(name='a'), Posture(name='a')], "two tasks have the name 'a'")):
        with pytest.raises(InputError, match=words):
            make_body_solver(name, body, tasks)
    with pytest.raises(InputError, match='a body is needed'):
        make_body_solver(name, body.tree, [Posture()])
    with pytest.raises(InputError, match=r'q must have the shape \(6,\)'):
        make_body_solver(name, body, [Posture()]).solve([0.0])
    for dt in (0.0, -1.0, np.nan):
        with pytest.raises(InputError):
            make_body_solver(name, body, [Posture()]).velocity(np.zeros(6), dt)
    with pytest.raises(OptionError, match='max_iteration.*did you mean'):
        make_body_solver(name, body, [Posture()], max_iteration=3)
    with pytest.raises(OptionError, match="'hierarchy', 'lagrange', 'least_squares'"):
        make_body_solver('fastest', body, [Posture()])
    solver = make_body_solver(name, body, [Posture(), Posture()])
    assert solver.task_names == ('posture', 'posture_2')


def test_results_are_immutable_and_pickled():
    result = make_body_solver('lagrange', two_arms(), [Posture()]).solve()
    other = pickle.loads(pickle.dumps(result))
    assert other.diagnosis == result.diagnosis
    assert other.q.tolist() == result.q.tolist()
    with pytest.raises(AttributeError, match='immutable'):
        result.success = False


@EVERY
def test_a_task_of_functions_is_met(name):
    body = two_arms()
    task = CustomTask(lambda q: [q[0] + q[1] - 0.5], lambda q: [[1.0, 1.0, 0, 0, 0, 0]], 'rad')
    result = make_body_solver(name, body, [task]).solve()
    assert result.success
    assert result.q[0] + result.q[1] == pytest.approx(0.5, abs=1e-6)


@EVERY
def test_whatever_functions_raise_passes_through(name):
    def fail(q):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make_body_solver(name, two_arms(), [CustomTask(fail, fail)]).solve()
    with pytest.raises(IkError):
        make_body_solver(name, two_arms(), [CustomTask(lambda q: [np.nan], fail)]).solve()


@EVERY
def test_tasks_that_ask_for_nothing_leave_the_start_as_it_is(name):
    body = two_arms()
    q0 = np.full(6, 0.3)
    for task in (Position('left_hand', (3.0, 0.0, 0.0), weight=0.0),
                 Distance('left_hand', 'right_hand'), Force('left_hand', (0.0, 0.0, 0.0))):
        solver = make_body_solver(name, body, [task])
        result = solver.solve(q0)
        assert result.success
        assert result.q == pytest.approx(q0, abs=1e-9)
        assert solver.velocity(q0, 0.01) == pytest.approx(np.zeros(6), abs=1e-9)


@pytest.mark.parametrize('limit', [0.7, 1.2, 2.8])
def test_a_velocity_to_a_limit_does_not_end_a_last_digit_beyond_it(limit):
    body, rng, dt = two_arms(limit=limit, speed=1e3), np.random.default_rng(4), 0.01
    exceeded = 0
    for bound in (body.lower, body.upper):
        solver = make_body_solver('least_squares', body, [Posture(3.0 * bound, priority=0)],
                                  max_step=10.0)
        for _ in range(1000):
            q = rng.uniform(-limit, limit, body.n_joints)
            exceeded += (np.abs(q + dt * ((bound - q) / dt)) > limit).any()
            end = q + dt * solver.velocity(q, dt)
            assert (np.abs(end) <= limit).all()
            assert end == pytest.approx(bound, abs=1e-14)
    assert exceeded  # of the plain quotient


@EVERY
def test_a_long_rotation_vector_of_the_root_is_shortened(name):
    body = figure('floating')
    q0 = np.zeros(body.n_joints)
    q0[5] = 2.0 * np.pi - 0.1
    target = body.forward(q0)['hand']
    target[:3, 3] += 0.1
    result = make_body_solver(name, body, [Pose('hand', target)]).solve(q0)
    assert result.success
    assert np.linalg.norm(result.q[3:6]) < 1.5 * np.pi + 1e-9


def test_tasks_far_from_the_start_are_met_by_a_moving_root():
    for root in ('planar', 'floating'):
        body = figure(root)
        result = make_body_solver('least_squares', body, [Position('hand', (30.0, -20.0, 0.6))]
                                  ).solve()
        assert result.success

"""What body solvers say of failures: proofs, what holds a task back, and what comes closest."""

import dataclasses

import numpy as np
import pytest

from ik_node import IkError, StopReason, body_solver_names, make_body_solver
from ik_node.tasks import (
    CenterOfMass,
    CustomTask,
    Distance,
    HalfSpace,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    RelativePose,
)
from task_bodies import bounds, figure, hand, placed, two_arms

EVERY = pytest.mark.parametrize('name', body_solver_names())
ORIGIN = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(('task', 'miss'), [
    (Position('left_hand', (2.0, 0.3, 0.0)), 0.8),
    (Position('left_hand', (2.0, 0.3, 0.0), point=(0.1, 0.0, 0.0)), 0.7),
    (Pose('left_hand', placed(0.0, 2.3, 0.0)), 0.8),
    (Pose('left_hand', placed(9.0, 2.3, 0.0), weights=(0, 1, 0, 0, 0, 0)), 0.8),
    (PointOnLine('left_hand', ORIGIN, (0.0, 2.0, 0.0), (1, 0, 0)), 0.5),
    (PointOnPlane('left_hand', ORIGIN, (0.0, 2.0, 0.0), (0, -1, 0)), 0.5),
    (HalfSpace('left_hand', ORIGIN, (0.0, 2.0, 0.0), (0, 1, 0)), 0.5),
    (CenterOfMass((9.0, np.nan, np.nan)), None),
    (CenterOfMass(polygon=[[5, 5], [6, 5], [6, 6], [5, 6]]), None),
    (RelativePose('left_hand', 'right_hand', placed(4.0, 0.0, 0.0)), 1.0),
    (Distance('left_hand', 'right_hand', lower=3.5), 0.5)])
def test_what_is_out_of_reach_is_proved(task, miss):
    result = make_body_solver('least_squares', two_arms(), [task]).solve()
    assert not result.success
    assert result.reason is StopReason.UNREACHABLE
    assert result.restarts == 0  # the proof ended the search
    if miss is not None:
        assert f'it is out of reach by at least {miss:.3g} m' in result.diagnosis


def test_a_proof_leaves_out_all_restarts_at_once():
    solver = make_body_solver('least_squares', two_arms(), [Position('left_hand', (2, 0.3, 0))])
    # So many would take days, were they counted one by one.
    solver.options = dataclasses.replace(solver.options)
    object.__setattr__(solver.options, 'max_restarts', 10**15)
    assert solver.solve().reason is StopReason.UNREACHABLE


@pytest.mark.parametrize('task', [
    Position('left_hand', (1.2 - 1e-9, 0.3, 0.0)), HalfSpace('left_hand', ORIGIN, (0, 1.49, 0),
                                                             (0, 1, 0)),
    Distance('left_hand', 'right_hand', lower=2.9), Distance('left_hand', None, lower=99.0)])
def test_what_is_just_within_reach_and_what_nothing_bounds_is_not_disproved(task):
    solver = make_body_solver('least_squares', two_arms(), [task])
    assert solver._proof() is None


@pytest.mark.parametrize('root', ['planar', 'floating'])
def test_a_root_that_moves_has_no_reach_but_its_links_have(root):
    body = two_arms(root)
    assert make_body_solver('least_squares', body, [Position('left_hand', (90.0, 0.3, 0.0))]
                            )._proof() is None
    apart = make_body_solver('least_squares', body, [Distance('left_hand', 'right_hand', 3.5)])
    assert apart.solve().reason is StopReason.UNREACHABLE


def test_every_reachable_pose_of_a_figure_is_within_the_bounds():
    body, rng = figure(), np.random.default_rng(2)
    lower, upper = bounds(body, np.pi)
    for _ in range(50):
        q = rng.uniform(lower, upper)
        F = body.forward(q)
        com = body.center_of_mass(q)
        tasks = [Pose('finger', F['finger']), Position('nose', F['nose'][:3, 3]),
                 CenterOfMass(com), RelativePose('finger', 'nose', np.linalg.inv(F['nose'])
                                                 @ F['finger']),
                 Distance('finger', 'nose', np.linalg.norm(F['finger'] - F['nose']))]
        tasks[-1].lower = np.linalg.norm(F['finger'][:3, 3] - F['nose'][:3, 3])
        assert make_body_solver('least_squares', body, tasks)._proof() is None


@EVERY
def test_the_task_that_holds_another_back_is_named(name):
    body = two_arms()
    F = body.forward(np.array([0.3, 0.5, 0.4, 0.3, -0.5, 0.2]))
    tasks = [Position('left_2', F['left_2'][:3, 3], name='elbow', priority=0),
             Position('left_hand', (-0.7, 0.5, 0.0), name='hand'),
             Position('right_hand', F['right_hand'][:3, 3], name='other')]
    result = make_body_solver(name, body, tasks, max_restarts=2).solve()
    assert not result.success
    assert "'hand' misses by" in result.diagnosis
    assert "'elbow' holds it" in result.diagnosis
    assert "'other'" not in result.diagnosis


def test_tasks_that_pull_at_each_other_are_both_named():
    body = two_arms()
    tasks = [Position('left_hand', (0.5, 0.8, 0.0), name='up'),
             Position('left_hand', (0.5, 0.2, 0.0), name='down')]
    result = make_body_solver('least_squares', body, tasks, max_restarts=1).solve()
    assert result.reason is StopReason.STALLED
    assert "'up' misses by 0.3 m: 'down' holds it" in result.diagnosis
    assert "'down' misses by 0.3 m: 'up' holds it" in result.diagnosis


def test_limits_that_hold_a_task_back_are_named():
    body = two_arms(limit=0.3)
    result = make_body_solver('least_squares', body, [Position('left_hand', (0.2, 1.2, 0.0))],
                              max_restarts=3).solve()
    assert result.reason is StopReason.STALLED  # not proved: a search found nothing
    assert 'the limits of' in result.diagnosis
    assert 'left_joint_1' in result.diagnosis
    assert 'right_joint' not in result.diagnosis.split(';')[0]


def test_a_singular_configuration_is_diagnosed():
    body = two_arms()
    task = Position('left_hand', (0.7, 0.3, 0.0))
    result = make_body_solver('least_squares', body, [task], max_restarts=0).solve(np.zeros(6))
    assert not result.success
    assert result.reason is StopReason.SINGULAR
    assert 'no joint moves it nearer: it is singular there' in result.diagnosis
    assert make_body_solver('least_squares', body, [task]).solve(np.zeros(6)).success


def test_what_a_task_of_functions_misses_is_diagnosed():
    body = two_arms()
    task = CustomTask(lambda q: [q[0] - 4.0], lambda q: [[1.0, 0, 0, 0, 0, 0]], 'rad', name='own')
    result = make_body_solver('least_squares', body, [task], max_restarts=0).solve()
    assert result.reason is StopReason.STALLED
    assert "'own' misses by 1.2 rad: the limits of 'left_joint_1' hold it" in result.diagnosis


@EVERY
def test_the_closest_configuration_to_a_far_target_is_the_stretched_arm(name):
    body = two_arms()
    solver = make_body_solver(name, body, [Position('left_hand', (3.0, 1.3, 0.0))])
    result = solver.closest(np.array([0.9, -0.7, 0.4, 0.1, 0.2, 0.3]))
    assert not result.success
    assert result.reason is StopReason.UNREACHABLE
    assert result.errors['position_left_hand'][0] == pytest.approx(np.sqrt(10.0) - 1.2, abs=1e-6)
    stretched = [0.0, 0.3, 0.0] + 1.2 * np.array([3.0, 1.0, 0.0]) / np.sqrt(10.0)
    assert hand(body, result.q) == pytest.approx(stretched, abs=1e-3)
    again = make_body_solver(name, body, solver.tasks, closest=True).solve(
        np.array([0.9, -0.7, 0.4, 0.1, 0.2, 0.3]))
    assert again.q.tolist() == result.q.tolist()


@EVERY
def test_the_closest_configuration_meets_what_can_be_met(name):
    body = two_arms()
    solver = make_body_solver(name, body, [Position('left_hand', (0.9, 0.5, 0.0))])
    assert solver.closest().success
    assert solver.closest().q.tolist() == solver.solve().q.tolist()


def test_the_closest_configuration_weighs_tasks_but_keeps_strict_ones():
    body = two_arms()
    tasks = [Position('left_hand', (0.5, 0.8, 0.0), weight=3.0, name='up'),
             Position('left_hand', (0.5, 0.2, 0.0), name='down')]
    result = make_body_solver('least_squares', body, tasks).closest()
    assert hand(body, result.q) == pytest.approx([0.5, 0.65, 0.0], abs=1e-6)
    tasks[1].priority = 0
    result = make_body_solver('least_squares', body, tasks).closest()
    assert hand(body, result.q) == pytest.approx([0.5, 0.2, 0.0], abs=1e-6)
    assert result.errors['down'][0] <= 1e-6


def test_the_closest_configuration_within_limits():
    body = two_arms(limit=0.3, joints=1)
    result = make_body_solver('least_squares', body, [Position('left_hand', (0.0, 0.7, 0.0))],
                              ).closest()
    assert result.q[0] == pytest.approx(0.3, abs=1e-9)
    assert result.reason is StopReason.STALLED


def calls_of(monkeypatch, solver, method):
    """Return a list that gets the arguments of each call of a solver's method."""
    calls, original = [], getattr(solver, method)

    def counted(*arguments):
        calls.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(solver, method, counted)
    return calls


def conflicting(**options):
    """Return a solver of lagrange for two tasks of one hand that cannot both be met."""
    tasks = [Position('left_hand', (0.8, 0.6, 0.0)), Position('left_hand', (0.8, 0.2, 0.0))]
    return make_body_solver('lagrange', two_arms(), tasks, **options)


def test_two_arms_are_not_both_solved_again_for_what_one_of_them_missed():
    body, rng = two_arms(limit=2.0), np.random.default_rng(0)
    restarts = {('left_hand',): 0, ('right_hand',): 0, ('left_hand', 'right_hand'): 0}
    for _ in range(60):
        q, q0 = rng.uniform(body.lower, body.upper, (2, body.n_joints))
        targets = body.forward(q)
        for links in restarts:
            result = make_body_solver(
                'least_squares', body, [Pose(link, targets[link]) for link in links]).solve(q0)
            assert result.success
            restarts[links] += result.restarts
    left, right, both = restarts.values()
    assert 0 < both < 1.3 * (left + right)


def test_lagrange_takes_no_steps_from_a_restart_that_cannot_meet_its_constraints(monkeypatch):
    solver = conflicting(max_restarts=8)
    calls = calls_of(monkeypatch, solver, '_attempt')
    result = solver.solve()
    assert not result.success
    assert result.restarts == 8
    assert len(calls) == 1


def test_lagrange_goes_on_from_a_restart_that_meets_its_constraints(monkeypatch):
    body = two_arms(limit=2.5)
    rng, lower_upper, restarted = np.random.default_rng(60), bounds(two_arms(limit=2.5)), 0
    task = Pose('left_hand')
    solver = make_body_solver('lagrange', body, [task, Posture(np.zeros(body.n_joints))])
    calls = calls_of(monkeypatch, solver, '_attempt')
    for _ in range(10):
        task.target = body.forward(rng.uniform(*lower_upper))['left_hand']
        calls.clear()
        result = solver.solve(rng.uniform(*lower_upper))
        assert result.success
        if result.restarts:
            restarted += 1
            assert 2 <= len(calls) <= 1 + result.restarts
            q = calls[-1][1]
            assert task.residual(body, q) == pytest.approx(np.zeros(6), abs=1e-5)
    assert restarted > 0


@EVERY
def test_the_closest_configuration_is_searched_for_from_few_of_the_starts(name, monkeypatch):
    body = two_arms()
    solver = make_body_solver(name, body, [
        Position('left_hand', (0.8, 0.6, 0.0), priority=0),
        Position('left_hand', (0.8, 0.2, 0.0)), Position('right_hand', (0.1, -0.9, 0.0))],
        max_restarts=2)
    calls, searches = (calls_of(monkeypatch, solver, one) for one in ('_settle', '_find'))
    assert not solver.closest().success
    assert 1 <= len(calls) <= 3
    assert len(searches) == 1


@pytest.mark.parametrize('name', body_solver_names())
@pytest.mark.parametrize('size', [1e200, 1e308])
def test_numbers_whose_squares_overflow_are_refused(name, size):
    body = two_arms('floating')
    for make in (lambda: Position('left_hand', [size, 0.0, 0.0]),
                 lambda: Pose('left_hand', placed(size, 0.0, 0.0)),
                 lambda: Position('left_hand', ORIGIN, weight=size)):
        with pytest.raises(IkError, match='at most 1e\\+09'):
            make()
    solver = make_body_solver(name, body, [Position('left_hand', ORIGIN)])
    q = np.full(body.n_joints, size)
    for call in (lambda: solver.solve(q), lambda: solver.closest(q),
                 lambda: solver.velocity(q, 1.0), lambda: solver.velocity(0.0 * q, size),
                 lambda: solver.velocity(0.0 * q, 1.0 / size)):
        with pytest.raises(IkError, match='1e\\+09'):
            call()

"""Kernels of the body solvers: their rows, targets, tasks in Python, and threads."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ik_node import StopReason, body_solver_names, make_body_solver
from ik_node.model.body import BodyFrames
from ik_node.support.exceptions import IkError, InputError
from ik_node.tasks import (
    CenterOfMass,
    CustomTask,
    Force,
    HalfSpace,
    LookAt,
    Orientation,
    Pose,
    Position,
    Posture,
)
from task_bodies import ROOTS, bounds, every_task, figure, hand, two_arms


class OwnPose(Pose):
    """A subclass of one's own, which kernels know nothing of."""


@pytest.mark.parametrize('root', ROOTS)
def test_the_kernels_give_the_rows_that_tasks_evaluate(root):
    body, rng = figure(root), np.random.default_rng(3)
    tasks = [*every_task(body), Force('hand', (1.0, -2.0, 0.5), (0.1, 0.0, 0.2), weight=3.0),
             Force('hand', (0.0, 0.0, 0.0), name='none')]
    for k, task in enumerate(tasks):
        task.weight = 1.0 + 0.5 * (k % 3)
    solver = make_body_solver('hierarchy', body, tasks)
    for _ in range(3):
        q = rng.uniform(-1.0, 1.0, body.n_joints)
        compare(solver, body, q)
    compare(solver, body, np.zeros(body.n_joints))


def compare(solver, body, q):
    frames = BodyFrames(body, q)
    solver._make_levels()
    for level in solver._levels:
        rows, cost, met = level.evaluate(q), 0.0, True
        for task, part in zip(level.tasks, level.slices):
            layout, (r, J) = task.rows(body), task.evaluate(frames)
            scale = np.sqrt(task.weight) * layout.weights
            assert rows.A[part] == pytest.approx(scale[:, None] * J, abs=1e-12)
            assert rows.e[part] == pytest.approx(-scale * r, abs=1e-12)
            assert rows.one_sided[part].tolist() == layout.one_sided.tolist()
            lacking = np.where(layout.one_sided & (r > 0.0), 0.0, r)
            cost += task.weight * task.energy(frames, lacking, layout.weights)
            met = met and (not task.is_necessary or np.linalg.norm(lacking) < 1e-6)
        assert rows.cost == pytest.approx(cost, rel=1e-12)
        assert rows.met == met


def test_axes_that_are_opposite_or_alike_and_targets_at_the_origin_have_the_rows_of_python():
    body = figure()
    q = np.full(body.n_joints, 0.3)
    nose = body.forward(q)['nose']
    tasks = [LookAt('nose', (1, 0, 0), nose[:3, 3] - nose[:3, 0], name='opposite'),
             LookAt('nose', (1, 0, 0), nose[:3, 3] + nose[:3, 0], name='alike'),
             LookAt('nose', (1, 0, 0), nose[:3, 3], name='here')]
    compare(make_body_solver('hierarchy', body, tasks), body, q)


@pytest.mark.parametrize('name', ['least_squares', 'hierarchy'])
@pytest.mark.parametrize('root', ROOTS)
def test_tasks_of_this_package_and_subclasses_of_them_get_the_same_results(name, root):
    body, rng = figure(root), np.random.default_rng(5)
    for _ in range(3):
        target = body.forward(rng.uniform(-0.8, 0.8, body.n_joints))['hand']
        q0 = rng.uniform(-0.3, 0.3, body.n_joints)
        others = [HalfSpace('finger', (0, 0, 0), (0, 0, -5.0), (0, 0, 1)),
                  Orientation('nose', np.eye(3), weight=0.0)]
        weights = np.linspace(1.0, 3.0, body.n_joints)
        fast, slow = (make_body_solver(name, body, [task, *others], joint_weights=weights).solve(q0)
                      for task in (Pose('hand', target), OwnPose('hand', target)))
        assert fast.success
        assert slow.success
        assert fast.q == pytest.approx(slow.q, abs=1e-5)
        assert fast.iterations == slow.iterations
        assert np.array(list(fast.errors.values())) == pytest.approx(
            np.array(list(slow.errors.values())), abs=1e-5)


def test_whatever_is_set_after_a_solve_is_read_at_the_next():
    body = two_arms()
    task, other = Position('left_hand', (0.9, 0.5, 0.0)), Position('right_hand', (0.8, -0.5, 0.0))
    solver = make_body_solver('least_squares', body, [task, other])
    assert solver.solve().success
    task.target = (0.7, 0.4, 0.0)
    assert hand(body, solver.solve().q) == pytest.approx([0.7, 0.4, 0.0], abs=1e-6)
    task.point = (0.1, 0.0, 0.0)
    result = solver.solve()
    assert (body.forward(result.q)['left_hand'] @ [0.1, 0, 0, 1])[:3] == pytest.approx(
        [0.7, 0.4, 0.0], abs=1e-6)
    task.weight = 0.0
    task.target = (9.0, 0.0, 0.0)
    result = solver.solve()
    assert result.success
    assert result.errors['position_left_hand'][0] > 5.0
    task.weight = 1.0
    assert not solver.solve().success
    task.target = None
    with pytest.raises(IkError, match="'position_left_hand' has no target"):
        solver.solve()
    task.target = (0.9, 0.3, 0.0)
    task.link = 'right_hand'
    other.weight = 0.0
    task.point = (0.0, 0.0, 0.0)
    result = solver.solve()
    assert hand(body, result.q, 'right') == pytest.approx([0.9, 0.3, 0.0], abs=1e-6)


def test_a_target_that_was_set_before_a_solve_that_raised_is_not_forgotten():
    body = two_arms()
    left, right = Position('left_hand', (0.9, 0.5, 0.0)), Position('right_hand', (0.8, -0.5, 0.0))
    solver = make_body_solver('least_squares', body, [left, right])
    assert solver.solve().success
    left.target, right.target = (0.7, 0.4, 0.0), None
    with pytest.raises(IkError):
        solver.solve()
    right.target = (0.8, -0.4, 0.0)
    q = solver.solve().q
    assert hand(body, q) == pytest.approx([0.7, 0.4, 0.0], abs=1e-6)
    assert hand(body, q, 'right') == pytest.approx([0.8, -0.4, 0.0], abs=1e-6)


def test_a_target_or_a_polygon_of_a_centre_of_mass_may_come_and_go():
    body = two_arms()
    task = CenterOfMass(polygon=[[0.3, -0.1], [0.5, -0.1], [0.5, 0.1], [0.3, 0.1]])
    solver = make_body_solver('least_squares', body, [task])
    inside = body.center_of_mass(solver.solve().q)
    assert 0.3 - 1e-6 <= inside[0] <= 0.5 + 1e-6
    task.target = (np.nan, 0.05, np.nan)
    assert body.center_of_mass(solver.solve().q)[1] == pytest.approx(0.05, abs=1e-6)
    task.target = (0.2, np.nan, np.nan)
    assert not solver.solve().success  # outside the polygon
    task.polygon = None
    assert body.center_of_mass(solver.solve().q)[0] == pytest.approx(0.2, abs=1e-6)


def test_a_task_in_python_enters_the_loop_and_what_it_raises_comes_through():
    body = two_arms()
    calls = []

    def residual(q):
        calls.append(q)
        if len(calls) == 4:
            raise ZeroDivisionError('of the task')
        return q[3:4] - 0.2
    J = np.eye(6)[3:4]
    solver = make_body_solver('least_squares', body, [
        Position('left_hand', (0.9, 0.5, 0.0)), CustomTask(residual, lambda q: J, 'rad')])
    with pytest.raises(ZeroDivisionError, match='of the task'):
        solver.solve()
    result = solver.solve()
    assert result.success
    assert result.q[3] == pytest.approx(0.2, abs=1e-6)
    for wrong in (lambda q: [0.0, 0.0], lambda q: 0.0):
        with pytest.raises(InputError, match="residual of the task 'custom_task' must have"):
            make_body_solver('least_squares', body, [CustomTask(wrong, lambda q: J, 'rad')]).solve()


def test_a_task_in_python_is_not_evaluated_on_when_the_time_is_over():
    body, calls = two_arms(), []

    def residual(q):
        calls.append(q)
        return [np.cos(q[0]) + 2.0]
    task = CustomTask(residual, lambda q: [[-np.sin(q[0]), 0, 0, 0, 0, 0]])
    counts = []
    for timeout in (None, 0.0):
        calls.clear()
        result = make_body_solver('least_squares', body, [task], timeout=timeout).solve(
            np.full(6, 0.5))
        counts.append(len(calls))
    assert result.reason is StopReason.TIMEOUT
    assert counts[1] < 10 < 100 < counts[0]


def test_a_timeout_is_looked_at_within_a_descent():
    body = figure()
    hand_pose = body.forward(np.full(body.n_joints, 0.4))['hand']
    solver = make_body_solver('least_squares', body, [Pose('hand', hand_pose)])
    whole = solver.solve()
    in_parts = make_body_solver('least_squares', body, [Pose('hand', hand_pose)],
                                timeout=1e6).solve()
    assert in_parts.q.tolist() == whole.q.tolist()
    assert in_parts.iterations == whole.iterations


@pytest.mark.parametrize('extra', [
    Posture(np.zeros(6)), CustomTask(lambda q: [q[3]], lambda q: [[0, 0, 0, 1.0, 0, 0]], 'rad')])
def test_tasks_beside_which_there_is_more_to_do_are_met(extra):
    body = two_arms()
    result = make_body_solver('least_squares', body, [Position('left_hand', (0.9, 0.5, 0.0)),
                                                      extra]).solve(np.full(6, 0.2))
    assert result.success
    assert result.q[3] == pytest.approx(0.0, abs=1e-3)


def solver_of(name):
    return make_body_solver(name, two_arms(), [
        Position('left_hand', (0.9, 0.5, 0.0), priority=0),
        Position('right_hand', (0.8, -0.5, 0.0)), Posture()], max_restarts=3)


def outcome(solver, q0):
    """Return what a solver makes of an initial guess (n,), without the time it took."""
    result = solver.solve(q0)
    return (result.q.tolist(), result.reason, result.errors, result.iterations, result.restarts,
            solver.velocity(q0, 0.01).tolist())


@pytest.fixture
def often_switching():
    """Let threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures('often_switching')
@pytest.mark.parametrize('name', body_solver_names())
def test_two_threads_with_one_solver_get_the_results_of_one_thread(name):
    body, rng = two_arms(), np.random.default_rng(0)
    for q0 in [rng.uniform(*bounds(body)) for _ in range(12)]:
        solver, began = solver_of(name), threading.Barrier(2)

        def solved(_, solver=solver, began=began, q0=q0):
            began.wait()
            return outcome(solver, q0)
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(solved, range(2)))
        assert found == [outcome(solver_of(name), q0)] * 2

"""Kernels of the body solvers: their rows, targets, tasks in Python, and threads."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ik_node import StopReason, make_body_solver
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
from task_bodies import ROOTS, every_task, figure, hand, placed, two_arms


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


def test_a_task_counts_its_changes_and_copies_go_their_own_way():
    task = Pose('hand', placed(0.1, 0.2, 0.3))
    before = task.changes, task.remakes
    task.target = placed(0.3, 0.2, 0.1)
    assert (task.changes, task.remakes) == (before[0] + 1, before[1])
    task.point = (0.0, 0.1, 0.0)
    assert (task.changes, task.remakes) == (before[0] + 2, before[1] + 1)
    other = copy.deepcopy(task)
    other.target = None
    assert task.target is not None


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
            make_body_solver('least_squares', body, [CustomTask(
                wrong, lambda q: J, 'rad')]).solve()


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


def test_threads_may_share_a_solver():
    body, rng = figure('floating'), np.random.default_rng(2)
    solver = make_body_solver('least_squares', body, [
        Pose('hand', body.forward(np.full(body.n_joints, 0.4))['hand'])])
    starts = rng.uniform(-0.5, 0.5, (40, body.n_joints))
    expected = [solver.solve(q0).q.tolist() for q0 in starts]
    with ThreadPoolExecutor(4) as pool:
        found = [result.q.tolist() for result in pool.map(solver.solve, starts)]
    assert found == expected


def test_a_timeout_is_looked_at_within_a_descent():
    body = figure()
    hand_pose = body.forward(np.full(body.n_joints, 0.4))['hand']
    solver = make_body_solver('least_squares', body, [Pose('hand', hand_pose)])
    whole = solver.solve()
    in_parts = make_body_solver('least_squares', body, [Pose('hand', hand_pose)],
                                timeout=1e6).solve()
    assert in_parts.q.tolist() == whole.q.tolist()
    assert in_parts.iterations == whole.iterations


def test_a_rotation_vector_is_shortened_by_a_whole_turn():
    body = figure('floating')
    q = np.zeros(body.n_joints)
    q[:7] = 1.0, 2.0, 3.0, 0.0, 6.0, 0.0, 0.5
    turned = q.copy()
    turned[4] -= 2.0 * np.pi
    solver = make_body_solver('least_squares', body, [Posture(np.zeros(body.n_joints))])
    solver._make_levels()
    start = solver._records.check.start
    assert start(q) == pytest.approx(turned)
    assert start(0.5 * q) == pytest.approx(0.5 * q)


@pytest.mark.parametrize('extra', [
    Posture(np.zeros(6)), CustomTask(lambda q: [q[3]], lambda q: [[0, 0, 0, 1.0, 0, 0]], 'rad')])
def test_tasks_beside_which_there_is_more_to_do_are_met(extra):
    body = two_arms()
    result = make_body_solver('least_squares', body, [Position('left_hand', (0.9, 0.5, 0.0)),
                                                      extra]).solve(np.full(6, 0.2))
    assert result.success
    assert result.q[3] == pytest.approx(0.0, abs=1e-3)

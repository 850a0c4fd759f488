"""Success is what forward kinematics says of the q returned, whatever the method claims."""

import numpy as np
import pytest

import robots
import soak
from ik_node import Goal, IkError, StopReason, make_solver
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.solver_output import Found

HERE = np.array([0.3, 0.4])


class Claimant(Solver):
    """Returns what it is made to return."""

    name = 'claimant'
    found: Found

    def _solve(self, goal, q0):
        return self.found


class Liar(DlsSolver):
    """Solves, and moves what it found."""

    name = 'liar'

    def _solve(self, goal, q0):
        found = super()._solve(goal, q0)
        found.q[0] += 0.1
        return found


def claim(q, success=True, reason=StopReason.CONVERGED, chain=None):
    """Return a solver that claims joint values with errors of zero."""
    solver = Claimant(robots.planar(1.0, 0.8, limit=2.0) if chain is None else chain)
    solver.found = Found(q, success, reason, 0.0, 0.0, 7, 3)
    return solver


def results(solver, goal, q0):
    """Return the result of a goal by itself, and of it as a batch of one."""
    one, many = solver.solve(goal, q0), solver.solve_batch([goal], q0)
    return [(one.q, one.success, one.reason, one.position_error, one.orientation_error),
            (many.q[0], many.success[0], many.reason[0], many.position_error[0],
             many.orientation_error[0])]


def test_a_success_that_is_none_is_denied_with_the_true_errors():
    solver = claim(HERE)
    pose = solver.chain.forward([0.5, 0.4])
    for q, success, reason, position, orientation in results(solver, pose, [0.1, 0.1]):
        assert not success
        assert reason is StopReason.STALLED
        assert position == pytest.approx(
            np.linalg.norm(pose[:3, 3] - solver.chain.forward(HERE)[:3, 3]), rel=1e-12)
        assert orientation == pytest.approx(0.2, rel=1e-12)
        assert (q == HERE).all()
    assert solver.solve(pose).iterations == 7
    assert solver.solve(pose).restarts == 3


def test_a_failure_that_meets_the_goal_is_a_success():
    solver = claim(HERE, success=False, reason=StopReason.TIMEOUT)
    for _, success, reason, position, _ in results(solver, solver.chain.forward(HERE), [0.1, 0.1]):
        assert success
        assert reason is StopReason.CONVERGED
        assert position < 1e-12


def test_what_is_outside_the_limits_is_brought_inside_before_it_is_verified():
    inside = np.array([2.0, 0.4])
    solver = claim(inside + [1e-12, 0.0])
    for q, success, *_ in results(solver, solver.chain.forward(inside), None):
        assert success
        assert (q == inside).all()
    far = claim(np.array([2.5, 0.4]))
    for q, success, _, position, _ in results(far, far.chain.forward([2.5, 0.4]), None):
        assert not success
        assert (q == inside).all()
        assert position > 0.1


def test_joint_values_that_are_not_finite_are_replaced_by_the_start():
    solver = claim(np.array([np.nan, 0.0]))
    for q, success, reason, *_ in results(solver, solver.chain.forward(HERE), [0.1, 0.2]):
        assert q.tolist() == [0.1, 0.2]
        assert not success
        assert reason is StopReason.STALLED


@pytest.mark.parametrize(('found', 'words'), [
    (None, 'a Found, not None'),
    ((HERE, True), 'a Found'),
    (Found(np.zeros(3), True, StopReason.CONVERGED, 0.0, 0.0, 0, 0), r'of the shape \(2,\)'),
    (Found('ab', True, StopReason.CONVERGED, 0.0, 0.0, 0, 0), r'of the shape \(2,\)'),
    (Found(HERE + 1j, True, StopReason.CONVERGED, 0.0, 0.0, 0, 0), 'as numbers'),
    (Found(HERE, True, 'CONVERGED', 0.0, 0.0, 0, 0), "a StopReason, not 'CONVERGED'")])
def test_what_is_no_result_raises_an_error_that_names_the_solver(found, words):
    solver = claim(HERE)
    solver.found = found
    for ask in (solver.solve, solver.closest, lambda goal: solver.solve_batch([goal])):
        with pytest.raises(IkError, match=f"the solver 'claimant' must return .*{words}"):
            ask(np.eye(4))


def test_a_plugin_made_from_a_solver_of_this_package_is_verified_too():
    chain = robots.planar(1.0, 0.8)
    solver = Liar(chain)
    result = solver.solve(chain.forward(HERE), [0.2, 0.3])
    assert not result.success
    assert result.position_error > 0.05


def test_closest_reports_what_solve_reports():
    chain = robots.planar(1.0, 0.8, limit=0.5)
    for name in ('dls', 'analytic', 'auto', 'pseudoinverse'):
        solver = make_solver(name, chain)
        for goal in (Goal([-1.0, 0.6, 0.0]), Goal([1.5, 2.0, 0.0]), Goal([1.4, 0.3, 0.0])):
            solved, closest = solver.solve(goal), solver.closest(goal)
            assert closest.success == solved.success
            assert closest.reason is solved.reason
            assert closest.position_error <= solved.position_error + 1e-6


ARMS = ['planar_3r', 'arm_6r', 'arm_7r', 'scara', 'panda', 'ur5', 'iiwa14', 'puma560', 'irb140',
        'pr2', 'baxter']


@pytest.mark.parametrize('arm', robots.rest_slow(
    ARMS, 'planar_3r', 'arm_7r', 'scara', 'ur5', 'irb140'))
def test_no_tolerance_brings_a_false_success_and_coarse_ones_are_met(arm):
    chain, rng = soak.chains()[arm], np.random.default_rng(7)
    for name in soak.SOLVERS:
        found = soak.with_tolerances(chain, name, robots.samples(10), rng)
        assert not any(found[kind] for kind in soak.FAULTS)
        assert found['missed'] <= (1 if name == 'analytic' else 0)


@pytest.mark.parametrize('name', ['dls', 'analytic', 'auto'])
def test_a_tolerance_beyond_double_precision_is_an_honest_failure(name):
    chain = robots.chain('ur5')
    solver = make_solver(name, chain, position_tolerance=1e-20, orientation_tolerance=1e-20,
                         max_restarts=2)
    result = solver.solve(chain.forward([0.1, -0.7, 1.1, -0.5, 0.9, 0.2]))
    assert not result.success
    assert result.reason not in (StopReason.CONVERGED, StopReason.UNREACHABLE, StopReason.LIMITS)
    assert result.position_error < 1e-9


def test_a_solver_derived_from_an_iterative_one_solves_batches_by_its_own_method():
    class Own(DlsSolver):
        name = 'own'

        def _solve(self, goal, q0):
            return super()._solve(goal, q0)._replace(iterations=77)

    chain = robots.planar(1.0, 1.0)
    pose = chain.forward([0.5, 0.4])
    assert Own(chain).solve(pose).iterations == 77
    assert Own(chain).solve_batch(np.array([pose, pose])).iterations.tolist() == [77, 77]

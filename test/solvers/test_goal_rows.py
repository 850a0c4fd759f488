"""The entry points of minimizers: rows of a goal, manipulability, initial guesses."""

import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver
from ik_node.solvers.codes import BEYOND, CONVERGED, EXHAUSTED, INVALID


def rig(name='ur5', **options):
    """Return (chain, goal with free axes and unequal weights, solver)."""
    chain = robots.chain(name)
    pose = chain.forward(robots.middle(chain) + 0.4)
    goal = Goal.from_pose(pose, (1.0, 2.0, 0.5, 1.0, 0.0, 3.0))
    return chain, goal, make_solver('optimization', chain, **options)


def test_the_error_decreases_by_the_jacobian():
    chain, goal, solver = rig()
    q, step, V, J = robots.middle(chain), 1e-6, np.empty((3, 6)), np.empty((6, 6))
    for k in range(chain.n_joints):
        for row, at in enumerate((q + step * np.eye(6)[k], q - step * np.eye(6)[k], q)):
            solver._rows.rows(goal.pose, goal.weights, at, V[row], J)
        assert J[:, k] == pytest.approx((V[1] - V[0]) / (2.0 * step), abs=1e-6)
    energy, position, orientation = solver._rows.rows(goal.pose, goal.weights, q, V[0], J)
    assert energy == pytest.approx(V[0] @ V[0])
    assert V[0][4] == 0.0
    assert min(position, orientation) > 0.0


def test_manipulability_is_that_of_the_textbook_and_its_gradient_points_uphill():
    chain, _, solver = rig('panda')
    goal = Goal.from_pose(chain.forward(robots.middle(chain)))
    q, ascent = robots.middle(chain) + 0.2, np.empty(chain.n_joints)
    w = solver._rows.manipulability(goal.pose, goal.weights, q, ascent)
    J = chain.jacobian(q)
    J[:3] /= solver.settings.length
    assert w == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)))
    further = q + 1e-4 * ascent / np.linalg.norm(ascent)
    assert solver._rows.manipulability(goal.pose, goal.weights, further, ascent) > w


def test_a_stretched_arm_is_singular():
    chain, goal, solver = rig()
    weights = np.ones(6)
    assert solver._rows.is_singular(goal.pose, weights, np.zeros(6))
    assert not solver._rows.is_singular(goal.pose, weights, robots.middle(chain) + 0.4)
    assert not solver._rows.is_singular(goal.pose, goal.weights, np.zeros(6))  # one axis is free


def test_initial_guesses_begin_with_the_callers_and_say_what_they_are():
    chain, goal, solver = rig(max_restarts=3)
    guesses, q0 = solver._regions[0].guesses, robots.middle(chain)
    found = []
    for index in range(3):
        q = q0.copy()
        assert guesses.guess(goal.pose, goal.weights, q, index) == EXHAUSTED
        assert (chain.lower <= q).all()
        assert (q <= chain.upper).all()
        found.append(q)
    assert (found[0] == q0).all()
    assert (found[1] != found[2]).any()
    met = q0 + 0.4
    assert guesses.guess(goal.pose, goal.weights, met, 0) == CONVERGED
    far = goal.pose.copy()
    far[:3, 3] = 9.0
    assert guesses.guess(far, goal.weights, q0.copy(), 0) == BEYOND
    assert guesses.guess(goal.pose, goal.weights, np.full(6, np.nan), 0) == INVALID


def test_arrays_of_other_sizes_are_refused():
    _, goal, solver = rig()
    with pytest.raises(ValueError, match='V and J'):
        solver._rows.rows(goal.pose, goal.weights, np.zeros(6), np.empty(6), np.empty((6, 7)))
    with pytest.raises(ValueError, match='gradient'):
        solver._rows.manipulability(goal.pose, goal.weights, np.zeros(6), np.empty(5))
    with pytest.raises(ValueError, match='shape'):
        solver._regions[0].guesses.guess(goal.pose, goal.weights, np.zeros(5), 0)

"""The entry points of minimizers: rows of a goal, and manipulability."""

import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver


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


def test_arrays_of_other_sizes_are_refused():
    _, goal, solver = rig()
    with pytest.raises(ValueError, match='V and J'):
        solver._rows.rows(goal.pose, goal.weights, np.zeros(6), np.empty(6), np.empty((6, 7)))
    with pytest.raises(ValueError, match='gradient'):
        solver._rows.manipulability(goal.pose, goal.weights, np.zeros(6), np.empty(5))

"""Rows of a goal by the kernels, and manipulability."""

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
    q, step = robots.middle(chain), 1e-6

    def rows(there):
        return solver._verifier.rows(goal.pose, goal.weights, there)
    V, J, *errors = rows(q)
    for k in range(chain.n_joints):
        ahead, behind = (rows(q + sign * step * np.eye(6)[k])[0] for sign in (1.0, -1.0))
        assert J[:, k] == pytest.approx((behind - ahead) / (2.0 * step), abs=1e-6)
    assert errors[0] == pytest.approx(V @ V)
    assert V[4] == 0.0
    assert tuple(errors) == solver._verifier.errors(goal.pose, goal.weights, q)
    assert min(errors) > 0.0


def test_manipulability_is_that_of_the_textbook_and_its_gradient_points_uphill():
    chain, _, solver = rig('panda')
    goal = Goal.from_pose(chain.forward(robots.middle(chain)))
    q, measure = robots.middle(chain) + 0.2, solver._manipulability
    w, ascent = measure.at(goal.pose, goal.weights, q)
    J = chain.jacobian(q)
    J[:3] /= solver.settings.length
    assert w == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)))
    further = q + 1e-4 * ascent / np.linalg.norm(ascent)
    assert measure.at(goal.pose, goal.weights, further)[0] > w

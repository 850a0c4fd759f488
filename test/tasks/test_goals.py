"""A goal of an arm as a task of the body: the same pose, the same free axes."""

import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_body_solver, make_solver

TREE = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf')
CHAIN = TREE.chain()


@pytest.mark.parametrize('parts', [
    {'position': True, 'orientation': True}, {'position': True}, {'orientation': True},
    {'position': True, 'orientation': True, 'weights': [1, 1, 1, 1, 1, 0]},
    {'position': True, 'orientation': True, 'weights': [0, 1, 2, 0.5, 0, 0]}])
def test_what_meets_the_goal_meets_the_task_and_the_reverse(parts):
    rng = np.random.default_rng(3)
    body = TREE.body()
    for _ in range(3):
        T = CHAIN.forward(robots.random_q(CHAIN, rng, inside=0.8))
        goal = Goal(T[:3, 3] if 'position' in parts else None,
                    T[:3, :3] if 'orientation' in parts else None, parts.get('weights'))
        q0 = robots.random_q(CHAIN, rng, inside=0.8)
        of_arm = make_solver('dls', CHAIN).solve(goal, q0)
        solver = make_body_solver('least_squares', body, [goal.as_task(CHAIN.tip_link)],
                                  position_tolerance=2e-6, orientation_tolerance=2e-6)
        assert of_arm.success
        assert solver.solve(of_arm.q).iterations == 0  # it is met there
        of_body = solver.solve(q0)
        assert of_body.success
        found = make_solver('dls', CHAIN, position_tolerance=3e-6,
                            orientation_tolerance=3e-6).solve(goal, of_body.q)
        assert (found.success, found.iterations) == (True, 0)


def test_weight_priority_and_name_are_those_of_the_task():
    task = Goal([0.1, 0.2, 0.3]).as_task('tool0', weight=2.0, priority=0, name='reach')
    assert (task.link, task.weight, task.priority, task.name) == ('tool0', 2.0, 0, 'reach')
    assert task.weights.tolist() == [1, 1, 1, 0, 0, 0]

import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_body_solver, make_solver
from ik_node.commands.inspection import inspect_chain
from ik_node.tasks import Pose
from ik_node.workspace.task_rank import task_rank

TURN = 'lower="-2" upper="2" effort="1" velocity="1"'
JAW = 'lower="0" upper="0.8" effort="1" velocity="1"'


@pytest.fixture(scope='module', params=[JAW, 'lower="0.8" upper="0" effort="1" velocity="1"'])
def tree(request):
    """Return an arm with two fingers in its chain; the limits of the second lock or are swapped."""
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('a1', 'revolute', 'base', 'l1', xyz='0 0 0.3', limit=TURN),
        robots.joint('a2', 'revolute', 'l1', 'hand', xyz='0.2 0 0', axis='0 1 0', limit=TURN),
        robots.joint('g', 'revolute', 'hand', 'f1', xyz='0.1 0 0', limit=JAW),
        robots.joint('g2', 'revolute', 'f1', 'f2', xyz='0.05 0 0', limit=request.param,
                     mimic='joint="g" multiplier="-1"'),
        robots.joint('t', 'fixed', 'f2', 'tool0', xyz='0.05 0 0')))


def test_the_gripper_moves_in_chains_and_bodies(tree):
    assert tree.chain().upper.tolist() == tree.body().upper.tolist() == [2.0, 2.0, 0.8]
    assert len(tree.warnings) == 1


def test_it_is_inspected_and_its_task_axes_are_found(tree):
    assert inspect_chain(tree.chain())['task']['rank'] == task_rank(tree.chain()).rank == 3


@pytest.mark.parametrize('solver', ['dls', 'optimization', 'genetic'])
def test_arms_and_bodies_meet_goals_between_the_limits(tree, solver):
    chain, body = tree.chain(), tree.body()
    arm, task = make_solver(solver, chain, seed=0), Pose('tool0', weights=(1, 1, 1, 0, 0, 0))
    whole = make_body_solver('least_squares', body, [task], seed=0)
    rng = np.random.default_rng(0)
    for q in rng.uniform(chain.lower, chain.upper, size=(3, 3)):
        T = chain.forward(q)
        task.target = T
        for result in (arm.solve(Goal(position=T[:3, 3])), whole.solve()):
            assert result.success
            assert 0.0 <= result.q[2] <= 0.8

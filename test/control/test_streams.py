"""Goals that come one close to the other: the joints follow, and never jump."""

import numpy as np
import pytest

import robots
from harness.controller_rig import Rig
from ik_node import Goal, KinematicTree, make_solver
from ik_node.kinematics.reach import extent

GOALS = 40
SIZE = 0.08       # of the reach: how far a line leads, and how large a circle is
MOST = 0.25       # rad between two goals: many times what the path asks for, far less than a flip

# Two configurations of each arm that differ in what branches differ in.
CONFIGURATIONS = {
    'planar_3r': [[0.4, 0.9, -0.3], [0.9, -0.9, 0.4]],
    'ur5': [[0.3, -1.2, 1.4, -0.9, -1.3, 0.5], [0.3, -0.6, -1.4, 0.9, 1.3, 0.5]],
    'puma560': [[0.3, -0.6, 0.5, 0.4, 0.8, 0.2], [0.3, -0.6, 0.5, 0.4, -0.8, 0.2]],
    'panda': [[0.2, -0.5, 0.1, -1.9, 0.1, 1.6, 0.7], [0.2, 0.5, -1.5, -1.9, 1.2, 1.4, 0.3]],
    'iiwa14': [[0.3, 0.6, 0.2, -1.3, 0.4, 0.9, 0.1], [0.3, -0.9, 0.2, 1.3, 0.4, -0.9, 0.1]],
}


def poses_along(chain, q, shape):
    """Return poses (m, 4, 4) along a line, or once around a circle, from where the tip is at q."""
    size = SIZE * extent(chain.arrays).reach
    share = np.linspace(0.0, 1.0, GOALS)[:, None]
    u = np.array([-0.8, 0.6, 0.0])
    v = np.array([-0.6, -0.8, 0.0] if chain.n_joints == 3 else [0.0, 0.0, 1.0])
    turn = 2.0 * np.pi * share
    poses = np.tile(chain.forward(q), (GOALS, 1, 1))
    poses[:, :3, 3] += size * (share * (u + v) if shape == 'line' else
                               np.sin(turn) * u + (1.0 - np.cos(turn)) * v)
    return poses


@pytest.mark.parametrize('shape', ['line', 'circle'])
@pytest.mark.parametrize(('robot', 'solver'), [
    ('planar_3r', 'analytic'), ('ur5', 'auto'), ('puma560', 'analytic'), ('panda', 'auto'),
    ('iiwa14', 'analytic')])
def test_a_stream_of_goals_is_followed_without_jumps(robot, solver, shape):
    own = robot == 'planar_3r'
    tree = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf') if own else robots.tree(robot)
    base, tip = ('', '') if own else robots.REAL[robot][2:]
    chain = tree.chain(base or None, tip or None)
    make_solver('analytic', chain)  # there is a closed form
    for start in np.array(CONFIGURATIONS[robot]):
        rig = Rig(tree=tree, start=start, base_link=base, tip_link=tip, solver=solver)
        states = [start]
        for T in poses_along(chain, start, shape):
            outcome = rig.go(Goal.from_pose(T))
            assert outcome.accepted
            if (robot, solver) != ('panda', 'auto'):  # where dls is first
                assert outcome.result.iterations == 0
            assert chain.forward(rig.q) == pytest.approx(T, abs=1e-5)
            states.append(rig.q)
        assert states[1] == pytest.approx(start, abs=1e-5)
        assert np.abs(np.diff(states, axis=0)).max() < MOST, start

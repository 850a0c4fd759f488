"""Goals that come one close to the other: the joints follow, and never jump."""

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import robots
from ik_node import KinematicTree, make_solver
from ik_node.kinematics.reach import extent
from node_here import running

GOALS = 40
SIZE = 0.08       # of the reach: how far a line leads, and how large a circle is
MOST = 0.25       # rad between two goals: many times what the way asks for, far less than a flip

# Two configurations of each arm that differ in what branches differ in.
CONFIGURATIONS = {
    'planar_3r': [[0.4, 0.9, -0.3], [0.9, -0.9, 0.4]],
    'ur5': [[0.3, -1.2, 1.4, -0.9, -1.3, 0.5], [0.3, -0.6, -1.4, 0.9, 1.3, 0.5]],
    'puma560': [[0.3, -0.6, 0.5, 0.4, 0.8, 0.2], [0.3, -0.6, 0.5, 0.4, -0.8, 0.2]],
    'panda': [[0.2, -0.5, 0.1, -1.9, 0.1, 1.6, 0.7], [0.2, 0.5, -1.5, -1.9, 1.2, 1.4, 0.3]],
    'iiwa14': [[0.3, 0.6, 0.2, -1.3, 0.4, 0.9, 0.1], [0.3, -0.9, 0.2, 1.3, 0.4, -0.9, 0.1]],
}


def described(robot):
    """Return the chain of a robot and the parameters that describe it."""
    if robot == 'planar_3r':
        file = robots.OWN / 'planar_3r.urdf'
        return KinematicTree.from_urdf(file).chain(), {'urdf_path': file}
    chain = robots.chain(robot)
    return chain, {'urdf_path': robots.path(robot), 'base_link': chain.base_link,
                   'tip_link': chain.tip_link}


def goals_along(chain, q, shape):
    """Return poses (m, 4, 4) along a line, or once around a circle, from where the tip is at q."""
    size = SIZE * extent(chain.arrays).reach
    share = np.linspace(0.0, 1.0, GOALS)[:, None]
    u, v = np.array([-0.8, 0.6, 0.0]), np.array([0.0, 0.0, 1.0])
    if chain.n_joints == 3:
        v = np.array([-0.6, -0.8, 0.0])
    turn = 2.0 * np.pi * share
    poses = np.tile(chain.forward(q), (GOALS, 1, 1))
    poses[:, :3, 3] += size * (share * (u + v) if shape == 'line' else
                               np.sin(turn) * u + (1.0 - np.cos(turn)) * v)
    return poses


def stands_at(heard, chain, q):
    """Return a condition: the last joint state that was heard has the arm at q."""
    def stands():
        values = dict(zip(heard[-1].name, heard[-1].position)) if heard else {}
        return heard and np.allclose([values[name] for name in chain.joint_names], q, atol=1e-9)
    return stands


@pytest.mark.parametrize(('robot', 'solver'), [
    ('planar_3r', 'analytic'), ('ur5', 'auto'), ('puma560', 'analytic'), ('panda', 'auto'),
    ('iiwa14', 'analytic')])
def test_a_stream_of_goals_is_followed_without_jumps(robot, solver):
    chain, given = described(robot)
    make_solver('analytic', chain)  # there is a closed form
    with running(**given, solver=solver, publish_rate=100.0) as node:
        heard = node.ready().listen(JointState, 'joint_states', 1000)
        for start in CONFIGURATIONS[robot]:
            for shape in ('line', 'circle'):
                node.stand(start)
                # The states before the reset arrive before those after it.
                assert node.until(stands_at(heard, chain, start)), node.log()
                heard.clear()
                for goal in goals_along(chain, np.array(start), shape):
                    answer = node.client.send(goal)
                    assert answer.met, node.log()
                    if (robot, solver) != ('panda', 'auto'):  # where dls is first
                        assert answer.values['iterations'] == '0'
                    q = [answer.joints[name] for name in chain.joint_names]
                    assert chain.forward(q) == pytest.approx(goal, abs=1e-5)
                assert len(heard) >= GOALS
                states = [dict(zip(state.name, state.position)) for state in heard]
                states = np.array([[state[name] for name in chain.joint_names] for state in states])
                assert states[0] == pytest.approx(start, abs=1e-5)
                assert np.abs(np.diff(states, axis=0)).max() < MOST, (start, shape)

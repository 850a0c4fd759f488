"""A moving arm under test: where it starts, where it is sent, and what it has to keep to."""

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

import robots
from ik_node import KinematicTree
from ik_node.motion.limits import motion_limits
from node_here import running
from ros_harness import elapse, seconds

ARM = robots.OWN / 'arm_6r.urdf'
START = [0.4, 0.3, 0.5, 0.4, -1.2, 0.4]
RATE = 100.0
SLOW = 0.8   # so that every motion takes a second or so
CONTROLLER = '/arm_controller/joint_trajectory'

chain = KinematicTree.from_urdf(ARM).chain()
limits = motion_limits(chain, speed=SLOW)

# For what is the same in both modes.
in_one_mode = pytest.mark.parametrize('mode', ['joint'])


def goal(x, y, z):
    T = chain.forward(START)
    T[:3, 3] += [x, y, z]
    return T


def arrays(states):
    """Return stamps (k,), positions and velocities (k, n) of joint states."""
    return (np.array([seconds(state.header.stamp) for state in states]),
            np.array([state.position for state in states]),
            np.array([state.velocity for state in states]))


def rests(states):
    return len(states) > 1 and not any(states[-1].velocity) and (
        states[-1].position == states[-2].position)


def under_way(node, states):
    """Wait until the arm has left its start and moves."""
    assert node.until(lambda: states and any(states[-1].velocity) and np.abs(
        np.subtract(states[-1].position, START)).max() > 0.02), node.log()


def arrive(node, states, duration):
    """Wait until a motion of that duration, s, is over."""
    elapse(node, states, duration)
    assert node.until(lambda: rests(states)), node.log()


def assert_kept(states):
    """Check published samples against the limits, and velocities against the positions."""
    t, q, v = arrays(states)
    assert (q >= limits.lower).all()
    assert (q <= limits.upper).all()
    assert (np.abs(v) <= limits.velocity * 1.00001).all()
    by_velocity = 0.5 * (v[1:] + v[:-1]) * np.diff(t)[:, None]
    assert np.diff(q, axis=0) == pytest.approx(by_velocity, abs=1e-4)


def moving_node():
    """Return a node that moves the arm slowly, for a `with` statement."""
    return running(urdf_path=ARM, publish_rate=RATE, motion='cartesian', speed=SLOW,
                   start_pose=f'{START}', trajectory_topic=CONTROLLER)


def back_at_start(node, mode):
    """Put the arm back to its start; return the list of joint states from then on."""
    assert node.call(SetBool, 'ik_node/enable', SetBool.Request(data=True)).success
    assert node.set(motion='jump') == (True, '')
    assert node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    assert node.set(motion=mode) == (True, '')
    if not hasattr(node, 'states'):  # one subscription of the module's: each costs at this rate
        node.states = node.listen(JointState, 'joint_states', 1000)
    states, now = node.states, 1e-9 * node.node.get_clock().now().nanoseconds
    assert node.until(lambda: states and seconds(states[-1].header.stamp) > now
                      and states[-1].position == pytest.approx(START)
                      and len(states[-1].velocity) and not any(states[-1].velocity)), node.log()
    states.clear()
    return states

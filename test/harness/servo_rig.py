"""Runs servo in a node in the test's own process: its commands, and what it publishes."""

import contextlib

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.time import Time
from sensor_msgs.msg import JointState

from harness.bent_arm import ARM, CHAIN, START
from harness.node_here import running
from ik_node.motion.limits import motion_limits
from ik_node.ros.conversions import matrix_to_pose

LIMITS = motion_limits(CHAIN)
RATE = 200.0
FORWARD = [0.05, 0.0, 0.0, 0.0, 0.0, 0.0]
TWISTS, JOGS, POSES = (f'ik_node/{name}' for name in (
    'delta_twist_cmds', 'delta_joint_cmds', 'pose_target_cmds'))


def servo(**parameters):
    return running(**{'urdf_path': ARM, 'motion': 'servo', 'publish_rate': RATE,
                      'start_pose': START, 'command_in_type': 'speed_units', **parameters})


@contextlib.contextmanager
def listening(**parameters):
    """Run servo; yield the node, its joint states, and its reports as they come."""
    with servo(**parameters) as node:
        yield (node, node.listen(JointState, 'joint_states'),
               node.listen(DiagnosticStatus, 'ik_node/status'))


def twist(node, values, frame='', age=None):
    message = TwistStamped()
    message.header.frame_id = frame
    if age is not None:
        message.header.stamp = Time(nanoseconds=round(1e9 * (node.now - age))).to_msg()
    for part, three in ((message.twist.linear, values[:3]), (message.twist.angular, values[3:])):
        part.x, part.y, part.z = map(float, three)
    return message


def stream(node, seconds, values=FORWARD, **options):
    """Send a twist every 20 ms for so long."""
    for _ in range(round(seconds / 0.02)):
        node.publish(TwistStamped, TWISTS, twist(node, values, **options))
        node.spin(0.02)


def follows(node, states):
    """Send a twist for half a second; tell whether the tip moves so at the end."""
    stream(node, 0.5)
    return tip_twist(states)[0] == pytest.approx(FORWARD[0], abs=1e-6)


def goal(q):
    return PoseStamped(pose=matrix_to_pose(CHAIN.forward(np.array(q))))


def last(states):
    return np.array(states[-1].position), np.array(states[-1].velocity)


def tip_twist(states):
    q, v = last(states)
    return CHAIN.jacobian(q) @ v


def rests(states):
    return lambda: not np.abs(last(states)[1]).max() > 1e-6


def samples(states):
    """Return the values and the velocities (k, n) of samples."""
    return (np.array([state.position for state in states]),
            np.array([state.velocity for state in states]))


def times(states):
    return np.array([Time.from_msg(state.header.stamp).nanoseconds for state in states])


def accelerates_within_limits(v):
    """Tell whether velocities (k, n), sample by sample, do not change faster than joints may."""
    return (np.abs(np.diff(v, axis=0)) * RATE <= LIMITS.acceleration * (1 + 1e-6)).all()


def jog(node, velocities):
    message = JointState(name=list(velocities), velocity=list(map(float, velocities.values())))
    node.publish(JointState, JOGS, message)

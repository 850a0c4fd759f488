"""Runs servo in a node in the test's own process: its commands, and what it publishes."""

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.time import Time
from sensor_msgs.msg import JointState

import robots
from harness.node_here import running
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose

ARM = robots.OWN / 'arm_6r.urdf'
CHAIN = KinematicTree.from_urdf(ARM).chain()
START = [0.4, 0.3, 0.5, 0.4, -1.2, 0.4]
RATE = 200.0
TWISTS, JOGS, POSES = (f'ik_node/{name}' for name in (
    'delta_twist_cmds', 'delta_joint_cmds', 'pose_target_cmds'))


def servo(**parameters):
    return running(**{'urdf_path': ARM, 'motion': 'servo', 'publish_rate': RATE,
                      'start_pose': START, 'command_in_type': 'speed_units', **parameters})


def twist(node, values, frame='', age=None):
    message = TwistStamped()
    message.header.frame_id = frame
    if age is not None:
        message.header.stamp = Time(nanoseconds=round(1e9 * (node.now - age))).to_msg()
    for part, three in ((message.twist.linear, values[:3]), (message.twist.angular, values[3:])):
        part.x, part.y, part.z = map(float, three)
    return message


def stream(node, seconds, values, **options):
    """Send a twist every 20 ms for so long."""
    for _ in range(round(seconds / 0.02)):
        node.publish(TwistStamped, TWISTS, twist(node, values, **options))
        node.spin(0.02)


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


def jog(node, velocities):
    message = JointState(name=list(velocities), velocity=list(map(float, velocities.values())))
    node.publish(JointState, JOGS, message)

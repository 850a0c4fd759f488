"""Killed under load, the next node serves, and nobody sees a joint state that is none."""

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from plain_kinematics import PlainRobot
from ros_harness import running

pytestmark = pytest.mark.slow  # two nodes as processes, one after the other
ARM = robots.OWN / 'arm_6r.urdf'


def test_a_node_that_is_killed_is_followed_by_one_that_answers():
    tip = KinematicTree.from_urdf(ARM).chain().tip_link
    plain = PlainRobot(ARM.read_text(), tip)
    q = {name: lower + 0.4 * (upper - lower) for name, (lower, upper) in plain.limits.items()}
    goal = PoseStamped(pose=matrix_to_pose(plain.forward(q)))
    with running(urdf_path=ARM) as node:
        node.ready()
        states = node.listen(JointState, 'joint_states', 100)
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        publisher = node.node.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))

        def answered():
            publisher.publish(goal)
            return statuses
        assert node.until(answered), node.log()
        first = node.process.pid
        node.restart()
        del statuses[:], states[:]
        assert node.until(answered, 60.0), node.log()
        assert node.process.pid != first
        assert statuses[0].level == DiagnosticStatus.OK, statuses[0].message

        def there():  # each of the node's topics is discovered in its own time
            publisher.publish(goal)
            newest = dict(zip(states[-1].name, states[-1].position)) if states else {}
            return newest and plain.forward(newest) == pytest.approx(plain.forward(q), abs=1e-5)
        assert node.until(there, 60.0)
        assert [plain.faults(state.name, state.position) for state in states] == [''] * len(states)
        assert node.alive()

"""A node in this process that is given malformed and hostile inputs, and must not be harmed."""

import itertools
import math
import re
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path as PathMsg
from rcl_interfaces.msg import Parameter as ParameterMsg
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import SetParametersAtomically
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

import robots
from harness.graph_here import taken
from harness.node_here import NodeHere, answered
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose

_FIELDS = {1: 'bool_value', 2: 'integer_value', 3: 'double_value', 4: 'string_value',
           5: 'byte_array_value', 6: 'bool_array_value', 7: 'integer_array_value',
           8: 'double_array_value', 9: 'string_array_value'}
_INTERNAL = re.compile('internal error|could not convert|invalid literal|NoneType|object has no')
_CONFIG = Path(__file__).parents[2] / 'config'


class HostileNode(NodeHere):
    """A node whose robot comes by topic, and what is good for it to compare with."""

    def __init__(self):
        # Every goal is to have its status at once, where tf2 is installed, too.
        super().__init__('-p', 'tf_timeout:=0.0')
        self.urdf = (robots.OWN / 'arm_6r.urdf').read_text()
        self.rows = (_CONFIG / 'dh/panda.yaml').read_text()
        self.chain = KinematicTree.from_urdf(self.urdf).chain()
        self.joint_names = list(self.chain.joint_names)
        self.pose_texts = 'angle_unit: rad\nposes:\n' + ''.join(
            f'  p{k}: {{{self.joint_names[k]}: 0.{k}}}\n' for k in range(3))
        self.srdf = '<robot name="r">' + ''.join(
            f'<group_state name="p{k}" group="arm"><joint name="{name}" value="0.1"/>'
            '</group_state>' for k, name in enumerate(self.joint_names)) + '</robot>'
        self.refusals = self.inputs = 0
        self.reason, self._last, self.refused_statuses = '', '', []
        self._touched = set()
        self._folder = tempfile.TemporaryDirectory()
        self._files = itertools.count()
        lower, upper = self.chain.lower, self.chain.upper
        self._goods = itertools.cycle([lower + share * (upper - lower) for share in (0.4, 0.55)])
        self._joint_values = {}
        self._states = self.listen(JointState, 'joint_states')
        self._statuses = self.listen(DiagnosticStatus, 'ik_node/status')
        for kind, topic in ((MarkerArray, 'markers'), (JointTrajectory, 'solutions'),
                            (PoseStamped, 'root_pose')):  # what nobody hears is not made
            self.listen(kind, f'ik_node/{topic}')
        self._good_limits = limits_of(self.urdf)
        self._describe(self.urdf)
        self.ready()
        self.parameter_names = sorted(self.subject.list_parameters([], 0).names)
        self._good = {name: self.subject.get_parameter(name).get_parameter_value()
                      for name in self.parameter_names}
        self.answer_good_goal()

    def __exit__(self, *_):
        super().__exit__()
        self._folder.cleanup()

    def give(self, given):
        """Give the node an input; check that it is refused unharmed, or harmless."""
        self.inputs += 1
        before = self.joint_values
        self._forget()
        refused = getattr(self, f'_give_{type(given).__name__.lower()}')(given)
        self.reason = self._last
        self.settle()
        self.check_states()
        if refused:
            self.refusals += 1
            assert self.joint_values == before, 'a refused input has moved the robot'
        self.restore()
        self.answer_good_goal()

    @property
    def joint_values(self):
        """The last joint states, as {name: position}."""
        for message in self._states[-1:]:
            self._joint_values = dict(zip(message.name, message.position))
        return self._joint_values

    def _forget(self):
        """Forget what was published, but the joint values."""
        self._joint_values = self.joint_values
        del self._states[:], self._statuses[:]

    def check_states(self):
        """Every joint state since the last input is complete, finite, and inside the limits."""
        for message in self._states:
            assert len(message.name) == len(message.position) == len(set(message.name))
            for name, value in zip(message.name, message.position):
                assert math.isfinite(value), (name, value)
                lower, upper = self._limits.get(name, (-math.inf, math.inf))
                assert lower <= value <= upper, (name, value, lower, upper)

    def restore(self):
        """Set what was changed back, and the robot."""
        changed = {name: self._good[name] for name in self._touched
                   if self.subject.get_parameter(name).get_parameter_value() != self._good[name]}
        self._touched.clear()
        if changed:
            response = self._set([ParameterMsg(name=name, value=value)
                                  for name, value in changed.items()])
            assert response.successful, response.reason
        if self._text != self.urdf:
            self._describe(self.urdf)
        self._limits = self._good_limits

    def answer_good_goal(self):
        """A goal that can be met is met, and the joint states are there."""
        self._forget()
        self._send('goal_pose', PoseStamped(pose=matrix_to_pose(
            self.chain.forward(next(self._goods)))))
        assert self.until(lambda: self._statuses), f'no answer to a good goal\n{self.log()}'
        status = self._statuses[-1]
        assert status.level == status.OK, status.message
        assert list(self.joint_values) == self.joint_names
        self.check_states()

    def _give_numbers(self, given):
        header, poses = PoseStamped().header, []
        header.stamp.sec, header.stamp.nanosec = given.stamp
        header.frame_id = given.frame
        for numbers in given.poses * given.repeat:
            pose = PoseStamped(header=header)
            (pose.pose.position.x, pose.pose.position.y, pose.pose.position.z,
             pose.pose.orientation.x, pose.pose.orientation.y, pose.pose.orientation.z,
             pose.pose.orientation.w) = numbers
            poses.append(pose)
        first = poses[0] if poses else PoseStamped(header=header)
        self._send(given.topic, {
            'goal_pose': first, 'goal_point': PointStamped(header=header,
                                                           point=first.pose.position),
            'goal_path': PathMsg(header=header, poses=poses)}[given.topic])
        statuses = list(self._statuses)
        assert statuses or given.topic == 'goal_path', 'a goal without a status'
        for status in statuses:
            self._reasonable(status.message)
        self.refused_statuses = [status for status in statuses if status.level == status.ERROR]
        return bool(statuses) and all(status.level == status.ERROR for status in statuses)

    def _give_parameters(self, given):
        response = self._set([ParameterMsg(name=name, value=value_of(kind, value))
                              for name, kind, value in given.values])
        assert response.successful or response.reason
        self._reasonable(response.reason)
        if response.successful:
            self._look_busy()
        return not response.successful

    def _give_description(self, given):
        return self._describe(given.text)

    def _give_file(self, given):
        file = Path(self._folder.name) / f'{next(self._files)}{given.suffix}'
        file.write_bytes(given.data)
        self._limits = limits_of(given.data.decode(errors='replace'))
        response = self._set([ParameterMsg(name=given.parameter, value=value_of(4, str(file)))])
        file.unlink()
        assert response.successful or response.reason
        self._reasonable(response.reason)
        if response.successful:
            self._look_busy()
        return not response.successful

    def _give_joints(self, given):
        message = JointState(name=given.names, position=given.positions)
        for subscription in self.subject.subscriptions:
            if subscription.msg_type is JointState:
                self.handle(subscription.callback, message)
        return False

    def _describe(self, text):
        """Send a description; return whether it was refused."""
        self._text, self._limits = text, limits_of(text)
        self._send('robot_description', String(data=text))
        error = self.subject._health.error
        self._reasonable(error)
        if not error:
            self._look_busy()
        return bool(error)

    def _look_busy(self):
        """Whatever the robot is now, a goal is no harm to it."""
        self._send('goal_pose', PoseStamped())
        self._send('goal_point', PointStamped())
        for message in self._statuses:
            self._reasonable(message.message)

    def _reasonable(self, reason):
        self._last = reason
        assert not _INTERNAL.search(reason), reason
        assert len(reason) < 5000, len(reason)

    def _set(self, parameters):
        self._touched.update(parameter.name for parameter in parameters)
        return self.handle(answered, self.server('ik_node/set_parameters_atomically').callback,
                           SetParametersAtomically.Request(parameters=parameters),
                           SetParametersAtomically.Response()).result

    def _send(self, topic, message):
        """Let the node handle a message, also one that no wire would carry."""
        for subscription in list(self.subject.subscriptions):
            if subscription.topic_name == f'/{topic}':
                self.handle(subscription.callback, taken(subscription, message))


def value_of(kind, value):
    """Return a value as a parameter's message; kind: its number, which may be none there is."""
    message = ParameterValue(type=kind)
    if kind in _FIELDS:
        setattr(message, _FIELDS[kind], [bytes([b]) for b in value] if kind == 5 else value)
    return message


def limits_of(text):
    """Return {joint: (lower, upper)} of a URDF, as far as it says so plainly; {} of other texts."""
    limits = {}
    try:
        for joint in ElementTree.fromstring(text).iter('joint'):
            limit = joint.find('limit')
            if joint.get('type') in ('revolute', 'prismatic') and limit is not None:
                limits[joint.get('name')] = (float(limit.get('lower', '0')),
                                             float(limit.get('upper', '0')))
    except (ElementTree.ParseError, ValueError):
        return {}
    return limits

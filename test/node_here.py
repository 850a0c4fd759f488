"""The node within the test's own process: its callbacks are called as the executor calls them.

Nothing crosses DDS, so that thousands of inputs take seconds. What the node publishes is published
all the same, and kept here.
"""

import copy
import itertools
import math
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import rclpy
from domains import Domain
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path as PathMsg
from rcl_interfaces.msg import Parameter as ParameterMsg
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.node import IkNode

_FIELDS = {1: 'bool_value', 2: 'integer_value', 3: 'double_value', 4: 'string_value',
           5: 'byte_array_value', 6: 'bool_array_value', 7: 'integer_array_value',
           8: 'double_array_value', 9: 'string_array_value'}
_CONFIG = Path(__file__).parents[1] / 'config'


class NodeHere:
    """A node in this process, its robot by topic, and what is good for it to compare with."""

    def __init__(self):
        self.urdf = (robots.OWN / 'arm_6r.urdf').read_text()
        self.rows = (_CONFIG / 'dh/panda.yaml').read_text()
        self.chain = KinematicTree.from_urdf(self.urdf).chain()
        self.joint_names = list(self.chain.joint_names)
        self.pose_texts = 'angle_unit: rad\nposes:\n' + ''.join(
            f'  p{k}: {{{self.joint_names[k]}: 0.{k}}}\n' for k in range(3))
        self.srdf = '<robot name="r">' + ''.join(
            f'<group_state name="p{k}" group="arm"><joint name="{name}" value="0.1"/>'
            '</group_state>' for k, name in enumerate(self.joint_names)) + '</robot>'
        self.heard = defaultdict(list)
        self.refusals = self.inputs = 0
        self.reason, self._last, self.refused_statuses = '', '', []
        self._touched = set()
        self._folder = tempfile.TemporaryDirectory()
        self._files = itertools.count()
        lower, upper = self.chain.lower, self.chain.upper
        self._goods = itertools.cycle([lower + share * (upper - lower) for share in (0.4, 0.55)])
        self._context, self._domain = rclpy.Context(), Domain()
        rclpy.init(context=self._context, domain_id=self._domain.id,
                   args=['--ros-args', '--log-level', 'fatal'],
                   signal_handler_options=SignalHandlerOptions.NO)
        # Every goal is to have its status at once, where tf2 is installed, too.
        self.node = IkNode(context=self._context,
                           parameter_overrides=[Parameter('tf_timeout', value=0.0)])
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self.node.start()
        self._watch()
        self._good_limits = limits_of(self.urdf)
        self._describe(self.urdf)
        self.parameter_names = sorted(self.node.list_parameters([], 0).names)
        self._good = {name: self.node.get_parameter(name).get_parameter_value()
                      for name in self.parameter_names}
        self.answer_good_goal(240.0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)
        self._domain.give_back()
        self._folder.cleanup()

    def give(self, given):
        """Give the node an input; check that it is refused unharmed, or harmless."""
        self.inputs += 1
        before = self.state
        self.heard.clear()
        refused = getattr(self, f'_give_{type(given).__name__.lower()}')(given)
        self.reason = self._last
        self.settle()
        self.check_states()
        if refused:
            self.refusals += 1
            assert self.state == before, 'a refused input has moved the robot'
        self.restore()
        self.answer_good_goal()

    @property
    def state(self):
        """The last joint states, as {name: position}."""
        return dict(self._state)

    def settle(self):
        """Let the node do what it has put off."""
        for _ in range(3):
            self._executor.spin_once(timeout_sec=0.0)

    def check_states(self):
        """Every joint state since the last input is complete, finite, and inside the limits."""
        for message in self.heard['/joint_states']:
            assert len(message.name) == len(message.position) == len(set(message.name))
            for name, value in zip(message.name, message.position):
                assert math.isfinite(value), (name, value)
                lower, upper = self._limits.get(name, (-math.inf, math.inf))
                assert lower <= value <= upper, (name, value, lower, upper)

    def restore(self):
        """Set what was changed back, and the robot."""
        changed = {name: self._good[name] for name in self._touched
                   if self.node.get_parameter(name).get_parameter_value() != self._good[name]}
        self._touched.clear()
        if changed:
            response = self._set([ParameterMsg(name=name, value=value)
                                  for name, value in changed.items()])
            assert response.successful, response.reason
        if self._text != self.urdf:
            self._describe(self.urdf)
        self._limits = self._good_limits

    def answer_good_goal(self, timeout=120.0):
        """A goal that can be met is met, and the joint states are there."""
        q = next(self._goods)
        self.heard.clear()
        self._callback('/goal_pose')(PoseStamped(pose=matrix_to_pose(self.chain.forward(q))))
        deadline = time.monotonic() + timeout
        while not self.heard['/ik_node/status'] and time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.01)
        assert self.heard['/ik_node/status'], 'no answer to a good goal'
        status = self.heard['/ik_node/status'][-1]
        assert status.level == status.OK, status.message
        assert list(self._state) == self.joint_names
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
        self._callback(f'/{given.topic}')({
            'goal_pose': first, 'goal_point': PointStamped(header=header,
                                                           point=first.pose.position),
            'goal_path': PathMsg(header=header, poses=poses)}[given.topic])
        self.settle()
        statuses = self.heard['/ik_node/status']
        assert statuses or given.topic == 'goal_path', 'a goal without a status'
        for status in statuses:
            self._reasonable(status.message)
        self.refused_statuses = [status for status in statuses if status.level == status.ERROR]
        return bool(statuses) and all(status.level == status.ERROR for status in statuses)

    def _give_parameters(self, given):
        response = self._set([ParameterMsg(name=name, value=value_of(kind, value))
                              for name, kind, value in given.values])
        if response is None:
            return True
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
        for subscription in self.node.subscriptions:
            if subscription.msg_type is JointState:
                subscription.callback(message)
        return False

    def _describe(self, text):
        """Send a description; return whether it was refused."""
        self._text, self._limits = text, limits_of(text)
        self._callback('/robot_description')(String(data=text))
        trouble = self.node._health.trouble
        self._reasonable(trouble)
        self._watch()
        if not trouble:
            self._look_busy()
        return bool(trouble)

    def _look_busy(self):
        """Whatever the robot is now, a goal is no harm to it."""
        self._callback('/goal_pose')(PoseStamped())
        self._callback('/goal_point')(PointStamped())
        for message in self.heard['/ik_node/status']:
            self._reasonable(message.message)

    def _reasonable(self, reason):
        self._last = reason
        assert 'internal error' not in reason, reason
        assert len(reason) < 5000, len(reason)

    def _set(self, parameters):
        """Set parameters as the service does; None where rclpy itself could not read them."""
        service = next(service for service in self.node.services
                       if service.srv_name.endswith('set_parameters_atomically'))
        self._touched.update(parameter.name for parameter in parameters)
        request = SetParametersAtomically.Request(parameters=parameters)
        try:
            return service.callback(request, SetParametersAtomically.Response()).result
        except ValueError:
            assert any(parameter.value.type > ParameterType.PARAMETER_STRING_ARRAY
                       for parameter in parameters)
            return None

    def _callback(self, topic):
        return next(subscription.callback for subscription in self.node.subscriptions
                    if subscription.topic_name == topic)

    def _watch(self):
        """Keep what is published, of every publisher there is by now."""
        for publisher in self.node.publishers:
            if 'publish' not in vars(publisher):
                publisher.publish = self._keeping(publisher.topic_name, publisher.publish)
                publisher.get_subscription_count = lambda: 1  # what nobody hears is not made

    def _keeping(self, topic, publish):
        def keep(message):
            publish(message)
            self.heard[topic].append(copy.deepcopy(message))  # the node uses some again
            if topic == '/joint_states':
                self._state = dict(zip(message.name, message.position))
        return keep


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

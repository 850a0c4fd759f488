"""The topics of the node, and the qualities of service that it and its clients share."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from ik_node.control.options import ACTION, JOINTS, POSE, POSITIONS, TRAJECTORY, TWIST
from ik_node.ros.trajectory_action import TrajectoryAction
from ik_node.support.exceptions import OptionError

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
LATEST = QoSProfile(depth=1)  # reliable, volatile: only the newest message counts

JOINT_STATES, STATE, OUTPUT = 'joint_states_topic', 'state_topic', 'output_topic'

_USES = {JOINT_STATES: 'publishes its own joint states (joint_states_topic)',
         STATE: 'reads the joint states of the robot (state_topic)',
         TRAJECTORY: 'publishes its motions (output_topic)',
         ACTION: 'sends its motions to an action (output_topic)',
         POSITIONS: 'publishes commands of positions (output_topic)'}
OUTPUT_TOPICS = OUTPUT, 'trajectory_topic'  # the latter implies the output trajectory
_GOALS = {PoseStamped: 'goal_pose', PointStamped: 'goal_point', Path: 'goal_path',
          PoseArray: 'goal_poses', JointState: 'goal_joints'}
_OTHERS = ('robot_description', 'collision_object', 'attached_collision_object', 'planning_scene',
           '~/obstacles', '~/obstacle_points', '~/root_pose', '~/reachability_query',
           '~/reachability', '~/status', '~/servo_status',
           '~/markers', '~/solutions', '~/update', '~/feedback', '~/transition_event',
           '/diagnostics', '/parameter_events', '/rosout', '/clock', '/tf', '/tf_static')

TIP = 'tip'
COMMANDS = {TWIST: 'delta_twist_cmds', JOINTS: 'delta_joint_cmds', POSE: 'pose_target_cmds',
            TIP: 'tip_pose'}
"""The topics of commands of servo, by their types, and that of where the tip is."""


def overridable(qos: QoSProfile | int) -> dict[str, Any]:
    """Return arguments for an endpoint: a quality of service that qos_overrides may change.

    These parameters are declared with the endpoint: its history, depth and reliability. A number is
    a depth.
    """
    own = QoSProfile(depth=qos) if isinstance(qos, int) else copy.copy(qos)  # which rclpy changes
    return {'qos_profile': own,
            'qos_overriding_options': QoSOverridingOptions.with_default_policies()}


def command_topic(kind: str, name: str) -> str:
    """Return the topic of commands of a type for an arm, by its name."""
    return f'~/{name}/{COMMANDS[kind]}' if name else f'~/{COMMANDS[kind]}'


def goal_topic(kind: type, name: str) -> str:
    """Return the topic of goals of a type of messages for an arm or a task, by its name."""
    return f'{name}/{_GOALS[kind]}'.lstrip('/')


def own_topics(names: Iterable[str]) -> list[str]:
    """Return all topics that the node may use besides those that parameters name.

    names: of its arms, '' for one without a name, and of its tasks.
    """
    names = list(names)
    return [*_OTHERS, *(goal_topic(kind, name) for name in names for kind in _GOALS),
            *(command_topic(kind, name) for name in names for kind in COMMANDS)]


class ParameterTopics:
    """The publishers and subscriptions on topics that parameters name.

    - `on_state`: called with the topic of a measured joint state, and the message.
    - `on_end`: called with the name of an action and why it does not follow the last trajectory to
      its end, '' where it has.
    """

    def __init__(self, node: LifecycleNode, arms: Sequence[str]) -> None:
        self._node, self._arms = node, arms
        self.on_state: Callable[[str, JointState], None] = lambda topic, message: None
        self.on_end: Callable[[str, str], None] = lambda topic, reason: None
        self._endpoints: dict[tuple[str, str], Any] = {}  # by use, of `_USES`, and topic

    def create(self, values: Mapping[str, Any]) -> None:
        """Create the endpoints for values of parameters that do not exist yet.

        Raises OptionError, and creates none, for an invalid name, for a topic that the node uses
        otherwise, and where creation fails: in one process all messages of a topic have one type.
        """
        resolve, before = self._node.resolve_topic_name, list(self._endpoints)
        taken = dict.fromkeys(map(resolve, own_topics((*self._arms, *(values['tasks'] or ())))),
                              'uses it already')
        for parameter, (use, topic) in _topics(values).items():
            fault = 'is not a valid topic name'
            try:
                name, fault = resolve(topic), f'must not be {topic!r}'
                if taken.setdefault(name, _USES[use]) != _USES[use]:
                    raise OptionError(f'this node {taken[name]}')
                if (use, topic) not in self._endpoints:
                    self._endpoints[use, topic] = self._create(use, topic)
            except Exception as error:  # of rcl, which are not public, too
                self._destroy(self._endpoints.keys() - before)
                reason = ' '.join(str(error).split())
                raise OptionError(f'{parameter} {fault}: {reason}') from error

    def keep(self, values: Mapping[str, Any]) -> None:
        """Destroy all endpoints except those for values of parameters."""
        self._destroy(self._endpoints.keys() - _topics(values).values())

    def publisher(self, use: str, topic: str) -> Any:
        """Return the publisher for a use, such as JOINT_STATES, on a topic; None without one."""
        return self._endpoints.get((use, topic))

    def _create(self, use: str, topic: str) -> Any:
        if use == STATE:  # best effort matches both kinds of publishers
            return self._node.create_subscription(
                JointState, topic, lambda message: self.on_state(topic, message),
                **overridable(qos_profile_sensor_data))
        if use == ACTION:
            return TrajectoryAction(self._node, topic, lambda reason: self.on_end(topic, reason))
        if use == POSITIONS:  # which an arm in motion needs until it rests, whatever the state
            return self._node.create_publisher(Float64MultiArray, topic, **overridable(10))
        kind = JointState if use == JOINT_STATES else JointTrajectory
        made: Any = self._node.create_lifecycle_publisher(kind, topic, **overridable(10))
        # In an active node it has missed the transition that enables it; an inactive one is silent.
        made.on_activate(None)
        return made

    def _destroy(self, keys: Iterable[tuple[str, str]]) -> None:
        for key in list(keys):
            endpoint = self._endpoints.pop(key)
            if key[0] == ACTION:
                endpoint.destroy()
                continue
            (self._node.destroy_subscription(endpoint) or self._node.destroy_publisher(endpoint)
             or self._node.destroy_lifecycle_publisher(endpoint))


def _topics(values: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the use and the topic of each parameter that names one; arms have a prefix."""
    found: dict[str, tuple[str, str]] = {}
    for name, topic in values.items():
        prefix, dot, own = name.rpartition('.')
        use = (TRAJECTORY if own in OUTPUT_TOPICS[1:] else
               values.get(f'{prefix}{dot}output') if own == OUTPUT else own)
        if use in _USES and topic:
            found[name] = use, topic
    return found

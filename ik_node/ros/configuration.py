"""The node's parameters as one consistent whole: checked together, then applied together."""

import re
import traceback
from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.validate_topic_name import validate_topic_name

from ik_node.exceptions import IkError, OptionError, shown
from ik_node.model.tree import KinematicTree
from ik_node.motion.pose_library import PoseLibrary, read_poses
from ik_node.options import Options, Spec
from ik_node.ros.options import JUMP, ArmOptions, ModelOptions, NodeOptions, StartOptions
from ik_node.ros.parameters import declare, from_parameter
from ik_node.ros.robot import Arm, Robot, read_tree
from ik_node.solvers.registry import solver_class, solver_names


class Configuration:
    """Declares the parameters and makes the robot they describe.

    Attributes:
    - `options`: NodeOptions.
    - `robot`: None until loaded, and while its description is still to come by topic.
    - `arm_names`: ('',) for one arm without a name.
    """

    def __init__(self, node: Node, on_change: Callable[[], None]) -> None:
        """Declare every parameter of a node; on_change is called after each accepted change."""
        self._node = node
        self._on_change = on_change
        start = StartOptions.read(
            declare(node, StartOptions.specs(), StartOptions.defaults(), read_only=True))
        self.autostart: bool = start.autostart
        self.arm_names: tuple[str, ...] = self._arm_names(start.arms or ('',))
        self._specs: dict[str, Spec] = {}
        self._values: dict[str, Any] = {}
        self._declare(ModelOptions)
        self._declare(NodeOptions)
        for arm in self.arm_names:
            self._declare(ArmOptions, f'{arm}.' if arm else '')
        for solver in solver_names():
            self._declare(solver_class(solver).Options, f'{solver}.')
        self.options: NodeOptions = self._read(NodeOptions, self._values)
        self.robot: Robot | None = None
        self._topic_text: str | None = None
        self._loaded = False
        self._pending: tuple[dict[str, Any], Robot | None] | None = None
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._apply)

    def _arm_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names where topics and parameters can be made of them, else one arm's."""
        if names == ('',) or (len(set(names)) == len(names)
                              and all(re.fullmatch('[A-Za-z][A-Za-z0-9_]*', n) for n in names)):
            return names
        self._node.get_logger().error(
            f'parameter arms: {shown(names)} must be different names, each of letters, digits and '
            'underscores, a letter first; one arm without a name is used instead')
        return ('',)

    def load(self) -> None:
        """Make the robot. Raises IkError for what is wrong with the parameters."""
        self.robot = self._build(self._values, self._topic_text)
        self._loaded = True

    def unload(self) -> None:
        """Forget the robot, and what came by topic."""
        self.robot, self._topic_text, self._loaded = None, None, False

    def take_description(self, text: str) -> bool:
        """Take a description that came by topic; return whether it makes another robot.

        Raises IkError where it cannot be used; the robot then stays as it was.
        """
        if text == self._topic_text or not self.wants_topic:
            return False
        self.robot = self._build(self._values, text)
        self._topic_text = text
        return True

    @property
    def wants_topic(self) -> bool:
        """Whether the robot is to come by topic, no parameter saying where else from."""
        model = self._read(ModelOptions, self._values)
        return not (model.robot_description or model.urdf_path or model.dh_path)

    def _declare(self, options: type[Options], prefix: str = '') -> None:
        specs = options.specs()
        self._specs.update({prefix + name: spec for name, spec in specs.items()})
        self._values.update(declare(self._node, specs, options.defaults(), prefix))

    @staticmethod
    def _read(options: type[Options], values: dict[str, Any], prefix: str = '') -> Any:
        return options.read({name: values[prefix + name] for name in options.specs()})

    def _build(self, values: dict[str, Any], topic_text: str | None) -> Robot | None:
        tree = self._tree(values, topic_text)
        if tree is None:
            return None
        self._check_node_options(values, tree)
        poses = self._poses(values, tree)
        arms = {}
        for name in self.arm_names:
            options = self._read(ArmOptions, values, f'{name}.' if name else '')
            _check_topic(f'{name}.trajectory_topic'.lstrip('.'), options.trajectory_topic)
            prefix = f'{options.solver}.'
            solver_options = {key.removeprefix(prefix): value for key, value in values.items()
                              if key.startswith(prefix)}
            arms[name] = Arm(name, tree, options, solver_options, poses, values['motion'])
        return Robot(tree, arms, poses, previous=self.robot)

    def _poses(self, values: dict[str, Any], tree: KinematicTree) -> PoseLibrary | None:
        """Return the named poses, the present ones where neither they nor the tree are others."""
        file = values['poses']
        if self.robot is not None and self.robot.tree is tree and file == self._values['poses']:
            return self.robot.poses
        return read_poses(file, tree) if file else None

    def _tree(self, values: dict[str, Any], topic_text: str | None) -> KinematicTree | None:
        """Return the tree, the present one where nothing about its source has changed."""
        same = topic_text == self._topic_text and all(
            values[name] == self._values[name] for name in ModelOptions.specs() if name != 'poses')
        if same and self.robot is not None:
            return self.robot.tree
        return read_tree(self._read(ModelOptions, values), topic_text)

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        """Make the robot that the new values describe; refuse them where that fails."""
        values = dict(self._values)
        try:
            for parameter in parameters:
                if parameter.name in self._specs:
                    values[parameter.name] = from_parameter(parameter.name, parameter,
                                                            self._specs[parameter.name])
            robot = self.robot
            if self._loaded and not all(p.name in NodeOptions.specs() and p.name != 'motion'
                                        for p in parameters):
                robot = self._build(values, self._topic_text)
            elif robot is not None:
                self._check_node_options(values, robot.tree)
            self._pending = values, robot
        except IkError as error:
            reason = f'{error}' if isinstance(error, OptionError) else (
                f'{", ".join(parameter.name for parameter in parameters)}: {error}')
            return self._refused(reason)
        except Exception:  # a defect of ours must not take the robot's node down
            return self._refused(f'internal error:\n{traceback.format_exc()}')
        return SetParametersResult(successful=True)

    def _check_node_options(self, values: dict[str, Any], tree: KinematicTree) -> None:
        """Raise OptionError for values of NodeOptions that do not go with others."""
        _check_world_frame(values, tree)
        _check_motion(values)
        topic = values['state_topic']
        _check_topic('state_topic', topic)
        if topic and self._node.resolve_topic_name(topic) == self._node.resolve_topic_name(
                'joint_states'):
            raise OptionError(f'state_topic must not be {topic!r}, where this node publishes its '
                              'own joint states: remap one of the two')

    def _refused(self, reason: str) -> SetParametersResult:
        self._node.get_logger().warning(f'parameter refused: {reason}')
        return SetParametersResult(successful=False, reason=reason)

    def _apply(self, parameters: list[Parameter]) -> None:
        if self._pending is None or not any(p.name in self._specs for p in parameters):
            return
        (self._values, self.robot), self._pending = self._pending, None
        self.options = self._read(NodeOptions, self._values)
        self._on_change()


def _check_motion(values: dict[str, Any]) -> None:
    """Raise OptionError where joints are to move and nobody would see it."""
    if values['motion'] != JUMP and not values['publish_rate'] > 0.0:
        raise OptionError(f'publish_rate must be above 0 with motion {values["motion"]!r}: joint '
                          'states of a motion are published at it')


def _check_topic(parameter: str, topic: str) -> None:
    """Raise OptionError for what ROS takes for no name of a topic; empty is allowed."""
    try:
        if topic:
            validate_topic_name(topic)
    except InvalidTopicNameException as error:
        raise OptionError(f'{parameter} is no name of a topic: {" ".join(str(error).split())}'
                          ) from error


def _check_world_frame(values: dict[str, Any], tree: KinematicTree) -> None:
    """Raise OptionError where the world has the name of a link: a goal in it would be either's."""
    if values['world_frame'] in tree.links:
        raise OptionError(f'world_frame must not be a link of the robot: {values["world_frame"]!r} '
                          'is one')

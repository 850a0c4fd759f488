"""The node's parameters: validated together, then applied together."""

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter

from ik_node.control.building import NOTHING, Built, Source, build, section
from ik_node.control.options import (
    ACTION,
    BODY_SOLVERS,
    JOINTS,
    JUMP,
    NO_OUTPUT,
    SERVO,
    SIDE,
    SOLVERS,
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    MotionOptions,
    NodeOptions,
    ScaleOptions,
    ServoOptions,
    StartOptions,
    model_path,
)
from ik_node.control.robot import Robot
from ik_node.control.task_group import GOAL
from ik_node.control.task_options import TaskOptions
from ik_node.control.worker import Job, LongSearch
from ik_node.ros.log import reason_of
from ik_node.ros.parameters import NONE, declare, from_parameter, log_invalid, with_numbers
from ik_node.ros.topics import OUTPUT, OUTPUT_TOPICS, STATE, ParameterTopics
from ik_node.solvers.registry import body_solver_class, solver_class, solver_names
from ik_node.support.exceptions import IkError, OptionError, shown
from ik_node.support.options import Options, Spec

MAX_TASKS = 64
MOST_SAMPLES = 1000.0  # a second, of servo


class Configuration:
    """Declares the parameters and builds the robot they describe.

    - `robot`: None until loaded, and while its description is awaited by topic.
    - `arm_names`: ('',) for one arm without a name.
    - `topics`: the endpoints on the topics that parameters name.
    """

    def __init__(self, node: LifecycleNode, on_change: Callable[[], None]) -> None:
        self._node = node
        self._on_change = on_change
        start = StartOptions.read(
            declare(node, StartOptions.specs(), StartOptions.defaults(), read_only=True))
        self.autostart: bool = start.autostart
        self.arm_names: tuple[str, ...] = self._arm_names(start.arms or ('',))
        self.topics = ParameterTopics(node, self.arm_names)
        self._specs: dict[str, Spec] = {}
        self._values: dict[str, Any] = {}
        self._new_tasks: list[str] = []  # whose parameters are declared, but not accepted yet
        self._declare(ModelOptions)
        self._declare(NodeOptions)
        self._declare(ServoOptions)
        self._declare(ScaleOptions, 'scale.')
        for arm in self.arm_names:
            self._declare(ArmOptions, f'{arm}.' if arm else '')
        self._declare(MotionOptions, f'{SIDE}.')
        for solver in solver_names():
            self._declare(solver_class(solver).Options, f'{solver}.')
        for solver in BODY_SOLVERS:
            self._declare(body_solver_class(solver).Options, f'{solver}.')
        for solver in SOLVERS:
            self._declare(CollisionOptions, f'{solver}.')
        self._declare_first_tasks()
        self.options: NodeOptions = section(NodeOptions, self._values)
        self.robot: Robot | None = None
        self._built = self._prepared = NOTHING
        self._loaded = False
        self._pending: tuple[dict[str, Any], Built] | None = None  # accepted, not applied yet
        node.add_pre_set_parameters_callback(self._with_numbers)
        node.add_on_set_parameters_callback(self._accept_or_refuse)
        node.add_post_set_parameters_callback(self._apply)

    def _arm_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names where they are valid, else one unnamed arm."""
        try:
            _check_names('arms', () if names == ('',) else names)
            if SIDE in names:
                raise OptionError(f'arms: {SIDE!r} is the name of the joints that no arm has')
        except OptionError as error:
            self._node.get_logger().error(
                f'parameter {error}; one arm without a name is used instead')
            return ('',)
        return names

    def load(self) -> None:
        """Build the robot. Raises IkError for invalid parameters, topics excepted."""
        self._load_topics()
        self._use(self._build(Source(self._values, None)))
        self._loaded = True

    def unload(self) -> None:
        """Drop the robot, the description received by topic, and the endpoints of parameters."""
        self._use(NOTHING)
        self._loaded = False
        self.topics.keep({})

    def _load_topics(self) -> None:
        """Create the endpoints of topics; invalid ones are logged and replaced by the default.

        Without measured joint states motions would begin where the robot may not be: where these
        cannot be read, motions are not published.
        """
        defaults = {**NodeOptions.defaults(), **ArmOptions.defaults()}
        state_topic = self._values[STATE]
        values = {name: value for name, value in self._values.items()
                  if name == 'tasks' or name.endswith('output')}
        for name in [name for name in self._values if name.endswith('_topic')]:
            values[name] = value = self._values[name]
            for fallback in (defaults[name.rpartition('.')[2]], ''):
                try:
                    if name.endswith(OUTPUT_TOPICS) and values[name] and (
                            values[STATE] != state_topic):
                        raise OptionError(f'motions would not begin where {STATE} says')
                    self.topics.create(values)
                    break
                except OptionError as error:
                    log_invalid(self._node, name, fallback, error)
                    values[name] = fallback
            if values[name] != value:
                self._node.set_parameters([Parameter(name, value=values[name])])
                if name.endswith(OUTPUT):
                    self._node.set_parameters([Parameter(
                        name.removesuffix('_topic'), value=NO_OUTPUT)])

    def _use(self, built: Built) -> None:
        if self.robot is not None and built.robot not in (None, self.robot):
            built.robot.place(self.robot.values)  # it may have moved on since that was built
        self._built, self.robot, self._prepared = built, built.robot, NOTHING

    def prepare(self, parameters: Iterable[Parameter] = (),
                topic_text: str | None = None) -> Job[None]:
        """Build the robot of changed parameters, or of a description received by topic, ahead.

        For the worker. Raises IkError where the robot cannot be built.
        """
        values, self._prepared, self._new_tasks = {}, NOTHING, []
        for one in self._with_numbers(list(parameters)):
            if one.name not in self._specs:
                return  # which setting it reports, as what is invalid
            with contextlib.suppress(OptionError):
                values[one.name] = from_parameter(one.name, one, self._specs[one.name])
        if not self._loaded or not (topic_text is None or self.wants_topic):
            return
        try:
            if 'tasks' in values:
                self._new_tasks = self._declare_tasks(values['tasks'] or ())
            source = Source({**self._values, **values},
                            topic_text or self._built.source.topic_text)
            self._prepared = yield LongSearch(build, source, self.arm_names, self._built)
        except Exception:
            self.drop_new_tasks()
            raise

    def update_description(self, text: str) -> bool:
        """Use a description received by topic; return whether it changes the robot.

        Raises IkError for an invalid one; the robot is then unchanged.
        """
        if text == self._built.source.topic_text or not self.wants_topic:
            return False
        self._use(self._build(Source(self._values, text)))
        return True

    @property
    def servo(self) -> tuple[ServoOptions, ScaleOptions]:
        """The options of the motion servo."""
        return section(ServoOptions, self._values), section(ScaleOptions, self._values, 'scale.')

    @property
    def wants_topic(self) -> bool:
        """Whether the robot comes by topic, because no parameter gives it."""
        model = section(ModelOptions, self._values)
        return not (model.robot_description or model_path(vars(model)))

    def _declare_first_tasks(self) -> None:
        """Declare the parameters of the tasks named at the start; without valid names, of none."""
        tasks, self._values['tasks'] = self._values['tasks'], None
        try:
            self._declare_tasks(tasks or ())
            self._values['tasks'] = tasks
        except OptionError as error:
            self._node.get_logger().error(f'parameter {error}; none is used instead')
            self._node.set_parameters([Parameter('tasks', value=NONE)])

    def _declare_tasks(self, tasks: Sequence[str]) -> list[str]:
        """Declare the parameters of new tasks, and return their names.

        Raises OptionError for names that cannot be those of topics and parameters.
        """
        if len(tasks) > MAX_TASKS:
            raise OptionError(f'tasks must be at most {MAX_TASKS} names, not {len(tasks)}')
        _check_names('tasks', tasks)
        present = self._values['tasks'] or ()
        taken = {GOAL, *(name.partition('.')[0] for name in self._specs)} - {
            *present, *self._new_tasks}
        for task in tasks:
            if task in taken:
                raise OptionError(f'tasks: {task!r} is the name of other parameters, or of the '
                                  'goal of a tip; choose another one')
        new = [task for task in tasks if task not in present]
        for task in new:
            self._declare(TaskOptions, f'{task}.')
        return new

    def drop_new_tasks(self) -> None:
        """Remove the parameters of tasks that `prepare` has declared and that are not accepted."""
        self._drop_tasks(self._new_tasks)
        self._new_tasks = []

    def _drop_tasks(self, tasks: Iterable[str]) -> None:
        for task in tasks:
            for name in TaskOptions.specs():
                self._specs.pop(f'{task}.{name}', None)
                self._values.pop(f'{task}.{name}', None)
                if self._node.has_parameter(f'{task}.{name}'):
                    self._node.undeclare_parameter(f'{task}.{name}')

    def _declare(self, options: type[Options], prefix: str = '') -> None:
        """Declare options; those that arms and figures share are declared once, as of arms."""
        specs = {name: spec for name, spec in options.specs().items()
                 if prefix + name not in self._specs}
        self._values.update(declare(self._node, specs, options.defaults(), prefix))
        self._specs.update({prefix + name: spec for name, spec in specs.items()})

    def _build(self, source: Source) -> Built:
        """Build the robot, as far as the present one is not valid any more."""
        present = self._built if self._prepared.robot is None else self._prepared
        built = build(source, self.arm_names, present)
        if built.robot is not None:
            self._check_node_options(source.values, built.robot)
        return built

    def _with_numbers(self, parameters: list[Parameter]) -> list[Parameter]:
        return [with_numbers(one, self._specs[one.name]) if one.name in self._specs else one
                for one in parameters]

    def _accept_or_refuse(self, parameters: list[Parameter]) -> SetParametersResult:
        """Check each value and build the robot of all; refuse them, saying why, where one fails."""
        own = [parameter for parameter in parameters if parameter.name in self._specs]
        if not own:  # of rclpy, or declared just now
            return SetParametersResult(successful=True)
        new: list[str] = []
        try:
            changed = {parameter.name: from_parameter(
                parameter.name, parameter, self._specs[parameter.name]) for parameter in own}
            if 'tasks' in changed:
                new = self._declare_tasks(changed['tasks'] or ())
            values, built = {**self._values, **changed}, self._built
            if self._loaded:
                built = self._build(Source(values, built.source.topic_text))
                self.topics.create(values)
            self._pending = values, built
        except Exception as error:  # invalid values, or a defect, which must not stop the node
            self._drop_tasks([*new, *self._new_tasks])
            return self.refusal(parameters, error)
        finally:
            self._new_tasks = []
        return SetParametersResult(successful=True)

    def refusal(self, parameters: Iterable[Parameter], error: Exception) -> SetParametersResult:
        """Return the result for parameters that are refused because of an error, and log it."""
        logger = self._node.get_logger()
        reason = reason_of(error, logger.error)
        if isinstance(error, IkError) and not isinstance(error, OptionError):
            reason = f'{", ".join(parameter.name for parameter in parameters)}: {reason}'
        logger.warning(f'parameter refused: {reason}')
        return SetParametersResult(successful=False, reason=reason)

    def _check_node_options(self, values: Mapping[str, Any], robot: Robot) -> None:
        if values['world_frame'] in robot.tree.links:  # which would be ambiguous
            raise OptionError('world_frame must not be a link of the robot: '
                              f'{values["world_frame"]!r} is one')
        if values['motion'] != JUMP and not values['publish_rate'] > 0.0:
            raise OptionError(f'publish_rate must be above 0 with motion {values["motion"]!r}: '
                              'joint states of a motion are published at it')
        for group in robot.groups.values():
            group.check_command_joints()
            if group.output[0] == ACTION and find_spec('control_msgs') is None:
                raise OptionError(f'output must not be {ACTION!r}: the type of the action, '
                                  'control_msgs/FollowJointTrajectory, is not installed')
        if values['motion'] != SERVO:
            return
        if any(group.output[0] == ACTION for group in robot.groups.values()):
            raise OptionError(f'motion must not be {SERVO!r} with the output {ACTION!r}, which '
                              'takes whole motions: choose another output')
        if robot.moves_root:
            raise OptionError(f'motion must not be {SERVO!r} with root '
                              f'{values["root"]!r}: it moves joints')
        if values['command_type'] == JOINTS and find_spec('control_msgs') is None:
            raise OptionError(f'command_type must not be {JOINTS!r}: the type of '
                              '~/delta_joint_cmds, control_msgs/JointJog, is not installed')
        if not 1.0 <= values['publish_rate'] <= MOST_SAMPLES:
            raise OptionError(f'publish_rate must be from 1 to {MOST_SAMPLES:g} Hz with motion '
                              f'{SERVO!r}, not {values["publish_rate"]:g}')

    def _apply(self, parameters: list[Parameter]) -> None:
        if self._pending is None or not any(p.name in self._specs for p in parameters):
            return
        (values, built), self._pending = self._pending, None
        gone = set(self._values['tasks'] or ()) - set(values['tasks'] or ())
        self._values = values
        self._use(built)
        self._drop_tasks(gone)
        self.options = section(NodeOptions, self._values)
        try:
            self._on_change()
        except Exception as error:  # a defect, which must not leave the request without a response
            reason_of(error, self._node.get_logger().error)
        if self._loaded:
            self.topics.keep(values)


def _check_names(parameter: str, names: Sequence[str]) -> None:
    """Raise OptionError unless names are different, and valid in topics and parameters."""
    if len(set(names)) < len(names) or not all(
            re.fullmatch('[A-Za-z][A-Za-z0-9_]*', name) for name in names):
        raise OptionError(f'{parameter}: {shown(names)} must be different names, each of letters, '
                          'digits and underscores, a letter first')

"""Builds the robot from the values of the parameters, and again only what a change concerns."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ik_node.control.arm import Arm
from ik_node.control.collision_world import configured_obstacles, disabled_pairs
from ik_node.control.coupled_arms import CoupledArms, coupled, coupled_options
from ik_node.control.group import Group
from ik_node.control.group_source import GroupSource, same_value
from ik_node.control.options import (
    BODY_SOLVERS,
    SIDE,
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    MotionOptions,
    NodeOptions,
    is_name,
    solves_arms,
    solves_body,
)
from ik_node.control.robot import ArmMap, Robot
from ik_node.control.task_group import SideJoints, TaskGroup
from ik_node.control.task_options import TaskOptions
from ik_node.model.pose_library import PoseLibrary, read_poses
from ik_node.model.readers import read_model, read_urdf_text
from ik_node.model.tree import KinematicTree
from ik_node.model.xacro_expansion import xacro_arguments
from ik_node.solvers.registry import body_solver_class, solver_class
from ik_node.support.bounds import MAX_JOINTS
from ik_node.support.exceptions import IkError, ModelError, OptionError, names
from ik_node.support.options import Options
from ik_node.support.resources import robot_file

if TYPE_CHECKING:
    from ik_node.workspace import ReachabilityMap


class Source(NamedTuple):
    """The values of all parameters by their full names, and the description received by topic."""

    values: Mapping[str, Any]
    topic_text: str | None


class Built(NamedTuple):
    """A robot with its source; `robot` is None where the description is awaited by topic."""

    source: Source
    robot: Robot | None


NOTHING = Built(Source({}, None), None)
# Parameters of what needs a tree.
_BESIDE_MODEL = ('poses', 'srdf_path', 'obstacles_path', 'reachability_map')


def build(source: Source, arm_names: Sequence[str], present: Built = NOTHING) -> Built:
    """Return the robot of a source, as far as the present one is not valid any more.

    In any thread. Raises IkError for invalid values.
    """
    tree = build_tree(source, present)
    return Built(source, None if tree is None else build_robot(source, tree, arm_names, present))


def build_tree(source: Source, present: Built = NOTHING) -> KinematicTree | None:
    """Return the tree, the present one where its source is unchanged; see `read_tree`."""
    values, before = source.values, present.source
    if present.robot is not None and source.topic_text == before.topic_text and all(
            same_value(values[name], before.values[name])
            for name in ModelOptions.specs() if name not in _BESIDE_MODEL):
        return present.robot.tree
    return read_tree(section(ModelOptions, values), source.topic_text)


def build_robot(source: Source, tree: KinematicTree, arm_names: Sequence[str],
                present: Built = NOTHING) -> Robot:
    """Return the robot of a tree, with the joint values of the present one.

    Groups with unchanged parameters are those of the present robot; where all are, so is the robot.
    Raises IkError for invalid values.
    """
    values, robot = source.values, present.robot
    poses = _poses(source, tree, present)
    model: ModelOptions = section(ModelOptions, values)
    obstacles = (robot.obstacles if robot is not None and robot.tree is tree
                 and model.obstacles_path == present.source.values['obstacles_path']
                 else configured_obstacles(model, tree))
    disabled, warning = disabled_pairs(model, tree)
    before = {} if robot is None else robot.groups
    arms = {name: section(ArmOptions, values, f'{name}.' if name else '') for name in arm_names}
    groups: dict[str, Group] = {}
    together = _task_source(values, tree, arms, poses, disabled)
    for name, options in arms.items():
        if together is None or (name and name not in together.arms):
            own = GroupSource(
                tree, options, poses=poses, motion=values['motion'], name=name, disabled=disabled,
                **_solver_options(options.solver, solver_class, values))
            groups[name] = _group(Arm, own, before.get(name))
    if together is not None:
        groups[''] = _group(CoupledArms if together.arms else TaskGroup, together, before.get(''))
    first = next(iter(groups.values()))
    taken = {name for group in groups.values() for name in group.space.joint_names}
    joints = tuple(name for name in tree.independent_joints if name not in taken)
    too_many = '' if len(joints) <= MAX_JOINTS else (
        f'{len(joints)} joints that no arm has cannot be moved: at most {MAX_JOINTS} are allowed')
    if joints and not too_many:
        own_options = vars(section(MotionOptions, values, f'{SIDE}.'))
        side = GroupSource(
            tree, ArmOptions(solver='least_squares', **own_options), motion=values['motion'],
            name=SIDE, joints=joints, disabled=disabled,
            collision_options=first.source.collision_options)
        groups[SIDE] = _group(SideJoints, side, before.get(SIDE))
    if robot is not None and robot.tree is tree and groups == before and (
            robot.poses is poses and robot.obstacles is obstacles
            and model.reachability_map == present.source.values['reachability_map']):
        return robot
    found = Robot(tree, groups, poses, robot, obstacles, tuple(filter(None, (warning, too_many))))
    found.reachability = _reachability(model.reachability_map, tree, arms, robot)
    return found


def _reachability(file: str, tree: KinematicTree, arms: Mapping[str, ArmOptions],
                  before: Robot | None) -> ArmMap | None:
    """Return the map of a file, which is read once, and where the arm begins; None without one.

    Raises OptionError for files that are none, and where it is of none of the robot's arms.
    """
    if not file:
        return None
    kept = before.reachability if before is not None else None
    map, reason = kept.map if kept is not None and kept.file == file else _read_map(file), ''
    for options in arms.values():
        try:
            chain = options.chain(tree)
            map.check_chain(chain)
            return ArmMap(file, map, chain.base_link)
        except IkError as error:
            reason = str(error)
    raise OptionError(f'reachability_map: {reason}')


def _read_map(file: str) -> 'ReachabilityMap':
    from ik_node.workspace import ReachabilityMap  # late: few nodes have one
    try:
        return ReachabilityMap.load(file)
    except (IkError, OSError) as error:
        raise OptionError(f'reachability_map: {error}') from error


def _group(kind: type[Arm] | type[TaskGroup], source: GroupSource, before: Group | None) -> Group:
    """Return the group of a source, the present one where it is unchanged."""
    previous: Any = before if type(before) is kind else None
    is_same = previous is not None and previous.source.is_same(source)
    return previous if is_same else kind(source, previous)


def _solver_options(solver: str, class_of: Callable[[str], Any],
                    values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a source by the parameters with the name of its solver."""
    own = {name: values[f'{solver}.{name}'] for name in class_of(solver).Options.specs()}
    return {'solver_options': own,
            'collision_options': section(CollisionOptions, values, f'{solver}.')}


def _task_source(values: Mapping[str, Any], tree: KinematicTree, arms: Mapping[str, ArmOptions],
                 poses: PoseLibrary | None,
                 disabled: tuple[tuple[str, str], ...]) -> GroupSource | None:
    """Return the source of the tasks, or of the arms that share joints; None without.

    Raises OptionError where tasks, arms, solver and root do not fit together.
    """
    node_options = section(NodeOptions, values)
    if '' in arms:
        options, arms = arms[''], {}
        if not _solves_body(options, node_options):
            return None
    else:
        arms = _coupled_arms(tree, arms, node_options)
        if not arms:
            return None
        options = coupled_options(arms)
    return GroupSource(
        tree, options, task_options={
            name: section(TaskOptions, values, f'{name}.') for name in node_options.tasks or ()},
        root=node_options.root, T_world_root=node_options.T_world_root, poses=poses,
        motion=node_options.motion, arms=arms, disabled=disabled,
        **_solver_options(options.solver, body_solver_class, values))


def _solves_body(options: ArmOptions, node_options: NodeOptions) -> bool:
    """Return whether the solver is one of a whole body. Raises OptionError where it must be."""
    tasks, root = node_options.tasks or (), node_options.root
    if solves_body(options.solver, tasks, root):
        return True
    solvers = names(BODY_SOLVERS)
    if tasks:
        raise OptionError(f'solver must be one of {solvers} with tasks, not '
                          f'{options.solver!r}, which solves for one arm; set it before tasks')
    if root != 'fixed':
        raise OptionError(f'root must be fixed with the solver {options.solver!r}; a '
                          f'{root} root needs one of {solvers}')
    return False


def _coupled_arms(tree: KinematicTree, arms: Mapping[str, ArmOptions],
                  node_options: NodeOptions) -> dict[str, ArmOptions]:
    """Return the arms that share joints. Raises OptionError for options that do not fit arms."""
    if node_options.tasks:
        raise OptionError('tasks and arms cannot be used together: name a task of the type '
                          'pose for each arm instead')
    shared = coupled({name: options.chain(tree) for name, options in arms.items()})
    for name, options in arms.items():
        if name not in shared and not solves_arms(options.solver):
            raise OptionError(f'{name}.solver must be a solver of one arm, as it shares no joint '
                              f'with another one, not {options.solver!r}')
    if shared and node_options.root != 'fixed':
        raise OptionError(f'root must be fixed with the arms {names(shared)}, which share joints, '
                          f'not {node_options.root!r}: use the parameter tasks in place of arms')
    return {name: arms[name] for name in shared}


def section(options: type[Options], values: Mapping[str, Any], prefix: str = '') -> Any:
    """Return the options of a type from the values of all parameters."""
    return options.read({name: values[prefix + name] for name in options.specs()})


def _poses(source: Source, tree: KinematicTree, present: Built) -> PoseLibrary | None:
    """Return the named poses, the present ones where file and tree are unchanged."""
    file = source.values['poses']
    if present.robot is not None and present.robot.tree is tree and (
            file == present.source.values['poses']):
        return present.robot.poses
    return read_poses(file, tree) if file else None


def read_tree(options: ModelOptions, topic_text: str | None) -> KinematicTree | None:
    """Return the tree from the first source that is set; None where it is awaited by topic.

    Raises ModelError, and OptionError where two parameters name different files.
    """
    hold, soft = options.hold_complex_joints, options.soft_limits
    if options.robot_description:
        return read_urdf_text(options.robot_description, hold, soft)
    if path := options.path():
        if is_name(path):
            try:
                path = str(robot_file(path))
            except FileNotFoundError as error:
                raise ModelError(f'model_path: {error}') from error
        return read_model(Path(path), xacro_arguments(options.xacro_args or ()),
                          hold_complex_joints=hold, soft_limits=soft)
    return None if topic_text is None else read_urdf_text(topic_text, hold, soft)

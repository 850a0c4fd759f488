"""Solves MoveIt's IK requests once, without motion; its messages need not be installed."""

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple, cast

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.control.group import AnyResult, Group, TaskGoal
from ik_node.control.robot import Robot
from ik_node.control.worker import Job, LongSearch
from ik_node.ros.conversions import checked_positions, pose_to_matrix
from ik_node.ros.intake.frames import placed
from ik_node.solvers.result import StopReason
from ik_node.support.exceptions import IkError, InputError, names
from ik_node.tasks import Pose

_CONSTRAINTS = ('joint_constraints', 'position_constraints', 'orientation_constraints',
                'visibility_constraints')


class Code(IntEnum):
    """The codes of moveit_msgs/MoveItErrorCodes that are used here."""

    SUCCESS = 1
    FAILURE = 99999
    TIMED_OUT = -6
    INVALID_GROUP_NAME = -15
    INVALID_GOAL_CONSTRAINTS = -16
    INVALID_ROBOT_STATE = -17
    INVALID_LINK_NAME = -18
    FRAME_TRANSFORM_FAILURE = -21
    COLLISION_CHECKING_UNAVAILABLE = -22
    NO_IK_SOLUTION = -31


class RequestError(IkError):
    """An invalid request, with its error code."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class Response(NamedTuple):
    """The response to a request: every moving joint, rad or m; none where goals are not met."""

    code: Code
    message: str
    joints: Mapping[str, float]


class Context(NamedTuple):
    """What requests need of the node.

    - `in_target`, `bounded`: as of `Frames` and `IkService`.
    - `prefix`: optional prefix of link names.
    - `avoid_collisions`: the parameter, what is done for requests with this flag.
    """

    in_target: Callable[[Robot, Group, str, Any], np.ndarray]
    bounded: Callable[[Group, float, CollisionModel | None], Group]
    prefix: str
    avoid_collisions: str = 'check'


class _Tip(NamedTuple):
    """A task that a request may give a pose, by its name or its link.

    - `is_link`: whether the pose is of the link that the request names, not of the tool on it.
    """

    group: Group
    task: str
    link: str
    is_link: bool = False


def solve_once(request: Any, robot: Robot, context: Context) -> Job[Response]:
    """Solve a PositionIKRequest, by its field names, for a robot, which is not changed.

    The start has the joint values of the request, and those of the robot for all others; frames of
    links are those of the start. The arm's task_weights apply, and tasks without a pose in the
    request keep their targets.
    """
    try:
        return (yield from _solve(request, robot, context))
    except RequestError as error:
        return Response(error.code, str(error), {})


def _solve(request: Any, robot: Robot, context: Context) -> Job[Response]:
    if any(getattr(request.constraints, kind) for kind in _CONSTRAINTS):
        raise RequestError(Code.INVALID_GOAL_CONSTRAINTS, 'constraints are not supported; '
                           'task_weights selects the axes of a goal')
    values, notes = _start(robot, request.robot_state)
    there = robot.with_values(values)
    targets = _targets(request, there, context.prefix)
    _check_independent(there, [tip for tip, _ in targets])
    goals: dict[Group, list[TaskGoal]] = {}
    for tip, pose in targets:
        goals.setdefault(tip.group, []).append(_goal(there, tip, pose, context))
    timeout, checkers = _seconds(request.timeout) / len(goals), {}
    for group, own in goals.items():
        model = None
        if request.avoid_collisions and context.avoid_collisions == 'check':
            model = checkers[group] = (yield from _checker(group, there))
        bounded = context.bounded(group, timeout, model)
        result = yield partial(bounded.solve, own, there.joint_configuration(group))
        if not result.success:
            return Response(Code.TIMED_OUT if result.reason is StopReason.TIMEOUT
                            else Code.NO_IK_SOLUTION, _failed(group, own, result), {})
        there.move(group, result.q)
    for group in checkers if len(checkers) > 1 else ():  # with the others at their solutions
        model = yield from _checker(group, there)
        for contact in model.contacts(there.joint_configuration(group))[:1]:
            return Response(Code.NO_IK_SOLUTION, f'{StopReason.COLLISION.value}: {contact}', {})
    if request.avoid_collisions and context.avoid_collisions == 'report':
        return Response(Code.COLLISION_CHECKING_UNAVAILABLE, '; '.join([
            'the goal is met, but collisions are not checked: set the parameter avoid_collisions '
            'to check, or to ignore where you check the solution yourself', *notes]),
            there.joint_values())
    return Response(Code.SUCCESS, '; '.join([StopReason.CONVERGED.value, *notes]),
                    there.joint_values())


def _checker(group: Group, robot: Robot) -> Job[CollisionModel]:
    """Return what checks a group for collisions, with other joints where those of a robot are."""
    try:
        return (yield LongSearch(group.checker, robot.values))
    except IkError as error:
        raise RequestError(Code.COLLISION_CHECKING_UNAVAILABLE,
                           f'collisions cannot be checked: {error}') from error


def _start(robot: Robot, state: Any) -> tuple[dict[str, float], list[str]]:
    """Return the joint values of a RobotState, and notes about ignored fields."""
    try:
        values = checked_positions(state.joint_state)
    except InputError as error:
        raise RequestError(Code.INVALID_ROBOT_STATE, f'robot_state.joint_state: {error}') from error
    foreign = [name for name in values if name not in robot.tree.joints]
    return values, [note for present, note in (
        (foreign, f'joints the robot does not have are ignored: {names(foreign)}'),
        (state.multi_dof_joint_state.joint_names,
         'multi_dof_joint_state is ignored: the root is fixed'),
        (state.attached_collision_objects, 'attached objects are ignored')) if present]


def _targets(request: Any, robot: Robot, prefix: str) -> list[tuple[_Tip, Any]]:
    """Return the tips of a request, each once, with their poses."""
    poses, links = list(request.pose_stamped_vector), list(request.ik_link_names)
    if not poses:
        poses = [request.pose_stamped]
        links = links or [link for link in (request.ik_link_name,) if link]
    tips = _tips(request.group_name, robot, bool(links))
    if len(poses) > len(tips) or (not links and len(poses) < len(tips)):
        raise RequestError(Code.INVALID_GROUP_NAME, f'there are {len(tips)} tips to solve for, '
                           f'{names(tip.task for tip in tips)}, and {len(poses)} poses: name one '
                           'as the group, or the tips as links')
    if not links:
        return list(zip(tips, poses))
    if len(links) != len(poses):
        raise RequestError(Code.INVALID_LINK_NAME, f'there must be a pose for each link: there are '
                           f'{len(links)} links and {len(poses)} poses')
    found = [_tip_at(link.removeprefix(prefix), tips, prefix) for link in links]
    if len(set(found)) < len(found):
        raise RequestError(Code.INVALID_LINK_NAME, f'each tip has one pose: {names(links)} names '
                           'one of them twice')
    return [(tip._replace(is_link=True), pose) for tip, pose in zip(found, poses)]


def _tips(group_name: str, robot: Robot, by_links: bool) -> list[_Tip]:
    """Return the arm or the task of that name; all arms and tasks with a pose for an empty name.

    by_links: whether links select among them; the name of another group, as of MoveIt, then selects
    nothing.
    """
    tips = [_Tip(group, name, task.link) for group in robot.groups.values()
            for name, task in group.tasks.items() if isinstance(task, Pose)]
    found = [tip for tip in tips if not group_name or tip.task == group_name]
    if not found and by_links and tips:
        return tips
    if not found:
        named = [tip.task for tip in tips if tip.task]
        hint = (f'there is {names(named)}, or leave it empty' if named else
                'leave it empty, or name the arm by the parameter arms')
        raise RequestError(Code.INVALID_GROUP_NAME, f'there is no arm and no task with a pose '
                           f'{group_name!r:.80} for a group; {hint}')
    return found


def _tip_at(link: str, tips: Sequence[_Tip], prefix: str) -> _Tip:
    """Return the tip that is a link. prefix: of the names in messages."""
    found = [tip for tip in tips if tip.link == link]
    if not found:
        raise RequestError(Code.INVALID_LINK_NAME, f'ik_link_name must be the tip of an arm, one '
                           f'of {names(prefix + tip.link for tip in tips)}, not '
                           f'{prefix + link!r:.80}')
    if len(found) > 1:
        raise RequestError(Code.INVALID_GROUP_NAME, f'{prefix + link!r} is the tip of several '
                           f'arms: name one of {names(tip.task for tip in found)} as the group')
    return found[0]


def _check_independent(robot: Robot, tips: Sequence[_Tip]) -> None:
    """Raise RequestError for groups that move one another's tips: each is solved alone."""
    tree = robot.tree
    for one, other in permutations(tips, 2):
        if one.group is other.group:
            continue
        moving = {tree.drives[joint.name][0] for joint in tree.path(tree.root, other.link)
                  if joint.moves}
        shared = [name for name in one.group.space.joint_names if name in moving]
        if shared:
            raise RequestError(Code.INVALID_GROUP_NAME, f'{one.task!r} and {other.task!r} cannot '
                               f'be solved for together: joints of the one, {names(shared)}, move '
                               'the tip of the other')


def _goal(robot: Robot, tip: _Tip, pose: Any, context: Context) -> TaskGoal:
    try:
        T_frame_goal = pose_to_matrix(pose.pose)
    except InputError as error:
        raise RequestError(Code.INVALID_GOAL_CONSTRAINTS, str(error)) from error
    try:
        T_target_frame = context.in_target(robot, tip.group, tip.task, pose.header)
        T_target_goal = placed(T_target_frame, T_frame_goal)
    except InputError as error:
        raise RequestError(Code.FRAME_TRANSFORM_FAILURE, str(error)) from error
    if tip.is_link:
        T_target_goal = T_target_goal @ cast(Pose, tip.group.tasks[tip.task]).T_link_axes
    return tip.group.make_goal(tip.task, T_target_goal, False)


def _seconds(duration: Any) -> float:
    seconds = duration.sec + 1e-9 * duration.nanosec
    if seconds < 0.0:
        raise RequestError(Code.FAILURE, f'timeout must not be negative, not {seconds:g} s')
    return float(seconds)


def _failed(group: Group, goals: Sequence[TaskGoal], result: AnyResult) -> str:
    whose = f'{group.name}: ' if group.name else ''
    along, about = np.max([group.errors(result, goal.task) or (0.0, 0.0) for goal in goals], axis=0)
    return (f'{whose}{result.reason.value} (position error {along:.3g} m, '
            f'orientation error {about:.3g} rad)' + (
                '' if result.contact is None else f': {result.contact}'))

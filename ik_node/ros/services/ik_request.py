"""Solves MoveIt's IK requests once, without motion.

Requests are read by the field names of moveit_msgs/PositionIKRequest; the messages need not be
installed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from ik_node.control.arm import Arm
from ik_node.control.robot import Robot
from ik_node.control.searches import search
from ik_node.ros.conversions import pose_to_matrix
from ik_node.solvers.base import Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import Result, StopReason
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import IkError, InputError, names

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
        """Store the code and the message."""
        super().__init__(message)
        self.code = code


class Response(NamedTuple):
    """The response to a request.

    - `joints`: every moving joint, rad or m; empty where not all goals are met.
    """

    code: Code
    message: str
    joints: Mapping[str, float]


class Context(NamedTuple):
    """Functions of the node that requests need.

    - `in_base`: T_base_frame (4, 4), m, of a header's frame, for a robot. Raises InputError.
    - `solver`: of an arm, with a timeout, s; 0: only its own. Raises IkError.
    - `prefix`: optional prefix of link names.
    - `ignores_collisions`: whether clients check the solutions themselves.
    """

    in_base: Callable[[Robot, Arm, Any], np.ndarray]
    solver: Callable[[Arm, float], Solver]
    prefix: str
    ignores_collisions: bool = False


async def solve_once(request: Any, robot: Robot, context: Context) -> Response:
    """Solve a PositionIKRequest for a robot, which is not changed.

    The start has the joint values of the request, by name, and those of the robot for all others.
    Frames of links are those of the start. The arm's task_weights apply.
    """
    try:
        return await _solve(request, robot, context)
    except RequestError as error:
        return Response(error.code, str(error), {})


async def _solve(request: Any, robot: Robot, context: Context) -> Response:
    if any(getattr(request.constraints, kind) for kind in _CONSTRAINTS):
        raise RequestError(Code.INVALID_GOAL_CONSTRAINTS, 'constraints are not supported; '
                           'task_weights selects the axes of a goal')
    values, notes = _start(robot, request.robot_state)
    there = robot.with_values(values)
    targets = _targets(request, there, context.prefix)
    _check_independent(there, [arm for arm, _ in targets])
    timeout = _seconds(request.timeout) / len(targets)
    goals = [_goal(there, arm, pose, context) for arm, pose in targets]
    found = []
    for (arm, _), goal in zip(targets, goals):
        result = await search(partial(
            context.solver(arm, timeout).solve, goal, there.joint_configuration(arm)))
        if not result.success:
            return Response(Code.TIMED_OUT if result.reason is StopReason.TIMEOUT
                            else Code.NO_IK_SOLUTION, _failed(arm, result), {})
        found.append((arm, result.q))
    for arm, q in found:
        there.move(arm, q)
    if request.avoid_collisions and not context.ignores_collisions:
        return Response(Code.COLLISION_CHECKING_UNAVAILABLE, '; '.join([
            'the goal is met, but this node cannot check the solution for collisions: '
            'check it elsewhere, and set the parameter avoid_collisions to ignore', *notes]),
            there.joint_values())
    return Response(Code.SUCCESS, '; '.join([StopReason.CONVERGED.value, *notes]),
                    there.joint_values())


def _start(robot: Robot, state: Any) -> tuple[dict[str, float], list[str]]:
    """Return the joint values of a RobotState, and notes about ignored fields."""
    joint_names, positions = list(state.joint_state.name), list(state.joint_state.position)
    if len(joint_names) != len(positions):
        raise RequestError(Code.INVALID_ROBOT_STATE, 'robot_state.joint_state must have a position '
                           f'for each name: it has {len(joint_names)} names and {len(positions)} '
                           'positions')
    values: dict[str, float] = {}
    for name, value in zip(joint_names, positions):
        if name in values:
            raise RequestError(Code.INVALID_ROBOT_STATE,
                               f'robot_state.joint_state has the joint {name!r:.80} twice')
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            raise RequestError(Code.INVALID_ROBOT_STATE, f'robot_state.joint_state: the position '
                               f'of joint {name!r:.80} must be finite and at most '
                               f'{MAX_NUMBER:g}, not {value:g}')
        values[name] = float(value)
    notes = []
    foreign = [name for name in joint_names if name not in robot.tree.joints]
    if foreign:
        notes.append(f'joints the robot does not have are ignored: {names(foreign)}')
    if state.multi_dof_joint_state.joint_names:
        notes.append('multi_dof_joint_state is ignored: the root is fixed')
    if state.attached_collision_objects:
        notes.append('attached objects are ignored')
    return values, notes


def _targets(request: Any, robot: Robot, prefix: str) -> list[tuple[Arm, Any]]:
    """Return the requested arms, each once, with their poses."""
    arms = _group(request.group_name, robot)
    poses, links = list(request.pose_stamped_vector), list(request.ik_link_names)
    if not poses:
        poses = [request.pose_stamped]
        links = links or [link for link in (request.ik_link_name,) if link]
    if len(poses) > len(arms) or (not links and len(poses) < len(arms)):
        raise RequestError(Code.INVALID_GROUP_NAME, f'there are {len(arms)} arms to solve for, '
                           f'{names(arm.name for arm in arms)}, and {len(poses)} poses: name one '
                           'arm as the group, or the tips as links')
    if not links:
        return list(zip(arms, poses))
    if len(links) != len(poses):
        raise RequestError(Code.INVALID_LINK_NAME, f'there must be a pose for each link: there are '
                           f'{len(links)} links and {len(poses)} poses')
    found = [_tipped(link.removeprefix(prefix), arms) for link in links]
    if len({arm.name for arm in found}) < len(found):
        raise RequestError(Code.INVALID_LINK_NAME, f'each arm has one tip: {names(links)} names '
                           'one of them twice')
    return list(zip(found, poses))


def _group(group: str, robot: Robot) -> list[Arm]:
    """Return the arm of that name; all arms for an empty name."""
    figure = robot.figure
    if figure is not None and (not group or group in figure.tips or not robot.arms):
        what = (f'the arms {names(figure.source.arms)} share joints and are' if figure.source.arms
                else 'there are no arms, but tasks that are')
        raise RequestError(Code.INVALID_GROUP_NAME,
                           f'{what} solved together by {figure.solver_name}: send them goals')
    if not group:
        return list(robot.arms.values())
    if group not in robot.arms:
        arm_names = names(name for name in robot.arms if name)
        hint = (f'there is {arm_names}, or leave it empty' if any(robot.arms) else
                'leave it empty, or name the arm by the parameter arms')
        raise RequestError(Code.INVALID_GROUP_NAME,
                           f'there is no arm {group!r:.80} for a group; {hint}')
    return [robot.arms[group]]


def _tipped(link: str, arms: Sequence[Arm]) -> Arm:
    """Return the arm whose tip is a link."""
    found = [arm for arm in arms if arm.chain.tip_link == link]
    if not found:
        raise RequestError(Code.INVALID_LINK_NAME, f'ik_link_name must be the tip of an arm, one '
                           f'of {names(arm.chain.tip_link for arm in arms)}, not {link!r:.80}')
    if len(found) > 1:
        raise RequestError(Code.INVALID_GROUP_NAME, f'{link!r} is the tip of several arms: name '
                           f'one of {names(arm.name for arm in found)} as the group')
    return found[0]


def _check_independent(robot: Robot, arms: Sequence[Arm]) -> None:
    """Raise RequestError for arms that move one another: each is solved alone."""
    for one, other in permutations(arms, 2):
        moving = robot.tree.chain(None, other.chain.tip_link).joint_names
        shared = [name for name in one.chain.joint_names if name in moving]
        if shared:
            raise RequestError(Code.INVALID_GROUP_NAME, f'{one.name!r} and {other.name!r} cannot '
                               f'be solved for together: joints of the one, {names(shared)}, move '
                               'the tip of the other')


def _goal(robot: Robot, arm: Arm, pose: Any, context: Context) -> Goal:
    """Return a PoseStamped as a goal in the base of an arm."""
    try:
        T_frame_goal = pose_to_matrix(pose.pose)
    except InputError as error:
        raise RequestError(Code.INVALID_GOAL_CONSTRAINTS, str(error)) from error
    try:
        T_base_frame = context.in_base(robot, arm, pose.header)
    except InputError as error:
        raise RequestError(Code.FRAME_TRANSFORM_FAILURE, str(error)) from error
    return Goal.from_pose(T_base_frame @ T_frame_goal, arm.weights)


def _seconds(duration: Any) -> float:
    seconds = duration.sec + 1e-9 * duration.nanosec
    if seconds < 0.0:
        raise RequestError(Code.FAILURE, f'timeout must not be negative, not {seconds:g} s')
    return float(seconds)


def _failed(arm: Arm, result: Result) -> str:
    whose = f'{arm.name}: ' if arm.name else ''
    return (f'{whose}{result.reason.value} (position error {result.position_error:.3g} m, '
            f'orientation error {result.orientation_error:.3g} rad)')

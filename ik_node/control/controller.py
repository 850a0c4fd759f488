"""The controller of a group: solves its goals and moves its joints, by jumps or by motions."""

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from ik_node.control.group import Aim, AnyResult, Group
from ik_node.control.options import JOINT, JUMP
from ik_node.control.robot import Robot
from ik_node.control.worker import search
from ik_node.model.joint_space import JointSpace
from ik_node.motion.clearance import check_clearance
from ik_node.motion.joint_motion import joint_motion, joint_motion_through, stopping
from ik_node.motion.path_motion import brake
from ik_node.motion.trajectory import Part, Rest, Series, Trajectory, left_of
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import StopReason
from ik_node.support.exceptions import InputError, MotionError

if TYPE_CHECKING:
    from ik_node.motion.following import Follower

_MOST_AT_ONCE = 500  # waypoints of a path that is chosen as a whole
_PLANNING = 0.5      # s, after which waypoints that are not met yet are solved from those before
_MOST_SOLVES = 3     # of a goal, where obstacles move onto its solutions
_SHORTEST_PLANNING = 0.02  # s, for a motion of the tip while the arm moves


class MotionSink(Protocol):
    """Receives the motions of a group, for controllers of a real robot."""

    def publish(self, group: Group, motion: Trajectory) -> None:
        """Receive a motion, from now on."""

    def hold(self, group: Group, q: np.ndarray) -> None:
        """Receive the configuration q (n,), rad or m, in which a group stops at once."""


class Waypoint(NamedTuple):
    """One of the goals of a path, and which one, for messages."""

    aim: Aim
    place: str
    q0: np.ndarray | None = None
    """(n,) the initial guess chosen for the path as a whole; None: the joint values."""


class Outcome(NamedTuple):
    """The outcome of goals that were solved together, or of joint values without a result."""

    aims: tuple[Aim, ...]
    result: AnyResult | None
    accepted: bool
    """Whether the group moves: the goals are met, or the closest configuration was accepted."""
    duration: float | None  # of the motion, s; None where joints jump
    obstacles_stamp: int | None = None
    """ns, of the obstacles that the solution keeps away from; None where it need not."""


_Solved: TypeAlias = tuple[Aim, Any]  # a goal and its result
# From the rest of the current motion to the next, and the result at its end.
_Plan: TypeAlias = Callable[[Trajectory], tuple[Trajectory, Any]]


class _Last(NamedTuple):
    """The last goal of a tip and its result, so that an identical goal is not solved again.

    It has led to q (n,) at rest, by a motion or a jump.
    """

    group: Group
    goal: Goal
    accept_closest: bool
    result: AnyResult
    q: np.ndarray
    motion: Trajectory | None
    free_space: Any  # what it keeps away from


class Controller:
    """Solves the goals of one group of a robot from its present joint values, and moves them there.

    - `accept_closest`: whether the closest configuration stands in for goals that are not met.
    - `has_moved`: whether a goal has moved the group.
    - `motion`: the current one; None at rest.
    - `waypoints`: those of the path that are left, where joints jump; others move through them.
    - `goal`: the last one of a chain, in the frame of its base; None after a change of the chain.
    """

    def __init__(self, robot: Robot, group: Group, clock: Callable[[], float],
                 sink: MotionSink) -> None:
        self.robot, self.group = robot, group
        self.accept_closest = self.has_moved = False
        self.motion: Trajectory | None = None
        self.waypoints: deque[Waypoint] = deque()
        self.goal: Goal | None = None
        self._clock, self._sink = clock, sink
        self._began = self._at = 0.0  # of the motion, and the time of the joint values
        self._last: _Last | None = None
        self._obstacles_stamp = 0  # of those that were last solved with
        self._planning = _SHORTEST_PLANNING  # s that planning a motion is expected to take

    def update(self, robot: Robot, group: Group) -> None:
        """Use a changed group of a robot; goal, path and motion continue where they are valid."""
        if not group.keeps_goals_of(self.group):
            self.goal = None
            self.waypoints.clear()
        elif group.motion != self.group.motion:
            self.waypoints.clear()
        if self.motion is not None and not _same_joints(group.space, self.group.space):
            # Stop at the present values: the motion is not valid for other joints.
            state = self.motion.at(self._clock() - self._began)
            robot.place(dict(zip(self.group.space.joint_names, state.position.tolist())))
            self.motion = None
        self.robot, self.group = robot, group

    def begin_at_present(self) -> None:
        """Begin from the present joint values, if no goal has moved the group yet."""
        if not self.has_moved:
            self.group.reset_targets(self.robot.joint_configuration(self.group))

    async def go(self, aims: Sequence[Aim], waypoint: Waypoint | None = None) -> Outcome:
        """Solve goals together and move there, or hold; the current path ends.

        waypoint: the goal, where it is one of the current path, which then goes on. Raises IkError
        where there is no motion; the former targets then stand, and a path continues.
        """
        group, robot = self.group, self.robot
        closest, last = self.accept_closest, self._last
        if self.motion is not None:
            self.advance(self._clock())
        goal, q0 = aims[-1].target, robot.joint_configuration(group)
        free_space = None if group.solver.collisions is None else self._free_space()
        if last is not None and last.group is group and last.accept_closest is closest and (
                last.free_space is free_space) and (
                q0.tobytes() == last.q.tobytes() if self.motion is None
                else self.motion is last.motion) and last.goal == goal:
            result: Any = last.result
        else:
            last = None
            guess = q0 if waypoint is None or waypoint.q0 is None else waypoint.q0
            solve = partial(group.solve, aims, guess, closest)
            result = await (search(solve) if free_space is None else self._solve_free(solve))
        duration, accepted = None, result.success or closest
        is_repeated = last is not None and self.motion is not None
        if last is not None and self.motion is not None:
            accepted, duration = True, max(self.motion.duration - (self._at - self._began), 0.0)
        elif accepted:
            if group.motion == JUMP:
                robot.move(group, result.q)
            else:
                duration, result = await self._move([(aims[-1], result)])
            group.accept(aims)
            self.has_moved = True
        if group.chain is not None and not is_repeated:
            self.goal = goal
            q = (result.q if accepted and group.motion == JUMP
                 else robot.joint_configuration(group))
            # After a timeout a repetition may succeed.
            self._last = None if result.reason is StopReason.TIMEOUT else _Last(
                group, goal, closest, result, q, self.motion if accepted else None, free_space)
        if waypoint is None:
            self.waypoints.clear()
        return Outcome(tuple(aims), result, accepted, duration,
                       None if free_space is None else self._obstacles_stamp)

    def _free_space(self) -> Any:
        """Return what solutions keep away from now; other joints are where they are now."""
        self.group.place_others(self.robot.values)
        self._obstacles_stamp = self.group.surroundings.stamp
        return self.group.solver.collisions.free.state

    async def _solve_free(self, solve: Callable[[], Any]) -> Any:
        """Return a result; solve again where obstacles have moved onto the solution meanwhile."""
        collisions = self.group.solver.collisions
        for _ in range(_MOST_SOLVES):
            free_space = self._free_space()
            result = await search(solve)
            if not result.success or self._free_space() is free_space or (
                    collisions.is_free(result.q)):
                break
        return result

    async def go_through(self, waypoints: Sequence[Waypoint]) -> Outcome:
        """Move through waypoints to rest at the last.

        Raises InputError, naming the waypoint, where one is not met and the closest not accepted.
        """
        group, solved, closest = self.group, list[_Solved](), self.accept_closest
        stamp = None
        if group.solver.collisions is not None:
            self._free_space()
            stamp = self._obstacles_stamp
        for waypoint in await self.with_guesses(waypoints):
            q0 = waypoint.q0
            if q0 is None:
                q0 = solved[-1][1].q if solved else self.robot.joint_configuration(group)
            result = await search(partial(group.solve, [waypoint.aim], q0, closest))
            if not (result.success or closest):
                raise InputError(f'{waypoint.place}: {result.reason.value}')
            solved.append((waypoint.aim, result))
        self._last = None
        duration, result = await self._move(solved)
        aim = waypoints[-1].aim
        group.accept([aim])
        self.has_moved = True
        if group.chain is not None:
            self.goal = aim.target
        return Outcome((aim,), result, True, duration, stamp)

    async def with_guesses(self, waypoints: Sequence[Waypoint]) -> Sequence[Waypoint]:
        """Return waypoints with initial guesses from the path that is chosen as a whole.

        Those without one are solved from the one before: a single one, very many, those that the
        path does not meet, and the rest where the time is over.
        """
        if not 1 < len(waypoints) <= _MOST_AT_ONCE:
            return waypoints
        aims = [waypoint.aim for waypoint in waypoints]
        q0 = self.robot.joint_configuration(self.group)
        guesses = await search(partial(self.group.initial_guesses, aims, q0, _PLANNING))
        return [waypoint._replace(q0=q) for waypoint, q in zip(waypoints, guesses)]

    async def _move(self, solved: Sequence[_Solved]) -> tuple[float | None, Any]:
        """Move through solutions to the last; return the duration, s, and the result at the end.

        Raises IkError where there is no motion; the current one then continues.
        """
        group, (_, last) = self.group, solved[-1]
        if group.motion == JUMP:
            return self._move_to(last.q), last
        if group.follower is not None:
            return await self._begin_planned(self._on_lines(group.follower, solved))
        waypoints = [result.q for _, result in solved]

        def plan(start: Trajectory) -> tuple[Trajectory, Any]:
            return self._clear(self._motion_through(waypoints, start)), last
        if group.solver.collisions is not None:  # which takes long to check
            return await self._begin_planned(plan)
        return self._begin_now(plan(self._present())[0]), last

    def _on_lines(self, follower: 'Follower', solved: Sequence[_Solved]) -> _Plan:
        """Return what plans a motion of the tip on lines through goals, to rest at the last."""
        from ik_node.motion.cartesian_motion import cartesian_motion  # late: see Arm
        group, chain = self.group, follower.chain
        aim, result = solved[-1]
        # Goals that cannot be met are replaced by the closest pose.
        goals = [own.target if found.success else own.target.moved_to(chain.forward(found.q))
                 for own, found in solved]

        def plan(start: Trajectory) -> tuple[Trajectory, Any]:
            motion = self._clear(cartesian_motion(follower, group.limits, start, goals))
            return motion, group.solve([aim], motion.end) if result.success else result
        return plan

    async def _begin_planned(self, plan: _Plan) -> tuple[float, Any]:
        """Begin the motion that a search plans; return what is left of it, s, and its result.

        The current motion goes on during planning, which starts from where the arm will be then.
        """
        while True:
            present, began, lead = self._present(), self._at, self._planning
            start = left_of(present, lead)
            motion, final = await search(partial(plan, start))
            self.advance(self._clock())
            took = self._at - began
            self._planning = max(1.5 * took, _SHORTEST_PLANNING)
            if self.motion is not None and took <= lead:
                motion, self._at = Series([Part(present, 0.0, lead), motion]), began
            elif self.motion is not None or start.duration > 0.0:
                continue  # it has moved past the start of the motion
            return self._begin_now(motion), final

    async def keep_clear(self) -> str:
        """Brake where the rest of the motion leads too near to what has come into its way.

        Where braking would, too, stop at once. Return why, '' where the motion goes on.
        """
        motion = self.motion
        if motion is None or self.group.solver.collisions is None:
            return ''
        self._free_space()
        try:
            await search(partial(self._clear, self._present()))
        except MotionError as error:
            if self.motion is motion:
                self.halt()
                self.waypoints.clear()
                with contextlib.suppress(MotionError):
                    self._clear(self._present())
                    return f'brakes: {error}'
                self.freeze()
                return f'stops at once: {error}'
        return ''

    def go_to_start(self) -> float:
        """Begin a motion to the start pose, in joint space; return its duration, s."""
        return self._move_to(self.group.start) or 0.0

    def go_to(self, q: np.ndarray) -> float | None:
        """Move to q (n,), rad or m, in joint space, and reset targets to it; the path ends.

        Return the duration, s, None for a jump. Joints with the period of a whole turn go to this
        value, not to an equivalent one. Raises InputError for q outside the limits.
        """
        duration = self._move_to(q, to_nearest_turn=False)
        self.waypoints.clear()
        self.has_moved = True
        self.group.reset_targets(q)
        return duration

    def halt(self) -> float:
        """Brake on the current path; return the duration, s."""
        motion = present = self._present()
        if present.duration:
            motion = (stopping if self.group.motion == JOINT else brake)(
                present, self.group.limits)
        self._begin(motion)
        return motion.duration

    def freeze(self) -> None:
        """Stop the motion at once."""
        if self.motion is not None:
            self.motion = None
            q = self.robot.joint_configuration(self.group)
            self.robot.move(self.group, q)
            self._sink.hold(self.group, q)

    def advance(self, now: float) -> None:
        """Set the joint values to those of the motion at a time, s."""
        self._at = now
        if self.motion is not None:
            state = self.motion.at(now - self._began)
            self.robot.move(self.group, state.position, state.velocity)
            if now - self._began >= self.motion.duration:
                self.motion = None

    def _move_to(self, q: np.ndarray, to_nearest_turn: bool = True) -> float | None:
        """Move to q (n,) in joint space; return the duration, s, None for a jump."""
        group = self.group
        if group.motion == JUMP:
            self.motion = None
            self.robot.move(group, q)
            return None
        return self._begin_now(self._clear(self._motion_through([q], self._present(),
                                                                to_nearest_turn)))

    def _motion_through(self, waypoints: Sequence[np.ndarray], start: Trajectory,
                        to_nearest_turn: bool = True) -> Trajectory:
        """Return the motion through waypoints (n,) to rest at the last, in joint space."""
        group = self.group
        if group.motion != JOINT:
            from ik_node.motion.cartesian_motion import straight_motion  # late: see Arm
            return straight_motion(group.limits, start, waypoints[-1])
        if len(waypoints) == 1:
            return joint_motion(group.space, group.limits, start, waypoints[0], to_nearest_turn)
        return joint_motion_through(group.space, group.limits, start, np.array(waypoints))

    def _clear(self, motion: Trajectory) -> Trajectory:
        """Return a motion that keeps the margin from contact, where that matters.

        Raises MotionError for any other.
        """
        if self.group.solver.collisions is not None:
            check_clearance(motion, self.group.limits, self.group.solver.collisions)
        return motion

    def _present(self) -> Trajectory:
        """Return the rest of the motion from now on."""
        self.advance(self._clock())
        if self.motion is None:
            return Rest(self.robot.joint_configuration(self.group))
        return left_of(self.motion, self._at - self._began)

    def _begin_now(self, motion: Trajectory) -> float:
        """Begin a motion, and advance to now; return what is left of it, s."""
        self._begin(motion)
        self.advance(self._clock())
        return max(motion.duration - (self._at - self._began), 0.0)

    def _begin(self, motion: Trajectory) -> None:
        """Begin a motion: from rest, now; else at the time of the last call of `_present`.

        However long planning took, a moving group has moved on by then, and one at rest has not.
        """
        if self.motion is None:
            self._at = self._clock()
        self.motion, self._began = motion, self._at
        self._sink.publish(self.group, left_of(motion, self._clock() - self._at))


def _same_joints(space: JointSpace, other: JointSpace) -> bool:
    """Return whether a motion planned for one is valid for the other."""
    return (space.joint_names == other.joint_names and np.array_equal(space.lower, other.lower)
            and np.array_equal(space.upper, other.upper))

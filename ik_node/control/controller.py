"""The controller of a group: solves its goals and moves its joints there."""

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ik_node.control.group import AnyResult, Group, TaskGoal
from ik_node.control.group_servo import GroupServo
from ik_node.control.motion_executor import MotionExecutor, MotionSink, Solved
from ik_node.control.options import JUMP
from ik_node.control.robot import Robot
from ik_node.control.worker import Job, LongSearch
from ik_node.motion.trajectory import Trajectory
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import StopReason
from ik_node.support.exceptions import InputError, MotionError

_MOST_AT_ONCE = 500  # waypoints of a path that is chosen as a whole
_PLANNING = 0.5      # s, after which waypoints that are not met yet are solved from those before
_MOST_SOLVES = 3     # of a goal, where obstacles move onto its solutions


class Waypoint(NamedTuple):
    """One of the goals of a path, and which one, for messages."""

    goal: TaskGoal
    place: str
    q0: np.ndarray | None = None
    """(n,) the initial guess chosen for the path as a whole; None: the joint values."""


class Outcome(NamedTuple):
    """The outcome of goals that were solved together, or of joint values without a result."""

    goals: tuple[TaskGoal, ...]
    result: AnyResult | None
    accepted: bool
    """Whether the group moves: the goals are met, or the closest configuration was accepted."""
    duration: float | None  # of the motion, s; None where joints jump
    obstacles_stamp: int | None = None
    """ns, of the obstacles that the solution keeps away from; None where it need not."""


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


class Controller(MotionExecutor):
    """Solves the goals of one group of a robot from its present joint values, and moves them there.

    - `accept_closest`: whether the closest configuration stands in for goals that are not met.
    - `has_moved`: whether a goal has moved the group.
    - `waypoints`: those of the path that are left, where joints jump; others move through them.
    - `goal`: the last one of a chain, in the frame of its base; None after a change of the chain.
    """

    def __init__(self, robot: Robot, group: Group, clock: Callable[[], float],
                 sink: MotionSink) -> None:
        super().__init__(robot, group, clock, sink)
        self.accept_closest = self.has_moved = False
        self.waypoints: deque[Waypoint] = deque()
        self.goal: Goal | None = None
        self._last: _Last | None = None
        self._obstacles_stamp = 0  # of those that were last solved with

    def update(self, robot: Robot, group: Group) -> None:
        """Use a changed group of a robot; goal, path and motion continue where they are valid."""
        if not group.keeps_goals_of(self.group):
            self.goal = None
            self.waypoints.clear()
        elif group.motion != self.group.motion:
            self.waypoints.clear()
        super().update(robot, group)

    def begin_servo(self, servo: GroupServo) -> None:
        """Let a servo move the joints, in place of goals, path and motion."""
        super().begin_servo(servo)
        self.waypoints.clear()
        self.goal, self.has_moved = None, True

    def end_servo(self) -> None:
        """Let the joints be at rest where the servo has moved them last; there targets are, too."""
        if self.servo is not None:
            super().end_servo()
            self.group.reset_targets(self.robot.joint_configuration(self.group))

    def begin_at_present(self) -> None:
        """Begin from the present joint values, if no goal has moved the group yet."""
        if not self.has_moved:
            self.group.reset_targets(self.robot.joint_configuration(self.group))

    def go(self, goals: Sequence[TaskGoal], waypoint: Waypoint | None = None) -> Job[Outcome]:
        """Solve goals together and move there, or hold; the current path ends.

        waypoint: the goal, where it is one of the current path, which then goes on. Raises IkError
        where there is no motion; the former targets then stand, and a path continues.
        """
        group, robot = self.group, self.robot
        closest, last = self.accept_closest, self._last
        free_space = None if group.solver.collisions is None else (yield from self._free_space())
        if self.motion is not None:
            self.advance(self._clock())
        goal, q0 = goals[-1].target, robot.joint_configuration(group)
        if last is not None and last.group is group and last.accept_closest is closest and (
                last.free_space is free_space) and (
                q0.tobytes() == last.q.tobytes() if self.motion is None
                else self.motion is last.motion) and last.goal == goal:
            result: Any = last.result
        else:
            last = None
            guess = q0 if waypoint is None or waypoint.q0 is None else waypoint.q0
            solve = (partial(group.solve, goals, guess, closest) if closest or group.chain is None
                     else partial(group.solver.solve, goal, guess))
            result = (yield solve) if free_space is None else (yield from self._solve_free(solve))
        duration, accepted = None, result.success or closest
        is_repeated = last is not None and self.motion is not None
        if is_repeated and self.motion is not None:
            accepted, duration = True, max(self.motion.duration - (self._at - self._began), 0.0)
        elif accepted:
            if group.motion == JUMP:
                self.motion = None
                robot.move(group, result.q)
            else:
                duration, result = yield from self._move([(goals[-1], result)])
            self.has_moved = True
            if group.chain is None:
                group.accept(goals)
        if group.chain is not None and not is_repeated:
            self.goal = goal
            q = (result.q if accepted and group.motion == JUMP
                 else robot.joint_configuration(group))
            # After a timeout a repetition may succeed.
            self._last = None if result.reason is StopReason.TIMEOUT else _Last(
                group, goal, closest, result, q, self.motion if accepted else None, free_space)
        if waypoint is None:
            self.waypoints.clear()
        return Outcome(tuple(goals), result, accepted, duration,
                       None if free_space is None else self._obstacles_stamp)

    def _free_space(self) -> Job[Any]:
        """Return what solutions keep away from now; other joints are where they are now."""
        yield from self._place_others()
        self._obstacles_stamp = self.group.collisions.world.stamp
        return self.group.solver.collisions.scene

    def _solve_free(self, solve: Callable[[], Any]) -> Job[Any]:
        """Return a result; solve again where obstacles have moved onto the solution meanwhile."""
        collisions = self.group.solver.collisions
        for _ in range(_MOST_SOLVES):
            free_space = yield from self._free_space()
            result = yield solve
            if not result.success or (yield from self._free_space()) is free_space or (
                    collisions.is_free(result.q)):
                break
        return result

    def go_through(self, waypoints: Sequence[Waypoint]) -> Job[Outcome]:
        """Move through waypoints to rest at the last.

        Raises InputError, naming the waypoint, where one is not met and the closest not accepted.
        """
        group, stamp = self.group, None
        if group.solver.collisions is not None:
            yield from self._free_space()
            stamp = self._obstacles_stamp
        waypoints = yield from self.with_guesses(waypoints)
        q0 = self.robot.joint_configuration(group)
        solved = yield LongSearch(_solved, group, waypoints, q0, self.accept_closest)
        self._last = None
        duration, result = yield from self._move(solved)
        goal = waypoints[-1].goal
        group.accept([goal])
        self.has_moved = True
        if group.chain is not None:
            self.goal = goal.target
        return Outcome((goal,), result, True, duration, stamp)

    def with_guesses(self, waypoints: Sequence[Waypoint]) -> Job[Sequence[Waypoint]]:
        """Return waypoints with initial guesses from the path that is chosen as a whole.

        Those without one are solved from the one before: a single one, very many, those that the
        path does not meet, and the rest where the time is over.
        """
        if not 1 < len(waypoints) <= _MOST_AT_ONCE:
            return waypoints
        goals = [waypoint.goal for waypoint in waypoints]
        q0 = self.robot.joint_configuration(self.group)
        guesses = yield partial(self.group.initial_guesses, goals, q0, _PLANNING)
        return [waypoint._replace(q0=q) for waypoint, q in zip(waypoints, guesses)]

    def keep_clear(self) -> Job[str]:
        """Brake where the rest of the motion leads too near to what has come into its way.

        Where braking would, too, brake as soon as the limits allow. Return why, '' where the motion
        goes on.
        """
        motion = self.motion
        if motion is None or self.group.solver.collisions is None:
            return ''
        yield from self._free_space()
        try:
            yield LongSearch(self._clear, self.remaining())
        except MotionError as error:
            if self.motion is motion:
                self.waypoints.clear()
                yield from self.halt()
                with contextlib.suppress(MotionError):
                    yield LongSearch(self._clear, self.remaining())
                    return f'brakes: {error}'
                self.freeze()
                return f'brakes, which leads too near: {error}'
        return ''

    def go_to(self, q: np.ndarray) -> Job[float | None]:
        """Move to q (n,), rad or m, in joint space, and reset targets to it; the path ends.

        Return the duration, s, None for a jump. Joints with the period of a whole turn go to this
        value, not to an equivalent one. Raises InputError for q outside the limits.
        """
        duration = yield from self._move_to(q, to_nearest_turn=False)
        self.waypoints.clear()
        self.has_moved = True
        self.group.reset_targets(q)
        return duration


def _solved(group: Group, waypoints: Sequence[Waypoint], q0: np.ndarray,
            closest: bool) -> list[Solved]:
    """Solve for waypoints, each from its initial guess or from the one before, the first from q0.

    Raises InputError as `Controller.go_through`; in any thread.
    """
    solved: list[Solved] = []
    for waypoint in waypoints:
        result = group.solve([waypoint.goal], q0 if waypoint.q0 is None else waypoint.q0, closest)
        if not (result.success or closest):
            raise InputError(f'{waypoint.place}: {result.reason.value}')
        solved.append((waypoint.goal, result))
        q0 = result.q
    return solved

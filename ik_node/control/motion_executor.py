"""Moves the joints of a group, by jumps or by motions."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from ik_node.control.group import Group, TaskGoal
from ik_node.control.group_servo import GroupServo
from ik_node.control.options import ACTION, JOINT, JUMP, TRAJECTORY
from ik_node.control.robot import Robot
from ik_node.control.worker import Job, LongSearch
from ik_node.motion.clearance import check_clearance
from ik_node.motion.joint_motion import joint_motion, joint_motion_through, stopping
from ik_node.motion.path_motion import brake
from ik_node.motion.trajectory import Part, Rest, Series, Trajectory, left_of
from ik_node.support.exceptions import UnsupportedError
from ik_node.support.processes import start_thread

if TYPE_CHECKING:
    from ik_node.motion.following import Follower

_FEW = 10                  # obstacles
_MANY = 1000               # knots of a motion, which braking looks at
_SPLINES = 'scipy.interpolate'  # which braking may need; a third of a node's start to import
_SHORTEST_PLANNING = 0.02  # s, for a motion of the tip while the arm moves
_DISTURBANCE = 1e-3  # rad or m: less is the noise of a measurement

Solved: TypeAlias = tuple[TaskGoal, Any]  # a goal and its result
# From the rest of the current motion to the next, and the result at its end.
_Plan: TypeAlias = Callable[[Trajectory], tuple[Trajectory, Any]]


class MotionSink(Protocol):
    """Receives the motions of a group, for controllers of a real robot."""

    def handover(self, motion: Trajectory) -> float:
        """Return in which time a controller has received a motion, s."""

    def publish(self, group: Group, motion: Trajectory, began: float, at_once: bool) -> None:
        """Receive a motion, and the time of the executors' clock at which it begins, s.

        at_once: whether it must have gone out before the return, as a stop when the node ends.
        """


class MotionExecutor:
    """Moves the joints of one group of a robot; a motion goes on while the next is planned.

    - `motion`: the current one; None at rest.
    - `servo`: that moves the joints in its place, see `GroupServo`; None otherwise.
    """

    def __init__(self, robot: Robot, group: Group, clock: Callable[[], float],
                 sink: MotionSink) -> None:
        self.robot, self.group = robot, group
        self.motion: Trajectory | None = None
        self.servo: GroupServo | None = None
        self._clock, self._sink = clock, sink
        self._began = self._at = 0.0  # of the motion, and the time of the joint values
        self._planning = _SHORTEST_PLANNING  # s that planning a motion is expected to take
        self._others: Mapping[str, float] = {}  # where other joints were at the last check

    def update(self, robot: Robot, group: Group) -> None:
        """Use a changed group of a robot; the motion continues where it is valid."""
        space, former = group.space, self.group.space
        if self.motion is not None and not (
                space.joint_names == former.joint_names
                and np.array_equal(space.lower, former.lower)
                and np.array_equal(space.upper, former.upper)):
            # Stop at the present values: the motion is not valid for other joints.
            state = self.motion.at(self._clock() - self._began)
            robot.place(dict(zip(former.joint_names, state.position.tolist())))
            self.motion = None
        self.robot, self.group = robot, group

    def go_to_start(self) -> Job[float]:
        """Begin a motion to the start pose, in joint space; return what is left of it, s."""
        return (yield from self._move_to(self.group.start)) or 0.0

    def halt(self) -> Job[float]:
        """Brake on the current path; return what is left of that, s."""
        limits, braking = self.group.limits, stopping if self.group.motion == JOINT else brake

        def plan(start: Trajectory) -> tuple[Trajectory, Any]:
            return braking(start, limits) if start.duration else start, None
        is_quick = self.motion is None or (len(self.motion.knots) <= _MANY and hasattr(
            sys.modules.get(_SPLINES), 'CubicSpline'))
        return (yield from self._begin_planned(plan, is_quick, is_checked=False))[0]

    @property
    def moves(self) -> bool:
        """Whether the joints are in motion, or may be."""
        return self.motion is not None or self.servo is not None

    def begin_servo(self, servo: GroupServo) -> None:
        """Let a servo move the joints, in place of the motion."""
        self.motion, self.servo = None, servo

    def end_servo(self) -> None:
        """Let the joints be at rest where the servo has moved them last."""
        if self.servo is not None:
            self.robot.move(self.group, np.clip(
                self.servo.state().position, self.group.space.lower, self.group.space.upper))
            self.servo = None

    def freeze(self) -> None:
        """Brake as soon as the limits at full speed allow, a servo as it does."""
        if self.servo is not None:
            self.servo.stop('the node is disabled')
            return
        present = self.remaining()
        if self.motion is None:
            return
        limits = self.group.limits.at_full_speed(self.group.options.speed)
        lead = self._handover(present)
        start = left_of(present, lead)
        if start.duration:
            try:
                start = stopping(start, limits)
            except UnsupportedError:  # without ruckig
                start = brake(start, limits)
        self._begin(Series([Part(present, 0.0, lead), start]) if lead else start, self._at, True)

    def abandon(self) -> None:
        """Let the joints be at rest where they are: their controller does not follow the motion."""
        if self.motion is not None:
            self.motion = None
            self.robot.move(self.group, self.robot.joint_configuration(self.group))

    def advance(self, now: float) -> None:
        """Set the joint values to those of the motion at a time, s."""
        self._at = now
        if self.servo is not None:
            state = self.servo.state()
            self.robot.move(self.group, state.position, state.velocity)
        elif self.motion is not None:
            state = self.motion.at(now - self._began)
            self.robot.move(self.group, state.position, state.velocity)
            if now - self._began >= self.motion.duration:
                self.motion = None

    @property
    def is_disturbed(self) -> bool:
        """Whether joints that the node does not move have moved since its motion was checked."""
        collisions, before = self.group.solver.collisions, self._others
        return self.motion is not None and collisions is not None and any(
            abs(value - before.get(name, math.inf)) > _DISTURBANCE
            for name, value in self.robot.measured.items() if name in collisions.others)

    def _place_others(self) -> Job[None]:
        """Let other joints be where they are now, for the next checks."""
        if self.group.solver.collisions is not None:
            self._others = self.robot.present
            few = len(self.group.collisions.world.obstacles) <= _FEW  # which move to an arm's base
            yield (partial if few else LongSearch)(self.group.place_others, self._others)

    def _move(self, solved: Sequence[Solved]) -> Job[tuple[float | None, Any]]:
        """Move through solutions to the last; return the duration, s, and the result at the end.

        Raises IkError where there is no motion; the current one then continues.
        """
        group, (_, last) = self.group, solved[-1]
        if group.motion != JUMP and group.follower is not None:
            return (yield from self._begin_planned(self._on_lines(group.follower, solved)))
        return (yield from self._move_to(*(result.q for _, result in solved))), last

    def _on_lines(self, follower: 'Follower', solved: Sequence[Solved]) -> _Plan:
        """Return what plans a motion of the tip on lines through goals, to rest at the last."""
        group, chain = self.group, follower.chain
        goal, result = solved[-1]
        # Goals that cannot be met are replaced by the closest pose.
        goals = [own.target if found.success else own.target.moved_to(chain.forward(found.q))
                 for own, found in solved]

        def plan(start: Trajectory) -> tuple[Trajectory, Any]:
            from ik_node.motion.cartesian_motion import cartesian_motion  # late: see Arm
            motion = self._clear(cartesian_motion(follower, group.limits, start, goals))
            return motion, group.solve([goal], motion.end) if result.success else result
        return plan

    def _begin_planned(self, plan: _Plan, is_quick: bool = False,
                       is_checked: bool = True) -> Job[tuple[float, Any]]:
        """Begin the motion that a search plans; return what is left of it, s, and its result.

        The current motion goes on during planning, which starts from where the arm will be then.
        is_quick: whether to plan from now on first, in the calling thread, which may suffice.
        is_checked: whether the plan is checked for collisions, where these matter.
        """
        handover = 0.0
        while True:
            if is_checked:
                yield from self._place_others()
            before, present = self.motion, self.remaining()
            handover = max(handover, self._handover(present))
            lead = handover + (0.0 if is_quick else self._planning)
            began, start = self._at, left_of(present, lead)
            motion, final = yield (partial if is_quick else LongSearch)(plan, start)
            handover = self._handover(motion)
            if not is_quick or self._at != began:  # joints may have moved on
                self.advance(self._clock())
                self._planning = max(1.5 * (self._at - began), _SHORTEST_PLANNING)
            if self.motion is None:
                q = self.robot.joint_configuration(self.group)
                will_be_there = start.duration == 0.0 and bool((q == start.end).all())
            else:
                will_be_there = self.motion is before and self._at + handover <= began + lead
            if will_be_there:
                break
            is_quick = False
        if self.motion is not None:
            motion = Series([Part(present, 0.0, lead), motion])
        else:  # it begins now, however long planning took, and moves when a controller has it
            began = self._clock()
            motion = Series([Rest(start.end, handover), motion]) if motion.duration else motion
        if _SPLINES not in sys.modules:
            start_thread(partial(import_module, _SPLINES), 'import')
        self._begin(motion, began)
        self.advance(self._clock())
        return max(motion.duration - (self._at - began), 0.0), final

    def _begin(self, motion: Trajectory, began: float, at_once: bool = False) -> None:
        self.motion, self._began = motion, began
        self._sink.publish(self.group, motion, began, at_once)

    def _handover(self, motion: Trajectory) -> float:
        kind = self.group.output[0]
        return self._sink.handover(motion) if kind in (TRAJECTORY, ACTION) else 0.0

    def _move_to(self, *waypoints: np.ndarray, to_nearest_turn: bool = True) -> Job[float | None]:
        """Move through waypoints (n,) to rest at the last, in joint space.

        Return the duration, s, None for a jump.
        """
        group = self.group
        if group.motion == JUMP:
            self.motion = None
            self.robot.move(group, waypoints[-1])
            return None
        is_quick = (group.motion == JOINT and len(waypoints) == 1
                    and group.solver.collisions is None)
        return (yield from self._begin_planned(
            self._through(waypoints, to_nearest_turn), is_quick))[0]

    def check_move_to(self, q: np.ndarray) -> Job[None]:
        """Raise IkError where a motion to q (n,), rad or m, would be refused; nothing moves."""
        if self.group.motion != JUMP:
            yield from self._place_others()
            yield LongSearch(self._through((q,), False), self.remaining())

    def _through(self, waypoints: Sequence[np.ndarray], to_nearest_turn: bool) -> _Plan:
        """Return what plans a motion through waypoints (n,) to rest at the last, in joint space."""
        def plan(start: Trajectory) -> tuple[Trajectory, Any]:
            return self._clear(self._motion_through(waypoints, start, to_nearest_turn)), None
        return plan

    def _motion_through(self, waypoints: Sequence[np.ndarray], start: Trajectory,
                        to_nearest_turn: bool) -> Trajectory:
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

    def remaining(self) -> Trajectory:
        """Return the motion from now on; rest without one."""
        self.advance(self._clock())
        if self.motion is None:
            return Rest(self.robot.joint_configuration(self.group))
        return left_of(self.motion, self._at - self._began)

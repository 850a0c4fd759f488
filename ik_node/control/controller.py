"""The controller of one arm: solves its goals and moves its joints."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ik_node.control.arm import Arm, same_chain
from ik_node.control.last_result import LastResult
from ik_node.control.mover import MotionSink, Mover
from ik_node.control.options import CARTESIAN, JUMP
from ik_node.control.robot import Robot
from ik_node.control.searches import search
from ik_node.exceptions import InputError
from ik_node.motion.joint_motion import joint_motion
from ik_node.motion.trajectory import Part, Series, Trajectory, left_of
from ik_node.motion.waypoints import joint_motion_through
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import Result

if TYPE_CHECKING:
    from ik_node.motion.following import Follower

_MOST_AT_ONCE = 500  # waypoints of a path that is chosen as a whole
_ANY_STEP = 1e6      # rad or m: waypoints may lie far apart
_SHORTEST_PLANNING = 0.02  # s, for a motion of the tip while the arm moves
_PLANNING = 0.5      # s, after which waypoints that are not met yet are solved from those before


class Waypoint(NamedTuple):
    """One of the goals of a path."""

    goal: Goal
    place: str
    """Which one it is, in words."""
    header: Any
    """Of its message, which the controller does not read."""
    q0: np.ndarray | None = None
    """(n,) the initial guess chosen for the path as a whole; None: the joint values."""


class Outcome(NamedTuple):
    """The outcome of a goal."""

    goal: Goal
    result: Result
    accepted: bool
    """Whether the arm moves: the goal is met, or the closest pose was accepted."""
    duration: float | None
    """Of the motion, s; None where joints jump."""


class _Aim(NamedTuple):
    """A goal and its result."""

    goal: Goal
    result: Result


class Controller(Mover):
    """Solves the goals of one arm from its present joint values, and moves them there.

    Attributes, besides those of a mover:
    - `arm`: with solver and limits.
    - `waypoints`: those of the path that are left, where joints jump; others move through them.
    - `goal`: the last one, in the frame of the base; None after a change of the chain.
    """

    def __init__(self, arm: Arm, clock: Callable[[], float], sink: MotionSink) -> None:
        """Begin without a goal. clock: returns the time of motions, s."""
        super().__init__(clock, sink)
        self.arm = arm
        self.waypoints: deque[Waypoint] = deque()
        self.goal: Goal | None = None
        self._last = LastResult()
        self._planning = _SHORTEST_PLANNING  # s that planning a motion is expected to take

    @property
    def group(self) -> Arm:
        """The arm."""
        return self.arm

    def begin_at_present(self, robot: Robot) -> None:
        """Do nothing: an arm has no targets but its goals."""

    def drop_waypoints(self) -> None:
        """Drop the rest of the path; a motion continues."""
        self.waypoints.clear()

    def take_up(self, robot: Robot, arm: Arm) -> None:
        """Use a changed arm of a robot; goal, path and motion continue where they are valid."""
        if not same_chain(arm.chain, self.arm.chain):
            self.goal = None
            self.waypoints.clear()
        elif arm.motion != self.arm.motion:
            self.waypoints.clear()
        self._stop_for(robot, arm.chain)
        self.arm = arm

    async def go(self, robot: Robot, goal: Goal) -> Outcome:
        """Solve a goal and move there, or hold; the current path ends.

        Raises IkError where there is no motion to it; the path then continues.
        """
        outcome = await self._go(robot, goal)
        self.waypoints.clear()
        return outcome

    async def follow(self, robot: Robot, waypoint: Waypoint) -> Outcome:
        """Go to a waypoint of the current path. Raises IkError where there is no motion to it."""
        return await self._go(robot, waypoint.goal, waypoint.q0)

    async def _go(self, robot: Robot, goal: Goal,
                  guess: np.ndarray | None = None) -> Outcome:
        """Solve a goal and move there, or hold.

        guess (n,): initial guess, by default the present joint values.
        """
        arm, q0 = self.arm, robot.joint_configuration(self.arm)
        result = self._last.of(arm, goal, self.accept_closest, q0, self.motion)
        if result is not None and self.motion is not None:  # the arm is moving there
            left = max(self.motion.duration - (self._at - self._began), 0.0)
            return Outcome(goal, result, True, left)
        if result is None:
            result = await self._solve(goal, q0 if guess is None else guess)
        outcome = await self._move(robot, [_Aim(goal, result)])
        self._last.keep(arm, goal, self.accept_closest, robot.joint_configuration(arm),
                        self.motion if outcome.accepted else None, result)
        return outcome

    async def go_through(self, robot: Robot, waypoints: Sequence[Waypoint]) -> Outcome:
        """Move through waypoints to rest at the last.

        Raises InputError, naming the waypoint, where one cannot be met and the closest pose is not
        accepted.
        """
        aims: list[_Aim] = []
        for waypoint in await self.with_guesses(robot, waypoints):
            q0 = waypoint.q0
            if q0 is None:
                q0 = aims[-1].result.q if aims else robot.joint_configuration(self.arm)
            aim = _Aim(waypoint.goal, await self._solve(waypoint.goal, q0))
            if not (aim.result.success or self.accept_closest):
                raise InputError(f'{waypoint.place}: {aim.result.reason.value}')
            aims.append(aim)
        self._last.forget()
        return await self._move(robot, aims)

    async def with_guesses(self, robot: Robot,
                           waypoints: Sequence[Waypoint]) -> Sequence[Waypoint]:
        """Return waypoints with initial guesses from the path that is chosen as a whole.

        Of a single waypoint or very many, and where the time is over, they are returned as they
        are; each is then solved from the one before. So are those that the path does not meet.
        """
        if not 1 < len(waypoints) <= _MOST_AT_ONCE:
            return waypoints
        solver, q0 = self.arm.solver, robot.joint_configuration(self.arm)
        goals = [waypoint.goal for waypoint in waypoints]
        path = await search(lambda: solver.solve_path(goals, q0, _ANY_STEP, _PLANNING))
        return [waypoint._replace(q0=q) if met else waypoint
                for waypoint, q, met in zip(waypoints, path.q, path.success)]

    async def _solve(self, goal: Goal, q0: np.ndarray) -> Result:
        """Solve from q0 (n,); where that fails and it is accepted, find the closest pose."""
        solver = self.arm.solver
        result = await search(lambda: solver.solve(goal, q0))
        if not self.accept_closest or result.success:
            return result
        nearest = await search(lambda: solver.closest(goal, q0))
        return nearest if nearest.success else nearest.because(result.reason)

    async def _move(self, robot: Robot, aims: Sequence[_Aim]) -> Outcome:
        """Move through all solutions to the last, or hold."""
        goal, result = aims[-1]
        if not (result.success or self.accept_closest):
            self.goal = goal
            return Outcome(goal, result, False, None)
        duration: float | None = None
        if self.arm.motion == JUMP:
            self.motion = None
            robot.move(self.arm, result.q)
        elif self.arm.motion == CARTESIAN and self.arm.follower is not None:
            duration, result = await self._begin_line(robot, self.arm.follower, aims)
        else:
            duration = self._begin_through(robot, [aim.result.q for aim in aims])
        self.goal, self.has_moved = goal, True
        return Outcome(goal, result, True, duration)

    def _begin_through(self, robot: Robot, configurations: Sequence[np.ndarray]) -> float:
        """Begin a motion through configurations (n,), to rest at the last, and return its duration.

        In s; the motion is blended with the current one. Raises IkError where there is none; the
        current motion then continues.
        """
        arm, present = self.arm, self._present(robot)
        if len(configurations) == 1:
            motion = joint_motion(arm.chain, arm.limits, present, configurations[0])
        else:
            motion = joint_motion_through(arm.chain, arm.limits, present, np.array(configurations))
        self._begin(motion)
        self.advance(robot, self._clock())
        return motion.duration

    async def _begin_line(self, robot: Robot, follower: 'Follower',
                          aims: Sequence[_Aim]) -> tuple[float, Result]:
        """Begin a motion of the tip on lines through goals, to rest at the last.

        Return its duration, s, and the result at its end. Raises IkError where there is none; the
        current motion then continues. It goes on during the planning, too, which starts from where
        the arm will be by then.
        """
        from ik_node.motion.cartesian_motion import cartesian_motion  # late: see Arm
        arm, (goal, result) = self.arm, aims[-1]
        # Goals that cannot be met are replaced by the closest pose.
        goals = [aim.goal if aim.result.success else
                 aim.goal.moved_to(arm.chain.forward(aim.result.q)) for aim in aims]

        def plan(start: Trajectory) -> tuple[Trajectory, Result]:
            motion = cartesian_motion(follower, arm.limits, start, goals)
            return motion, arm.solver.solve(goal, motion.end) if result.success else result
        while True:
            present, began, lead = self._present(robot), self._at, self._planning
            start = left_of(present, lead)
            motion, final = await search(partial(plan, start))
            self.advance(robot, self._clock())
            took = self._at - began
            self._planning = max(1.5 * took, _SHORTEST_PLANNING)
            if self.motion is not None and took <= lead:
                motion, self._at = Series([Part(present, 0.0, lead), motion]), began
            elif self.motion is not None or start.duration > 0.0:
                continue  # it has moved past the start of the motion
            self._begin(motion)
            self.advance(robot, self._clock())
            return motion.duration - (self._at - self._began), final

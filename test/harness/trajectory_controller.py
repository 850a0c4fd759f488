"""The rules of ros2_control's joint_trajectory_controller, without hardware and without ROS.

They are those of the controller of Kilted (ros2_controllers 5.17) for drives that take positions,
with the parameters of `Rules`: which trajectories it refuses, how it interpolates, and what it does
where one trajectory replaces another, a tolerance is violated or a goal is cancelled. In 400 random
scenarios, compared cycle by cycle with the controller itself, both refused the same of 1,444
trajectories, and commands were equal to 1e-12. Left out are effort, velocity and acceleration
commands, speed scaling, cmd_timeout, decelerate_on_cancel and
allow_integration_in_goal_trajectories. Times are int, ns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.played_trajectory import Played, Point, nanoseconds, nearest_turn

# Of control_msgs/action/FollowJointTrajectory.
SUCCESSFUL, INVALID_GOAL, PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = 0, -1, -4, -5

_REST = float(np.finfo(np.float32).eps)   # largest velocity of a last point, rad/s or m/s


@dataclass(frozen=True)
class Rules:
    """Parameters of the controller, by their names there.

    trajectory, goal: tolerances of all joints, rad or m, and goal_time, s; 0: none.
    velocity_states: whether velocity is one of its state_interfaces.
    """

    allow_partial_joints_goal: bool = False
    allow_nonzero_velocity_at_trajectory_end: bool = False
    interpolate_from_desired_state: bool = False
    trajectory: float = 0.0
    goal: float = 0.0
    goal_time: float = 0.0
    velocity_states: bool = True


DEFAULTS = Rules()


@dataclass(eq=False)
class Goal:
    """A goal of the action FollowJointTrajectory.

    Tolerances by joint, rad or m, and goal_time, s: 0 for those of the controller, -1 for none.
    `result`: error code and text once it has ended; no code where it was cancelled.
    """

    trajectory: Any
    path_tolerance: dict[str, float] = field(default_factory=dict)
    goal_tolerance: dict[str, float] = field(default_factory=dict)
    goal_time: float = 0.0
    result: tuple[int | None, str] | None = None


class TrajectoryController:
    """An active controller of joints, and drives that follow its commands exactly.

    q: joint values at the start (n,), rad or m. period: of the controller manager, ns. continuous:
    names of joints without limits. drives: joint values (n,) that are measured, of a command (n,).

    - `measured`: the state of the drives, a `Point`.
    - `desired`: the state that the trajectory has now, as in controller_state.
    - `commands`: (time, q) of every cycle that has written any.
    - `refused`: why messages were refused, or motions stopped.
    """

    def __init__(self, joints: Sequence[str], q: np.ndarray, period: int = 10_000_000,
                 rules: Rules = DEFAULTS, continuous: Sequence[str] = (),
                 drives: Callable[[np.ndarray], np.ndarray] = np.array) -> None:
        self.joints, self.rules = tuple(joints), rules
        self.refused: list[str] = []
        self.commands: list[tuple[int, np.ndarray]] = []
        self._period, self._drives = period, drives
        self._turns = np.array([name in continuous for name in joints])
        self._last: int | None = None              # time of the last cycle
        self._traj_time = 0
        self._command = np.array(q, float)
        self.measured = Point(self._command, self._velocity(np.zeros(len(q))), None)
        self._commanded, self._commanded_at = self.measured, 0
        self.desired = self.measured
        self._goal: Goal | None = None
        self._tolerances = self._default_tolerances()
        self._hold(self.measured.q)

    @property
    def is_holding(self) -> bool:
        """Whether it holds a position: after the start, an abort, a cancelled or a reached goal."""
        return self._holds

    def receive(self, trajectory: Any, now: int) -> str:
        """Take a message of ~/joint_trajectory; return why it is refused, '' where it is not."""
        reason = self.why_refused(trajectory, now)
        if reason:
            self.refused.append(reason)
        else:
            self._begin(trajectory)
        return reason

    def send(self, goal: Goal, now: int) -> str:
        """Take a goal of the action; return why it is rejected, '' where it is not."""
        reason = self.why_refused(goal.trajectory, now)
        if reason:
            self.refused.append(reason)
            return reason
        if self._goal is not None:
            self._goal.result = INVALID_GOAL, 'Current goal preempted by new incoming action.'
        self._goal = goal
        self._tolerances = self._tolerances_of(goal)
        self._begin(goal.trajectory)
        return ''

    def cancel(self, goal: Goal) -> None:
        """Cancel a goal: where it is the present one, the joints hold their measured position."""
        if goal is self._goal:
            goal.result, self._goal = (None, ''), None
            self._hold(self.measured.q)

    def why_refused(self, trajectory: Any, now: int) -> str:
        """Return why the controller refuses a trajectory; '' where it accepts it."""
        names, points, rules = trajectory.joint_names, trajectory.points, self.rules
        if not rules.allow_partial_joints_goal and len(names) != len(self.joints):
            return "Joints on incoming trajectory don't match the controller joints."
        if not names:
            return 'Empty joint names on incoming trajectory.'
        if not points:
            return 'Empty trajectory received.'
        for name in names:
            if name not in self.joints:
                return f"Incoming joint {name} doesn't match the controller's joints."
        if not rules.allow_nonzero_velocity_at_trajectory_end:
            for name, v in zip(names, points[-1].velocities):
                if abs(v) > _REST:
                    return f'Velocity of last trajectory point of joint {name} is not zero: {v}'
        start = nanoseconds(trajectory.header.stamp)
        if start and start + nanoseconds(points[-1].time_from_start) < now:
            return 'Received trajectory with non-zero start time that ends in the past'
        times = [nanoseconds(point.time_from_start) for point in points]
        for k, point in enumerate(points):
            if k and times[k] <= times[k - 1]:
                return f'Time between points {k - 1} and {k} is not strictly increasing'
            for kind in ('positions', 'velocities', 'accelerations'):
                count = len(getattr(point, kind))
                if count != len(names) and (count or kind == 'positions'):
                    return (f'Mismatch between joint_names size ({len(names)}) and {kind} '
                            f'({count}) at point #{k}.')
            if len(point.effort):
                return 'Trajectories with effort fields are only supported with effort commands'
        return ''

    def update(self, now: int) -> None:
        """Run a cycle of the controller manager at a time: read, update, write."""
        dt, self._last = 0 if self._last is None else now - self._last, now
        self._read(dt)
        first = not self._played.is_sampled
        if first:
            self._played.begin(*(
                (self._commanded_at or now, self._commanded)
                if self.rules.interpolate_from_desired_state else (now, self.measured)),
                self._turns)
        self._traj_time = now if first else self._traj_time + dt
        sampled = self._played.sample(self._traj_time)
        if sampled is not None:
            self.desired = sampled.state
        ahead = self._played.sample(self._traj_time + self._period)
        if ahead is not None:
            self._supervise(ahead, first, now)

    def _read(self, dt: int) -> None:
        """Read the state of the drives after dt."""
        q, before = self._drives(self._command), self.measured
        v = self._velocity((q - before.q) / (1e-9 * dt)) if dt else before.v
        self.measured = Point(q, v, None)

    def _velocity(self, v: np.ndarray) -> np.ndarray | None:
        return v if self.rules.velocity_states else None

    def _supervise(self, ahead: Any, first: bool, now: int) -> None:
        """Check the tolerances, and write the command, the state ahead, where they are kept."""
        error = self.desired.q - self.measured.q
        error = np.where(self._turns, nearest_turn(error), error)
        path, goal, goal_time = self._tolerances
        violated = outside = late = False
        if not self._holds:
            violated = (ahead.before_end or first) and _exceeds(error, path)
            outside = not ahead.before_end and _exceeds(error, goal)
            overdue = self._traj_time / 1e9 - ahead.since / 1e9  # rounded as there
            late = outside and goal_time != 0.0 and overdue > goal_time
        if not violated and not late:
            self._command = ahead.state.q
            self._commanded, self._commanded_at = ahead.state, now
            self.commands.append((now, self._command))
        if violated:
            self._end(PATH_TOLERANCE_VIOLATED, 'Aborted due to path tolerance violation')
        elif late:
            self._end(GOAL_TOLERANCE_VIOLATED, 'Aborted due to goal_time_tolerance exceeding')
        elif self._goal is not None and not ahead.before_end and not outside:
            self._goal.result, self._goal = (SUCCESSFUL, 'Goal successfully reached!'), None
            self._hold(*self._played.points[-1])

    def _end(self, code: int, text: str) -> None:
        """Abort the present goal, and hold the measured position."""
        self.refused.append(text)
        if self._goal is not None:
            self._goal.result, self._goal = (code, text), None
        self._hold(self.measured.q)

    def _begin(self, trajectory: Any) -> None:
        self._played, self._holds = Played.of(trajectory, self.joints, self._command), False

    def _hold(self, q: np.ndarray, v: np.ndarray | None = None, a: np.ndarray | None = None
              ) -> None:
        """Hold a position from the next cycle on; tolerances are not checked meanwhile."""
        self._played, self._holds = Played(0, [0], [Point(q, v, a)]), True

    def _default_tolerances(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the tolerances of the path and of the goal (n,), rad or m, and of time, s."""
        n, rules = len(self.joints), self.rules
        return np.full(n, rules.trajectory), np.full(n, rules.goal), rules.goal_time

    def _tolerances_of(self, goal: Goal) -> tuple[np.ndarray, np.ndarray, float]:
        """Return those of a goal; where one is invalid, all are the controller's."""
        path, end, goal_time = self._default_tolerances()
        given = (*goal.path_tolerance.items(), *goal.goal_tolerance.items(), ('', goal.goal_time))
        if any((value < 0.0 and value != -1.0) or name not in ('', *self.joints)
               for name, value in given):
            return path, end, goal_time
        for tolerances, values in ((path, goal.path_tolerance), (end, goal.goal_tolerance)):
            for name, value in values.items():
                k = self.joints.index(name)
                tolerances[k] = _resolved(tolerances[k], value)
        return path, end, _resolved(goal_time, goal.goal_time)


def _resolved(default: float, value: float) -> float:
    return default if value == 0.0 else max(value, 0.0)


def _exceeds(error: np.ndarray, tolerance: np.ndarray) -> bool:
    return bool(np.any((tolerance > 0.0) & (np.abs(error) > tolerance)))

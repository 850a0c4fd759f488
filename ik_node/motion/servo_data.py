"""The record of a servo: its state, its command, and scratch."""

from typing import Any

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace, check_joint_space
from ik_node.motion.limits import MotionLimits
from ik_node.solvers.kernel.qp.hierarchical_qp import Cascade
from ik_node.support import arguments, arrays
from ik_node.support.arrays import Memory, OutMatrix
from ik_node.support.exceptions import InputError

SLOW = 0.9         # part of a command below which the reason is said
SMALL = 0.2        # part of what a sample can change below which a direction counts as still
REST, TWIST, JOINTS, POSE, NEXT = 0, 1, 2, 3, 4


def serves_apart(chain: Chain) -> bool:
    """Tell whether an arm may translate its tip without rotating it, and the other way about."""
    lower, upper = np.maximum(chain.lower, -3.0), np.minimum(chain.upper, 3.0)
    J = chain.jacobian(lower + 0.618 * (upper - lower))
    rank = np.linalg.matrix_rank
    return bool(rank(J[:3]) + rank(J[3:]) == rank(J))


class ServoData:
    """State and scratch of a servo of one arm.

    - `scale`: of the command, below 1 where it is too fast; `slowed`: likewise, where otherwise
      something would not be held; `ahead`: before the path bends or ends, see `path_curvature`;
      `clear`: towards contact, 0 where it stops, see `GuardedServos`.
    - `settled`: whether the last sample moves as commanded, but for `scale` and singularities.
    - `singular`: whether it is slowed near a singularity; `at_limit`: of each joint whether a limit
      of its position stops it.
    - `moves`, `turns`: whether the command translates and rotates the tip; `apart`: whether the arm
      can do one without the other; `kept`: where not, the first of three axes that are not
      commanded and weigh more, or −1.
    - `latest`: the command, its mode and its values; `last`: the last sample, position,
      velocity and acceleration (3, n). Both are replaced, and never changed, so that any thread may
      use them.
    """

    def __init__(self, space: JointSpace, limits: MotionLimits, period: float, q: Any,
                 velocity: Any = None, weights: Any = None, acceleration: Any = None) -> None:
        """Begin at q (n,), rad or m, which may be outside the limits, and in motion.

        velocity, acceleration: (n,), by default 0. period: s, of a sample. weights (6,) > 0: what
        matters more, along the base's axes, where joints do not serve all six. Of a body only the
        joints are commanded, see `BodyServo`. Raises InputError.
        """
        check_joint_space(space)
        self.period, n = arguments.number(period, 'period'), space.n_joints
        if not isinstance(limits, MotionLimits) or limits.velocity.shape != (n,) or n == 0:
            raise InputError(f'limits must be those of `motion_limits` of {space!r}, which needs a '
                             'joint that moves')
        if not 1e-4 <= self.period <= 1.0:
            raise InputError(f'period must be from 1e-4 to 1 s, not {period!r}')
        self.names = space.joint_names
        self.n, self.memory = n, Memory()
        memory, chain = self.memory, space if isinstance(space, Chain) else None
        self.chain: ChainRecord = None if chain is None else chain.record  # type: ignore[assignment]
        self.length = 1.0 if chain is None else extent(chain.arrays).length_scale
        self.apart: bool = chain is None or serves_apart(chain)
        if weights is None:
            weights = (1.0,) * 6 if n > 5 else (1.0, 1.0, 1.0, 0.1, 0.1, 0.1)
        values = arguments.vector(weights, 6, 'weights')
        if not (values > 0.0).all():
            raise InputError(f'weights must be above 0, not {values.tolist()}')
        self.importance, self.kept = memory.vector(values), -1
        self.weights = memory.vector(values / ([self.length] * 3 + [1.0] * 3))
        self.lower, self.upper = memory.vector(limits.lower), memory.vector(limits.upper)
        self.most = memory.vector(limits.velocity)
        self.acceleration = memory.vector(limits.acceleration)
        self.jump = memory.vector(limits.jerk * self.period)
        self.small = SMALL * self.period ** 2 * float(np.min(limits.jerk / limits.velocity))
        self.horizon = float(np.max(limits.velocity / limits.acceleration
                                    + 2.0 * limits.acceleration / limits.jerk
                                    + 2.0 * np.sqrt(limits.velocity / limits.jerk)))
        self.q = memory.vector(arguments.vector(q, n, 'q'))
        rest = np.zeros(n)
        self.v = memory.vector(
            rest if velocity is None else arguments.vector(velocity, n, 'velocity'))
        self.a = memory.vector(
            rest if acceleration is None else arguments.vector(acceleration, n, 'acceleration'))
        self.mode, self.slowed, self.scale, self.singular = REST, 1.0, 1.0, False
        if chain is None:
            self.mode = JOINTS
        self.clear, self.guard = 1.0, None
        self.at_limit = memory.integer_zeros(n)
        self.command, self.wanted = memory.zeros(6), memory.zeros(n)
        self.target, self.reference = memory.pose(np.eye(4)), memory.pose(np.eye(4))
        self.settled, self.begun, self.holds, self.largest, self.rank = True, False, True, 0.0, 0
        self.frames = memory.poses(np.zeros((1 if chain is None else chain.record.m + 1, 4, 4)))
        self.J, self.W = memory.columns(np.zeros((n, 6))), memory.columns(np.zeros((n, 6)))
        self.J_near, self.U = memory.columns(np.zeros((n, 6))), memory.columns(np.zeros((6, 6)))
        self.R, self.basis = memory.points(np.zeros((3, 3))), memory.columns(np.zeros((6, 6)))
        self.sigma, self.kappa = memory.zeros(6), memory.zeros(6)
        self.computed = memory.integer_zeros(6)
        self.V = memory.matrix(6, n)  # right singular vectors
        self.e, self.y, self.y_held = memory.zeros(6), memory.zeros(6), memory.zeros(6)
        self.moving, self.change = memory.zeros(6), memory.zeros(6)
        self.stray, self.stray_change, self.intended = memory.zeros(6), memory.zeros(6), 0
        self.demand, self.part = memory.zeros(6), memory.zeros(6)
        self.near, self.trial = memory.zeros(n), memory.zeros(n)
        self.trial_direction, self.directions = memory.zeros(n), 0
        self.v_before, self.follows = memory.zeros(n), False
        self.v_command, self.v_held = memory.zeros(n), memory.zeros(n)
        self.v_target = memory.zeros(n)
        self.low, self.high = memory.zeros(n), memory.zeros(n)
        self.soft_low, self.soft_high = memory.zeros(n), memory.zeros(n)
        self.below, self.above, self.x = memory.zeros(n), memory.zeros(n), memory.zeros(n)
        self.cascade = Cascade(n, [6, n], [0] * (6 + n))
        self.A, self.rest = memory.matrix(n, 6 + n), memory.zeros(6 + n)
        self.moves, self.turns, self.most_rank = False, False, 0
        self.U_near, self.z_near = memory.columns(np.zeros((6, 6))), memory.zeros(6)
        self.x_near, self.x_before, self.q_near = memory.zeros(n), memory.zeros(n), memory.zeros(n)
        self.ahead, self.bend = 1.0, memory.zeros(n)
        self.next_a, self.x_free = memory.zeros(n), memory.zeros(n)
        self.rows = memory.matrix(3, n)
        self.latest: Any = (REST, np.empty(0))
        self.taken = self.latest
        self.last: np.ndarray = np.empty(0)
        self.finish()

    @property
    def blocked(self) -> tuple[str, ...]:
        """The joints that cannot go on because of a limit of their positions."""
        return tuple(name for k, name in enumerate(self.names) if self.at_limit[k])

    @property
    def reason(self) -> str:
        """Why the arm does not move as commanded, in words; '' where it does."""
        found = [f'{name!r} is at a limit' for name in self.blocked]
        if self.singular:
            found.append('it is near a singularity')
        if self.clear < 1.0 and self.guard is not None:
            found.append(self.guard.contact(self))
        if self.ahead < SLOW and not found:
            found.append('the joints must slow down in time, before a singularity or a limit')
        if self.slowed < 1.0:
            found.append('else something that is not commanded would not be held')
        if self.scale < 1.0:
            found.append(f'the command is too fast, and scaled by {self.scale:.2g}')
        return '; '.join(found)

    def take(self) -> None:
        """Read the latest command."""
        latest = self.latest
        if latest is self.taken:
            return
        self.taken, self.follows = latest, False
        mode, values = latest
        if mode == REST and self.chain is None:
            mode, values = JOINTS, np.zeros(self.n)
        if mode == TWIST:
            arrays.read_vector(values, self.command)
            self.moves, self.turns = bool(values[:3].any()), bool(values[3:].any())
        elif mode in (JOINTS, NEXT):
            arrays.read_vector(values, self.wanted)
        elif mode == POSE:
            arrays.read_pose(values, self.target)
        if mode != TWIST:
            self.moves = self.turns = mode == POSE
        self.kept = -1
        if not self.apart and self.moves != self.turns:
            first, other = (0, 3) if self.turns else (3, 0)
            if self.importance[first] > self.importance[other]:
                self.kept = first
        self.mode = mode

    def finish(self) -> None:
        """Let the present sample be the last one."""
        rows = np.empty((3, self.n))
        values: OutMatrix = rows
        for k in range(self.n):
            values[0, k], values[1, k], values[2, k] = self.q[k], self.v[k], self.a[k]
        self.last = rows

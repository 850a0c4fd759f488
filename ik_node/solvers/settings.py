"""Settings, records and scratch arrays of the kernels of the iterative solvers."""

import math

import numpy as np

from ik_node.solvers import codes
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Memory

INF = math.inf

# Singular values below this fraction of the largest count as zero. It is above the
# value (4e-6) of an exact zero in files with 1.5708 for a right angle.
RANK_TOLERANCE = 1e-5


class Settings:
    """A solver's options as numbers."""

    def __init__(self, *, position_tolerance: float, orientation_tolerance: float,
                 max_iterations: int, max_step: float, patience: int, progress: float,
                 length: float, reach: float, hole: float, wrist_reach: float, prefer: int,
                 centre: np.ndarray, wrist: np.ndarray, wrist_centre: np.ndarray,
                 scale: np.ndarray, span: np.ndarray) -> None:
        """Copy the options.

        - patience: iterations within which the squared error must shrink to `progress` of itself.
        - length: of the chain, m: what weighs as a radian.
        - reach, hole: the tip is at most and at least so far from the centre (3,), m, base frame;
          reach is infinite, and hole 0, without a bound.
        - wrist_reach: the wrist, a point (3,) in the tip frame, m, is at most so far from
          wrist_centre (3,), m, base frame; infinite without a bound.
        - prefer: NEAREST, FIRST, MANIPULABILITY or LIMITS.
        - scale: (n,) 1/√weight of each joint, at most 1.
        - span: (n,) m, how far a prismatic joint can travel, infinite without limits; 0 of others.
        """
        self.memory = memory = Memory()
        self.position_tolerance = position_tolerance
        self.orientation_tolerance = orientation_tolerance
        self.max_iterations, self.max_step = max_iterations, max_step
        self.patience, self.progress = patience, progress
        self.length, self.reach, self.hole = length, reach, hole
        self.wrist_reach, self.prefer = wrist_reach, prefer
        self.centre, self.wrist = memory.vector(centre), memory.vector(wrist)
        self.wrist_centre = memory.vector(wrist_centre)
        self.scale, self.span = memory.vector(scale), memory.vector(span)


class JacobianSettings:
    """Settings of the Jacobian family."""

    def __init__(self, bias_target: np.ndarray, bias_gain: np.ndarray, *,
                 bias_exponent: float = 2.0, biased: bool = False, alternate: bool = False,
                 rank_tolerance: float = RANK_TOLERANCE, manipulability_gain: float = 0.0,
                 path_step: float = math.inf, parameter: float = math.nan,
                 factorization: int = codes.AUTO, damping_rule: int = codes.CONSTANT,
                 error_share: float = 0.0, max_angle: float = 0.0,
                 alpha_scale: float = 1.0) -> None:
        """Copy the options; see `JacobianOptions`.

        - bias_target, bias_gain: (n,); the gain is 0 where a joint is not biased.
        - biased: whether a bias is requested: then iterations continue until it has converged.
        - alternate: whether the Jacobian is taken at the goal instead of the tip.
        - parameter: the method's own, λ or α; NaN where the method chooses it.
        - factorization: AUTO, LU or SVD.
        - damping_rule: CONSTANT, SUGIHARA, CHAN, NAKAMURA or SELECTIVE.
        """
        self.memory = Memory()
        self.bias_target = self.memory.vector(bias_target)
        self.bias_gain = self.memory.vector(bias_gain)
        self.bias_exponent, self.biased, self.alternate = bias_exponent, biased, alternate
        self.rank_tolerance, self.manipulability_gain = rank_tolerance, manipulability_gain
        self.path_step, self.parameter = path_step, parameter
        self.factorization, self.damping_rule = factorization, damping_rule
        self.error_share, self.max_angle, self.alpha_scale = error_share, max_angle, alpha_scale


class Record:
    """The outcome of a search so far.

    - `end`: of the best attempt: CONVERGED …, BEYOND reach, INVALID where q0 is not finite,
      TIMED_OUT where the deadline was over before a solution was found, or SINGULAR, see `search`.
    - `iterations`, `error`, `position`, `orientation`: of the best attempt; the squared weighted
      error, m² and rad², the position error, m, and the orientation error, rad.
    - `attempts`: their number; `solutions`: how many of them met the goal; `least_cost`: the least
      selection cost of these.
    """

    def __init__(self) -> None:
        """Begin."""
        self.begin()

    def begin(self) -> None:
        """Forget earlier attempts."""
        self.end, self.iterations, self.attempts, self.solutions = codes.STALLED, 0, 0, 0
        self.error = self.position = self.orientation = self.least_cost = INF


class Scratch:
    """Scratch arrays, so that nothing is allocated within a kernel.

    - `iterations`: of the attempt; `deadline`: of `clock`, s, at which attempts end.
    - `task`: the goal; `plain`: the goal, every constrained axis with the same weight.
    """

    def __init__(self, m: int, n: int) -> None:
        """Make the arrays for a chain of m articulations and n joint values."""
        self.memory = memory = Memory()
        six, zeros = np.zeros(6), np.zeros(n)
        self.frames = memory.poses(np.zeros((m + 1, 4, 4)))  # after each articulation; of the tip
        self.J = memory.columns(np.zeros((n, 6)))  # rows of the task, columns scaled
        self.W, self.U = memory.columns(np.zeros((n, 6))), memory.columns(np.zeros((6, 6)))  # SVD
        self.A = memory.columns(np.zeros((6, 6)))  # J Jᵀ and its factor
        self.R = memory.points(np.zeros((3, 3)))   # R_goal Rᵀ, and J_r⁻¹
        self.T = memory.pose(np.zeros((4, 4)))     # a pose that is updated
        self.e, self.V = memory.vector(six), memory.vector(six)  # pose error, rows of the task
        self.rest = memory.vector(six)         # V less the contribution of locked joints
        self.Jz = memory.vector(six)           # tip motion by the bias
        self.beta, self.dq = memory.vector(six), memory.vector(zeros)
        self.z, self.null = memory.vector(zeros), memory.vector(zeros)  # bias, in the null space
        self.slope = memory.vector(zeros)      # Jᵀ V of the step before; 0 before the first
        self.direction = memory.vector(zeros)  # of the previous step; scratch
        self.unit = memory.vector(zeros)       # prismatic: the length of a radian, m; else 1
        self.free = memory.integers(zeros)     # 1 where a joint is not locked at a limit, else 0
        self.q0, self.start = memory.vector(zeros), memory.vector(zeros)  # inside the limits
        self.q, self.best = memory.vector(zeros), memory.vector(zeros)  # of the attempt, the best
        self.ascent = memory.vector(zeros)     # manipulability gradient
        picked = np.zeros(codes.MOST_PICKED)   # entries of a table, their distances, their costs
        self.picked, self.away = memory.integers(picked), memory.vector(picked)
        self.cost = memory.vector(picked)
        self.task, self.plain = TipTask(), TipTask()
        self.record, self.iterations, self.deadline = Record(), 0, INF

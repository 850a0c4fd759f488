"""Settings and data of the kernels of the iterative solvers."""

import math

import numpy as np

from ik_node.collision.scene import SceneData
from ik_node.kinematics.reach import extent, wrist_ball
from ik_node.kinematics.structures import ChainArrays
from ik_node.solvers import codes
from ik_node.solvers.codes import PREFERENCES
from ik_node.solvers.kernel.task import TipTask
from ik_node.solvers.options import SolverOptions
from ik_node.support.arrays import Memory

INF = math.inf


class Settings:
    """A solver's options as numbers, and the sizes of its chain."""

    def __init__(self, options: SolverOptions, chain: ChainArrays, scale: np.ndarray,
                 span: np.ndarray, patience: int, progress: float) -> None:
        """Copy the options.

        - scale: (n,) 1/√weight of each joint, at most 1.
        - span: (n,) m, how far a prismatic joint can travel, infinite without limits; 0 of others.
        - patience: iterations within which the squared error must shrink to `progress` of itself.
        """
        self.memory = memory = Memory()
        self.position_tolerance = options.position_tolerance
        self.orientation_tolerance = options.orientation_tolerance
        self.max_iterations, self.max_step = options.max_iterations, options.max_step
        self.prefer = PREFERENCES[options.prefer]
        self.patience, self.progress = patience, progress
        self.scale, self.span = memory.vector(scale), memory.vector(span)
        # The length, m, weighs as a radian. The tip's distance from the centre, m, base frame, is
        # at least `hole` and at most `reach`, 0 and infinite without a bound.
        size = extent(chain)
        self.length, self.reach, self.hole = size.length_scale, size.reach, size.hole
        self.centre = memory.vector(size.centre)
        # The wrist, a point in the tip frame, m, is at most wrist_reach from wrist_centre.
        ball = wrist_ball(chain)
        self.wrist_reach, self.wrist = ball.radius, memory.vector(ball.wrist)
        self.wrist_centre = memory.vector(ball.centre)


class ArmData:
    """The outcome of a search so far, and scratch, so that a kernel allocates nothing.

    - `end`: of the best attempt: CONVERGED …, BEYOND reach, INVALID where q0 is not finite,
      TIMED_OUT where the deadline was over before a solution was found, or SINGULAR, see `search`.
    - `best_iterations`, `error`, `position`, `orientation`: of the best attempt; the squared
      weighted error, m² and rad², the position error, m, and the orientation error, rad.
    - `attempts`: their number; `solutions`: how many of them met the goal; `least_cost`: the least
      selection cost of these.
    - `iterations`: of the attempt; `deadline`: of `clock`, s, at which attempts end.
    - `nearby`: how far the goal is from the tip at q0, rad and lengths of the arm; below 0 where
      that is not known yet.
    - `framed`: whether `frames` are those of q, as the attempt left it.
    - `touch`: what checks for collisions; None where they do not matter.
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
        self.begun = memory.vector(zeros)      # where the attempt began
        self.unit = memory.vector(zeros)       # prismatic: the length of a radian, m; else 1
        self.free = memory.integers(zeros)     # 1 where a joint is not locked at a limit, else 0
        self.q0, self.start = memory.vector(zeros), memory.vector(zeros)  # inside the limits
        self.q, self.best = memory.vector(zeros), memory.vector(zeros)  # of the attempt, the best
        self.ascent = memory.vector(zeros)     # manipulability gradient
        picked = np.zeros(codes.MOST_PICKED)   # entries of a table, their distances, their costs
        self.picked, self.away = memory.integers(picked), memory.vector(picked)
        self.cost = memory.vector(picked)
        self.task, self.plain = TipTask(), TipTask()
        self.iterations, self.deadline, self.nearby, self.framed = 0, INF, INF, False
        self.touch: SceneData | None = None
        self.begin()

    def begin(self) -> None:
        """Forget earlier attempts."""
        self.end, self.best_iterations, self.attempts, self.solutions = codes.STALLED, 0, 0, 0
        self.error = self.position = self.orientation = self.least_cost = INF

"""Settings and scratch arrays of the kernels of the iterative solvers."""

import math

import numpy as np

from ik_node.solvers import codes
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Columns, Integers, Memory, Pose, Poses, Rotation, Square, Vector

INF = math.inf


class Settings:
    """A solver's options as numbers."""

    position_tolerance: float
    orientation_tolerance: float
    max_iterations: int
    max_step: float
    patience: int
    """Iterations within which the squared error must shrink to `progress` of what it was."""
    progress: float
    length: float
    """The chain's length scale, m: the length that weighs as a radian."""
    reach: float
    """How far from `centre` the tip can get, m; infinite where there is no bound."""
    hole: float
    """How near to `centre` the tip can get, m; 0 where it may get there."""
    wrist_reach: float
    """How far from `wrist_centre` the wrist can get, m; infinite where there is no bound."""
    prefer: int
    """Preference among several solutions: NEAREST, FIRST, MANIPULABILITY or LIMITS."""
    centre: Vector
    """(3,) m, base frame."""
    wrist: Vector
    """(3,) m, tip frame: a point fixed in the tip frame."""
    wrist_centre: Vector
    """(3,) m, base frame."""
    scale: Vector
    """(n,) 1/√weight of each joint, at most 1."""
    span: Vector
    """(n,) m, how far a prismatic joint can travel, infinite without limits; 0 of the others."""

    def __init__(self, *, position_tolerance: float, orientation_tolerance: float,
                 max_iterations: int, max_step: float, patience: int, progress: float,
                 length: float, reach: float, hole: float, wrist_reach: float, prefer: int,
                 centre: np.ndarray, wrist: np.ndarray, wrist_centre: np.ndarray,
                 scale: np.ndarray, span: np.ndarray) -> None:
        """Copy the options; see the fields."""
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


class Record:
    """The outcome of a search so far."""

    end: int
    """End of the best attempt: CONVERGED …, BEYOND reach, INVALID where q0 is not finite, TIMED_OUT
    where the deadline was over before a solution was found, or SINGULAR, see `search`."""
    iterations: int
    """Of the best attempt."""
    attempts: int
    error: float
    """Squared weighted error of the best, in m² and rad²."""
    position: float
    """Position error, m."""
    orientation: float
    """Orientation error, rad."""
    solutions: int
    """How many attempts met the goal."""
    least_cost: float
    """The least selection cost of these."""

    def __init__(self) -> None:
        """Begin."""
        self.begin()

    def begin(self) -> None:
        """Forget earlier attempts."""
        self.end, self.iterations, self.attempts, self.solutions = codes.STALLED, 0, 0, 0
        self.error = self.position = self.orientation = self.least_cost = INF


class Scratch:
    """Scratch arrays, so that nothing is allocated within a kernel."""

    frames: Poses
    """(m + 1, 4, 4) after each articulation, and the tip."""
    J: Columns
    """Rows of the task, columns scaled."""
    W: Columns
    """Of the SVD."""
    U: Square
    """Of the SVD."""
    A: Square
    """J Jᵀ and its factor."""
    R: Rotation
    """R_goal Rᵀ, and J_r⁻¹."""
    T: Pose
    """(4, 4) a pose that is updated."""
    e: Vector
    """(6,) pose error."""
    V: Vector
    """(6,) rows of the task."""
    rest: Vector
    """(6,) V less the contribution of locked joints."""
    Jz: Vector
    """(6,) tip motion by the bias."""
    beta: Vector
    dq: Vector
    z: Vector
    """(n,) bias."""
    null: Vector
    """(n,) bias within the null space."""
    slope: Vector
    """(n,) Jᵀ V of the step before; 0 before the first."""
    direction: Vector
    """(n,) direction of the previous step; scratch."""
    free: Integers
    """(n,) 1 where a joint is not locked at a limit, else 0."""
    unit: Vector
    """(n,) for a prismatic joint the length, m, that counts as a radian, else 1."""
    q0: Vector
    """(n,) initial guess of the search."""
    start: Vector
    """(n,) the same inside the limits."""
    q: Vector
    """(n,) of the attempt under way."""
    best: Vector
    """(n,) the best so far."""
    ascent: Vector
    """(n,) manipulability gradient."""
    picked: Integers
    """Entries of a start table."""
    away: Vector
    """Their distances from the initial guess."""
    cost: Vector
    """Of these."""
    iterations: int
    """Of the attempt."""
    deadline: float
    """Of `clock`, s: attempts end when it is over; infinite for none."""
    task: TipTask
    """The goal."""
    plain: TipTask
    """The goal, every constrained axis with the same weight."""
    record: Record

    def __init__(self, m: int, n: int) -> None:
        """Make the arrays for a chain of m articulations and n joint values."""
        self.memory = memory = Memory()
        self.frames = memory.poses(np.zeros((m + 1, 4, 4)))
        self.J, self.W = memory.columns(np.zeros((n, 6))), memory.columns(np.zeros((n, 6)))
        self.U, self.A = memory.columns(np.zeros((6, 6))), memory.columns(np.zeros((6, 6)))
        self.R, self.T = memory.points(np.zeros((3, 3))), memory.pose(np.zeros((4, 4)))
        self.e, self.V = memory.vector(np.zeros(6)), memory.vector(np.zeros(6))
        self.rest, self.Jz = memory.vector(np.zeros(6)), memory.vector(np.zeros(6))
        self.beta = memory.vector(np.zeros(6))
        self.dq, self.z = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.null, self.slope = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.direction, self.unit = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.q0, self.start = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.q = memory.vector(np.zeros(n))
        self.best, self.ascent = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.free = memory.integers(np.zeros(n))
        self.picked = memory.integers(np.zeros(codes.MOST_PICKED))
        self.away = memory.vector(np.zeros(codes.MOST_PICKED))
        self.cost = memory.vector(np.zeros(codes.MOST_PICKED))
        self.task, self.plain = TipTask(), TipTask()
        self.record, self.iterations, self.deadline = Record(), 0, INF

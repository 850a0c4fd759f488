"""Settings and scratch arrays of the kernels of the iterative solvers."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from ik_node._jit import Layout, Matrix, Shape, Stack, Vector, njit

# How an attempt ended
CONVERGED, EXHAUSTED, STALLED, BEYOND, INVALID, TIMED_OUT = range(6)

LOOK = 8  # iterations from one look at the clock to the next

MOST_PICKED = 16  # entries of a start table used for restarts

# Preferences among several solutions
NEAREST, FIRST, MANIPULABILITY, LIMITS = range(4)


class Settings(NamedTuple):
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
    centre: Annotated[Vector, Shape(3)]
    """(3,) m, base frame."""
    wrist: Annotated[Vector, Shape(3)]
    """(3,) m, tip frame: a point fixed in the tip frame."""
    wrist_centre: Annotated[Vector, Shape(3)]
    """(3,) m, base frame."""
    scale: Annotated[Vector, Shape('n')]
    """(n,) 1/√weight of each joint, at most 1."""
    span: Annotated[Vector, Shape('n')]
    """(n,) m, how far a prismatic joint can travel, infinite without limits; 0 of the others."""
    method: Any
    """The method's own settings, a NamedTuple."""


class Work(NamedTuple):
    """Scratch arrays, views of one, so that nothing is allocated within a kernel."""

    frames: Annotated[Stack, Shape('m + 1', 4, 4)]
    """After each articulation, and the tip."""
    J: Annotated[Matrix, Shape(6, 'n')]
    """Rows of the task, columns scaled."""
    W: Annotated[Matrix, Shape(6, 'n')]
    """Of the SVD."""
    U: Annotated[Matrix, Shape(6, 6)]
    """Of the SVD."""
    A: Annotated[Matrix, Shape(6, 6)]
    """J Jᵀ and its factor."""
    R: Annotated[Matrix, Shape(3, 3)]
    """R_goal Rᵀ, and J_r⁻¹."""
    T: Annotated[Matrix, Shape(4, 4)]
    """A pose that is updated."""
    e: Annotated[Vector, Shape(6)]
    """Pose error."""
    V: Annotated[Vector, Shape(6)]
    """Rows of the task."""
    rest: Annotated[Vector, Shape(6)]
    """V less the contribution of locked joints."""
    Jz: Annotated[Vector, Shape(6)]
    """Tip motion by the bias."""
    beta: Annotated[Vector, Shape(6)]
    dq: Annotated[Vector, Shape('n')]
    z: Annotated[Vector, Shape('n')]
    """Bias."""
    null: Annotated[Vector, Shape('n')]
    """Bias within the null space."""
    slope: Annotated[Vector, Shape('n')]
    """Jᵀ V of the step before; 0 before the first."""
    direction: Annotated[Vector, Shape('n')]
    """Direction of the previous step; scratch."""
    free: Annotated[Vector, Shape('n')]
    """1 where a joint is not locked at a limit, else 0."""
    unit: Annotated[Vector, Shape('n')]
    """For a prismatic joint the length, m, that counts as a radian, else 1."""
    q: Annotated[Vector, Shape('n')]
    """Of the attempt under way."""
    start: Annotated[Vector, Shape('n')]
    """Initial guess, inside the limits."""
    ascent: Annotated[Vector, Shape('n')]
    """Manipulability gradient."""
    constrained: Annotated[Vector, Shape(6)]
    """1 where the goal constrains an axis, else 0."""
    picked: Annotated[Matrix, Shape(2, MOST_PICKED)]
    """Entries of a start table, and their distances from the initial guess."""
    cost: Annotated[Vector, Shape(MOST_PICKED)]
    """Of these."""
    deadline: Annotated[Vector, Shape(1)]
    """Of `clock`, s: attempts end when it is over."""


WORK = Layout(Work)
_unpack_work = WORK.unpack


def make_scratch(n_articulations: int, n: int) -> np.ndarray:
    """Return the scratch array of `make_work` for a chain.

    n_articulations: number of moving joints, mimics included. n: number of columns of q.
    """
    return np.zeros(WORK.size(n_articulations, n)[1])


@njit
def make_work(scratch: Vector, n_articulations: int, n: int) -> Work:
    """Return the scratch arrays for a chain; see `make_scratch`."""
    return _unpack_work(0, 0, scratch, 0, n_articulations, n)

"""What the kernels of the iterative solvers are told, and what they work with."""

from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import allocating

# How an attempt ended
CONVERGED, EXHAUSTED, STALLED, BEYOND, INVALID = range(5)

# Which of several answers is wanted
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
    """The chain's length scale, m: what weighs a metre of error against a radian."""
    reach: float
    """How far from `centre` the tip can get, m; infinite where there is no bound."""
    prefer: int
    """Which of several answers is wanted: NEAREST, FIRST, MANIPULABILITY or LIMITS."""
    centre: np.ndarray
    """(3,) m, base frame."""
    scale: np.ndarray
    """(n,) 1/√weight of each joint, at most 1."""
    method: Any
    """What only the method knows: a NamedTuple of its own."""


class Work(NamedTuple):
    """Scratch arrays, made once per call, so that nothing is allocated within a loop."""

    frames: np.ndarray  # (m + 1, 4, 4) after each articulation, and the tip
    J: np.ndarray       # (6, n) rows of the task, columns scaled
    W: np.ndarray       # (6, n) of the SVD
    U: np.ndarray       # (6, 6) of the SVD
    A: np.ndarray       # (6, 6) J Jᵀ and its factor
    R: np.ndarray       # (3, 3) R_goal Rᵀ, and J_r⁻¹
    T: np.ndarray       # (4, 4) a pose that is moved along
    e: np.ndarray       # (6,) pose error
    V: np.ndarray       # (6,) rows of the task
    rest: np.ndarray    # (6,) of V, what the locked joints leave over
    Jz: np.ndarray      # (6,) what the bias would do to the tip
    beta: np.ndarray    # (6,)
    dq: np.ndarray      # (n,)
    z: np.ndarray       # (n,) bias
    null: np.ndarray    # (n,) bias within the null space
    slope: np.ndarray   # (n,) Jᵀ V of the step before; 0 before the first
    way: np.ndarray     # (n,) where the step before went
    free: np.ndarray    # (n,) whether a joint is not locked at a limit
    q: np.ndarray       # (n,) of the attempt under way
    start: np.ndarray   # (n,) where the search begins, inside the limits
    known: np.ndarray   # (8,) what the attempts so far have found


@allocating
def make_work(arcs, n):
    """Return the scratch arrays for a chain of `arcs` moving arcs and n joints."""
    return Work(np.zeros((arcs + 1, 4, 4)), np.zeros((6, n)), np.zeros((6, n)), np.zeros((6, 6)),
                np.zeros((6, 6)), np.zeros((3, 3)), np.zeros((4, 4)), np.zeros(6), np.zeros(6),
                np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(n), np.zeros(n), np.zeros(n),
                np.zeros(n), np.zeros(n), np.zeros(n, np.bool_), np.zeros(n), np.zeros(n),
                np.zeros(8))

"""What the kernels of the iterative solvers are told, and what they work with."""

from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import njit

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
    wrist_reach: float
    """How far from `wrist_centre` the wrist can get, m; infinite where there is no bound."""
    prefer: int
    """Which of several answers is wanted: NEAREST, FIRST, MANIPULABILITY or LIMITS."""
    centre: np.ndarray
    """(3,) m, base frame."""
    wrist: np.ndarray
    """(3,) m, tip frame: a point that the tip's pose says where it has to be."""
    wrist_centre: np.ndarray
    """(3,) m, base frame."""
    scale: np.ndarray
    """(n,) 1/√weight of each joint, at most 1."""
    method: Any
    """What only the method knows: a NamedTuple of its own."""


class Work(NamedTuple):
    """Scratch arrays, views of one, so that nothing is allocated within a kernel."""

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
    known: np.ndarray   # (8,) what the attempts so far have found
    dq: np.ndarray      # (n,)
    z: np.ndarray       # (n,) bias
    null: np.ndarray    # (n,) bias within the null space
    slope: np.ndarray   # (n,) Jᵀ V of the step before; 0 before the first
    way: np.ndarray     # (n,) where the step before went
    free: np.ndarray    # (n,) 1 where a joint is not locked at a limit, else 0
    q: np.ndarray       # (n,) of the attempt under way
    start: np.ndarray   # (n,) where the search begins, inside the limits
    climb: np.ndarray   # (n,) which way the manipulability grows


_FIXED = 36 + 36 + 9 + 16 + 5 * 6 + 8  # numbers whose count depends on no joint
_PER_JOINT = 6 + 6 + 9


def make_scratch(arcs: int, n: int) -> np.ndarray:
    """Return what `make_work` needs for a chain of `arcs` moving arcs and n joints."""
    return np.zeros(_FIXED + 16 * (arcs + 1) + _PER_JOINT * n)


@njit
def make_work(scratch, arcs, n):
    """Return the scratch arrays for a chain of `arcs` moving arcs and n joints."""
    x = scratch[:_FIXED]
    F = scratch[_FIXED:_FIXED + 16 * (arcs + 1)].reshape((arcs + 1, 4, 4))
    y = scratch[_FIXED + 16 * (arcs + 1):]
    return Work(F, y[:6 * n].reshape((6, n)), y[6 * n:12 * n].reshape((6, n)),
                x[:36].reshape((6, 6)), x[36:72].reshape((6, 6)), x[72:81].reshape((3, 3)),
                x[81:97].reshape((4, 4)), x[97:103], x[103:109], x[109:115], x[115:121],
                x[121:127], x[127:135], y[12 * n:13 * n], y[13 * n:14 * n], y[14 * n:15 * n],
                y[15 * n:16 * n], y[16 * n:17 * n], y[17 * n:18 * n], y[18 * n:19 * n],
                y[19 * n:20 * n], y[20 * n:21 * n])

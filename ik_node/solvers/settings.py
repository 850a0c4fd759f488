"""Settings of the iterative solvers, as their kernels take them."""

from typing import Any, NamedTuple

import numpy as np


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
    centre: np.ndarray
    """(3,) m, base frame."""
    wrist: np.ndarray
    """(3,) m, tip frame: a point fixed in the tip frame."""
    wrist_centre: np.ndarray
    """(3,) m, base frame."""
    scale: np.ndarray
    """(n,) 1/√weight of each joint, at most 1."""
    span: np.ndarray
    """(n,) m, how far a prismatic joint can travel, infinite without limits; 0 of the others."""
    method: Any
    """The method's own settings, a NamedTuple."""

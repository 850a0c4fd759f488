"""The kinematic structure of a recognised arm: its family, and its nominal axes at zero."""

from typing import NamedTuple

import numpy as np

SPHERICAL, PARALLEL, PLANAR, PLANAR_FREE, SWIVEL, GENERAL = range(6)

EXACT_SLACK = 1e-8  # of an arm that equals its nominal geometry up to rounding


class Structure(NamedTuple):
    """The nominal arm, as its closed form reads it: real joints and virtual ones.

    A free axis of the goal, or a joint missing to six, is represented by a virtual joint, whose
    axis is one along or about which the tip is free to move.
    """

    family: int
    """SPHERICAL, PARALLEL, PLANAR, PLANAR_FREE, SWIVEL or GENERAL."""
    place: int
    """Index of the first joint of the triple, among the joints that are solved for."""
    size: float
    """Size of the arm, m."""
    slack: float
    """Fraction of the size by which a goal may exceed the nominal arm's reach."""
    T_tip_base: np.ndarray
    """(4, 4) the inverse of T_base_tip at zero, m."""
    kind: np.ndarray
    """(k,) REVOLUTE or PRISMATIC."""
    column: np.ndarray
    """(k,) entry of q, or −1 for a virtual joint."""
    locked: np.ndarray
    """(k,) index of the parameter that a joint is locked at, or −1."""
    axes: np.ndarray
    """(k, 3) at zero, base frame."""
    points: np.ndarray
    """(k, 3) m, at zero, base frame."""

    @property
    def parameters(self) -> int:
        """Number of redundancy parameters: values of locked joints, then the family's own."""
        return int(self.locked.max()) + 1 + (self.family in (PLANAR_FREE, SWIVEL))

"""The kinematic structure of a recognised arm: its family, and its nominal axes at zero."""

from typing import Any, NamedTuple

import numpy as np

from ik_node.solvers.analytic.families.loop_6r import GeneralArm
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.families.triples import (
    FreePlanarTriple,
    ParallelTriple,
    SphericalTriple,
)

SPHERICAL, PARALLEL, PLANAR, PLANAR_FREE, SWIVEL, GENERAL = range(6)
_FAMILIES = (SphericalTriple, ParallelTriple, ParallelTriple, FreePlanarTriple, Swivel, GeneralArm)

EXACT_SLACK = 1e-8  # of an arm that equals its nominal geometry up to rounding


class Structure(NamedTuple):
    """The nominal arm, as its closed form reads it: k real joints and virtual ones.

    A free axis of the goal is represented by a virtual joint, whose axis is one along or about
    which the tip is free to move.
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
    span: int = 3
    """Number of joints of the triple: fewer only for arms of five joints and fewer."""

    @property
    def parameters(self) -> int:
        """Number of redundancy parameters: values of locked joints, then the family's own."""
        return int(self.locked.max()) + 1 + (self.family in (PLANAR_FREE, SWIVEL))

    @property
    def may_be_off(self) -> bool:
        """Whether branches may deviate by more than rounding, or may lack their twins."""
        return self.family == GENERAL or self.slack > EXACT_SLACK

    def closed_form(self) -> Any:
        """Return the `ClosedFamily` of the arm."""
        return _FAMILIES[self.family](self)

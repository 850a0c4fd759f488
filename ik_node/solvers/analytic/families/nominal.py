"""The nominal arm, as its closed form reads it, and the scratch of a closed form."""

from typing import Any

import numpy as np

from ik_node.solvers.analytic.subproblems.elimination_work import EliminationWork
from ik_node.solvers.analytic.subproblems.sizes import MOST_VALUES as _MOST
from ik_node.spatial.vector3 import Motion
from ik_node.support.arrays import Columns, Integers, Memory, Pairs, Points, Pose, Vector

EXACT_SLACK = 1e-8   # of an arm that equals its nominal geometry up to rounding
_JOINTS = 7          # that are solved for, at most
_SPHERICAL, _GENERAL, _REVOLUTE = 0, 5, 0  # of the project's `analytic.structure`


class Structure:
    """The nominal arm: real joints, and virtual ones about or along which the tip is free."""

    place: int
    """Index of the first joint of the triple, among the joints that are solved for."""
    count: int
    """Number of joints, those that are locked included."""
    n: int
    """Number of joint values of the arm."""
    locks: int
    """Number of locked joints."""
    parameters: int
    """Number of redundancy parameters: values of locked joints, then the family's own."""
    size: float
    """Size of the arm, m."""
    slack: float
    """Fraction of the size by which a goal may exceed the nominal arm's reach."""
    may_be_off: bool
    """Whether branches may deviate by more than rounding, or may lack their twins."""
    has_wrist: bool
    """Whether the arm has six revolute joints, the last three with a common point."""
    T_tip_base: Pose
    """The inverse of T_base_tip at zero, m."""
    kind: Integers
    """(k,) REVOLUTE or PRISMATIC."""
    column: Integers
    """(k,) entry of q, or −1 for a virtual joint."""
    locked: Integers
    """(k,) index of the parameter that a joint is locked at, or −1."""
    axes: Points
    """(k, 3) at zero, base frame."""
    points: Points
    """(k, 3) m, at zero, base frame."""

    def __init__(self, structure: Any) -> None:
        """Copy a recognised structure."""
        self.memory = memory = Memory()
        self.place, self.count = structure.place, len(structure.kind)
        self.n = int(structure.column.max()) + 1
        self.locks, self.parameters = int(structure.locked.max()) + 1, structure.parameters
        self.size, self.slack = structure.size, structure.slack
        self.may_be_off = structure.family == _GENERAL or structure.slack > EXACT_SLACK
        self.has_wrist = (
            structure.family == _SPHERICAL and structure.place == 3 and self.count == 6
            and structure.parameters == 0 and bool((structure.kind == _REVOLUTE).all())
            and structure.column.tolist() == list(range(6)))
        self.T_tip_base = memory.pose(structure.T_tip_base)
        self.kind = memory.integers(structure.kind)
        self.column = memory.integers(structure.column)
        self.locked = memory.integers(structure.locked)
        self.axes, self.points = memory.points(structure.axes), memory.points(structure.points)


class ClosedForm:
    """The joints that are solved for, e₁ … e₆ = M, and scratch arrays."""

    M: Motion
    """T_goal T_tip⁻¹, the tip's pose at zero, without the motion of the locked joints."""
    count: int
    """How many joints are solved for."""
    parameter: float
    """The family's own redundancy parameter, which belongs to no joint, rad."""
    kind: Integers
    """REVOLUTE or PRISMATIC."""
    column: Integers
    """Entry of q, or −1."""
    axes: Points
    """Displaced by the locked joints."""
    points: Points
    start: Vector
    """Reference values, for joints whose value makes no difference."""
    beside_start: Vector
    """(3,) of the three beside the triple."""
    triple_start: Vector
    """(3,) of the triple."""
    rotations: Pose
    """(5, 4) of a conic."""
    found: Columns
    """(8, 6) values of the three beside the triple."""
    wrist: Columns
    """(2, 6) values of the triple."""
    values: Pairs
    """(6, 2) of one branch."""
    elimination: EliminationWork
    """Of six revolute joints of general geometry."""

    def __init__(self) -> None:
        """Make the arrays."""
        self.memory = memory = Memory()
        self.count, self.parameter = 0, 0.0
        self.kind = memory.integers(np.zeros(_JOINTS))
        self.column = memory.integers(np.zeros(_JOINTS))
        self.axes = memory.points(np.zeros((_JOINTS, 3)))
        self.points = memory.points(np.zeros((_JOINTS, 3)))
        self.start = memory.vector(np.zeros(_JOINTS))
        self.beside_start = memory.vector(np.zeros(3))
        self.triple_start = memory.vector(np.zeros(3))
        self.rotations = memory.pose(np.zeros((5, 4)))
        self.found = memory.columns(np.zeros((_MOST, 6)))
        self.wrist = memory.columns(np.zeros((2, 6)))
        self.values = memory.pairs(np.zeros((6, 2)))
        self.elimination = EliminationWork()

"""Scratch arrays of the kernels that refine and select branches."""

import numpy as np

from ik_node.solvers.analytic.families.nominal import ClosedForm, Structure
from ik_node.solvers.analytic.subproblems.sizes import MOST_BRANCHES as _MOST_BRANCHES
from ik_node.solvers.analytic.subproblems.sizes import MOST_SOLUTIONS as _MOST_SOLUTIONS
from ik_node.solvers.settings import Scratch
from ik_node.support.arrays import Memory, Rows, Vector


class Buffers:
    """Scratch of one enumeration of branches."""

    work: Scratch
    """Of the iterative solvers, with the goal."""
    closed_form: ClosedForm
    """Of the closed form."""
    branches: Rows
    """(MOST_BRANCHES, n) of the nominal arm."""
    found: Rows
    """(MOST_SOLUTIONS, n) of the true arm."""
    errors: Vector
    """Squared errors of these."""
    held: Vector
    """(n,) 1 for locked joints."""
    parameters: Vector
    """Redundancy parameters, rad or m."""
    q0: Vector
    """(n,) what whole turns are nearest to."""
    trial: Vector
    """(n,)"""
    frames_q: Vector
    """(n,) configuration of work.frames; NaN where they are invalid."""
    arm_checked: bool
    """Whether `arm_regular` is that of work.frames."""
    arm_regular: bool
    """See `newton.is_arm_regular`."""
    wrist: bool
    """See `Structure.has_wrist`."""

    def __init__(self, m: int, n: int, structure: Structure) -> None:
        """Make the arrays for a chain of m articulations and n joint values."""
        self.memory = memory = Memory()
        self.work, self.closed_form = Scratch(m, n), ClosedForm()
        self.branches = memory.rows(np.zeros((_MOST_BRANCHES, n)))
        self.found = memory.rows(np.zeros((_MOST_SOLUTIONS, n)))
        self.errors = memory.vector(np.zeros(_MOST_SOLUTIONS))
        self.held, self.trial = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.q0 = memory.vector(np.zeros(n))
        self.parameters, self.frames_q = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.prepare(structure)

    def prepare(self, structure: Structure) -> None:
        """Take what depends on the nominal arm."""
        for j in range(structure.count):
            if structure.locked[j] >= 0:
                self.held[structure.column[j]] = 1.0
        self.wrist, self.arm_checked, self.arm_regular = structure.has_wrist, False, False

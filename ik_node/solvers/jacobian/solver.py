"""Solvers of the Jacobian family."""

from dataclasses import replace
from typing import ClassVar

from ik_node.solvers.arm.iterative import IterativeSolver
from ik_node.solvers.jacobian.options import (
    DlsOptions,
    PseudoinverseOptions,
    TransposeOptions,
)
from ik_node.solvers.jacobian.steps import DampedLeastSquares, Pseudoinverse, Transpose
from ik_node.solvers.options import SolverOptions


class DlsSolver(IterativeSolver):
    """Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e: bounded steps near singular configurations; the default."""

    name = 'dls'
    Options: ClassVar[type[SolverOptions]] = DlsOptions
    # Restarts converge in a few iterations, so that an attempt that does not is given up sooner.
    patience = 3

    def _make_method(self) -> DampedLeastSquares:
        return DampedLeastSquares(self.options, self.chain)

    def _patient_method(self) -> DampedLeastSquares:
        """Return the method of the base class, with a λ that vanishes at the goal.

        Near a singular configuration Sugihara's floor leaves errors of about its own size.
        """
        options = self.options
        if options.damping_rule == 'sugihara':
            options = replace(options, damping_rule='chan')
        return DampedLeastSquares(options, self.chain)


class PseudoinverseSolver(IterativeSolver):
    """Δq = J⁺ e: the shortest step that removes the error; unbounded near singularities."""

    name = 'pseudoinverse'
    Options: ClassVar[type[SolverOptions]] = PseudoinverseOptions

    def _make_method(self) -> Pseudoinverse:
        return Pseudoinverse(self.options, self.chain)


class TransposeSolver(IterativeSolver):
    """Δq = α Jᵀ e: no inverse, and many more iterations."""

    name = 'transpose'
    Options: ClassVar[type[SolverOptions]] = TransposeOptions
    patience = 100
    progress = 0.9

    def _make_method(self) -> Transpose:
        return Transpose(self.options, self.chain)

"""Damped least squares [Parent 5.24]."""

from dataclasses import dataclass
from typing import ClassVar

from ik_node._jit import inline
from ik_node.options import option
from ik_node.solvers.jacobian.family import JacobianOptions, JacobianSolver, jacobian_kernels
from ik_node.solvers.jacobian.linear import (
    cholesky,
    cholesky_solve,
    gram,
    shortest_step,
    times_transpose,
)
from ik_node.solvers.jacobian.loop import task_energy
from ik_node.solvers.options import SolverOptions

# Adaptive damping: λ² = ERROR_SHARE · E + FLOOR with E = ½ |error|², metres counted in lengths of
# the arm [Sugihara, IEEE T-RO 27 (2011) 984, eq. 17, with Chan's share of E]. Tried over 0.01 to 1
# and 1e-10 to 1e-6 on the arms of the benchmark: flat near these values.
ERROR_SHARE = 0.1
FLOOR = 1e-8


@inline
def damped_step(settings, work, V):
    """Write `Jᵀ (J Jᵀ + λ² D)⁻¹ V` into work.dq [Parent 5.24].

    With the user's λ, D is the unit matrix. With λ² adapted to the error, D = diag(length², 1), so
    that nothing depends on how large the arm is.
    """
    A, J, beta, damping = work.A, work.J, work.beta, settings.method.parameter
    gram(J, A)
    if damping == damping:
        linear, angular = damping * damping, damping * damping
    else:
        angular = ERROR_SHARE * task_energy(settings, V) + FLOOR
        linear = angular * settings.length * settings.length
    for i in range(6):
        A[i, i] += linear if i < 3 else angular
    if cholesky(A) > 0.0:
        cholesky_solve(A, V, beta)
        times_transpose(J, beta, work.dq)
    else:  # λ = 0 where J has not full rank
        shortest_step(J, V, work, work.dq)


@dataclass(frozen=True)
class DlsOptions(JacobianOptions):
    """What damped least squares takes besides."""

    damping: float | None = option(
        None, 'λ, squared inside; none: adapted to the error', low=0.0, optional=True)


class DlsSolver(JacobianSolver):
    """Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e: bounded steps near singular postures; the one to use."""

    name = 'dls'
    Options: ClassVar[type[SolverOptions]] = DlsOptions
    kernels = jacobian_kernels('dls', damped_step)
    default_gain = 0.1

    def _parameter(self) -> float | None:
        return self.options.damping

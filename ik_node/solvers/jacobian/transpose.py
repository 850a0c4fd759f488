"""The Jacobian transpose [Parent fig. 5.24; Bařinka & Berka eq. 10–11]."""

import math
from dataclasses import dataclass
from typing import ClassVar

from ik_node._jit import Vector, njit
from ik_node.options import option
from ik_node.solvers.jacobian.family import JacobianOptions, JacobianSolver, jacobian_search
from ik_node.solvers.jacobian.linear import times_transpose
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.settings import Settings, Work


@njit
def transpose_step(settings: Settings, work: Work, V: Vector) -> None:
    """Write α Jᵀ V into work.dq.

    α is the user's, stable below 2/σ_max² only (the text's 0.1 diverges on its own arm), or Buss's
    `⟨V, J Jᵀ V⟩ / ⟨J Jᵀ V, J Jᵀ V⟩`, the best step along that direction [Buss 2004, eq. 7],
    times the user's scale. With Buss's, every step after the first is conjugate to the one before
    it [Polak & Ribière 1969]: in a narrow valley that saves nine steps in ten.
    """
    J, dq, alpha = work.J, work.dq, settings.method.parameter
    times_transpose(J, V, dq)
    if alpha == alpha:
        for k in range(J.shape[1]):
            dq[k] *= alpha
        return
    _keep_on(work, dq)
    along, length = 0.0, 0.0
    for i in range(6):
        moved = 0.0
        for k in range(J.shape[1]):
            moved += J[i, k] * dq[k]
        along += V[i] * moved
        length += moved * moved
    alpha = settings.method.alpha_scale * along / length if length > 0.0 else 0.0
    for k in range(J.shape[1]):
        dq[k] *= alpha


@njit
def _keep_on(work: Work, slope: Vector) -> None:
    """Turn slope (n,), which is Jᵀ V, in place into a direction conjugate to the previous one."""
    change, before, down = 0.0, 0.0, 0.0
    for k in range(slope.shape[0]):
        change += slope[k] * (slope[k] - work.slope[k])
        before += work.slope[k] * work.slope[k]
        if not work.free[k]:
            work.direction[k] = 0.0
    share = max(0.0, change / before) if before > 0.0 else 0.0
    for k in range(slope.shape[0]):
        work.direction[k] = slope[k] + share * work.direction[k]
        down += slope[k] * work.direction[k]
        work.slope[k] = slope[k]
    if down > 0.0:
        for k in range(slope.shape[0]):
            slope[k] = work.direction[k]


@dataclass(frozen=True)
class TransposeOptions(JacobianOptions):
    """Options of the transpose."""

    max_iterations: int = option(
        5000, 'iterations of one attempt', kind=int, low=1, high=10**9)
    alpha: float | None = option(
        None, 'step length along Jᵀ e, stable only below 2/σ_max²; none: Buss\'s, optimal along '
        'that direction', low=0.0, positive=True, optional=True)
    alpha_scale: float = option(
        1.0, 'factor of Buss\'s step; 2 and more diverges', low=0.0, positive=True)


class TransposeSolver(JacobianSolver):
    """Δq = α Jᵀ e: no inverse, and many more iterations."""

    name = 'transpose'
    Options: ClassVar[type[SolverOptions]] = TransposeOptions
    _kernel = jacobian_search('transpose', transpose_step)
    patience = 100
    progress = 0.9

    def _method_settings(self) -> JacobianSettings:
        alpha = self.options.alpha
        return super()._method_settings()._replace(
            parameter=math.nan if alpha is None else alpha, alpha_scale=self.options.alpha_scale)

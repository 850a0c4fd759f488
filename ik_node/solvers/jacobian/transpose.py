"""The Jacobian transpose [Parent fig. 5.24; Bařinka & Berka eq. 10–11]."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ik_node.solvers.jacobian.family import JacobianOptions, JacobianSolver
from ik_node.solvers.jacobian.transpose_step import Transpose
from ik_node.solvers.options import SolverOptions
from ik_node.support.options import option


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
    _Method = Transpose
    patience = 100
    progress = 0.9

    def _method_settings(self) -> dict[str, Any]:
        alpha = self.options.alpha
        return {**super()._method_settings(), 'alpha_scale': self.options.alpha_scale,
                'parameter': math.nan if alpha is None else alpha}

"""The pseudoinverse [Parent 5.20–5.23]."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ik_node.solvers.codes import AUTO, LU, SVD
from ik_node.solvers.jacobian.family import JacobianOptions, JacobianSolver
from ik_node.solvers.jacobian.pseudoinverse_step import Pseudoinverse
from ik_node.solvers.options import SolverOptions
from ik_node.support.options import option

_FACTORIZATIONS = {'auto': AUTO, 'lu': LU, 'svd': SVD}


@dataclass(frozen=True)
class PseudoinverseOptions(JacobianOptions):
    """Options of the pseudoinverse."""

    factorization: str = option(
        'auto', 'factorization for J⁺: truncated SVD (svd); LU of J Jᵀ as in the text, SVD only '
        'where that is singular to rounding (lu); Cholesky of J Jᵀ, SVD where that is '
        'ill-conditioned (auto)', kind=str,
        choices=tuple(_FACTORIZATIONS))


class PseudoinverseSolver(JacobianSolver):
    """Δq = J⁺ e: the shortest step that removes the error; unbounded near singularities."""

    name = 'pseudoinverse'
    Options: ClassVar[type[SolverOptions]] = PseudoinverseOptions
    _Method = Pseudoinverse

    def _method_settings(self) -> dict[str, Any]:
        return {**super()._method_settings(),
                'factorization': _FACTORIZATIONS[self.options.factorization]}

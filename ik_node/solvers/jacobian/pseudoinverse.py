"""The pseudoinverse [Parent 5.20–5.23]."""

from dataclasses import dataclass
from typing import ClassVar

from ik_node._jit import Vector, njit
from ik_node.options import option
from ik_node.solvers.jacobian.family import JacobianOptions, JacobianSolver, jacobian_search
from ik_node.solvers.jacobian.linear import shortest_step
from ik_node.solvers.jacobian.settings import AUTO, LU, SVD, JacobianSettings
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.settings import Settings, Work

_FACTORIZATIONS = {'auto': AUTO, 'lu': LU, 'svd': SVD}


@njit
def pseudoinverse_step(settings: Settings, work: Work, V: Vector) -> None:
    """Write J⁺ V into work.dq [Parent 5.23]."""
    own = settings.method
    shortest_step(work.J, V, own.factorization, own.rank_tolerance, work, work.dq)


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
    _kernel = jacobian_search('pseudoinverse', pseudoinverse_step)

    def _method_settings(self) -> JacobianSettings:
        return super()._method_settings()._replace(
            factorization=_FACTORIZATIONS[self.options.factorization])

"""The pseudoinverse [Parent 5.20–5.23]."""

from dataclasses import dataclass
from typing import ClassVar

from ik_node._jit import njit
from ik_node.options import option
from ik_node.solvers.jacobian.family import JacobianOptions, JacobianSolver, jacobian_kernels
from ik_node.solvers.jacobian.linear import shortest_step
from ik_node.solvers.jacobian.settings import AUTO, LU, SVD, JacobianSettings
from ik_node.solvers.options import SolverOptions

_FACTORIZATIONS = {'auto': AUTO, 'lu': LU, 'svd': SVD}


@njit
def pseudoinverse_step(settings, work, V):
    """Write J⁺ V into work.dq [Parent 5.23]."""
    own = settings.method
    shortest_step(work.J, V, own.factorization, own.rank_tolerance, work, work.dq)


@dataclass(frozen=True)
class PseudoinverseOptions(JacobianOptions):
    """What the pseudoinverse takes besides."""

    factorization: str = option(
        'auto', 'how J⁺ is taken: by SVD, small singular values dropped (svd); by LU of J Jᵀ, as '
        'the text has it, by SVD only where that is singular to the last digits (lu); by Cholesky '
        'of J Jᵀ, by SVD where that is ill-conditioned (auto)', kind=str,
        choices=tuple(_FACTORIZATIONS))


class PseudoinverseSolver(JacobianSolver):
    """Δq = J⁺ e: the shortest step that does what is asked, wild near singular postures."""

    name = 'pseudoinverse'
    Options: ClassVar[type[SolverOptions]] = PseudoinverseOptions
    kernels = jacobian_kernels('pseudoinverse', pseudoinverse_step)

    def _method_settings(self) -> JacobianSettings:
        return super()._method_settings()._replace(
            factorization=_FACTORIZATIONS[self.options.factorization])

"""The numba kernel of damped least squares, for solvers that begin with it or build on it."""

from ik_node._jit import Vector, inline, rare, specialise
from ik_node.solvers.jacobian.damping import squared_damping
from ik_node.solvers.jacobian.linear import (
    cholesky,
    cholesky_solve,
    gram,
    shortest_step,
    times_transpose,
)
from ik_node.solvers.jacobian.loop import attempt, bare_step
from ik_node.solvers.jacobian.selective import selective_step
from ik_node.solvers.jacobian.settings import CONSTANT, JACOBIAN, SELECTIVE
from ik_node.solvers.search import make_search
from ik_node.solvers.settings import Settings, Work


@inline
def damped_step(settings: Settings, work: Work, V: Vector) -> None:
    """Write `Jᵀ (J Jᵀ + λ² D)⁻¹ V` into work.dq [Parent 5.24].

    With the user's λ, D is the unit matrix. With a λ that a rule adapts, D = diag(length², 1), so
    that nothing depends on how large the arm is.
    """
    A, J, beta, own = work.A, work.J, work.beta, settings.method
    if own.damping_rule == SELECTIVE:
        selective_step(settings, work, V)
        return
    if own.damping_rule == CONSTANT:
        linear, angular = own.parameter * own.parameter, own.parameter * own.parameter
    else:
        angular = squared_damping(settings, work, V)
        linear = angular * settings.length * settings.length
    gram(J, A)
    for i in range(6):
        A[i, i] += linear if i < 3 else angular
    if cholesky(A) > 0.0:
        cholesky_solve(A, V, beta)
        times_transpose(J, beta, work.dq)
    else:  # λ = 0 where J has not full rank
        shortest_step(J, V, own.factorization, own.rank_tolerance, work, work.dq)


DLS = make_search('dls', JACOBIAN, specialise(attempt, 'attempt_dls', method_step=damped_step),
                  specialise(bare_step, 'bare_step_dls', rare, method_step=damped_step))

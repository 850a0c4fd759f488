"""Damped least squares [Parent 5.24]."""

from ik_node.solvers import codes, linear
from ik_node.solvers.jacobian import damping, selective
from ik_node.solvers.jacobian.loop import JacobianMethod
from ik_node.solvers.settings import Settings, Scratch
from ik_node.support.arrays import Vector


class DampedLeastSquares(JacobianMethod):
    """Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e: bounded steps near singular configurations; the default."""

    def step(self, settings: Settings, n: int, work: Scratch, V: Vector) -> None:
        """Write `Jᵀ (J Jᵀ + λ² D)⁻¹ V` into work.dq [Parent 5.24].

        With the user's λ, D is the unit matrix. With a λ that a rule adapts, D = diag(length², 1),
        so that nothing depends on how large the arm is.
        """
        A, J, beta = work.A, work.J, work.beta
        if self.own.damping_rule == codes.SELECTIVE:
            selective.selective_step(settings, self.own, n, work, V)
            return
        if self.own.damping_rule == codes.CONSTANT:
            along = about = self.own.parameter * self.own.parameter
        else:
            about = damping.squared_damping(settings, self.own, n, work, V)
            along = about * settings.length * settings.length
        linear.gram(J, n, A)
        for i in range(6):
            A[i][i] += along if i < 3 else about
        if linear.cholesky(A) > 0.0:
            linear.cholesky_solve(A, V, beta)
            linear.times_transpose(J, n, beta, work.dq)
        else:  # λ = 0 where J has not full rank
            linear.shortest_step(J, n, V, self.own.factorization, self.own.rank_tolerance, work,
                                 work.dq)

"""The Jacobian transpose [Parent fig. 5.24; Bařinka & Berka eq. 10–11]."""

from ik_node.solvers import linear
from ik_node.solvers.jacobian.loop import JacobianMethod
from ik_node.solvers.settings import Settings, Scratch
from ik_node.support.arrays import Vector


class Transpose(JacobianMethod):
    """Δq = α Jᵀ e: no inverse, and many more iterations."""

    def step(self, settings: Settings, n: int, work: Scratch, V: Vector) -> None:
        """Write α Jᵀ V into work.dq.

        α is the user's, stable below 2/σ_max² only (the text's 0.1 diverges on its own arm), or
        Buss's `⟨V, J Jᵀ V⟩ / ⟨J Jᵀ V, J Jᵀ V⟩`, the best step along that direction [Buss 2004,
        eq. 7], times the user's scale. With Buss's, every step after the first is conjugate to the
        one before it [Polak & Ribière 1969]: in a narrow valley that saves nine steps in ten.
        """
        J, dq, alpha = work.J, work.dq, self.own.parameter
        linear.times_transpose(J, n, V, dq)
        if alpha == alpha:
            for k in range(n):
                dq[k] *= alpha
            return
        keep_on(n, work, dq)
        along, length = 0.0, 0.0
        for i in range(6):
            moved = 0.0
            for k in range(n):
                moved += J[k][i] * dq[k]
            along += V[i] * moved
            length += moved * moved
        alpha = self.own.alpha_scale * along / length if length > 0.0 else 0.0
        for k in range(n):
            dq[k] *= alpha


def keep_on(n: int, work: Scratch, slope: Vector) -> None:
    """Turn slope (n,), which is Jᵀ V, in place into a direction conjugate to the previous one."""
    change, before, down = 0.0, 0.0, 0.0
    for k in range(n):
        change += slope[k] * (slope[k] - work.slope[k])
        before += work.slope[k] * work.slope[k]
        if not work.free[k]:
            work.direction[k] = 0.0
    share = max(0.0, change / before) if before > 0.0 else 0.0
    for k in range(n):
        work.direction[k] = slope[k] + share * work.direction[k]
        down += slope[k] * work.direction[k]
        work.slope[k] = slope[k]
    if down > 0.0:
        for k in range(n):
            slope[k] = work.direction[k]

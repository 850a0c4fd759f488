"""The pseudoinverse [Parent 5.20–5.23]."""

from ik_node._jit import njit
from ik_node.solvers.jacobian.family import JacobianSolver, jacobian_kernels
from ik_node.solvers.jacobian.linear import shortest_step


@njit
def pseudoinverse_step(settings, work, V):
    """Write J⁺ V into work.dq [Parent 5.23]."""
    shortest_step(work.J, V, work, work.dq)


class PseudoinverseSolver(JacobianSolver):
    """Δq = J⁺ e: the shortest step that does what is asked, wild near singular postures."""

    name = 'pseudoinverse'
    kernels = jacobian_kernels('pseudoinverse', pseudoinverse_step)

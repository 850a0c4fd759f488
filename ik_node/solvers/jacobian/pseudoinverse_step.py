"""The pseudoinverse [Parent 5.20–5.23]."""

from ik_node.solvers import linear
from ik_node.solvers.jacobian.loop import JacobianMethod
from ik_node.solvers.settings import Settings, Scratch
from ik_node.support.arrays import Vector


class Pseudoinverse(JacobianMethod):
    """Δq = J⁺ e: the shortest step that removes the error; unbounded near singularities."""

    def step(self, settings: Settings, n: int, work: Scratch, V: Vector) -> None:
        """Write J⁺ V into work.dq [Parent 5.23]."""
        linear.shortest_step(work.J, n, V, self.own.factorization, self.own.rank_tolerance, work,
                             work.dq)

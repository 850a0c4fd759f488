"""Manipulability of the constrained rows as a term, from the kernels [Yoshikawa 1985]."""

import numpy as np

from ik_node._jit import Integers, Matrix, Vector, entry
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.manipulability import manipulability, manipulability_gradient
from ik_node.solvers.jacobian.settings import JACOBIAN
from ik_node.solvers.optimization.terms import Term
from ik_node.solvers.packing import Packed, method_at, unpack_chain, unpack_settings
from ik_node.solvers.settings import make_work
from ik_node.solvers.task import make_task

_unpack_jacobian = JACOBIAN.unpack


@entry
def manipulability_ascent(codes: Integers, numbers: Vector, T_base_goal: Matrix, weights: Vector,
                          scratch: Vector, q: Vector, ascent: Vector) -> float:
    """Return √det(J Jᵀ) at q (n,), lengths in arm lengths; write its gradient into ascent (n,)."""
    chain = unpack_chain(codes, numbers)
    n = q.shape[0]
    c, x = method_at(codes)
    settings = unpack_settings(codes, numbers, _unpack_jacobian(codes, c, numbers, x, codes[0], n))
    work = make_work(scratch, chain.column.shape[0], n)
    task = make_task(T_base_goal, weights)
    for k in range(n):
        work.unit[k] = 1.0
    manipulability_gradient(chain, task, settings, work, q)
    for k in range(n):
        ascent[k] = work.ascent[k] / settings.scale[k]
    return manipulability(chain, task, settings, work, q)


def high_manipulability(packed: Packed, goal: Goal, scratch: np.ndarray, weight: float) -> Term:
    """Return −√det(J Jᵀ) as a term; packed: with the gain 1 for manipulability."""
    constrained = (goal.weights > 0.0).astype(float)
    ascent = np.empty(packed.codes[1])

    def value(q: np.ndarray) -> float:
        return -float(manipulability_ascent(*packed, goal.pose, constrained, scratch, q, ascent))

    def gradient(q: np.ndarray) -> np.ndarray:
        value(q)
        return -ascent
    return Term(value, gradient, weight)

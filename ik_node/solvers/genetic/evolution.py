"""Generations of joint values: mutation, crossover, momentum and selection, in one kernel.

After bio_ik [Ruppel et al. 2018]: a gene of a child is

    gene = parent + N(0, 1) · 2^−k · mutation · span + m · momentum of the parent

with k from 0 to 15 and m from 0 to 2. Steps of every size are tried in every generation, so that no
step size has to be adapted.
"""

import math
from typing import Any

from ik_node._jit import Matrix, Vector, clock, inline, njit
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.genetic.generator import normal, uniform
from ik_node.solvers.jacobian.loop import turned_inside
from ik_node.solvers.restarts import spread
from ik_node.solvers.settings import Settings
from ik_node.solvers.task import Task

_SCALES = 16       # sizes of mutations, each half the one before
_LOOK = 64         # children from one look at the clock to the next
PROGRESS = 0.9    # ratio of the least cost to an earlier one that counts as progress


def begin(chain: ChainArrays, task: Task, settings: Settings, work: Any, swing: bool,
          q: Vector) -> bool:
    """Fill work.parents, the first of them q (n,); return whether it meets the goal."""
    n, elite = q.shape[0], settings.method.elite
    for k in range(n):
        work.unit[k] = settings.length if settings.span[k] > 0.0 else 1.0
        work.z[k] = q[k]
    met = False
    for i in range(elite):
        if i > 0 and swing:
            for k in range(n):
                work.dq[k] = uniform(work.state)
            spread(chain, work.unit, work.start, work.dq, work.z)
        for k in range(n):
            work.child[0, 1 + k], work.child[0, 1 + n + k] = work.z[k], 0.0
        met = judge(chain, task, settings, work)
        keep(work.parents, i, elite, work.child)
        if met:
            return True
    return False


def breed(chain: ChainArrays, task: Task, settings: Settings, work: Any) -> bool:
    """Replace work.parents by the best of them and of their children.

    Return whether the first of them meets the goal. When the deadline is over, the children left
    are not made.
    """
    own, elite = settings.method, settings.method.elite
    parents, survivors, child = work.parents, work.survivors, work.child
    count, columns = 0, child.shape[1]
    for i in range(elite):
        count = keep(survivors, count, elite, parents[i:i + 1])
    for i in range(own.population):
        mutate(chain, settings, work, i % 3)
        if judge(chain, task, settings, work):
            for k in range(columns):
                parents[0, k] = child[0, k]
            return True
        count = keep(survivors, count, elite, child)
        if i % _LOOK == _LOOK - 1 and clock() >= work.deadline[0]:
            break
    for i in range(elite):
        for k in range(columns):
            parents[i, k] = survivors[i, k]
    return False


@inline
def mutate(chain: ChainArrays, settings: Settings, work: Any, pushes: int) -> None:
    """Make work.child from two parents, its momentum `pushes` times that of the first."""
    own, state, parents, child = settings.method, work.state, work.parents, work.child
    n = settings.span.shape[0]
    # Of two, the better: they are in order.
    first = int(own.elite * min(uniform(state), uniform(state)))
    second = int(own.elite * uniform(state))
    size = own.mutation * 0.5 ** int(_SCALES * uniform(state))
    for k in range(n):
        parent = second if uniform(state) < own.crossover else first
        before, momentum = parents[parent, 1 + k], parents[parent, 1 + n + k]
        reach = min(chain.upper[k] - chain.lower[k], 2.0 * math.pi * work.unit[k])
        value = before + normal(state) * size * reach * settings.scale[k] + pushes * momentum
        value = turned_inside(chain, k, value)
        value = min(max(value, chain.lower[k]), chain.upper[k])
        child[0, 1 + k] = value
        child[0, 1 + n + k] = ((1.0 - own.momentum) * momentum
                               + own.momentum * (value - before))


def judge(chain: Any, task: Any, settings: Any, work: Any) -> bool:
    """Stand for what writes the cost of work.child, and tells whether it is a solution."""
    raise NotImplementedError


@njit
def keep(rows: Matrix, count: int, most: int, one: Matrix) -> int:
    """Insert an individual, one (1, k), among the best `most`; return how many there are.

    rows holds `count`, by their cost.
    """
    if count == most:
        if not one[0, 0] < rows[most - 1, 0]:
            return count
    else:
        count += 1
    i = count - 1
    while i > 0 and one[0, 0] < rows[i - 1, 0]:
        for k in range(rows.shape[1]):
            rows[i, k] = rows[i - 1, k]
        i -= 1
    for k in range(rows.shape[1]):
        rows[i, k] = one[0, k]
    return count


@inline
def take(rows: Matrix, q: Vector) -> None:
    """Copy the genes of the first individual into q (n,)."""
    for k in range(q.shape[0]):
        q[k] = rows[0, 1 + k]

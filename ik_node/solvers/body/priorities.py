"""The search over levels of tasks: what must be met first, then what the rest makes of it."""

from collections.abc import Callable, Sequence

import numpy as np

from ik_node.solvers.kernel.body.compiled_tasks import TaskLevel
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Attempt, Budget
from ik_node.tasks.base import Task

_PROGRESS = 1e-5     # by which part of itself the merit of a search must shrink
_QUICK = 1e-2        # the same where another start may do better
FACTORS = (3e-2, 1e-3)  # of the rows of what comes last, while it is improved by penalties

LevelSearcher = Callable[[Sequence[TaskLevel], np.ndarray, Budget, float], Attempt]


def search(levels: Sequence[TaskLevel], q: np.ndarray, budget: Budget,
           search_levels: LevelSearcher, thorough: bool, merges: bool = True) -> Attempt:
    """Search from q (n,) for what meets the necessary tasks, and then improves the other levels.

    Priorities do not matter where all can be met: the levels of necessary tasks are tried as one,
    by the faster descent of a single level, if it `merges`; where that fails and `thorough`, by
    search_levels (levels, q, budget, by which part the merit must shrink), see `LevelSearch`.
    """
    if merges and len(levels) == 1:
        return levels[0].descend(q, budget.deadline)
    last = max((k for k, level in enumerate(levels) if level.is_necessary), default=-1)
    needed = levels[:last + 1]
    if not needed:
        return search_levels(levels, q, budget, _PROGRESS)
    found = _meet(needed, q, budget, search_levels, thorough, merges)
    if found.reason is not StopReason.CONVERGED and thorough and len(needed) < len(levels):
        return search_levels(levels, found.q, budget, _PROGRESS)
    if found.reason is not StopReason.CONVERGED or len(needed) == len(levels):
        return found
    rest = budget._replace(max_iterations=max(budget.max_iterations - found.iterations, 1))
    if merges and len(needed) == len(levels) - 1 and relaxes(levels) and all(
            level.all_necessary for level in needed):
        improved = relax(levels, [0] * len(needed) + [1], found.q, rest)
    else:
        improved = search_levels(levels, found.q, rest, _PROGRESS)
    back = _meet(needed, improved.q, rest, search_levels, False, merges)
    is_better = back.reason is StopReason.CONVERGED and (
        _missed_later(levels, back.q) < _missed_later(levels, found.q))
    best = back if is_better else found
    return best._replace(iterations=found.iterations + improved.iterations + back.iterations)


def relaxes(levels: Sequence[TaskLevel]) -> bool:
    """Return whether levels can be minimised by penalties: all tasks are least squares."""
    return all(type(task).energy is Task.energy for level in levels for task in level.tasks)


def relax(levels: Sequence[TaskLevel], grades: Sequence[int], q: np.ndarray,
          budget: Budget) -> Attempt:
    """Minimise levels from q (n,), those of a lower grade first, which then almost stay so.

    By quadratic penalties: descents of all levels as one, in which a level weighs the less the
    higher its grade, and less and less [Nocedal & Wright, Numerical Optimization, 2006, 17.1].
    """
    found, iterations = Attempt(q, StopReason.CONVERGED, 0), 0
    for factor in FACTORS:
        together = levels[0].records.merged(levels, [factor ** grade for grade in grades])
        found = together.descend(found.q, budget.deadline, settles=True)
        iterations += found.iterations
        if found.reason is StopReason.TIMEOUT:
            break
    return found._replace(iterations=iterations)


def _meet(levels: Sequence[TaskLevel], q: np.ndarray, budget: Budget,
          search_levels: LevelSearcher, thorough: bool, merges: bool) -> Attempt:
    """Search from q (n,) for what meets levels whose last one is necessary."""
    if merges and len(levels) == 1:
        return levels[0].descend(q, budget.deadline)
    if merges and all(level.all_necessary for level in levels):
        found = levels[0].records.merged(levels).descend(q, budget.deadline)
        if not thorough or found.reason in (StopReason.CONVERGED, StopReason.TIMEOUT):
            return found
    return search_levels(levels, q, budget, _PROGRESS if thorough else _QUICK)


def _missed_later(levels: Sequence[TaskLevel], q: np.ndarray) -> tuple[float, ...]:
    """Return what the levels miss at q (n,) whose tasks are not all necessary."""
    rows = [(level, level.evaluate(q)) for level in levels if not level.all_necessary]
    return tuple(float(np.linalg.norm(one.missed())) if level.is_necessary else one.cost
                 for level, one in rows)

"""The search over several levels: what must be met first, then what the rest makes of it.

Steps over several levels stay within a trust region, and are judged by a merit of all levels.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ik_node.model.body_frames import BodyFrames
from ik_node.solvers.body.configurations import shorten_root
from ik_node.solvers.body.problem import Level, LevelRows, missed
from ik_node.solvers.body.space import Attempt, Space
from ik_node.solvers.result import StopReason
from ik_node.tasks.base import Task

_RATIO = 10.0        # what a level's miss counts over that of the one after it
_SHRINK, _GROW = 0.3, 3.0
_NOTHING = 1e-10     # a change of what a level misses that is none
_LEAST = 1e-7        # rad: a trust region in which nothing is found any more
_SMALL = 1e-7        # rad, m: a step after which there is nothing left to do
_RESTORATIONS = 3    # steps at most that take back a step's errors of second order
_PATIENCE = 6       # iterations within which the merit must shrink
_PROGRESS = 1e-5     # by how much of itself
_QUICK = 1e-2        # the same where another start may do better
FACTORS = (3e-2, 1e-3)  # of the rows of what comes last, while it is improved by penalties

Step = Callable[[Sequence[LevelRows], BodyFrames, np.ndarray, np.ndarray], np.ndarray]


def search(levels: Sequence[Level], frames: BodyFrames, q: np.ndarray, space: Space,
           step: Step, thorough: bool, merges: bool = True) -> Attempt:
    """Search from q (n,) for what meets the necessary tasks, and then improves the other levels.

    Priorities do not matter where all can be met: the levels of necessary tasks are tried as one,
    by the faster descent of a single level. thorough: whether they are tried by `pursue`, too,
    where that fails. merges: whether that descent is used at all. step: as of `pursue`.
    """
    if merges and len(levels) == 1:
        return levels[0].descend(q, space.end)
    needed = _needed(levels)
    if not needed:
        return pursue(levels, frames, q, space, step)
    found = _meet(needed, frames, q, space, step, thorough, merges)
    if found.reason is not StopReason.CONVERGED and thorough and len(needed) < len(levels):
        return pursue(levels, frames, found.q, space, step)
    if found.reason is not StopReason.CONVERGED or len(needed) == len(levels):
        return found
    rest = space._replace(max_iterations=max(space.max_iterations - found.iterations, 1))
    if merges and len(needed) == len(levels) - 1 and relaxes(levels) and all(
            level.all_necessary for level in needed):
        improved = relax(levels, [0] * len(needed) + [1], found.q, rest)
    else:
        improved = pursue(levels, frames, found.q, rest, step)
    back = _meet(needed, frames, improved.q, rest, step, False, merges)
    is_better = back.reason is StopReason.CONVERGED and (
        _tail_at(levels, frames, back.q) < _tail_at(levels, frames, found.q))
    best = back if is_better else found
    return best._replace(iterations=found.iterations + improved.iterations + back.iterations)


def relaxes(levels: Sequence[Level]) -> bool:
    """Return whether levels can be minimised by penalties: all tasks are least squares."""
    return all(type(task).energy is Task.energy for level in levels for task in level.tasks)


def relax(levels: Sequence[Level], grades: Sequence[int], q: np.ndarray, space: Space) -> Attempt:
    """Minimise levels from q (n,), those of a lower grade first, which then almost stay so.

    By quadratic penalties: descents of all levels as one, in which a level weighs the less the
    higher its grade, and less and less [Nocedal & Wright, Numerical Optimization, 2006, 17.1].
    """
    found, iterations = Attempt(q, StopReason.CONVERGED, 0), 0
    for factor in FACTORS:
        together = Level.merged(levels, [factor ** grade for grade in grades])
        found = together.descend(found.q, space.end, settles=True)
        iterations += found.iterations
        if found.reason is StopReason.TIMEOUT:
            break
    return found._replace(iterations=iterations)


def _needed(levels: Sequence[Level]) -> Sequence[Level]:
    """Return the levels up to the last that has necessary tasks."""
    last = max((k for k, level in enumerate(levels) if level.is_necessary), default=-1)
    return levels[:last + 1]


def _meet(levels: Sequence[Level], frames: BodyFrames, q: np.ndarray, space: Space,
          step: Step, thorough: bool, merges: bool) -> Attempt:
    """Search from q (n,) for what meets levels whose last one is necessary."""
    if merges and len(levels) == 1:
        return levels[0].descend(q, space.end)
    if merges and all(level.all_necessary for level in levels):
        found = Level.merged(levels).descend(q, space.end)
        if not thorough or found.reason in (StopReason.CONVERGED, StopReason.TIMEOUT):
            return found
    return pursue(levels, frames, q, space, step, _PROGRESS if thorough else _QUICK)


def pursue(levels: Sequence[Level], frames: BodyFrames, q: np.ndarray, space: Space,
           step: Step, progress: float = _PROGRESS) -> Attempt:
    """Search from q (n,) until all levels are met, or what is met last does not improve any more.

    step: (rows of the levels, frames, lower, upper) → Δq (n,). A step is taken where the first
    level that is not met improves, or the merit does: Σ_k w_k times what level k misses, lengths of
    necessary tasks, an exact penalty, and energies of others. w_k = 10⁻ᵏ, and less where a level
    would otherwise keep those before it from what the step gains them.
    progress: by which part of itself the merit must shrink within some iterations.
    """
    region = float(space.step.min(initial=1.0, where=np.isfinite(space.step)))
    radius = region
    frames.update(q)
    rows = [level.evaluate(frames) for level in levels]
    settles = not all(level.all_necessary for level in levels)
    marked, since = _misses(levels, rows), 0
    count = len(_needed(levels))
    stopped = StopReason.STALLED
    taken = 0
    while True:
        met = all(one.met for one in rows)
        here = _misses(levels, rows)
        if met and not settles:
            break
        if space.out_of_time():
            stopped = StopReason.TIMEOUT
            break
        if taken == space.max_iterations:
            stopped = StopReason.ITERATIONS
            break
        taken += 1
        lower = np.maximum(space.lower - q, -np.minimum(space.step, radius))
        upper = np.minimum(space.upper - q, np.minimum(space.step, radius))
        x = step(rows, frames, lower, upper)
        size = float(np.abs(x).max(initial=0.0))
        weights = _weights(here, _misses(levels, [_after(one, x) for one in rows]))
        if size < _SMALL:
            break
        trial = np.minimum(np.maximum(q + x, space.lower), space.upper)
        frames.update(trial)
        there = [level.evaluate(frames) for level in levels]
        if count < len(levels) and all(one.met for one in rows[:count]):
            trial, there = _restored(levels, frames, trial, there, count, space, step)
        if _is_taken(rows, there) or weights @ (_misses(levels, there) - here) < 0.0:
            q, rows = trial, there
            radius = min(max(radius, _GROW * min(size, radius)), region)
            shorter = shorten_root(frames.body, q)
            if shorter is not q:
                q = shorter
                frames.update(q)
                rows = [level.evaluate(frames) for level in levels]
        else:
            frames.update(q)
            radius = _SHRINK * min(size, radius)
            if radius < _LEAST:
                break
        since += 1
        if since >= _PATIENCE:
            here = _misses(levels, rows)
            if not _progresses(marked, here, progress):
                break
            marked, since = here, 0
    return Attempt(q, StopReason.CONVERGED if all(one.met for one in rows) else stopped, taken)


def _restored(levels: Sequence[Level], frames: BodyFrames, q: np.ndarray, rows: list[LevelRows],
              count: int, space: Space, step: Step) -> tuple[np.ndarray, list[LevelRows]]:
    """Return q (n,) with the first levels, `count` of them, met again, and the rows there.

    What a step over the levels after them leaves of second order is taken back, so that the search
    follows a curved null space in long steps.
    """
    for _ in range(_RESTORATIONS):
        if all(one.met for one in rows[:count]):
            break
        x = step(rows[:count], frames, np.maximum(space.lower - q, -space.step),
                 np.minimum(space.upper - q, space.step))
        q = np.minimum(np.maximum(q + x, space.lower), space.upper)
        frames.update(q)
        rows = [level.evaluate(frames) for level in levels]
    return q, rows


def _misses(levels: Sequence[Level], rows: Sequence[LevelRows]) -> np.ndarray:
    """Return what each level misses."""
    return np.array([_missing(level, one) for level, one in zip(levels, rows)])


def _after(rows: LevelRows, x: np.ndarray) -> LevelRows:
    """Return the rows as they would be after a step x (n,) if they were linear."""
    e = rows.e - rows.A @ x
    before, after = missed(rows.e, rows.one_sided), missed(e, rows.one_sided)
    return rows._replace(e=e, cost=rows.cost + 0.5 * float(after @ after - before @ before))


def _weights(here: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return what each level counts, so that a level's gain outweighs the losses of later ones."""
    weights = _RATIO ** -np.arange(len(here), dtype=float)
    change = predicted - here
    for k in range(len(here) - 1):
        if change[k] < -_NOTHING - _PROGRESS * abs(here[k]):
            gain = -weights[k] * change[k]
            lost = float(weights[k + 1:] @ np.maximum(change[k + 1:], 0.0))
            if lost > 0.5 * gain:
                weights[k + 1:] *= 0.5 * gain / lost
    return weights


def _progresses(before: np.ndarray, now: np.ndarray, progress: float) -> bool:
    """Tell whether the first level that has changed much misses less now."""
    for a, b in zip(before, now):
        if abs(a - b) > progress * abs(a) + _NOTHING:
            return bool(b < a)
    return False


def _missing(level: Level, rows: LevelRows) -> float:
    """Return what a level misses: a length, or an energy where no task of it is necessary."""
    return rows.violation() if level.is_necessary else rows.cost


def _tail_at(levels: Sequence[Level], frames: BodyFrames, q: np.ndarray) -> tuple[float, ...]:
    """Return what the levels miss at q (n,) whose tasks are not all necessary."""
    frames.update(q)
    return tuple(_missing(level, level.evaluate(frames)) for level in levels
                 if not level.all_necessary)


def _is_taken(here: Sequence[LevelRows], there: Sequence[LevelRows]) -> bool:
    """Tell whether the first level that is not met misses less there, those before it still met."""
    for before, after in zip(here, there):
        if not before.met:
            return after.met or after.violation() < 0.999 * before.violation()
        if not after.met:
            return False
    return False

"""Diagnosis of a missed task, as text: the tasks, limits or singularity that hold it back.

Where a search has ended, a missed task moves no nearer within the null space of the other tasks and
the limits. What holds it is what must be left out for it to move.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.solvers.body.proofs import Proof
from ik_node.solvers.result import error_words
from ik_node.support.exceptions import names
from ik_node.tasks.base import Task

_AT_LIMIT = 1e-9   # rad, m
_MOVES = 1e-2      # rate at which a task comes nearer, over the most that its Jacobian allows
_CLEARLY = 10.0    # over the rate with all others kept
_RANK = 1e-6       # smallest singular value over the largest that counts
_HOLDS = 1e-6      # m, rad: a one-sided row with less to spare is at its bound
_GENERIC = 3       # random configurations at which the rank of a task is looked at


class Missed(NamedTuple):
    """A task's rows at q."""

    J: np.ndarray  # (m, n)
    r: np.ndarray  # (m,), 0 for one-sided rows that hold
    held: np.ndarray  # (m,) whether a row keeps others from moving: not one-sided, or at its bound


def diagnosis(body: Body, tasks: Sequence[Task], task_names: Sequence[str], q: np.ndarray,
              errors: Mapping[str, tuple[float, float]],
              is_met: Callable[[tuple[float, float]], bool],
              proof_of: Callable[[Task], Proof | None] | None) -> tuple[str, bool]:
    """Return what is missed at q (n,), by how much and why, and the joints at a limit, as text.

    And whether a task is missed only because its own Jacobian has lost rank. errors: {name: (m,
    rad)}; proof_of: proves that a task cannot be met, see `proof`; None where there is no time for
    reasons.
    """
    parts, singular = [], False
    for which, (name, task) in enumerate(zip(task_names, tasks)):
        if not task.is_necessary or is_met(errors[name]):
            continue
        text, found = '', None if proof_of is None else proof_of(task)
        if found is not None:
            text = found.text
        elif proof_of is not None:
            text, is_singular = cause(body, tasks, task_names, which, q)
            singular = singular or is_singular
        parts.append(f'{name!r} misses by {error_words(errors[name])}{": " if text else ""}{text}')
    near = (q <= body.lower + _AT_LIMIT) | (q >= body.upper - _AT_LIMIT)
    if near.any():
        joints = [body.joint_names[k] for k in np.flatnonzero(near)]
        parts.append(f'joints at a limit: {names(joints)}')
    return '; '.join(parts), singular


def cause(body: Body, tasks: Sequence[Task], task_names: Sequence[str], which: int,
          q: np.ndarray) -> tuple[str, bool]:
    """Return what holds tasks[which] back at q (n,), of necessary tasks and limits, as text.

    '' where nothing does: the search ended early. And whether the task's own Jacobian has lost
    rank, and no joint moves it nearer.
    """
    frames = BodyFrames(body, q)
    undefined = tasks[which]._why_undefined(frames)
    if undefined:
        return undefined, False
    all_rows = [rows_at(task, frames) for task in tasks]
    at_limits = np.array([q <= body.lower + _AT_LIMIT, q >= body.upper - _AT_LIMIT])
    nothing = np.zeros((2, len(q)), dtype=bool)
    own, others = all_rows[which], [k for k, task in enumerate(tasks)
                                    if k != which and task.is_necessary]

    def rate(kept: Iterable[int], limits: np.ndarray) -> float:
        return _rate(own, [all_rows[k] for k in kept], limits)[0]

    enough = max(_MOVES, _CLEARLY * rate(others, at_limits))
    holders = [k for k in others if rate([o for o in others if o != k], at_limits) > enough]
    if holders:
        verb = 'holds' if len(holders) == 1 else 'hold'
        return f'{_and([task_names[k] for k in holders])} {verb} it', False
    if others and rate((), at_limits) > enough:
        return f'{_and([task_names[k] for k in others])} hold it together', False
    for kept in (others, ()):
        if rate(kept, nothing) > enough:
            blocked = _rate(own, [all_rows[k] for k in kept], at_limits)[1]
            if blocked.any():
                joints = [body.joint_names[k] for k in np.flatnonzero(blocked)]
                return f'the limits of {names(joints)} hold it', False
    if rate((), nothing) <= _MOVES and _has_lost_rank(body, tasks[which], own):
        return 'no joint moves it nearer: it is singular there', True
    return '', False


def rows_at(task: Task, frames: BodyFrames) -> Missed:
    """Return the rows of a task at some frames."""
    one_sided = task.rows(frames.body).one_sided
    r, J = task.evaluate(frames)
    return Missed(J, np.where(one_sided & (r > 0.0), 0.0, r), ~one_sided | (r < _HOLDS))


def _rate(own: Missed, kept: Sequence[Missed], limits: np.ndarray) -> tuple[float, np.ndarray]:
    """Return how fast a task comes nearer in the null space of others, and the joints at limits.

    limits: (2, n) whether a joint is at its lower limit, at its upper one. The rate is over the
    most that its Jacobian allows: 1 for a task that is free. The joints (n,) are those that would
    go beyond a limit.
    """
    n = own.J.shape[1]
    blocked = np.zeros(n, dtype=bool)
    most = float(np.linalg.norm(own.J, 2)) * float(np.linalg.norm(own.r)) if len(own.r) else 0.0
    if not most > 0.0:
        return 0.0, blocked
    K = np.concatenate([np.zeros((0, n)), *(one.J[one.held] for one in kept)])
    wanted = -own.J.T @ own.r
    for _ in range(n):
        step = np.where(blocked, 0.0, wanted)
        rows = np.where(blocked, 0.0, K)
        if len(rows):
            _, s, Vt = np.linalg.svd(rows, full_matrices=False)
            basis = Vt[s > _RANK * max(float(s[0]), 1e-300)]
            step = step - basis.T @ (basis @ step)
        beyond = ~blocked & ((limits[0] & (step < -1e-9 * most))
                             | (limits[1] & (step > 1e-9 * most)))
        if not beyond.any():
            break
        blocked |= beyond
    return float(np.linalg.norm(step)) / most, blocked


def _has_lost_rank(body: Body, task: Task, own: Missed) -> bool:
    """Tell whether a task's Jacobian has a smaller rank than at other configurations."""
    rng = np.random.default_rng(0)
    lower = np.where(np.isfinite(body.lower), body.lower, -1.0)
    upper = np.where(np.isfinite(body.upper), body.upper, 1.0)
    frames = BodyFrames(body, np.clip(0.0, lower, upper))
    generic = 0
    for _ in range(_GENERIC):
        frames.update(rng.uniform(lower, upper))
        generic = max(generic, _rank(task.evaluate(frames)[1]))
    return _rank(own.J) < generic


def _rank(J: np.ndarray) -> int:
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > _MOVES * s[0]).sum()) if len(s) else 0


def _and(listed: Sequence[str]) -> str:
    """Return names as 'a', 'b' and 'c'."""
    quoted = [repr(name) for name in listed]
    return ' and '.join([', '.join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]

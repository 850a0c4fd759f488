"""Levenberg–Marquardt descent of one level of tasks, inside the limits."""

import numpy as np

from ik_node.model.body_frames import BodyFrames
from ik_node.solvers.body.bounded_step import bounded_step
from ik_node.solvers.body.configurations import shorten_root
from ik_node.solvers.body.problem import Level
from ik_node.solvers.body.space import Attempt, Space
from ik_node.solvers.result import StopReason

_LEAST, _MOST = 1e-7, 1e6  # of the damping over the cost
_FIRST = 1e-2
_PATIENCE = 8              # iterations within which the cost has to shrink to _PROGRESS of itself
_PROGRESS = 0.9
_SMALL = 1e-9              # rad, m: a step after which there is nothing left to do
_TINY = 1e-14


def descend(level: Level, frames: BodyFrames, q: np.ndarray, space: Space,
            settles: bool = False) -> Attempt:
    """Minimise the cost of a level from q (n,), until it is met or nothing improves any more.

    settles: whether a minimum is wanted where it is not met; so it is where a task of the level is
    not necessary. λ² = μ · |e|²/2, so that steps become Gauss–Newton's near a solution [Chan &
    Lawrence 1988]; μ follows the ratio of the cost's change to the predicted one [Nielsen 1999]. A
    packed level is searched by one call of a kernel that does the same.
    """
    if level.packed is not None:
        return level.packed.descend(q, space.end, settles)
    frames.update(q)
    rows = level.evaluate(frames)
    one_sided = level.one_sided if level.any_one_sided else None
    settles = settles or not level.all_necessary  # whether there is more to do when it is met
    mu, marked, since = _FIRST, rows.cost, 0
    for iteration in range(space.max_iterations):
        if rows.met and not settles:
            return Attempt(q, StopReason.CONVERGED, iteration)
        if space.out_of_time():
            return Attempt(q, StopReason.TIMEOUT, iteration)
        A, e = rows.A, rows.e
        weighted = e if one_sided is None else np.where(one_sided & (e < 0.0), 0.0, e)
        damping2 = mu * 0.5 * float(weighted @ weighted) + _TINY
        lower = np.maximum(space.lower - q, -space.step)
        upper = np.minimum(space.upper - q, space.step)
        if space.scale is None:
            x = bounded_step(A, e, one_sided, lower, upper, damping2)
        else:
            x = space.scale * bounded_step(A * space.scale, e, one_sided, lower / space.scale,
                                           upper / space.scale, damping2)
        size = float(np.abs(x).max())
        trial = np.minimum(np.maximum(q + x, space.lower), space.upper)
        frames.update(trial)
        there = level.evaluate(frames)
        left = e - A @ x
        if one_sided is not None:
            left[one_sided & (left < 0.0)] = 0.0
        predicted = 0.5 * float(weighted @ weighted - left @ left)
        gained = rows.cost - there.cost
        if gained > 0.0 or there.met > rows.met:
            mu = max(mu * (0.2 if gained > 0.75 * predicted else
                           1.0 if gained > 0.25 * predicted else 3.0), _LEAST)
            q, rows = trial, there
            shorter = shorten_root(frames.body, q)
            if shorter is not q:
                q = shorter
                frames.update(q)
                rows = level.evaluate(frames)
        else:
            mu = max(8.0 * mu, 1e-3)
        if size < _SMALL or mu > _MOST:
            return Attempt(q, StopReason.CONVERGED if rows.met else StopReason.STALLED,
                           iteration + 1)
        since += 1
        if since >= _PATIENCE:
            if rows.cost > marked - (1.0 - _PROGRESS) * abs(marked) and not (
                    settles and marked - rows.cost > 1e-9 * abs(marked)):
                return Attempt(q, StopReason.CONVERGED if rows.met else StopReason.STALLED,
                               iteration + 1)
            marked, since = rows.cost, 0
    return Attempt(q, StopReason.CONVERGED if rows.met else StopReason.ITERATIONS,
                   space.max_iterations)

"""The free configuration closest to tasks that can be reached along obstacles."""

from collections.abc import Callable, Sequence

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace
from ik_node.solvers.collision.guarded_steps import GuardedSteps
from ik_node.solvers.goal import Goal, task_error, task_jacobian
from ik_node.solvers.kernel.body.compiled_tasks import LevelRows
from ik_node.support import clock

_MOST_STEPS = 100
_ABOVE = 1e-4        # m, beyond the margin: steps keep theirs less as much
_LARGEST_STEP = 0.2  # rad or m
_AT_REST = 1e-5      # rad or m: a smaller step is the last
_SETTLED = 1e-5      # of what is missed: so is one with a smaller reduction
_BOLDER, _CAREFUL = 1.0 / 3.0, 9.0  # the damping after a step that is taken, and that is not
_BOLDEST = 1e-3
_FAILURES = 3        # in a row


def closest_free(q: np.ndarray, rows: Callable[[np.ndarray], Sequence[LevelRows]],
                 space: JointSpace, collisions: CollisionModel, deadline: float) -> np.ndarray:
    """Return where steps from q (n,), rad or m, towards tasks lead without contact.

    rows(q): what the tasks ask for, the strictest level first. From within a contact the steps
    first lead out of it. deadline: by time.perf_counter, s.
    """
    steps = GuardedSteps(collisions.with_margin(collisions.margin + _ABOVE), approach=1.0)
    damping, failures = 1.0, 0
    levels, is_free = rows(q), collisions.is_free(q)
    for _ in range(_MOST_STEPS):
        if clock.is_over(deadline) or failures > _FAILURES:
            break
        bounds = (np.clip(space.lower - q, -_LARGEST_STEP, 0.0),
                  np.clip(space.upper - q, 0.0, _LARGEST_STEP))
        step = steps.step(q, None, levels, *bounds, damping)
        there = rows(q + step)
        gain, stays_free = _gain(levels, there), collisions.is_free(q + step)
        if is_free and (gain <= 0.0 or not stays_free):
            damping, failures = _CAREFUL * damping, failures + 1
            continue
        q, levels, failures = q + step, there, 0
        damping = max(_BOLDER * damping, _BOLDEST)
        if is_free and (gain < _SETTLED or np.abs(step).max() < _AT_REST):
            break
        is_free = stays_free
    return q


def goal_rows(chain: Chain, goal: Goal, q: np.ndarray) -> list[LevelRows]:
    """Return what a goal asks of an arm at q (n,), rad or m."""
    e = task_error(chain, goal, q)
    return [LevelRows(task_jacobian(chain, goal, q), e, np.zeros(len(e), bool), float(e @ e),
                      False)]


def _gain(levels: Sequence[LevelRows], there: Sequence[LevelRows]) -> float:
    """Return the part of what is missed that is less there, of the first level that differs."""
    for own, other in zip(levels, there):
        part = (own.cost - other.cost) / max(own.cost, other.cost, 1e-16)
        if abs(part) > 1e-9:
            return part
    return 0.0

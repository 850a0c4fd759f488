"""The iteration of the Jacobian family: error, step, limits, repeat.

`attempt` and `bare_step` are templates: `method_step` stands for the kernel of a method, bound by
`_jit.specialise`. It is called as `method_step(settings, work, V)`, V (6,) being the remaining
error, and writes its step into work.dq (n,), given work.J (6, n).
"""

import math
from typing import Any

from ik_node._jit import Vector, clock, inline, njit
from ik_node.kinematics.forward import ChainArrays, chain_frames
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.damping import task_energy
from ik_node.solvers.jacobian.manipulability import manipulability_gradient
from ik_node.solvers.jacobian.nullspace import add_bias
from ik_node.solvers.settings import (
    CONVERGED,
    EXHAUSTED,
    LOOK,
    STALLED,
    TIMED_OUT,
    Settings,
    Work,
)
from ik_node.solvers.task import Task, task_error, task_jacobian

_TURN = 2.0 * math.pi
_STILL = 1e-9       # rad or m: a shorter step counts as stalled
_BIAS_DONE = 1e-3   # rad or m: at the goal, the bias has converged when its step is this small
_BIAS_FADES = 0.1   # error, rad or lengths, below which the default bias fades out


def method_step(settings: Any, work: Any, V: Any) -> None:
    """Stand for a method's step; bound by `_jit.specialise`."""
    raise NotImplementedError


def attempt(chain: ChainArrays, task: Task, settings: Settings, work: Work, swing: bool,
            q: Vector) -> tuple[int, int]:
    """Iterate from q (n,), in place and inside the limits; return (how it ended, iterations).

    swing: whether a joint may pass a limit by appearing a whole turn further, inside the limits.
    """
    best, since = math.inf, 0
    biased, ascends = settings.method.biased, settings.method.manipulability_gain > 0.0
    F, V, rest, free = work.frames, work.V, work.rest, work.free
    lower, upper, tip = chain.lower, chain.upper, F[-1]
    has_prismatic = False
    for k in range(q.shape[0]):
        work.slope[k], work.direction[k], work.unit[k] = 0.0, 0.0, 1.0
        has_prismatic = has_prismatic or settings.span[k] > 0.0
    for iteration in range(settings.max_iterations + 1):
        chain_frames(chain, q, F)
        position, orientation = task_error(task, tip, work.R, work.e, V)
        met = (position <= settings.position_tolerance
               and orientation <= settings.orientation_tolerance)
        if met and not biased:
            return CONVERGED, iteration
        if iteration == settings.max_iterations:
            break
        if iteration % LOOK == LOOK - 1 and clock() >= work.deadline[0]:
            return TIMED_OUT, iteration
        energy = task_energy(settings, V)
        position_share, orientation_share = shares(settings, position, orientation)
        # Less progress is required where only a share of the error is requested.
        progress = 1.0 - min(position_share, orientation_share) * (1.0 - settings.progress)
        if energy < progress * best:
            best, since = energy, 0
        else:
            since += 1
            if since >= settings.patience and not biased:
                return STALLED, iteration
        if has_prismatic:
            units(settings, work, position)
        if ascends:
            manipulability_gradient(chain, task, settings, work, q)
        task_rows(chain, task, settings, work)
        strength = 1.0 if biased else min(1.0, math.sqrt(energy) / _BIAS_FADES)
        for i in range(6):
            rest[i] = V[i] * (position_share if i < 3 else orientation_share)
        for k in range(q.shape[0]):
            free[k] = True
            if not lower[k] < upper[k] or (not biased and pushed_out(chain, work, k, q)):
                lock(work, k)
        moved, pull = 0.0, 0.0
        for _ in range(q.shape[0] + 1):
            method_step(settings, work, rest)
            pull = add_bias(task, settings, work, strength, q)
            changed, locked = move(chain, settings, work, swing, q)
            moved = max(moved, changed)
            if not locked:
                break
        if biased and ((met and pull < _BIAS_DONE) or 2 * iteration > settings.max_iterations):
            biased, best, since = False, math.inf, 0
        elif moved < _STILL:
            return STALLED, iteration + 1
    return EXHAUSTED, settings.max_iterations


def bare_step(chain: ChainArrays, task: Task, settings: Settings, work: Work, q: Vector,
              dq: Vector) -> None:
    """Write one step of the method from q into dq (n,): no limits, no line search."""
    chain_frames(chain, q, work.frames)
    position, orientation = task_error(task, work.frames[-1], work.R, work.e, work.V)
    for k in range(dq.shape[0]):
        work.slope[k], work.direction[k], work.unit[k] = 0.0, 0.0, 1.0
    position_share, orientation_share = shares(settings, position, orientation)
    if settings.method.manipulability_gain > 0.0:
        manipulability_gradient(chain, task, settings, work, q)
    task_rows(chain, task, settings, work)
    for i in range(6):
        work.rest[i] = work.V[i] * (position_share if i < 3 else orientation_share)
    for k in range(dq.shape[0]):
        work.free[k] = True
    method_step(settings, work, work.rest)
    add_bias(task, settings, work, 1.0 if settings.method.biased else 0.0, q)
    for k in range(dq.shape[0]):
        dq[k] = settings.scale[k] * work.dq[k]


@inline
def shares(settings: Settings, position: float, orientation: float) -> tuple[float, float]:
    """Return the shares of the position error and of the orientation error to be removed in a step.

    A long step leads the tip off the straight path [Bařinka & Berka; Buss 2004, ClampMag].
    """
    most = settings.method.path_step
    return (most / position if position > most else 1.0,
            most / orientation if orientation > most else 1.0)


@inline
def units(settings: Settings, work: Work, position: float) -> None:
    """Write the length of each prismatic joint that counts as a radian, m, into work.unit.

    That is the arm length or, if greater and within the joint's range, the position error: results
    then depend neither on the size of the model nor on the distance from the goal.
    """
    span = settings.span
    for k in range(span.shape[0]):
        if span[k] > 0.0:
            work.unit[k] = max(settings.length, min(span[k], position))


@inline
def lock(work: Work, k: int) -> None:
    """Exclude joint k from the step: its column becomes zero."""
    J = work.J
    work.free[k] = False
    for i in range(6):
        J[i, k] = 0.0


@inline
def pushed_out(chain: ChainArrays, work: Work, k: int, q: Vector) -> bool:
    """Tell whether joint k is at a limit and the gradient Jᵀ V of the error points beyond it.

    Locking it at once saves one solution of the step.
    """
    below, above = q[k] <= chain.lower[k], q[k] >= chain.upper[k]
    if not (below or above):
        return False
    slope = 0.0
    for i in range(6):
        slope += work.J[i, k] * work.rest[i]
    return (below and slope < 0.0) or (above and slope > 0.0)


@inline
def task_rows(chain: ChainArrays, task: Task, settings: Settings, work: Work) -> None:
    """Fill the task's Jacobian, its columns scaled by the joint weights; frames and e are q's.

    With joint weights w the unknown is √w Δq, whose shortest value is computed; Δq of a prismatic
    joint is in `units`.
    """
    F, J, scale, unit = work.frames, work.J, settings.scale, work.unit
    chain_jacobian(chain, F, task.T_base_goal if settings.method.alternate else F[-1], J)
    task_jacobian(task, work.e, work.R, J)
    for k in range(J.shape[1]):
        factor = scale[k] * unit[k]
        if factor != 1.0:
            for i in range(6):
                J[i, k] *= factor


@njit
def turned_inside(chain: ChainArrays, k: int, value: float) -> float:
    """Return a value of joint k, by a whole turn inside the limits where that is possible."""
    if chain.turns[k]:
        if value > chain.upper[k] and value - _TURN >= chain.lower[k]:
            return value - _TURN
        if value < chain.lower[k] and value + _TURN <= chain.upper[k]:
            return value + _TURN
    return value


@inline
def move(chain: ChainArrays, settings: Settings, work: Work, swing: bool,
         q: Vector) -> tuple[float, bool]:
    """Take the step work.dq inside the limits, q (n,) in place.

    Return (largest change of a joint, whether a joint was locked). A joint that the step would
    carry over a limit is set to that limit and locked, and its contribution is subtracted from
    work.rest; the others are solved again without it, since clamping alone stalls.
    """
    dq, free, scale, unit = work.dq, work.free, settings.scale, work.unit
    lower, upper = chain.lower, chain.upper
    step, widest = 0.0, 1.0
    for k in range(q.shape[0]):
        dq[k] *= scale[k]
        step = max(step, abs(dq[k]))
        dq[k] *= unit[k]
        widest = max(widest, unit[k])
    shrink = settings.max_step / step if step > settings.max_step else 1.0
    largest, locked = 0.0, False
    for k in range(q.shape[0]):
        if not free[k]:
            continue
        wanted = q[k] + shrink * dq[k]
        if swing:
            wanted = turned_inside(chain, k, wanted)
        allowed = min(max(wanted, lower[k]), upper[k])
        if allowed != wanted:
            change = allowed - q[k]
            largest = max(largest, abs(change))
            q[k] = allowed
            for i in range(6):
                work.rest[i] -= work.J[i, k] * change / (scale[k] * unit[k])
            lock(work, k)
            locked = True
    if locked:
        return largest, True
    for k in range(q.shape[0]):
        if free[k]:
            q[k] += shrink * dq[k]
            if swing:
                q[k] = turned_inside(chain, k, q[k])
    return shrink * step * widest, False

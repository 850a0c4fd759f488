"""Sweeps over the joints: cyclic coordinate descent [Parent fig. 5.25; Parent CIS 682]."""

import math
from typing import NamedTuple

from ik_node._jit import Layout, Matrix, Vector, clock, njit, rare
from ik_node.kinematics.forward import PRISMATIC, ChainArrays, articulate, chain_frames
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.kinematics.spatial_kernels import compose, copy_pose
from ik_node.solvers.ccd.optimum import joint_optimum, step_bound
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

# Orders of the joints within a sweep
INWARD, OUTWARD, RANKED = range(3)

_STILL = 1e-12  # rad or m: a sweep without a larger change counts as stalled


class CcdSettings(NamedTuple):
    """Settings of this method."""

    order: int
    position_weight: float
    orientation_weight: float


CCD = Layout(CcdSettings)


@njit
def ccd_attempt(chain: ChainArrays, task: Task, settings: Settings, work: Work, swing: bool,
                q: Vector) -> tuple[int, int]:
    """Sweep over the joints, q (n,) in place; return (how it ended, sweeps).

    Along a valley every sweep takes a similar small step. After each, the step is therefore
    extrapolated, further each time it helps [Hooke & Jeeves 1961, pattern move].
    """
    best, since, further = math.inf, 0, 1.0
    n = q.shape[0]
    for sweep in range(settings.max_iterations + 1):
        chain_frames(chain, q, work.frames)
        position, orientation = task_error(task, work.frames[-1], work.R, work.e, work.V)
        energy = position * position / settings.length ** 2 + orientation * orientation
        if sweep > 0:
            for k in range(n):
                rest = max(step_bound(settings, k) - abs(work.dq[k]), 0.0)
                work.z[k] = q[k] + min(max(further * work.dq[k], -rest), rest)
                work.z[k] = min(max(work.z[k], chain.lower[k]), chain.upper[k])
            chain_frames(chain, work.z, work.frames)
            tried = task_error(task, work.frames[-1], work.R, work.e, work.V)
            tried_energy = tried[0] * tried[0] / settings.length ** 2 + tried[1] * tried[1]
            if tried_energy < energy:
                position, orientation = tried
                energy = tried_energy
                for k in range(n):
                    q[k] = work.z[k]
                further = min(2.0 * further, 1e4)
            else:
                chain_frames(chain, q, work.frames)
                further = max(0.5 * further, 1.0)
        if (position <= settings.position_tolerance
                and orientation <= settings.orientation_tolerance):
            return CONVERGED, sweep
        if sweep == settings.max_iterations:
            break
        if sweep % LOOK == LOOK - 1 and clock() >= work.deadline[0]:
            return TIMED_OUT, sweep
        for k in range(n):
            work.dq[k] = q[k]
        if energy < settings.progress * best:
            best, since = energy, 0
        else:
            since += 1
            if since >= settings.patience:
                return STALLED, sweep
        if ccd_sweep(chain, task, settings, work, True, swing, q) < _STILL:
            return STALLED, sweep + 1
        for k in range(n):
            work.dq[k] = q[k] - work.dq[k]
    return EXHAUSTED, settings.max_iterations


@njit
def ccd_sweep(chain: ChainArrays, task: Task, settings: Settings, work: Work, limited: bool,
              swing: bool, q: Vector) -> float:
    """Set every joint once, q (n,) in place; return the largest change. Frames must be q's.

    In the order "ranked" a sweep is as many moves, each of the joint with the greatest gain.
    """
    n_articulations = chain.column.shape[0]
    largest = 0.0
    copy_pose(work.frames[-1], work.T)
    if settings.method.order == INWARD:
        # Moving a joint does not change the frames before it: only the tip is updated.
        for k in range(n_articulations - 1, -1, -1):
            change, _ = joint_optimum(chain, task, settings, work.frames[k], work.T, k, limited,
                                      swing, q)
            largest = max(largest, abs(_set(chain, k, change, work.frames[k], work.T, q)))
    elif settings.method.order == OUTWARD:
        largest = _sweep_outward(chain, task, settings, work, limited, swing, q)
    else:
        for _ in range(n_articulations):
            most, chosen, change = 0.0, -1, 0.0
            for k in range(n_articulations):
                wanted, gain = joint_optimum(chain, task, settings, work.frames[k],
                                             work.frames[-1], k, limited, swing, q)
                if gain > most and wanted != 0.0:
                    most, chosen, change = gain, k, wanted
            if chosen < 0:
                break
            q[chain.column[chosen]] += change
            largest = max(largest, abs(change))
            chain_frames(chain, q, work.frames)
    return max(largest, _move_shared(chain, task, settings, work, limited, swing, q))


@rare
def ccd_bare_step(chain: ChainArrays, task: Task, settings: Settings, work: Work, q: Vector,
                  dq: Vector) -> None:
    """Write the change by one sweep into dq (n,), ignoring limits."""
    for k in range(q.shape[0]):
        dq[k] = q[k]
    chain_frames(chain, q, work.frames)
    ccd_sweep(chain, task, settings, work, False, False, dq)
    for k in range(q.shape[0]):
        dq[k] -= q[k]


@njit
def _sweep_outward(chain: ChainArrays, task: Task, settings: Settings, work: Work, limited: bool,
                   swing: bool, q: Vector) -> float:
    """Set the joints from the base outwards, recomputing the frames after each."""
    n_articulations = chain.column.shape[0]
    largest = 0.0
    for k in range(n_articulations):
        if k == 0:
            copy_pose(chain.placement[0], work.frames[0])
        else:
            compose(work.frames[k - 1], chain.placement[k], work.frames[k])
        value = chain.ratio[k] * q[chain.column[k]]
        articulate(work.frames[k], chain.kind[k] == PRISMATIC, value)
        change, _ = joint_optimum(chain, task, settings, work.frames[k], work.T, k, limited, swing,
                                  q)
        largest = max(largest, abs(_set(chain, k, change, work.frames[k], work.T, q)))
        articulate(work.frames[k], chain.kind[k] == PRISMATIC, chain.ratio[k] * change)
    return largest


@njit
def _set(chain: ChainArrays, k: int, change: float, frame: Matrix, T: Matrix, q: Vector) -> float:
    """Change joint k and update the tip T (4, 4); return the change."""
    if change == 0.0:
        return 0.0
    q[chain.column[k]] += change
    ax, ay, az = frame[0, 2], frame[1, 2], frame[2, 2]
    value = chain.ratio[k] * change
    if chain.kind[k] == PRISMATIC:
        T[0, 3] += value * ax
        T[1, 3] += value * ay
        T[2, 3] += value * az
        return change
    c, s = math.cos(value), math.sin(value)
    for j in range(4):
        x, y, z = T[0, j], T[1, j], T[2, j]
        if j == 3:
            x, y, z = x - frame[0, 3], y - frame[1, 3], z - frame[2, 3]
        along = (1.0 - c) * (ax * x + ay * y + az * z)
        T[0, j] = c * x + s * (ay * z - az * y) + along * ax
        T[1, j] = c * y + s * (az * x - ax * z) + along * ay
        T[2, j] = c * z + s * (ax * y - ay * x) + along * az
        if j == 3:
            for i in range(3):
                T[i, 3] += frame[i, 3]
    return change


@njit
def _move_shared(chain: ChainArrays, task: Task, settings: Settings, work: Work, limited: bool,
                 swing: bool, q: Vector) -> float:
    """Move the joints with mimics on the chain by one Gauss–Newton step each; return the largest.

    Their optimum has no closed form; q (n,) in place.
    """
    largest = 0.0
    previous = -1
    for k in range(chain.column.shape[0]):
        column = chain.column[k]
        if column <= previous or not chain.shared[k]:
            continue
        previous = column
        chain_frames(chain, q, work.frames)
        task_error(task, work.frames[-1], work.R, work.e, work.V)
        chain_jacobian(chain, work.frames, work.frames[-1], work.J)
        task_jacobian(task, work.e, work.R, work.J)
        along, length = 0.0, 0.0
        for i in range(6):
            along += work.J[i, column] * work.V[i]
            length += work.J[i, column] ** 2
        if length == 0.0:
            continue
        change = settings.scale[column] ** 2 * along / length
        if limited:
            bound = step_bound(settings, column)
            change = min(max(change, -bound), bound)
            change = min(max(change, chain.lower[column] - q[column]),
                         chain.upper[column] - q[column])
        q[column] += change
        largest = max(largest, abs(change))
    return largest

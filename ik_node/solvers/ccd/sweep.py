"""Sweeps over the joints: cyclic coordinate descent [Parent fig. 5.25; Parent CIS 682]."""

import math

import cython

from ik_node.kinematics import forward, kinds
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.ccd import joint_optimum
from ik_node.solvers.ccd.joint_optimum import CcdSettings
from ik_node.solvers.kernel import linear, search
from ik_node.solvers.kernel.method import Method
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support import arrays, clock
from ik_node.support.arrays import Pose, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import *

INF = math.inf
STILL = 1e-12  # rad or m: a sweep without a larger change counts as stalled
SLOW = 4       # sweeps without progress, after which steps of all joints at once are tried
DAMPING, FLOOR = 1e-3, 1e-8  # λ² of a step of all joints: a share of the squared error, the least


class CyclicCoordinateDescent(Method):
    """Sets one joint after the other to its optimum in closed form."""

    def __init__(self, own: CcdSettings) -> None:
        self.own = own

    def attempt(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                swing: bool, q: Vector) -> int:
        """Sweep over the joints from q (n,); see `Method`.

        Along a narrow valley successive sweeps take similar small steps. After each sweep its step
        is therefore extrapolated, further each time that reduces the error [Hooke & Jeeves 1961,
        pattern move]. Where the joints counteract each other, sweeps make little progress: every
        second iteration then tries a damped least-squares step of all joints instead.
        """
        n, dq, z = chain.n, work.dq, work.z
        best, since, further = INF, 0, 1.0
        for iteration in range(settings.max_iterations + 1):
            work.iterations = iteration
            _, position, orientation = search.residual(chain, task, work, q)
            energy = energy_of(settings, position, orientation)
            if iteration > 0:
                leap = dq
                if since >= SLOW and since % 2 == 0:
                    further, leap = 1.0, work.null
                    _least_squares_step(chain, task, settings, work, energy, leap)
                for k in range(n):
                    rest = max(joint_optimum.step_bound(settings, k) - math.fabs(dq[k]), 0.0)
                    z[k] = q[k] + min(max(further * leap[k], -rest), rest)
                    z[k] = min(max(z[k], chain.lower[k]), chain.upper[k])
                _, tried_position, tried_orientation = search.residual(chain, task, work, z)
                tried = energy_of(settings, tried_position, tried_orientation)
                if tried < energy:
                    position, orientation, energy = tried_position, tried_orientation, tried
                    arrays.copy_to(q, z, n)
                    further = min(2.0 * further, 1e4)
                else:
                    forward.chain_frames(chain, q, work.frames)
                    further = max(0.5 * further, 1.0)
            if (position <= settings.position_tolerance
                    and orientation <= settings.orientation_tolerance):
                return codes.CONVERGED
            if iteration == settings.max_iterations:
                break
            if iteration % codes.LOOK == codes.LOOK - 1 and clock.is_over(work.deadline):
                return codes.TIMED_OUT
            arrays.copy_to(dq, q, n)
            since += 1
            if energy < settings.progress * best:
                best, since = energy, 0
            elif since >= settings.patience:
                return codes.STALLED
            if sweep(chain, task, settings, self.own, work, True, swing, q) < STILL:
                work.iterations += 1
                return codes.STALLED
            for k in range(n):
                dq[k] = q[k] - dq[k]
        return codes.EXHAUSTED

    def bare_step(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                  q: Vector, dq: Vector) -> int:
        """Write the change by one sweep from q (n,) into dq (n,), ignoring limits."""
        arrays.copy_to(dq, q, chain.n)
        forward.chain_frames(chain, q, work.frames)
        sweep(chain, task, settings, self.own, work, False, False, dq)
        for k in range(chain.n):
            dq[k] -= q[k]
        return 0


def _least_squares_step(chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                        energy: float, dq: Vector) -> None:
    """Write a damped least-squares step of all joints into dq (n,). Frames and V must be q's."""
    J = work.J
    search.rows(chain, task, work)
    for k in range(chain.n):
        for i in range(6):
            J[k][i] *= settings.scale[k]
    about = DAMPING * energy + FLOOR
    linear.damped_step(J, chain.n, work.V, about * settings.length ** 2, about, work, dq)
    for k in range(chain.n):
        dq[k] *= settings.scale[k]


def energy_of(settings: Settings, position: float, orientation: float) -> float:
    """Return the sum of the squared errors, metres counted in lengths of the arm."""
    return position * position / settings.length ** 2 + orientation * orientation


def sweep(chain: ChainRecord, task: TipTask, settings: Settings, own: CcdSettings, work: ArmData,
          limited: bool, swing: bool, q: Vector) -> float:
    """Set every joint once, q (n,) in place; return the largest change. Frames must be q's."""
    if own.order == codes.RANKED:
        largest = _move_ranked(chain, task, settings, own, work, limited, swing, q)
    else:
        largest = _move_in_turn(chain, task, settings, own, work, limited, swing, q)
    return max(largest, _move_shared(chain, task, settings, work, limited, q))


def _move_in_turn(chain: ChainRecord, task: TipTask, settings: Settings, own: CcdSettings,
                  work: ArmData, limited: bool, swing: bool, q: Vector) -> float:
    """Set the joints from the tip towards the base, or outwards; return the largest change.

    A joint moves the tip and the frames after its own, which a sweep inwards needs no more.
    """
    F, T, largest, outward = work.frames, work.T, 0.0, own.order == codes.OUTWARD
    for i in range(3):
        for j in range(4):
            T[i][j] = F[chain.m][i][j]
    for number in range(chain.m):
        k = number if outward else chain.m - 1 - number
        change, _ = joint_optimum.joint_optimum(chain, task, settings, own, F[k], T, k, limited,
                                                swing, q)
        largest = max(largest, math.fabs(_set(chain, k, change, F[k], T, q)))
        if outward:
            forward.chain_frames(chain, q, F)
    return largest


def _move_ranked(chain: ChainRecord, task: TipTask, settings: Settings, own: CcdSettings,
                 work: ArmData, limited: bool, swing: bool, q: Vector) -> float:
    """Move the joint with the greatest gain, n times; return the largest change."""
    F, largest = work.frames, 0.0
    for _ in range(chain.m):
        most, chosen, change = 0.0, -1, 0.0
        for k in range(chain.m):
            wanted, gain = joint_optimum.joint_optimum(chain, task, settings, own, F[k],
                                                       F[chain.m], k, limited, swing, q)
            if gain > most and wanted != 0.0:
                most, chosen, change = gain, k, wanted
        if chosen < 0:
            break
        q[chain.column[chosen]] += change
        largest = max(largest, math.fabs(change))
        forward.chain_frames(chain, q, F)
    return largest


def _move_shared(chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                 limited: bool, q: Vector) -> float:
    """Move the joints with mimics on the chain by one Gauss–Newton step each; return the largest.

    Their optimum has no closed form; q (n,) in place.
    """
    J, V, largest, previous = work.J, work.V, 0.0, -1
    for k in range(chain.m):
        column = chain.column[k]
        if column <= previous or not chain.shared[k]:
            continue
        previous = column
        search.residual(chain, task, work, q)
        search.rows(chain, task, work)
        pull, length = 0.0, 0.0
        for i in range(6):
            pull += J[column][i] * V[i]
            length += J[column][i] ** 2
        if length == 0.0:
            continue
        change = settings.scale[column] ** 2 * pull / length
        if limited:
            bound = joint_optimum.step_bound(settings, column)
            change = min(max(change, -bound), bound)
            change = min(max(change, chain.lower[column] - q[column]),
                         chain.upper[column] - q[column])
        q[column] += change
        largest = max(largest, math.fabs(change))
    return largest


def _set(chain: ChainRecord, k: int, change: float, frame: Pose, T: Pose, q: Vector) -> float:
    """Change joint k and update the tip T (4, 4); return the change."""
    if change == 0.0:
        return 0.0
    q[chain.column[k]] += change
    a, value = column_of(frame, 2), chain.ratio[k] * change
    if chain.kind[k] == kinds.PRISMATIC:
        T[0][3], T[1][3], T[2][3] = along(column_of(T, 3), value, a)
        return change
    c, s = math.cos(value), math.sin(value)
    for j in range(3):
        T[0][j], T[1][j], T[2][j] = rotated_by(a, c, s, column_of(T, j))
    T[0][3], T[1][3], T[2][3] = rotated_about(a, column_of(frame, 3), c, s, column_of(T, 3))
    return change

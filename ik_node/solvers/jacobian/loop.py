"""The iteration of the Jacobian family: error, step, limits, repeat."""

import math

from ik_node.kinematics import forward, jacobian, joint_limits
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.jacobian import nullspace
from ik_node.solvers.jacobian.nullspace import JacobianSettings
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel import task as tasks
from ik_node.solvers.kernel.method import Method
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support import clock
from ik_node.support.arrays import Vector

INF = math.inf
STILL = 1e-9       # rad or m: a shorter step counts as stalled
BIAS_DONE = 1e-3   # rad or m: at the goal, the bias has converged when its step is this small
BIAS_FADES = 0.1   # error, rad or lengths, below which the default bias fades out


class JacobianMethod(Method):
    """A method whose step is computed from the Jacobian."""

    def __init__(self, own: JacobianSettings) -> None:
        self.own = own

    def step(self, settings: Settings, n: int, work: ArmData, V: Vector) -> None:
        """Write the step for the error V (6,) into work.dq (n,), given work.J; overridden.

        The columns of J, and dq, are in units of `settings.scale` (a heavier joint moves less, a
        prismatic one by lengths); those of locked joints are zero. It is called again in the same
        iteration where joints are locked at limits. What it keeps from one iteration to the next in
        work.slope and work.direction (n,) is set to zero before each attempt.
        """

    def attempt(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                swing: bool, q: Vector) -> int:
        n, V, rest = chain.n, work.V, work.rest
        lower, upper, best, since = chain.lower, chain.upper, INF, 0
        biased, has_prismatic = self.own.biased, False
        for k in range(n):
            work.slope[k], work.direction[k], work.unit[k] = 0.0, 0.0, 1.0
            work.begun[k] = q[k]
            has_prismatic = has_prismatic or settings.span[k] > 0.0
        for iteration in range(settings.max_iterations + 1):
            work.iterations = iteration
            # As `search.residual`, which takes longer: it sums the squared errors, too.
            forward.chain_frames(chain, q, work.frames)
            position, orientation = tasks.task_error(task, work.frames[chain.m], work.R, work.e, V)
            if work.nearby < 0.0:
                work.nearby = math.hypot(position / settings.length, orientation)
            met = (position <= settings.position_tolerance
                   and orientation <= settings.orientation_tolerance)
            if met and not biased:
                work.framed = True
                return codes.CONVERGED
            if iteration == settings.max_iterations:
                break
            if iteration % codes.LOOK == codes.LOOK - 1 and clock.is_over(work.deadline):
                return codes.TIMED_OUT
            energy = task_energy(settings, V)
            position_share, orientation_share = shares(self.own, position, orientation)
            # Less progress is required where only a share of the error is requested.
            progress = 1.0 - min(position_share, orientation_share) * (1.0 - settings.progress)
            since += 1
            if energy < progress * best:
                best, since = energy, 0
            elif since >= settings.patience and not biased:
                return codes.STALLED
            if has_prismatic:
                units(settings, n, work, position)
            task_rows(chain, task, settings, self.own, work, position_share, orientation_share, q)
            strength = 1.0 if biased else min(1.0, math.sqrt(energy) / BIAS_FADES)
            for k in range(n):
                if not lower[k] < upper[k] or (not biased and pushed_out(chain, work, k, q)):
                    lock(work, k)
            moved, pull = 0.0, 0.0
            for _ in range(n + 1):
                self.step(settings, n, work, rest)
                pull = nullspace.add_bias(task, settings, self.own, n, work, strength, q)
                changed, locked = move(chain, settings, work, swing, q)
                moved = max(moved, changed)
                if not locked:
                    break
            if biased and ((met and pull < BIAS_DONE) or 2 * iteration > settings.max_iterations):
                biased, best, since = False, INF, 0
            elif moved < STILL:
                work.iterations += 1
                return codes.STALLED
        return codes.EXHAUSTED

    def bare_step(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                  q: Vector, dq: Vector) -> int:
        n = chain.n
        _, position, orientation = search.residual(chain, task, work, q)
        for k in range(n):
            work.slope[k], work.direction[k], work.unit[k] = 0.0, 0.0, 1.0
        position_share, orientation_share = shares(self.own, position, orientation)
        task_rows(chain, task, settings, self.own, work, position_share, orientation_share, q)
        self.step(settings, n, work, work.rest)
        nullspace.add_bias(task, settings, self.own, n, work, 1.0 if self.own.biased else 0.0, q)
        for k in range(n):
            dq[k] = settings.scale[k] * work.dq[k]
        return 0


def task_energy(settings: Settings, V: Vector) -> float:
    """Return half the squared weighted error of V (6,), metres counted in lengths of the arm."""
    linear_part = V[0] * V[0] + V[1] * V[1] + V[2] * V[2]
    angular = V[3] * V[3] + V[4] * V[4] + V[5] * V[5]
    return 0.5 * (linear_part / (settings.length * settings.length) + angular)


def shares(own: JacobianSettings, position: float, orientation: float) -> tuple[float, float]:
    """Return the shares of the position error and of the orientation error to be removed in a step.

    A long step leads the tip off the straight path [Bařinka & Berka; Buss 2004, ClampMag].
    """
    most = own.path_step
    return (most / position if position > most else 1.0,
            most / orientation if orientation > most else 1.0)


def units(settings: Settings, n: int, work: ArmData, position: float) -> None:
    """Write the length of each prismatic joint that counts as a radian, m, into work.unit.

    That is the arm length or, if greater and within the joint's range, the position error: results
    then depend neither on the size of the model nor on the distance from the goal.
    """
    span = settings.span
    for k in range(n):
        if span[k] > 0.0:
            work.unit[k] = max(settings.length, min(span[k], position))


def lock(work: ArmData, k: int) -> None:
    """Exclude joint k from the step: its column becomes zero."""
    work.free[k] = False
    for i in range(6):
        work.J[k][i] = 0.0


def pushed_out(chain: ChainRecord, work: ArmData, k: int, q: Vector) -> bool:
    """Tell whether joint k is at a limit and the gradient Jᵀ V of the error points beyond it.

    Locking it at once saves one solution of the step.
    """
    below, above = q[k] <= chain.lower[k], q[k] >= chain.upper[k]
    if not (below or above):
        return False
    slope = 0.0
    for i in range(6):
        slope += work.J[k][i] * work.rest[i]
    return (below and slope < 0.0) or (above and slope > 0.0)


def task_rows(chain: ChainRecord, task: TipTask, settings: Settings, own: JacobianSettings,
              work: ArmData, position_share: float, orientation_share: float, q: Vector) -> None:
    """Fill the task's Jacobian, and the shares of its rows V that a step is to remove.

    Frames and e are those of q (n,); every joint is free. Columns are scaled by the joint weights:
    with weights w the unknown is √w Δq, whose shortest value is computed; Δq of a prismatic joint
    is in `units`.
    """
    F, J, scale, unit = work.frames, work.J, settings.scale, work.unit
    if own.manipulability_gain > 0.0:
        nullspace.manipulability_gradient(
            chain, task, settings, own.manipulability_gain, work, q)
    point = task.T if own.alternate else F[chain.m]
    jacobian.chain_jacobian(chain, F, point, J)
    tasks.task_jacobian(task, work.e, work.R, chain.n, J)
    for i in range(6):
        work.rest[i] = work.V[i] * (position_share if i < 3 else orientation_share)
    for k in range(chain.n):
        work.free[k] = True
        factor = scale[k] * unit[k]
        if factor != 1.0:
            for i in range(6):
                J[k][i] *= factor


def move(chain: ChainRecord, settings: Settings, work: ArmData, swing: bool,
         q: Vector) -> tuple[float, bool]:
    """Take the step work.dq inside the limits, q (n,) in place.

    Return (largest change of a joint, whether a joint was locked). A joint that the step would
    carry over a limit is set to that limit and locked, and its contribution is subtracted from
    work.rest; the others are solved again without it, since clamping alone stalls.
    """
    dq, free, scale, unit = work.dq, work.free, settings.scale, work.unit
    n, lower, upper = chain.n, chain.lower, chain.upper
    step, widest = 0.0, 1.0
    for k in range(n):
        dq[k] *= scale[k]
        step = max(step, math.fabs(dq[k]))
        dq[k] *= unit[k]
        widest = max(widest, unit[k])
    shrink = settings.max_step / step if step > settings.max_step else 1.0
    largest, locked = 0.0, False
    for k in range(n):
        if not free[k]:
            continue
        wanted = q[k] + shrink * dq[k]
        if swing:
            wanted = joint_limits.turned_inside(chain, k, wanted)
        allowed = min(max(wanted, lower[k]), upper[k])
        if allowed != wanted:
            change = allowed - q[k]
            largest = max(largest, math.fabs(change))
            q[k] = allowed
            for i in range(6):
                work.rest[i] -= work.J[k][i] * change / (scale[k] * unit[k])
            lock(work, k)
            locked = True
    if locked:
        return largest, True
    for k in range(n):
        if free[k]:
            q[k] += shrink * dq[k]
            if swing:
                q[k] = joint_limits.turned_inside(chain, k, q[k])
    return shrink * step * widest, False

"""Attempts from several initial guesses: q0 first, others after it fails; and their conclusion."""

import math

from ik_node.kinematics import forward, jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.kinematics.joint_limits import JointLimits
from ik_node.solvers import codes
from ik_node.solvers.kernel import linear, restarts
from ik_node.solvers.kernel import task as tasks
from ik_node.solvers.kernel.method import Method
from ik_node.solvers.kernel.restarts import Table
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support import arrays, clock
from ik_node.support.arrays import InMatrix, InVector, Vector

INF, PI, TWO_PI = math.inf, math.pi, 2.0 * math.pi
ROUNDING = 1e-12  # of a length: rounding error of a bound
AT_LIMIT = 1e-9   # rad or m: a smaller excess over a limit is a rounding error
FARTHEST = 1e12   # rad: turns beyond have no digits of an angle left
NEARLY_SINGULAR = 1e-2  # smallest over largest singular value of a singular configuration
NEARBY = 0.5      # rad and lengths of the arm, from the tip at q0: of a goal that is near
FAR_MOVED = 0.25  # rad²: squared distance from q0 of a solution far from it, if the goal is near
FAR_NEARER = 0.5  # of the squared distance of the nearest solution: worth one more attempt


def try_starts(chain: ChainRecord, method: Method, settings: Settings, table: Table, work: ArmData,
               attempts: int) -> int:
    """Make attempts until one meets the goal; write the best q into work.best (n,). Return 0.

    The first starts from work.q0 (n,), the others as `restarts.next_start` says.
    """
    n, q, start = chain.n, work.q, work.start
    work.begin()
    for k in range(n):
        if not math.isfinite(work.q0[k]):
            work.end = codes.INVALID
            return 0
        start[k] = work.q0[k]
    into_limits(chain, start)
    for i in range(3):
        for j in range(4):
            work.plain.T[i][j] = work.task.T[i][j]
    for i in range(6):
        work.plain.weights[i] = 1.0 if work.task.weights[i] > 0.0 else 0.0
    work.plain.prepare()
    beyond, late = beyond_reach(work.task, settings), False
    if beyond:
        attempts = min(attempts, 1)
    entries, around, work.nearby = 0, 0, -1.0
    for index in range(attempts):
        if index > 0 and clock.is_over(work.deadline):
            late = True
            break
        if index == 0:
            arrays.copy_to(q, start, n)
        else:
            if index == 1:
                around = guesses_around(chain, settings, work, start)
                entries = restarts.pick_entries(chain, settings, work, table, start)
            restarts.next_start(chain, settings, work, table, entries, around, index - 1, start, q)
        # Weights matter where errors compete; where the goal can be met they would only slow
        # convergence.
        work.framed = False
        end = method.attempt(chain, work.plain, settings, work, index > around, q)
        if not method.keeps_turns() and nearest_turn(chain, start, q):
            work.framed = False
        for k in range(n):  # rounding may exceed a limit
            inside = min(max(q[k], chain.lower[k]), chain.upper[k])
            work.framed = work.framed and inside == q[k]
            q[k] = inside
        if not work.framed:
            forward.chain_frames(chain, q, work.frames)
        error, position, orientation = tip_residual(chain, work.task, work)
        if not error < INF:  # steps that overflowed
            arrays.copy_to(q, start, n)
            error, position, orientation = residual(chain, work.task, work, q)
        met = (position <= settings.position_tolerance
               and orientation <= settings.orientation_tolerance and end != codes.REFUSED)
        if met and work.touch is not None and not work.touch.is_free(q):
            met, end = False, codes.BLOCKED
        late = end == codes.TIMED_OUT
        work.attempts += 1
        better = work.solutions == 0 and (error < work.error or index == 0)
        if met:
            end = codes.CONVERGED
            cost = selection_cost(chain, work.task, settings, work, start, q)
            better = work.solutions == 0 or cost < work.least_cost
            work.solutions += 1
            work.least_cost = min(work.least_cost, cost)
            if index == 0 and settings.prefer == codes.NEAREST and cost > FAR_MOVED:
                around = guesses_around(chain, settings, work, start)
        elif end == codes.REFUSED:
            end = codes.STALLED
        if better:
            arrays.copy_to(work.best, q, n)
            work.end, work.best_iterations = end, work.iterations
            work.error, work.position, work.orientation = error, position, orientation
        if work.solutions > 0 and (
                settings.prefer == codes.FIRST or work.solutions == codes.SOLUTIONS
                or (settings.prefer == codes.NEAREST and (
                    (index == 0 and around == 0)
                    or nothing_nearer(work, index, around, entries, work.least_cost)))):
            return 0
        if late:
            break
    if work.solutions == 0 and (beyond or late):
        work.end = codes.BEYOND if beyond else codes.TIMED_OUT
    return 0


def guesses_around(chain: ChainRecord, settings: Settings, work: ArmData, q0: Vector) -> int:
    """Return how many restarts begin around q0 (n,): none where the goal is not near its tip."""
    if work.nearby < 0.0:
        _, position, orientation = residual(chain, work.plain, work, q0)
        work.nearby = math.hypot(position / settings.length, orientation)
    return codes.AROUND if work.nearby <= NEARBY else 0


def nothing_nearer(work: ArmData, index: int, around: int, entries: int, distance: float) -> bool:
    """Tell whether no remaining start promises a solution much nearer to q0 than `distance`."""
    if entries == 0 or (index < around and distance > FAR_MOVED):
        return False
    nearest = INF
    for i in range(max(index - around, 0), entries):
        nearest = min(nearest, work.away[i])
    return nearest >= FAR_NEARER * distance


def selection_cost(chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData, q0: Vector,
                   q: Vector) -> float:
    """Return the selection cost of q (n,), at which `residual` was called; the least is best.

    NEAREST: `restarts.joint_distance` from q0 (n,). LIMITS: closeness to the nearest limit, 0 in
    the middle of all, 1 at one. MANIPULABILITY: −log √det(J Jᵀ) of the constrained rows
    [Yoshikawa 1985].
    """
    total, n = 0.0, chain.n
    if settings.prefer == codes.NEAREST:
        total = restarts.joint_distance(settings, n, q0, q)
    elif settings.prefer == codes.LIMITS:
        lower, upper = chain.lower, chain.upper
        for k in range(n):
            half = 0.5 * (upper[k] - lower[k])
            if half > 0.0 and half < INF:
                total = max(total, math.fabs(q[k] - lower[k] - half) / half)
    elif settings.prefer == codes.MANIPULABILITY:
        A = work.A
        rows(chain, task, work)
        linear.gram(work.J, n, A)
        if linear.cholesky(A) == 0.0:
            return INF
        for i in range(6):
            total += math.log(A[i][i])  # the inverse of a pivot's root
    return total


def load_goal(task: TipTask, T_base_goal: InMatrix, weights: InVector) -> None:
    """Write a goal's pose (4, 4), m, and its weights (6,) into a task."""
    for i in range(4):
        for j in range(4):
            task.T[i][j] = float(T_base_goal[i][j])
    for i in range(6):
        task.weights[i] = float(weights[i])
    task.prepare()


def residual(chain: ChainRecord, task: TipTask, work: ArmData, q: Vector) -> tuple[float, float,
             float]:
    """Return (squared weighted error, position error in m, orientation error in rad) at q (n,).

    work.frames are then q's.
    """
    forward.chain_frames(chain, q, work.frames)
    return tip_residual(chain, task, work)


def tip_residual(chain: ChainRecord, task: TipTask, work: ArmData) -> tuple[float, float, float]:
    """Return what `residual` does, of the q whose frames work.frames are."""
    V = work.V
    position, orientation = tasks.task_error(task, work.frames[chain.m], work.R, work.e, V)
    error = 0.0
    for i in range(6):
        error += V[i] * V[i]
    return error, position, orientation


def rows(chain: ChainRecord, task: TipTask, work: ArmData) -> None:
    """Write the Jacobian of the task's rows into work.J, where `residual` was called last."""
    jacobian.chain_jacobian(chain, work.frames, work.frames[chain.m], work.J)
    tasks.task_jacobian(task, work.e, work.R, chain.n, work.J)


def beyond_reach(task: TipTask, settings: Settings) -> bool:
    """Tell whether the tip would have to leave its bounding ball, or enter `settings.hole`.

    Likewise the wrist's ball, where all six axes are constrained.
    """
    T, weights, centre = task.T, task.weights, settings.centre
    squared, whole = 0.0, True
    for j in range(3):
        if weights[j] == 0.0:
            whole = False
            continue
        off = 0.0
        for i in range(3):
            off += T[i][j] * (T[i][3] - centre[i])
        squared += off * off
    slack = settings.position_tolerance + ROUNDING * settings.length
    if squared > ((1.0 + ROUNDING) * settings.reach + slack) ** 2:
        return True
    if not whole:
        return False
    if settings.hole > slack and squared < (settings.hole - slack) ** 2:
        return True
    if task.rows < 6:
        return False
    x, y, z = settings.wrist[0], settings.wrist[1], settings.wrist[2]
    squared = 0.0
    for i in range(3):
        there = T[i][3] + T[i][0] * x + T[i][1] * y + T[i][2] * z
        squared += (there - settings.wrist_centre[i]) ** 2
    allowed = ((1.0 + ROUNDING) * settings.wrist_reach + slack
               + math.sqrt(x * x + y * y + z * z) * settings.orientation_tolerance)
    return squared > allowed * allowed


def nearest_turn(limits: JointLimits, q0: Vector, q: Vector) -> bool:
    """Wrap revolute joints of q in place by whole turns, inside the limits, nearest to q0.

    A joint that a whole turn brings within rounding of a limit is set to that limit. Tell whether
    a joint may have changed.
    """
    lower, upper, turns, wrapped = limits.lower, limits.upper, limits.turns, False
    for k in range(limits.n):
        if not turns[k] or (math.fabs(q0[k] - q[k]) <= PI and lower[k] <= q[k] <= upper[k]):
            continue
        wrapped = True
        count, off = 0.0, min(max(q0[k] - q[k], -FARTHEST), FARTHEST)
        if math.fabs(off) > PI:  # skips the division in the usual case
            count = round(off / TWO_PI)
        least, most = lower[k] - AT_LIMIT, upper[k] + AT_LIMIT
        if q[k] + TWO_PI * count > most:
            count -= 1.0  # usually enough, without a division
            if q[k] + TWO_PI * count > most:
                count = math.floor((most - q[k]) / TWO_PI)
                if q[k] + TWO_PI * count > most:  # by rounding
                    count -= 1.0
        if q[k] + TWO_PI * count < least:
            count += 1.0
            if q[k] + TWO_PI * count < least:
                count = math.ceil((least - q[k]) / TWO_PI)
                if q[k] + TWO_PI * count < least:
                    count += 1.0
        turned = q[k] + TWO_PI * count
        if turned <= most:
            q[k] = min(max(turned, lower[k]), upper[k])
    return wrapped


def into_limits(limits: JointLimits, q: Vector) -> None:
    """Bring q (n,) inside the limits in place: by whole turns where possible, else clipped."""
    nearest_turn(limits, q, q)
    for k in range(limits.n):
        q[k] = min(max(q[k], limits.lower[k]), limits.upper[k])


def is_singular(chain: ChainRecord, length: float, work: ArmData) -> bool:
    """Tell whether at work.best no joint moves the tip along some constrained axis.

    length: that counts as a radian, m.
    """
    J, n, most = work.J, chain.n, min(work.plain.rows, chain.n)  # singular values
    residual(chain, work.plain, work, work.best)
    for i in range(6):
        work.e[i] = 0.0  # axes as they are, whatever the error
    rows(chain, work.plain, work)
    for k in range(n):
        for i in range(3):
            J[k][i] /= length
    largest = linear.row_svd(J, n, work.W, work.U)
    for i in range(6):
        if linear.row_length(work.W, n, i) >= NEARLY_SINGULAR * largest:
            most -= 1
    return most > 0

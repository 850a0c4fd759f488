"""Joint velocities of a twist near singularities, and out of them.

Where a component of a twist u needs joints v at a rate 1/σ, its rate is at most √(ρ A σ/κ), with
the joints' acceleration A and κ = ∂σ/∂v: a constant part ρ of the acceleration is then enough to
keep to it. At σ = 0 joints turn about the direction that moves the tip at second order.
"""

import math

from ik_node.kinematics import forward, jacobian
from ik_node.motion import servo_data
from ik_node.motion.servo_data import ServoData
from ik_node.solvers.kernel import linear, task
from ik_node.spatial import so3
from ik_node.support.arrays import Columns, Vector

LEASH = 0.01       # rad: the largest error that is corrected
RHO = 0.3          # part of the accelerations for the curvature near a singularity
FLOOR = 1e-4       # rad: as if so far from a singularity that is left
GONE = 1e-6        # σ over the largest below which a direction is not served
NEAR = 0.5         # σ over the largest below which curvature matters
PROBE = 1e-4       # rad, for κ
ALONG = 0.3        # part of a direction within the rows that may lose something
NEARER = 0.5       # part of the distance to a singularity that a sample may go
INF = math.inf


def prepare(own: ServoData) -> None:
    """Write the rows of the tip's twist where the joints will be, and their singular values."""
    n, dt = own.n, own.period
    for k in range(n):
        own.near[k] = own.q[k] + own.v[k] * dt + 0.5 * own.a[k] * dt * dt
    weighted_rows(own, own.near, own.J)
    own.largest = linear.row_svd(own.J, n, own.W, own.U)
    own.rank = 0
    for i in range(6):
        own.sigma[i], own.computed[i] = linear.row_length(own.W, n, i), 0
        if own.sigma[i] > GONE * own.largest:
            own.rank += 1
            for k in range(n):
                own.V[i][k] = own.W[k][i] / own.sigma[i]
    forward.chain_frames(own.chain, own.q, own.frames)
    if not own.begun:
        own.begun = True
        for i in range(3):
            for j in range(4):
                own.reference[i][j] = own.frames[own.chain.m][i][j]
        twist_of(own, own.v, own.moving)
        twist_of(own, own.a, own.change)
        for i in range(6):
            own.stray[i], own.stray_change[i] = 0.0, 0.0
    task.pose_error(own.reference, own.frames[own.chain.m], own.R, own.e)
    length2, moving2 = 0.0, 0.0
    for i in range(6):
        own.e[i] *= own.weights[i]
        length2 += own.e[i] * own.e[i]
        moving2 += own.moving[i] * own.moving[i] + own.stray[i] * own.stray[i]
    part = 1.0
    if own.mode == servo_data.REST and moving2 > own.small * own.small:
        part = 0.0  # it is held where it comes to rest
    elif length2 > LEASH * LEASH:
        part = LEASH / math.sqrt(length2)
    for i in range(6):
        own.e[i] *= part
    if own.rank < 6 or part < 1.0:
        if own.rank < 6:
            serve(own, own.e, True)
        if not own.apart and own.kept < 0:
            serve(own, own.moving, False)
            serve(own, own.change, False)
            serve(own, own.stray, False)
            serve(own, own.stray_change, False)
        for i in range(3):
            for j in range(4):
                own.reference[i][j] = own.frames[own.chain.m][i][j]
        displace(own, own.e)


def weighted_rows(own: ServoData, q: Vector, J: Columns) -> None:
    """Write the rows of the twist at q (n,), (6, n): weighted, of velocities over their limits."""
    forward.chain_frames(own.chain, q, own.frames)
    jacobian.chain_jacobian(own.chain, own.frames, own.frames[own.chain.m], J)
    for k in range(own.n):
        for i in range(6):
            J[k][i] *= own.weights[i] * own.most[k]


def twist_of(own: ServoData, v: Vector, y: Vector) -> None:
    """Write the weighted twist (6,) of joint velocities (n,)."""
    for i in range(6):
        y[i] = 0.0
    for k in range(own.n):
        for i in range(6):
            y[i] += own.J[k][i] * v[k] / own.most[k]


def serve(own: ServoData, y: Vector, keeps: bool) -> None:
    """Remove from a weighted twist y (6,) what no joint can do; keeps: but not what is kept."""
    for i in range(6):
        own.part[i] = 0.0
    for i in range(6):
        if own.sigma[i] > GONE * own.largest:
            share = component(own, i, y)
            for j in range(6):
                own.part[j] += share * own.U[j][i]
    for i in range(6):
        if not (keeps and own.kept <= i < own.kept + 3):
            y[i] = own.part[i]


def component(own: ServoData, i: int, y: Vector) -> float:
    """Return the component of a weighted twist (6,) along left singular vector i."""
    total = 0.0
    for j in range(6):
        total += own.U[j][i] * y[j]
    return total


def displace(own: ServoData, y: Vector) -> None:
    """Move the reference pose by a weighted displacement (6,)."""
    X, w = own.reference, own.weights
    for i in range(3):
        X[i][3] += y[i] / w[i]
    x, r, z = y[3] / w[3], y[4] / w[4], y[5] / w[5]
    so3.rotate_by_vector(X, X[0][0] * x + X[1][0] * r + X[2][0] * z,
                         X[0][1] * x + X[1][1] * r + X[2][1] * z,
                         X[0][2] * x + X[1][2] * r + X[2][2] * z)


def curvature(own: ServoData, i: int) -> float:
    """Return κ: how fast singular value i changes along its own direction of the joints."""
    if own.computed[i] == 0:
        own.computed[i] = 1
        own.kappa[i] = change_along(own, i, own.V[i])
    return own.kappa[i]


def change_along(own: ServoData, i: int, d: Vector) -> float:
    """Return the second derivative of the tip along left vector i by a direction (n,) of joints."""
    n, length = own.n, 0.0
    for k in range(n):
        length += (d[k] * own.most[k]) * (d[k] * own.most[k])
    step = PROBE / math.sqrt(length)
    for k in range(n):
        own.trial[k] = own.near[k] + step * d[k] * own.most[k]
    weighted_rows(own, own.trial, own.J_near)
    total = 0.0
    for k in range(n):
        row = 0.0
        for j in range(6):
            row += own.U[j][i] * (own.J_near[k][j] - own.J[k][j])
        total += row * d[k]
    return total / step


def fastest(own: ServoData, i: int, y: float, leaves: bool) -> float:
    """Return how fast joints may move along right singular vector i; y: what is wanted along it.

    leaves: whether they may begin to leave the singularity.
    """
    if own.sigma[i] > NEAR * own.largest:
        return INF
    kappa = curvature(own, i)
    top, room = 0.0, INF
    for k in range(own.n):
        share = math.fabs(own.V[i][k])
        top = max(top, share)
        if share > 1e-9:
            room = min(room, own.acceleration[k] / (own.most[k] * share))
    distance = own.sigma[i] / max(math.fabs(kappa), 1e-9)
    rate = math.sqrt(RHO * room * distance)
    if leaves and kappa * y > 0.0:
        rate = max(rate, math.sqrt(RHO * room * FLOOR))
    else:
        rate = min(rate, NEARER * distance / own.period)
    return min(rate, 1.0 / top)


def invert(own: ServoData, y: Vector, leaves: bool, moves: bool, turns: bool, v: Vector) -> None:
    """Write joint velocities (n,) of a weighted twist y (6,), slower near singularities.

    moves, turns: which rows may lose something so that the others are kept.
    """
    n, part = own.n, own.part
    for i in range(6):
        part[i] = y[i]
    if leaves:
        for _ in range(2):
            for i in range(6):
                reduce(own, i, moves, turns)
    whole = 1.0
    for k in range(n):
        v[k] = 0.0
    for i in range(6):
        if own.sigma[i] > GONE * own.largest:
            share = component(own, i, part)
            c, rate = share / own.sigma[i], fastest(own, i, share, leaves)
            if math.fabs(c) > rate:
                if leaves:
                    whole = min(whole, rate / math.fabs(c))
                else:
                    c = math.copysign(rate, c)
            for k in range(n):
                v[k] += c * own.V[i][k]
    if whole < 1.0:
        own.singular = True
        for k in range(n):
            v[k] *= whole
    if leaves and own.rank < 6:
        for i in range(6):
            if own.sigma[i] <= GONE * own.largest:
                escape(own, i, component(own, i, y), v)
    for k in range(n):
        v[k] *= own.most[k]


def keep_still(own: ServoData, v: Vector) -> None:
    """Remove from joint velocities v (n,) what moves the tip along the axes that are kept."""
    rows, n = own.rows, own.n
    for r in range(3):
        for k in range(n):
            rows[r][k] = own.J[k][own.kept + r]
        length = remove(own, r, rows[r])
        for k in range(n):
            rows[r][k] = rows[r][k] / length if length > 1e-3 * own.largest else 0.0
    for k in range(n):
        v[k] /= own.most[k]
    remove(own, 3, v)
    for k in range(n):
        v[k] *= own.most[k]


def remove(own: ServoData, count: int, v: Vector) -> float:
    """Remove the first of the unit vectors `rows` from v (n,); return how long what is left is."""
    length2 = 0.0
    for r in range(count):
        share = 0.0
        for k in range(own.n):
            share += own.rows[r][k] * v[k]
        for k in range(own.n):
            v[k] -= share * own.rows[r][k]
    for k in range(own.n):
        length2 += v[k] * v[k]
    return math.sqrt(length2)


def reduce(own: ServoData, i: int, moves: bool, turns: bool) -> None:
    """Reduce the twist `part` to what is possible along left singular vector i."""
    part = own.part
    if own.sigma[i] <= GONE * own.largest:
        return
    share = component(own, i, part)
    most = fastest(own, i, share, True) * own.sigma[i]
    if math.fabs(share) <= most:
        return
    own.singular = True
    excess, length2 = share - math.copysign(most, share), 0.0
    for j in range(6):
        if moves if j < 3 else turns:
            length2 += own.U[j][i] * own.U[j][i]
    for j in range(6):
        if length2 < ALONG:
            part[j] *= most / math.fabs(share)
        elif moves if j < 3 else turns:
            part[j] -= own.U[j][i] * excess / length2


def escape(own: ServoData, i: int, y: float, v: Vector) -> None:
    """Add to joint velocities v (n,), over their limits, what leads out of a singularity.

    y: what is wanted along left vector i, which no joint does at first order: one that turns about
    its own direction at second order does.
    """
    n, d, best, chosen = own.n, own.trial_direction, 0.0, -1
    if own.rank >= n or own.rank == 0 or math.fabs(y) < own.small:
        return
    for k in range(n):
        if free_direction(own, k) > 0.3:
            kappa = change_along(own, i, d)
            if kappa * y > best:
                best, chosen = kappa * y, k
    if chosen < 0:
        own.singular = True
        return
    free_direction(own, chosen)
    top, room, along, middle = 0.0, INF, 0.0, 0.0
    for k in range(n):
        share = math.fabs(d[k])
        top = max(top, share)
        along += d[k] * own.v[k] / own.most[k]
        if share > 1e-9:
            room = min(room, own.acceleration[k] / (own.most[k] * share))
            if own.lower[k] > -INF and own.upper[k] < INF:
                middle += d[k] * (0.5 * (own.lower[k] + own.upper[k]) - own.q[k])
    rate = min(math.sqrt(RHO * room * FLOOR), 1.0 / top)
    rate *= min(1.0, math.fabs(y) / (0.05 * own.largest))
    if math.fabs(along) > own.small:
        rate = math.copysign(rate, along)
    elif middle < 0.0:
        rate = -rate
    for k in range(n):
        v[k] += rate * d[k]


def free_direction(own: ServoData, chosen: int) -> float:
    """Write a unit vector along the part of a joint's axis that moves no tip; return its length."""
    n, d = own.n, own.trial_direction
    for k in range(n):
        d[k] = 1.0 if k == chosen else 0.0
    for i in range(6):
        if own.sigma[i] > GONE * own.largest:
            share = own.V[i][chosen]
            for k in range(n):
                d[k] -= share * own.V[i][k]
    length = 0.0
    for k in range(n):
        length += d[k] * d[k]
    length = math.sqrt(length)
    if length > 0.3:
        for k in range(n):
            d[k] /= length
    return length

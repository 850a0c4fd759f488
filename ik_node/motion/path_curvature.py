"""Speeds at which joints can follow the path of a twist, and slow down before it bends or ends.

A path at constant twist needs accelerations J⁺ J̇ q̇ that grow with the square of the speed. As in
time-optimal path parameterisation [Bobrow 1985], the speed at each point of the path ahead has a
limit, and the speed before it one from which the arm can slow down to that.
"""

import math

from ik_node.motion import singularities
from ik_node.motion.servo_data import ServoData
from ik_node.solvers.kernel import linear
from ik_node.support.arrays import Vector

POINTS, LOOK = 8, 0.4  # steps of a path, and s of it, that are looked at
LATE, FADE = 0.05, 2.0  # s until the arm brakes, and times those in which accelerations fade
CURVE, BRAKE = 0.45, 0.4  # parts of the accelerations for curvature, and to slow down before it
SWING = 0.5        # part of the jerks for changes of curvature
MOST = 0.6         # part of the accelerations that is followed, so that the rest changes the twist
LEAST = 0.1        # part of CURVE that curvature may always have
DAMPED = 0.006     # σ over the largest, up to which a direction counts less
STOPPED = 0.01     # square of the part of velocities that counts as stopped by a limit
AFTER = 1e-3       # s, for changes of the rows
TINY = 1e-12       # 1/s
INF = math.inf


def look_ahead(own: ServoData, v: Vector) -> float:
    """Return the part of joint velocities v (n,) from which the arm can slow down in time.

    The path of their twist is followed for LOOK seconds. The arm has to be slow where curvature
    needs too much of the accelerations, or of the jerks, and to stop at a limit of a position.
    """
    n, q, x, before, step = own.n, own.q_near, own.x_near, own.x_before, LOOK / POINTS
    best, brake, late = INF, INF, LATE
    singularities.twist_of(own, v, own.y)
    for k in range(n):
        q[k] = own.near[k]
        late = max(late, LATE + FADE * math.fabs(own.a[k]) * own.period / own.jump[k])
    for point in range(POINTS + 1):
        for k in range(n):
            before[k] = x[k]
        singularities.weighted_rows(own, q, own.J_near)
        follow(own, own.y, x)
        for k in range(n):
            if point == 0:
                own.x_free[k] = v[k] / own.most[k] - x[k]
            x[k] += own.x_free[k]
        if point > 0:
            best = min(best, at_bend(own, point * step, step)
                       + 2.0 * brake * max((point - 1.0) * step - late, 0.0))
        for k in range(n):
            size = math.fabs(x[k])
            if size < TINY:
                continue
            brake = min(brake, BRAKE * own.acceleration[k] / own.most[k] / size)
            d = step * x[k] * own.most[k]
            room = (own.upper[k] if d > 0.0 else own.lower[k]) - q[k]
            if math.fabs(d) >= math.fabs(room) and room * d >= 0.0:
                at_end = 2.0 * brake * max(step * (point + room / d) - late, 0.0)
                own.at_limit[k] = own.at_limit[k] or at_end < STOPPED
                best = min(best, at_end)
            q[k] += d
    return math.sqrt(best)


def follow(own: ServoData, y: Vector, x: Vector) -> None:
    """Write joint velocities over their limits, x (n,), of a twist y (6,): Jᵀ (J Jᵀ + λ²)⁻¹ y."""
    damping = DAMPED * own.largest
    linear.gram(own.J_near, own.n, own.U_near)
    for i in range(6):
        own.U_near[i][i] += damping * damping
    linear.cholesky(own.U_near)
    linear.cholesky_solve(own.U_near, y, own.z_near)
    linear.times_transpose(own.J_near, own.n, own.z_near, x)


def at_bend(own: ServoData, time: float, step: float) -> float:
    """Return the square of the part of a speed that curvature between two points of a path admits.

    time: until the second one, s.
    """
    best = INF
    for k in range(own.n):
        change = (own.x_near[k] - own.x_before[k]) / step
        if math.fabs(change) > TINY:
            most = CURVE * own.acceleration[k] / own.most[k]
            swing = SWING * own.jump[k] / own.period * (time - 0.5 * step)
            swing = (math.copysign(own.bend[k], own.bend[k] * change) + swing) / own.most[k]
            best = min(best, min(most, max(swing, LEAST * most)) / math.fabs(change))
    return best


def write_curvature(own: ServoData) -> None:
    """Write accelerations (n,) that keep the present twist of the tip, or less, into `bend`."""
    for k in range(own.n):
        own.trial[k] = own.near[k] + AFTER * own.v[k]
    singularities.weighted_rows(own, own.trial, own.J_near)
    for i in range(6):
        own.part[i] = 0.0
        for k in range(own.n):
            own.part[i] += (own.J[k][i] - own.J_near[k][i]) * own.v[k] / own.most[k] / AFTER
    follow(own, own.part, own.bend)
    part = 1.0
    for k in range(own.n):
        most = MOST * own.acceleration[k] / own.most[k]
        if math.fabs(own.bend[k]) > most:
            part = min(part, most / math.fabs(own.bend[k]))
    for k in range(own.n):
        own.bend[k] *= part * own.most[k]

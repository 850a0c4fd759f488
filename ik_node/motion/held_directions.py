"""Samples in levels: what is not commanded is held first, then joints move as commanded.

The twist passes from the present one to that of the command in the directions of both, and of its
change; the others are held. The reference pose moves along the former only, so that an error of the
others is corrected.
"""

import math

from ik_node.motion import braking, servo_data, singularities
from ik_node.motion.servo_data import ServoData
from ik_node.solvers.kernel.qp import hierarchical_qp as cascades
from ik_node.support.arrays import Vector

DAMPING, SINGULAR = 1e-6, 1e-4
LAST = 0.5         # of the speed, below which joints brake each for itself
SLOWER, RECOVERY = 0.9, 0.2  # a sample, where something cannot be held; s to full speed
GONE = 1e-9        # σ over the largest that is zero in all configurations
STRAIGHT = 0.05    # σ over the largest below which the tip need not move straight
HELD, LOST = 1e-6, 1e-3  # rad/s


def levels(own: ServoData) -> None:
    """Write the rows of the levels: of directions that are held, and of joints."""
    n, basis, rest = own.n, own.basis, own.rest
    singularities.twist_of(own, own.v_command, own.y)
    free = may_turn(own)
    for i in range(6):
        if (own.apart or own.kept >= 0) and not (own.moves if i < 3 else own.turns):
            own.y[i] = 0.0
    singularities.twist_of(own, own.v_held, own.y_held)
    own.directions = 0
    add_direction(own, own.y, 1.0)
    add_direction(own, own.moving, 1.0)
    add_direction(own, own.change, own.period)
    if free:
        for i in range(6):
            own.part[i] = 0.0
        for i in range(6):
            if moves_along(own, i - i % 3):
                own.part[i] = 1.0
                add_direction(own, own.part, 1.0)
                own.part[i] = 0.0
    own.intended = own.directions
    add_direction(own, own.stray, 1.0)
    add_direction(own, own.stray_change, own.period)
    complete(own)
    if own.mode == servo_data.POSE:  # which says where all directions go
        own.directions, own.intended = 6, 6
    singularities.twist_of(own, own.v, own.part)
    for i in range(6):
        own.demand[i] = own.y[i] + own.y_held[i] - own.part[i]
    for row in range(6 + n):
        rest[row] = 0.0
        for k in range(n):
            own.A[k][row] = 0.0
    for r in range(own.directions, 6):
        row = r - own.directions
        for i in range(6):
            rest[row] += basis[r][i] * own.demand[i]
            for k in range(n):
                own.A[k][row] += basis[r][i] * own.J[k][i]
        length2 = 0.0
        for k in range(n):
            length2 += own.A[k][row] * own.A[k][row]
        if length2 < (GONE * own.largest) * (GONE * own.largest):  # no joint moves it: rounding
            rest[row] = 0.0
            for k in range(n):
                own.A[k][row] = 0.0
    for k in range(n):
        own.A[k][6 + k] = 1.0
        rest[6 + k] = own.next_a[k] * own.period / own.most[k]


def may_turn(own: ServoData) -> bool:
    """Tell whether the tip need not move straight: near a singularity, and with few joints."""
    own.most_rank = max(own.most_rank, own.rank)
    near = own.rank < own.most_rank
    for i in range(6):
        near = near or GONE * own.largest < own.sigma[i] < STRAIGHT * own.largest
    return (near and own.apart) or own.kept >= 0


def moves_along(own: ServoData, first: int) -> bool:
    """Tell whether the tip moves, or is to move, along three axes: 0: it translates, 3: rotates."""
    length2 = 0.0
    for i in range(first, first + 3):
        length2 += own.y[i] * own.y[i] + own.moving[i] * own.moving[i] + (
            own.period * own.change[i]) * (own.period * own.change[i])
    return length2 > own.small * own.small


def add_direction(own: ServoData, y: Vector, factor: float) -> None:
    """Add the direction of a weighted twist (6,) times a factor to the basis, where it is new."""
    basis, row = own.basis, own.directions
    if row == 6:
        return
    for i in range(6):
        basis[row][i] = factor * y[i]
    if independent(own, row) > own.small:
        own.directions += 1


def independent(own: ServoData, row: int) -> float:
    """Make a row of the basis a unit vector across those before; return how long it was there."""
    basis, length = own.basis, 0.0
    for _ in range(2):
        for r in range(row):
            share = 0.0
            for i in range(6):
                share += basis[r][i] * basis[row][i]
            for i in range(6):
                basis[row][i] -= share * basis[r][i]
    for i in range(6):
        length += basis[row][i] * basis[row][i]
    length = math.sqrt(length)
    if length > 0.0:
        for i in range(6):
            basis[row][i] /= length
    return length


def complete(own: ServoData) -> None:
    """Complete the basis of twists by directions across those of the motion."""
    basis, row = own.basis, own.directions
    for _ in range(6 - own.directions):
        chosen, most = 0, -1.0
        for i in range(6):
            left = 1.0
            for r in range(row):
                left -= basis[r][i] * basis[r][i]
            if left > most:
                chosen, most = i, left
        for i in range(6):
            basis[row][i] = 1.0 if i == chosen else 0.0
        independent(own, row)
        row += 1


def solve(own: ServoData) -> None:
    """Write the next velocities into x (n,)."""
    n, dt = own.n, own.period
    cascades.factor(own.cascade, 2, own.A, own.rest, DAMPING, SINGULAR)
    bounded(own, own.soft_low, own.soft_high)
    if not_held(own) > 1e-9:
        for k in range(n):
            own.rest[6 + k] = own.x[k]
        bounded(own, own.low, own.high)
    residual, stray2 = not_held(own), 0.0
    own.holds = residual <= LOST
    for i in range(6):
        stray2 += own.stray[i] * own.stray[i]
    if residual > HELD:
        own.slowed = max(SLOWER * own.slowed, 0.02)
    elif stray2 < own.small * own.small:  # else what is lost has not come to rest
        own.slowed = min(own.slowed + dt / RECOVERY, 1.0)
    for k in range(n):
        if own.holds or own.slowed > LAST:
            own.x[k] = own.v[k] + own.most[k] * own.x[k]
        else:
            own.x[k] = own.v[k] + dt * braking.stopping(
                own.v[k], own.a[k], own.acceleration[k], own.jump[k], dt)


def bounded(own: ServoData, low: Vector, high: Vector) -> None:
    """Write the step of the levels into x (n,), over the largest velocities, within bounds."""
    for k in range(own.n):
        own.below[k] = low[k] * own.period / own.most[k]
        own.above[k] = high[k] * own.period / own.most[k]
    cascades.solve(own.cascade, own.rest, own.below, own.above, own.x)


def not_held(own: ServoData) -> float:
    """Return the largest residual of the directions that are held, rad/s."""
    most = 0.0
    for row in range(6):
        total = own.rest[row]
        for k in range(own.n):
            total -= own.A[k][row] * own.x[k]
        most = max(most, math.fabs(total))
    return most


def move_reference(own: ServoData) -> None:
    """Move the reference pose as the tip moved along the directions of the command.

    What could not be held moves, too: it comes to rest before it is corrected.
    """
    dt = own.period
    singularities.twist_of(own, own.v, own.demand)
    for i in range(6):
        own.demand[i] -= own.y_held[i]
    project(own, 0, own.intended)
    settle(own, own.part, own.small)
    for i in range(6):
        own.change[i] = (own.part[i] - own.moving[i]) / dt
        own.e[i] = 0.5 * dt * (own.part[i] + own.moving[i])
        own.moving[i] = own.part[i]
    settle(own, own.change, own.small / dt)
    if own.holds:
        project(own, own.intended, own.directions)
    else:
        for i in range(6):
            own.part[i] = own.demand[i] - own.moving[i]
    for i in range(6):
        own.stray_change[i] = (own.part[i] - own.stray[i]) / dt
        own.stray[i] = own.part[i]
    singularities.displace(own, own.e)


def project(own: ServoData, first: int, end: int) -> None:
    """Write the part of the twist `demand` (6,) along some rows of the basis into `part`."""
    for i in range(6):
        own.part[i] = 0.0
    for r in range(first, end):
        share = 0.0
        for i in range(6):
            share += own.basis[r][i] * own.demand[i]
        for i in range(6):
            own.part[i] += share * own.basis[r][i]


def settle(own: ServoData, y: Vector, small: float) -> None:
    """Set the translation, or the rotation, of a weighted twist (6,) to zero where it is small."""
    for first in range(0, 6, 3):
        length2 = 0.0
        for i in range(first, first + 3):
            length2 += y[i] * y[i]
        if length2 < small * small:
            for i in range(first, first + 3):
                y[i] = 0.0

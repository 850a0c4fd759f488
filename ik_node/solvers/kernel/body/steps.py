"""Steps of a body's joint values: their bounds, their scratch, and damped least squares within.

Of the two normal equations the smaller one is solved. Rows of arms and legs that share no joints
have no entry in common: zeros are left out of the products, and of the factor.
"""

import math
from typing import Any

from ik_node.kinematics.joint_limits import JointLimits
from ik_node.support import arrays, linear_systems
from ik_node.support.arrays import Integers, Matrix, Memory, Vector

INF = math.inf
ROUNDS = 12  # changes of the active one-sided rows in one step


class Limits(JointLimits):
    """Limits of q and of its steps, (n,) each.

    - `speed`: velocity limits, rad/s or m/s.
    - `step`: largest change in one step; infinite for entries in metres.
    - `scale`: 1/√weight of each joint, in which steps are measured.
    - `floats`: whether q[3:6] is the rotation vector of a floating root.
    """

    def __init__(self, body: Any, step: Any, scale: Any) -> None:
        super().__init__(body)
        self.floats = body.root == 'floating'
        self.speed = self.memory.vector(body.velocity_limits)
        self.step, self.scale = self.memory.vector(step), self.memory.vector(scale)


class StepData:
    """Scratch for steps: m rows over n entries of q.

    - `A` (n, m), `e` (m,): the rows, A x = e is wanted; `A_trial`, `e_trial`: those after a step.
    - `x`: (n,) the step; `lower`, `upper` (n,) are its bounds.
    """

    def __init__(self, n: int, m: int) -> None:
        self.memory = memory = Memory()
        self.n, larger = n, max(n, m)
        self.A, self.A_trial = memory.matrix(n, m), memory.matrix(n, m)
        self.G = memory.matrix(larger, larger)
        self.e, self.e_trial = memory.zeros(m), memory.zeros(m)
        self.e_here, self.e_wanted = memory.zeros(m), memory.zeros(m)
        self.left, self.rest = memory.zeros(m), memory.zeros(m)
        self.values, self.y = memory.zeros(m), memory.zeros(larger)
        self.x, self.trial = memory.zeros(n), memory.zeros(n)
        self.lower, self.upper = memory.zeros(n), memory.zeros(n)
        self.active, self.rows = memory.integer_zeros(m), memory.integer_zeros(m)
        self.places, self.columns = memory.integer_zeros(m), memory.integer_zeros(n)
        self.free, self.freed = memory.integer_zeros(n), memory.integer_zeros(n)


def set_bounds(limits: Limits, work: StepData, q: Vector, dt: float, most: float) -> None:
    """Write the bounds of a step of dt seconds from q (n,), no longer than `most`, into work."""
    for k in range(work.n):
        own = min(limits.speed[k] * dt, limits.step[k])
        low = min(max(limits.lower[k] - q[k], -own), own)
        high = min(max(limits.upper[k] - q[k], -own), own)
        low = max(low, -most)
        work.lower[k] = low / limits.scale[k]
        work.upper[k] = max(min(high, most), low) / limits.scale[k]


def set_region(limits: Limits, work: StepData, q: Vector, radius: float) -> None:
    """Write the bounds of a step from q (n,), inside the limits, within a trust region."""
    for k in range(work.n):
        most = min(limits.step[k], radius)
        work.lower[k] = max(limits.lower[k] - q[k], -most) / limits.scale[k]
        work.upper[k] = min(limits.upper[k] - q[k], most) / limits.scale[k]


def scale_columns(limits: Limits, A: Matrix, m: int) -> None:
    """Multiply the rows A (n, m) of joint values by the scale of the joints."""
    for k in range(limits.n):
        if limits.scale[k] != 1.0:
            for i in range(m):
                A[k][i] *= limits.scale[k]


def write_left(A: Matrix, x: Vector, e: Vector, n: int, m: int, left: Vector) -> None:
    """Write e − A x into left (m,)."""
    arrays.copy_to(left, e, m)
    for k in range(n):
        if x[k] != 0.0:
            for i in range(m):
                left[i] -= A[k][i] * x[k]


def inside(limits: Limits, k: int, q: float, x: float, dt: float) -> float:
    """Return the velocity of joint k for a step x: q + dt · velocity is inside its limits.

    Rounding does not carry it beyond one, unless q itself is.
    """
    own, scale, speed = min(limits.speed[k] * dt, limits.step[k]), limits.scale[k], limits.speed[k]
    lower, upper = limits.lower[k], limits.upper[k]
    step = max(scale * x, min(max(lower - q, -own), own))
    step = min(step, min(max(upper - q, -own), own))
    velocity = min(max(step / dt, -speed), speed)
    digits = 1.0
    for _ in range(3):
        end = q + dt * velocity
        last = digits * (math.nextafter(math.fabs(end), INF) - math.fabs(end)) / dt
        if end > upper and q <= upper:
            velocity -= last
        elif end < lower and q >= lower:
            velocity += last
        else:
            break
        digits *= 2.0
    return velocity


def bounded_step(work: StepData, m: int, some_one_sided: bool, one_sided: Integers,
                 damping2: float) -> None:
    """Write into work.x the step that minimises |A x − e|² + λ² |x|² within bounds.

    A (n, m) = work.A, e = work.e; one_sided (m,): whether A x ≥ e is all that a row asks for, where
    there are some.
    """
    A, e, x, active, n = work.A, work.e, work.x, work.active, work.n
    for i in range(m):
        active[i] = not some_one_sided or not one_sided[i] or e[i] > 0.0
    for _ in range(ROUNDS):
        locked_solve(work, m, damping2)
        if not some_one_sided:
            return
        changed = False
        for i in range(m):
            if not one_sided[i]:
                continue
            left = e[i]
            for k in range(n):
                left -= A[k][i] * x[k]
            now = left > 0.0 or (active[i] != 0 and left > -1e-9 * math.fabs(e[i]))
            if now != active[i]:
                changed = True
                active[i] = now
        if not changed:
            return


def locked_solve(work: StepData, m: int, damping2: float) -> None:
    """Solve for the active rows; joints beyond a bound are locked there, and freed again once."""
    x, lower, upper, free, n = work.x, work.lower, work.upper, work.free, work.n
    for k in range(n):
        free[k], work.freed[k], x[k] = True, False, 0.0
    for turn in range(2 * n + 1):
        free_solve(work, m, damping2)
        beyond = False
        for k in range(n):
            if free[k] and (x[k] < lower[k] or x[k] > upper[k]):
                beyond = True
                free[k], x[k] = False, min(max(x[k], lower[k]), upper[k])
        if beyond:
            continue
        if turn == 0 or not freed_again(work, m, damping2):
            break
    for k in range(n):
        x[k] = min(max(x[k], lower[k]), upper[k])


def freed_again(work: StepData, m: int, damping2: float) -> bool:
    """Free the joints that the gradient pulls away from their bound; tell whether there are any."""
    A, e, x, left, active = work.A, work.e, work.x, work.left, work.active
    lower, upper, free, freed, n = work.lower, work.upper, work.free, work.freed, work.n
    for i in range(m):
        left[i] = -e[i] if active[i] else 0.0
    for k in range(n):
        if x[k] != 0.0:
            for i in range(m):
                if active[i]:
                    left[i] += A[k][i] * x[k]
    found = False
    for k in range(n):
        if free[k] or freed[k] or not lower[k] < upper[k]:
            continue
        gradient = damping2 * x[k]
        for i in range(m):
            gradient += A[k][i] * left[i]
        if (gradient < -1e-12 and x[k] <= lower[k]) or (gradient > 1e-12 and x[k] > lower[k]):
            free[k], freed[k], found = True, True, True
    return found


def free_solve(work: StepData, m: int, damping2: float) -> None:
    """Write the free entries of x: (AᵀA + λ²)⁻¹ Aᵀ (e − what the locked ones do)."""
    A, e, x, free, active = work.A, work.e, work.x, work.free, work.active
    G, y, rest, rows, columns = work.G, work.y, work.rest, work.rows, work.columns
    count, width = 0, 0
    for i in range(m):
        if active[i]:
            rows[count] = i
            rest[count] = e[i]
            count += 1
    for k in range(work.n):
        if free[k]:
            columns[width] = k
            width += 1
        elif x[k] != 0.0:
            for a in range(count):
                rest[a] -= A[k][rows[a]] * x[k]
    if width == 0:
        return
    if count > width:
        for a in range(width):
            p = columns[a]
            for b in range(a + 1):
                total, k = 0.0, columns[b]
                for i in range(count):
                    total += A[p][rows[i]] * A[k][rows[i]]
                G[a][b] = total
            total = 0.0
            for i in range(count):
                total += A[p][rows[i]] * rest[i]
            y[a] = total
        linear_systems.damped_solve(G, y, width, damping2)
        for a in range(width):
            x[columns[a]] = y[a]
        return
    gram(work, width, count)
    for a in range(count):
        y[a] = rest[a]
    linear_systems.damped_solve(G, y, count, damping2)
    for b in range(width):
        k, total = columns[b], 0.0
        for a in range(count):
            total += A[k][rows[a]] * y[a]
        x[k] = total


def gram(work: StepData, width: int, count: int) -> None:
    """Write Σ a aᵀ over the free columns of the active rows into G, lower triangle."""
    A, G, rows, values = work.A, work.G, work.rows, work.values
    for a in range(count):
        for b in range(a + 1):
            G[a][b] = 0.0
    for c in range(width):
        k, filled = work.columns[c], 0
        for a in range(count):
            value = A[k][rows[a]]
            if value != 0.0:
                work.places[filled], values[filled] = a, value
                filled += 1
        for a in range(filled):
            value, p = values[a], work.places[a]
            for b in range(a + 1):
                G[p][work.places[b]] += value * values[b]

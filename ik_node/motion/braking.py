"""One joint in steps of equal length, each of constant acceleration: how it brakes, and may go on.

From one step to the next the acceleration changes by at most the jerk times the length of a step.
A state is safe where the joint can stop before a limit of its position; the accelerations that lead
to safe states are an interval, which holds that of the stop itself, so that it is never empty.
"""

import math

HALVINGS = 14  # of an interval of accelerations
STEPS = 100_000


def gentle(difference: float, jump: float, dt: float) -> float:
    """Return the largest acceleration that reaches a velocity at rest, and does not exceed it.

    difference: between that velocity and the present one; jump: by how much the acceleration may
    change from one step of dt seconds to the next, until it is zero.
    """
    e = math.fabs(difference)
    m = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * e / (jump * dt)) - 1.0))
    return math.copysign((e / dt + 0.5 * jump * m * (m + 1.0)) / (m + 1.0), difference)


def faded(acceleration: float, jump: float, dt: float) -> float:
    """Return the change of velocity while an acceleration, ≥ 0, fades; inverse of `gentle`."""
    m = math.floor(acceleration / jump)
    return dt * ((m + 1.0) * acceleration - 0.5 * jump * m * (m + 1.0))


def within(value: float, middle: float, radius: float) -> float:
    """Return the nearest value that is at most a radius from the middle."""
    return min(max(value, middle - radius), middle + radius)


def stopping(v: float, a: float, most: float, jump: float, dt: float) -> float:
    """Return the acceleration of the next step of a stop; most: the largest one."""
    return within(within(-gentle(v, jump, dt), a, jump), 0.0, most)


def peak(q: float, v: float, a: float, most: float, jump: float, dt: float) -> float:
    """Return the highest position during a stop from q with velocity v and acceleration a."""
    top = q
    for _ in range(STEPS):
        if v <= 0.0 and (a <= 0.0 or v + faded(max(a - jump, 0.0), jump, dt) <= 0.0):
            return max(top, q)
        w = max(a - jump, -most)
        if v > 0.0 and w < 0.0 and v <= faded(-w, jump, dt):
            if a + jump >= -gentle(v, jump, dt):
                return max(top, q + fading(v, jump, dt))
            w = a + jump  # it brakes harder than it has to
        count = 1.0
        if w == -most and a == w:
            count = max(math.floor((v - faded(most, jump, dt)) / (most * dt)), 1.0)
        t = count * dt
        end = v + w * t
        if end <= 0.0 < v:
            return max(top, q - 0.5 * v * v / w)
        q += 0.5 * (v + end) * t
        v, a = end, w
    return q


def fading(v: float, jump: float, dt: float) -> float:
    """Return how far a joint goes from velocity v > 0 while its deceleration fades to rest."""
    x = gentle(v, jump, dt)
    m = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * v / (jump * dt)) - 1.0))
    lost = x * m * (m + 1.0) / 2.0 - jump * (m - 1.0) * m * (m + 1.0) / 6.0
    return dt * (0.5 * v + m * v - dt * lost)


def highest(q: float, v: float, a: float, top: float, upper: float, most: float, jump: float,
            dt: float) -> float:
    """Return the largest acceleration of the next step, at most `top`, that is safe below `upper`.

    It is at least that of a stop. A stop that leads beyond the limit may go as far as it does.
    """
    limit, least = max(upper, peak(q, v, a, most, jump, dt)), stopping(v, a, most, jump, dt)
    if after(q, v, top, most, jump, dt) <= limit:
        return top
    if least >= top:
        return least
    for _ in range(HALVINGS):
        middle = 0.5 * (least + top)
        if after(q, v, middle, most, jump, dt) <= limit:
            least = middle
        else:
            top = middle
    return least


def after(q: float, v: float, a: float, most: float, jump: float, dt: float) -> float:
    """Return the highest position of a step of acceleration a and of the stop that follows it."""
    w = v + a * dt
    there = q + 0.5 * (v + w) * dt
    return max(max(q, there), peak(there, w, a, most, jump, dt))


def furthest(v: float, most: float, jump: float, dt: float) -> float:
    """Return a bound of how far a joint goes in a step and a stop, whose velocities are up to v.

    The acceleration fades, from the largest one, then the joint brakes.
    """
    return v * (0.5 * v / most + 1.5 * most * dt / jump + 4.0 * dt)

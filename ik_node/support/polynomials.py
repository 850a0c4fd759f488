"""Real roots of polynomials, and of a conic in (cosine, sine).

An equation that misses a solution by less than a slack returns the nearest value.
"""

import math

from ik_node.support.arrays import Pose, Vector


def solve_quadratic(a: float, b: float, c: float, slack: float) -> tuple[int, float, float]:
    """Solve a x² + b x + c = 0 for its real roots: (count, x₁, x₂).

    A discriminant below zero by less than `slack` b²-sized terms counts as zero.
    """
    size = max(math.fabs(a), math.fabs(b), math.fabs(c))
    if size == 0.0:
        return 0, 0.0, 0.0
    if math.fabs(a) <= 1e-14 * size:
        if math.fabs(b) <= 1e-14 * size:
            return 0, 0.0, 0.0
        return 1, -c / b, -c / b
    discriminant = b * b - 4.0 * a * c
    if discriminant <= 0.0:
        near = -discriminant <= slack * (b * b + math.fabs(4.0 * a * c))
        return (1 if near else 0), -0.5 * b / a, -0.5 * b / a
    # The root that does not cancel first, the other by x₁ x₂ = c/a.
    half = -0.5 * (b + math.copysign(math.sqrt(discriminant), b))
    return 2, half / a, (c / half if half != 0.0 else half / a)


def solve_quartic(e4: float, e3: float, e2: float, e1: float, e0: float, slack: float,
                  roots: Vector) -> int:
    """Write the real roots of e4 x⁴ + … + e0 = 0 into roots (4,); return how many [Ferrari].

    A pair of complex roots whose imaginary part is small against `slack` counts as a double root.
    """
    size = max(math.fabs(e4), math.fabs(e3), math.fabs(e2), math.fabs(e1), math.fabs(e0))
    if size == 0.0:
        return 0
    if math.fabs(e4) <= 1e-13 * size:
        return _solve_cubic(e3, e2, e1, e0, size, slack, roots)
    b, c, d, e = e3 / e4, e2 / e4, e1 / e4, e0 / e4
    # x = y − b/4:  y⁴ + p y² + q y + r
    p = c - 0.375 * b * b
    q = d - 0.5 * b * c + 0.125 * b * b * b
    r = e - 0.25 * b * d + 0.0625 * b * b * c - 3.0 / 256.0 * b * b * b * b
    # (y² + p/2 + m)² = 2m y² − q y + m² + pm + p²/4 − r is a square for a root m > 0 of
    # 8m³ + 8p m² + (2p² − 8r) m − q² = 0; the largest, which is the best conditioned.
    m = _largest_cubic_root(p, 0.25 * p * p - r, -0.125 * q * q)
    count = 0
    shift = -0.25 * b
    scale = max(math.fabs(p), math.sqrt(math.fabs(r)), 1e-300)
    if m <= 1e-14 * scale:  # q = 0, a biquadratic: y² from a quadratic
        found, first, second = solve_quadratic(1.0, p, r, slack)
        for k in range(found):
            y2 = first if k == 0 else second
            if y2 >= -slack * scale:
                y = math.sqrt(max(y2, 0.0))
                roots[count] = shift + y
                roots[count + 1] = shift - y
                count += 2
    else:
        w = math.sqrt(2.0 * m)
        for k in range(2):
            sign = 1.0 if k == 0 else -1.0
            found, first, second = solve_quadratic(
                1.0, sign * w, 0.5 * p + m - sign * 0.5 * q / w, slack)
            for i in range(found):
                roots[count] = shift + (first if i == 0 else second)
                count += 1
    for k in range(count):
        roots[k] = _newton_root(e4, e3, e2, e1, e0, roots[k])
    return count


def _newton_root(e4: float, e3: float, e2: float, e1: float, e0: float, x: float) -> float:
    """Return a root refined by Newton steps, as long as they reduce the residual."""
    value = (((e4 * x + e3) * x + e2) * x + e1) * x + e0
    for _ in range(4):
        slope = ((4.0 * e4 * x + 3.0 * e3) * x + 2.0 * e2) * x + e1
        if slope == 0.0:
            break
        there = x - value / slope
        after = (((e4 * there + e3) * there + e2) * there + e1) * there + e0
        if not math.fabs(after) < math.fabs(value):
            break
        x, value = there, after
    return x


def _solve_cubic(e3: float, e2: float, e1: float, e0: float, size: float, slack: float,
                 roots: Vector) -> int:
    """Write the real roots of a cubic into roots; return how many."""
    if math.fabs(e3) <= 1e-13 * size:
        count, first, second = solve_quadratic(e2, e1, e0, slack)
        roots[0], roots[1] = first, second
        return count
    roots[0] = _largest_cubic_root(e2 / e3, e1 / e3, e0 / e3)
    # Without that root:  x² + (b + x₀) x + (c + (b + x₀) x₀)
    b = e2 / e3 + roots[0]
    count, first, second = solve_quadratic(1.0, b, e1 / e3 + b * roots[0], slack)
    roots[1], roots[2] = first, second
    for k in range(count + 1):
        roots[k] = _newton_root(0.0, e3, e2, e1, e0, roots[k])
    return count + 1


def _largest_cubic_root(b: float, c: float, d: float) -> float:
    """Return the largest real root of x³ + b x² + c x + d [Viète; Cardano], refined."""
    p = (c - b * b / 3.0) / 3.0
    q = 0.5 * (2.0 * b * b * b / 27.0 - b * c / 3.0 + d)
    discriminant = q * q + p * p * p
    if discriminant < 0.0:
        length = math.sqrt(-p)
        cosine = min(max(-q / (length * length * length), -1.0), 1.0)
        x = 2.0 * length * math.cos(math.acos(cosine) / 3.0)
    else:
        root = -math.copysign((math.fabs(q) + math.sqrt(discriminant)) ** (1.0 / 3.0), q)
        x = root - p / root if root != 0.0 else 0.0
    return _newton_root(0.0, 1.0, b, c, d, x - b / 3.0)


def solve_conic(a: float, b: float, d: float, e: float, g: float, k: float, slack: float,
                rotations: Pose) -> int:
    """Solve a c² + 2b cs + d s² + e c + g s + k = 0 for rotations (c, s); return how many.

    Writes them into rotations (4, 2); row 4 is scratch. By the tangent of half the angle, which is
    infinite at half a turn: measured from where the left side is farthest from zero, no solution is
    near there.
    """
    size = max(math.fabs(a), math.fabs(b), math.fabs(d), math.fabs(e), math.fabs(g), math.fabs(k))
    if size == 0.0:
        return 0
    best, c0, s0 = -1.0, 1.0, 0.0
    for i in range(5):
        c, s = math.cos(1.3 * i), math.sin(1.3 * i)
        value = math.fabs(a * c * c + 2.0 * b * c * s + d * s * s - e * c - g * s + k)
        if value > best:
            best, c0, s0 = value, c, s
    # In the frame rotated by (c0, s0): c = c0 C − s0 S, s = s0 C + c0 S.
    A = a * c0 * c0 + 2.0 * b * c0 * s0 + d * s0 * s0
    D = a * s0 * s0 - 2.0 * b * c0 * s0 + d * c0 * c0
    B = (d - a) * c0 * s0 + b * (c0 * c0 - s0 * s0)
    E = e * c0 + g * s0
    G = g * c0 - e * s0
    # C = (1 − x²)/(1 + x²), S = 2x/(1 + x²)
    count = solve_quartic(A - E + k, 2.0 * G - 4.0 * B, 4.0 * D - 2.0 * A + 2.0 * k,
                          2.0 * G + 4.0 * B, A + E + k, slack, rotations[4])
    for i in range(count):
        x = rotations[4][i]
        C, S = (1.0 - x * x) / (1.0 + x * x), 2.0 * x / (1.0 + x * x)
        rotations[i][0], rotations[i][1] = c0 * C - s0 * S, s0 * C + c0 * S
    return count

"""Intervals of swivel angles that keep every joint of a 7R arm within its limits.

Along the circle of swivel angles, R₁R₂R₃ and (R₅R₆R₇)ᵀ are fixed rotations after a rotation about
the line: R = Xᵀ Rot(n, ψ) Y, n the line or its opposite. A joint of the three is at a limit L where
a sinusoid of ψ has a certain value [after Shimizu et al. 2008, who have it for axes at right
angles]. With gᵢ = X hᵢ and kᵢ = Y hᵢ:

    first   R(g₁, L) g₂ · Rot k₃ = h₂·h₃
    second  g₁ · Rot k₃ = h₁·R(h₂, L) h₃
    third   g₁ · Rot R(k₃, −L) k₂ = h₁·h₂

and the second has an angle at all between the extremes of h₁·R(h₂, θ₂) h₃. These roots cut the
circle; each piece is inside the limits or outside as a whole, and is tested in its middle.
"""

import math

from ik_node._jit import Matrix, Vector, inline, njit
from ik_node.solvers.analytic.families.swivel import (
    middle_rotation,
    shoulder_rotation,
    swivel_elbows,
)
from ik_node.solvers.analytic.subproblems.equations import rotation_between, solve_sinusoid
from ik_node.solvers.analytic.subproblems.rotation_triple import ALIGNED
from ik_node.solvers.analytic.subproblems.vector3 import (
    Motion,
    Vector3,
    cross,
    dot,
    norm,
    rotated,
    rotated_by,
    row,
    times,
)

_MOST_CUTS = 40       # 2 × (3 joints × 2 limits + 2 extremes) × 2 roots, and those of aligned axes
MOST_INTERVALS = 8 * (_MOST_CUTS // 2)
INTERVAL_SCRATCH = 7 * 8 + 2 * _MOST_CUTS

_INSIDE = 1e-12       # rad: excess over a limit by rounding
_LEAST = 1e-12        # rad: shorter intervals are dropped


@njit
def swivel_intervals(axes: Matrix, points: Matrix, M: Motion, lower: Vector, upper: Vector,
                     size: float, slack: float, scratch: Vector, out: Matrix) -> int:
    """Write the intervals of each branch within the limits into out (MOST_INTERVALS, 5).

    Returns how many rows: the signs of elbow, shoulder and wrist as in `swivel.swivel_branch`, and
    from and to, rad: −π ≤ from ≤ π, from < to ≤ from + 2π, so that one that goes round through π
    has its end beyond. A branch without a bound has −π and π. lower, upper (7,): rad, ±inf for
    none; a range of a full turn is none, and whole turns make no difference. The other arguments
    are those of `swivel.swivel_configurations`; scratch (INTERVAL_SCRATCH,).
    """
    bounds = scratch[:56].reshape((7, 8))
    cuts, inside = scratch[56:56 + _MOST_CUTS], scratch[56 + _MOST_CUTS:]
    for j in range(7):
        _write_bounds(lower[j], upper[j], bounds[j])
    line, reference, count, ca, sa, cb, sb = swivel_elbows(axes, points, M, size, slack)
    h1, h2, h3, h4 = row(axes, 0), row(axes, 1), row(axes, 2), row(axes, 3)
    h5, h6, h7 = row(axes, 4), row(axes, 5), row(axes, 6)
    rows = 0
    for elbow in range(count):
        c4, s4 = (ca, sa) if elbow == 0 else (cb, sb)
        if not _is_inside(bounds[3], c4, s4):
            continue
        R = shoulder_rotation(axes, points, c4, s4, line, reference)
        shoulder = (line, h1, h2, h3, rotated(R, h1), rotated(R, h2), rotated(R, h3))
        # R₅R₆R₇ = (R R₄)ᵀ Rot(−line, ψ) R_M
        wrist = (times(-1.0, line), rotated(R, rotated_by(h4, c4, s4, h5)),
                 rotated(R, rotated_by(h4, c4, s4, h6)), rotated(R, rotated_by(h4, c4, s4, h7)),
                 rotated(M, h5), rotated(M, h6), rotated(M, h7))
        n = _cut(axes, 0, shoulder, bounds, slack, cuts, 0)
        n = _cut(axes, 4, wrist, bounds, slack, cuts, n)
        if n == 0:
            cuts[0], n = -math.pi, 1
        _sort(cuts, n)
        for k in range(n):
            end = cuts[k + 1] if k + 1 < n else cuts[0] + 2.0 * math.pi
            middle = 0.5 * (cuts[k] + end)
            c, s = math.cos(middle), math.sin(middle)
            inside[k] = (_which_inside(axes, 0, shoulder, bounds, slack, c, s)
                         + 4 * _which_inside(axes, 4, wrist, bounds, slack, c, s))
        for i in range(2):
            for k in range(2):
                before = rows
                rows = _join(cuts, inside, n, (1 << i) | (4 << k), rows, out)
                for r in range(before, rows):
                    out[r, 0], out[r, 1], out[r, 2] = 1 - 2 * elbow, 1 - 2 * i, 1 - 2 * k
    return rows


@inline
def _write_bounds(lower: float, upper: float, bound: Vector) -> None:
    """Write limits as (1, c, s of lower, c, s of upper, c, s of the middle, c of half)."""
    bound[0] = 1.0 if upper - lower < 2.0 * math.pi - 1e-9 else 0.0
    if bound[0] == 0.0:
        lower, upper = -math.pi, math.pi
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    bound[1], bound[2] = math.cos(lower), math.sin(lower)
    bound[3], bound[4] = math.cos(upper), math.sin(upper)
    bound[5], bound[6] = math.cos(middle), math.sin(middle)
    bound[7] = math.cos(half + _INSIDE) if bound[0] == 1.0 else -2.0


@inline
def _is_inside(bound: Vector, c: float, s: float) -> bool:
    """Tell whether a turn is inside its limits: no farther than half the range from the middle."""
    return c * bound[5] + s * bound[6] >= bound[7]


@njit
def _cut(axes: Matrix, place: int,
         triple: tuple[Vector3, Vector3, Vector3, Vector3, Vector3, Vector3, Vector3],
         bounds: Matrix, slack: float, cuts: Vector, n: int) -> int:
    """Add to cuts where a triple's joints pass a limit; return how many there are then.

    place: the triple's first joint. triple: (n, g₁, g₂, g₃, k₁, k₂, k₃).
    """
    axis, g1, g2, _, _, k2, k3 = triple
    h1, h2, h3 = row(axes, place), row(axes, place + 1), row(axes, place + 2)
    a, b = middle_rotation(h1, h2, h3)
    still, amplitude = dot(h1, h2) * dot(h2, h3), math.sqrt(a * a + b * b)
    for side in range(2):
        i = 1 + 2 * side
        if bounds[place, 0] == 1.0:
            n = _roots(axis, rotated_by(g1, bounds[place, i], bounds[place, i + 1], g2), k3,
                       dot(h2, h3), slack, cuts, n)
        if bounds[place + 1, 0] == 1.0:
            n = _roots(axis, g1, k3,
                       still + a * bounds[place + 1, i] + b * bounds[place + 1, i + 1], slack,
                       cuts, n)
        if bounds[place + 2, 0] == 1.0:
            n = _roots(axis, g1, rotated_by(k3, bounds[place + 2, i], -bounds[place + 2, i + 1],
                                            k2), dot(h1, h2), slack, cuts, n)
        n = _roots(axis, g1, k3, still + (amplitude if side == 0 else -amplitude), slack, cuts, n)
    if norm(cross(axis, g1)) < ALIGNED and norm(cross(axis, k3)) < ALIGNED:
        # an arm stretched out along axis 1, and the like: ψ is shared by the first and the third
        _, c2, s2, _, _ = solve_sinusoid(a, b, dot(g1, k3) - still, 1.0)
        off, most = _shared(triple, bounds, place, c2, s2, k2)
        if most < math.pi:
            for k in range(2):
                psi = (most * (1 - 2 * k) - off) * dot(axis, k3)
                cuts[n] = math.atan2(math.sin(psi), math.cos(psi))
                n += 1
    return n


@inline
def _shared(triple: tuple[Vector3, Vector3, Vector3, Vector3, Vector3, Vector3, Vector3],
            bounds: Matrix, place: int, c2: float, s2: float, k2: Vector3) -> tuple[float, float]:
    """Return how far off its middle the third joint is with the first at its own, and may be.

    In rad, where the two turn about one line, so that the first can take over from the third. k2:
    turned by ψ.
    """
    g1, g2, g3 = triple[1], triple[2], triple[3]
    there = rotated_by(g2, c2, -s2, rotated_by(g1, bounds[place, 5], -bounds[place, 6], k2))
    _, c3, s3 = rotation_between(g3, g2, there, 0.0)
    c, s = bounds[place + 2, 5], bounds[place + 2, 6]
    return (math.atan2(s3 * c - c3 * s, c3 * c + s3 * s),
            math.acos(max(bounds[place, 7], -1.0)) + math.acos(max(bounds[place + 2, 7], -1.0)))


@inline
def _roots(axis: Vector3, u: Vector3, v: Vector3, value: float, slack: float, cuts: Vector,
           n: int) -> int:
    """Add to cuts the ψ with u · Rot(axis, ψ) v = value; return how many cuts there are then."""
    axial = dot(axis, u) * dot(axis, v)
    count, ca, sa, cb, sb = solve_sinusoid(dot(u, v) - axial, dot(u, cross(axis, v)), value - axial,
                                           slack)
    if count > 0:
        cuts[n] = math.atan2(sa, ca)
    if count > 1:
        cuts[n + 1] = math.atan2(sb, cb)
    return n + count


@njit
def _which_inside(axes: Matrix, place: int,
                  triple: tuple[Vector3, Vector3, Vector3, Vector3, Vector3, Vector3, Vector3],
                  bounds: Matrix, slack: float, c: float, s: float) -> int:
    """Return which branches of a triple are inside their limits at ψ: 1 for the first, 2, or both.

    (c, s): of ψ.
    """
    axis, g1, g2, g3, k1, k2, k3 = triple
    k1, k2, k3 = rotated_by(axis, c, s, k1), rotated_by(axis, c, s, k2), rotated_by(axis, c, s, k3)
    h1, h2, h3 = row(axes, place), row(axes, place + 1), row(axes, place + 2)
    a, b = middle_rotation(h1, h2, h3)
    count, ca, sa, cb, sb = solve_sinusoid(a, b, dot(g1, k3) - dot(h1, h2) * dot(h2, h3), slack)
    which = 0
    for i in range(count):
        c2, s2 = (ca, sa) if i == 0 else (cb, sb)
        if not _is_inside(bounds[place + 1], c2, s2):
            continue
        defined, c1, s1 = rotation_between(g1, rotated_by(g2, c2, s2, g3), k3, ALIGNED)
        if defined:
            # R₃ brings Rᵀ h₁ to R₂ᵀ h₁
            _, c3, s3 = rotation_between(k3, g1, rotated_by(k2, c2, -s2, k1), 0.0)
            fits = _is_inside(bounds[place], c1, s1) and _is_inside(bounds[place + 2], c3, s3)
        else:
            off, most = _shared(triple, bounds, place, c2, s2, k2)
            fits = abs(off) <= most + _INSIDE
        which += (i + 1) * fits
    return which


@inline
def _sort(values: Vector, n: int) -> None:
    """Sort the first n values in place, by insertion."""
    for i in range(1, n):
        value, k = values[i], i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            k -= 1
        values[k] = value


@njit
def _join(cuts: Vector, inside: Vector, n: int, bits: int, rows: int, out: Matrix) -> int:
    """Write the runs of pieces that are inside into out, columns 3 and 4; return how many rows.

    wanted: the bits of a branch in `inside`.
    """
    first = -1
    for k in range(n):
        if int(inside[k]) & bits != bits:
            first = k
            break
    if first < 0:
        out[rows, 3], out[rows, 4] = -math.pi, math.pi
        return rows + 1
    since = -1
    for i in range(1, n + 1):
        k = (first + i) % n
        fits = int(inside[k]) & bits == bits
        if fits and since < 0:
            since = k
        elif not fits and since >= 0:
            begin, end = cuts[since], cuts[k] if k > since else cuts[k] + 2.0 * math.pi
            if end - begin > _LEAST:
                out[rows, 3], out[rows, 4] = begin, end
                rows += 1
            since = -1
    return rows

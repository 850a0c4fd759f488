"""Arms of seven revolute joints with spherical shoulder and wrist, by the swivel angle.

Axes 1, 2, 3 meet in the shoulder s, axes 5, 6, 7 in the wrist w; axis 4, the elbow's, may lie
anywhere. Read as a product of exponentials e₁ … e₇ = M, the motion of a pose, the distance of M w
from s determines θ₄; the remaining freedom is a rotation about the line between them, the swivel
angle ψ. It determines the shoulder's rotation, then the wrist's [Tolani, Goswami & Badler 2000;
Shimizu et al. 2008].

The swivel angle. The elbow point is the foot of the perpendicular from s on axis 4. The line runs
from s to the wrist's place M w. ψ is the angle about that line, by the right hand, from the part of
axis 1's direction that is perpendicular to the line to the part of (elbow point − s) that is. Where
axis 1 is within 1e-6 of the line's direction, the base's x stands for it, or y where x is as near.
Where the elbow point is within 1e-6 of the line, as sines (an arm without offsets, stretched or
folded), the direction of (wrist − s) × axis 4 stands for it: its limit for a positive elbow. There
is no swivel angle where the wrist lies on s, or where axis 4 runs through s or w.
"""

import math

from ik_node._jit import Matrix, Vector, inline, njit
from ik_node.solvers.analytic.subproblems.equations import solve_sinusoid
from ik_node.solvers.analytic.subproblems.rotation_triple import across, into_angles, make_rotation
from ik_node.solvers.analytic.subproblems.vector3 import (
    Motion,
    Vector3,
    along,
    composed,
    cross,
    dot,
    minus,
    moved,
    norm,
    perpendicular,
    reversed_motion,
    rotated,
    rotated_about,
    rotated_by,
    rotation_about,
    row,
    times,
)

SWIVEL_MOST = 8       # solutions of one swivel angle: two elbows, shoulders and wrists
SWIVEL_SCRATCH = 24

_BESIDE = 1e-6   # sine below which two directions count as one
_NOWHERE = 1e-9  # lengths, of an arm of size 1, below which there is no direction
_ROUNDING = 1e-15  # rounding error of their squares: nearer distances count as the longest


@njit
def swivel_configurations(axes: Matrix, points: Matrix, M: Motion, psi: float, start: Vector,
                          size: float, slack: float, scratch: Vector, out: Matrix) -> int:
    """Write every configuration of a swivel angle into out (SWIVEL_MOST, 7), rad; return how many.

    axes (7, 3): unit, points (7, 3): m, of the arm at zero, base frame; points 0 to 2 are s, points
    4 to 6 are w. M: the motion T_goal T_tip⁻¹, T_tip at zero. psi: rad. start (7,): angles, rad, to
    stay near where the outer axes of the shoulder or of the wrist fall together. size: the arm's,
    m. slack: fraction of the size by which a goal out of reach still gets the nearest solution.
    scratch (SWIVEL_SCRATCH,). Signs of elbow, shoulder and wrist run as in binary counting, from
    + + + to − − −; see `swivel_branch`.
    """
    line, reference, count, ca, sa, cb, sb = swivel_elbows(axes, points, M, size, slack)
    h4, h5, h6, h7 = row(axes, 3), row(axes, 4), row(axes, 5), row(axes, 6)
    w3, w7 = across(row(axes, 1), row(axes, 2)), across(h6, h7)
    shoulder, wrist = scratch[:12].reshape((2, 6)), scratch[12:24].reshape((2, 6))
    solutions = 0
    for elbow in range(count):
        c4, s4 = (ca, sa) if elbow == 0 else (cb, sb)
        R = shoulder_rotation(axes, points, c4, s4, line,
                              rotated_by(line, math.cos(psi), math.sin(psi), reference))
        shoulders = make_rotation(row(axes, 0), row(axes, 1), row(axes, 2),
                                  rotated(R, row(axes, 2)), rotated(R, w3), start[:3], slack,
                                  shoulder)
        # R₅ R₆ R₇ = R₄ᵀ (R₁ R₂ R₃)ᵀ R_M
        rest = composed(reversed_motion(composed(R, rotation_about(h4, R[3], c4, s4))), M)
        wrists = make_rotation(h5, h6, h7, rotated(rest, h7), rotated(rest, w7), start[4:7], slack,
                               wrist)
        into_angles(shoulders, shoulder)
        into_angles(wrists, wrist)
        theta4 = math.atan2(s4, c4)
        for i in range(shoulders):
            for k in range(wrists):
                for j in range(3):
                    out[solutions, j], out[solutions, 4 + j] = shoulder[i, j], wrist[k, j]
                out[solutions, 3] = theta4
                solutions += 1
    return solutions


@njit
def swivel_of(axes: Matrix, points: Matrix, q: Vector) -> float:
    """Return the swivel angle of a configuration q (7,), rad, in (−π, π].

    axes, points: as for `swivel_configurations`. Meaningless where no swivel angle is defined.
    """
    s, w = row(points, 0), row(points, 4)
    reach, out = _plane(row(axes, 3), row(points, 3), s, w, math.cos(q[3]), math.sin(q[3]))
    for k in range(3):
        j = 2 - k
        h, c, sine = row(axes, j), math.cos(q[j]), math.sin(q[j])
        reach, out = rotated_by(h, c, sine, reach), rotated_by(h, c, sine, out)
    return _angle(reach, _reference(reach, row(axes, 0)), out)


@njit
def swivel_towards(axes: Matrix, points: Matrix, M: Motion, hint: Vector) -> float:
    """Return the swivel angle, rad in (−π, π], that brings the elbow point nearest to a hint.

    axes, points, M: as for `swivel_configurations`. hint: a point (3,), m, base frame. The angle
    holds for both elbows: their points lie in one half-plane. 0 where the hint lies on the line
    from s to M w.
    """
    s = row(points, 0)
    line = _unit(minus(moved(M, row(points, 4)), s))
    return _angle(line, _reference(line, row(axes, 0)),
                  minus((hint[0], hint[1], hint[2]), s))


@njit
def swivel_branch(axes: Matrix, points: Matrix, q: Vector) -> tuple[int, int, int]:
    """Return the signs (elbow, shoulder, wrist), 1 or −1, of a configuration q (7,), rad.

    The elbow's is that of θ₄ from where the wrist is farthest from s; the shoulder's that of θ₂
    from where axis 3 is nearest to axis 1's direction, the wrist's that of θ₆, likewise.
    """
    a, b, _ = _distance(row(axes, 3), row(points, 3), row(points, 0), row(points, 4))
    elbow = b * math.cos(q[3]) - a * math.sin(q[3])
    a, b = middle_rotation(row(axes, 0), row(axes, 1), row(axes, 2))
    shoulder = a * math.sin(q[1]) - b * math.cos(q[1])
    a, b = middle_rotation(row(axes, 4), row(axes, 5), row(axes, 6))
    wrist = a * math.sin(q[5]) - b * math.cos(q[5])
    return 1 if elbow >= 0.0 else -1, 1 if shoulder >= 0.0 else -1, 1 if wrist >= 0.0 else -1


@njit
def swivel_elbows(axes: Matrix, points: Matrix, M: Motion, size: float,
                  slack: float) -> tuple[Vector3, Vector3, int, float, float, float, float]:
    """Return (line, reference, count, c₄, s₄, c₄, s₄), which do not depend on the swivel angle.

    line: unit, from s to M w. reference: unit, where ψ is counted from. The elbow of positive sign
    comes first. Arguments as for `swivel_configurations`.
    """
    s, w = row(points, 0), row(points, 4)
    reach = minus(moved(M, w), s)
    a, b, rest = _distance(row(axes, 3), row(points, 3), s, w)
    distance, amplitude = norm(reach), math.sqrt(a * a + b * b)
    line = _unit(reach)
    if distance <= _NOWHERE * size or amplitude <= _NOWHERE * size * size:
        return line, line, 0, 1.0, 0.0, 1.0, 0.0
    # |e₄ w − s| = |M w − s|, signs turned round: θ₄ is counted from the stretched arm
    a, b, rest = -a, -b, 0.5 * distance * distance - rest
    if abs(abs(rest) - amplitude) <= _ROUNDING * size * size:
        rest = math.copysign(amplitude, rest)
        c4, s4 = a / rest, b / rest
        return line, _reference(line, row(axes, 0)), 1, c4, s4, c4, s4
    count, ca, sa, cb, sb = solve_sinusoid(a, b, rest, slack * size * distance / amplitude)
    return line, _reference(line, row(axes, 0)), count, ca, sa, cb, sb


@inline
def shoulder_rotation(axes: Matrix, points: Matrix, c4: float, s4: float, line: Vector3,
                      outward: Vector3) -> Motion:
    """Return R₁ R₂ R₃ as a motion, for a value (c₄, s₄) of the elbow.

    It brings the direction to the wrist onto the line, and the elbow's side outward; both unit.
    """
    a, b = _plane(row(axes, 3), row(points, 3), row(points, 0), row(points, 4), c4, s4)
    c, z = cross(a, b), cross(line, outward)
    return (along(along(times(line[0], a), outward[0], b), z[0], c),
            along(along(times(line[1], a), outward[1], b), z[1], c),
            along(along(times(line[2], a), outward[2], b), z[2], c), (0.0, 0.0, 0.0))


@inline
def middle_rotation(h1: Vector3, h2: Vector3, h3: Vector3) -> tuple[float, float]:
    """Return (a, b) of h₁·R₂h₃ = (h₁·h₂)(h₂·h₃) + a cos θ₂ + b sin θ₂."""
    return dot(h1, perpendicular(h2, h3)), dot(h1, cross(h2, h3))


@inline
def _distance(h: Vector3, p: Vector3, s: Vector3, w: Vector3) -> tuple[float, float, float]:
    """Return (a, b, rest) of ½|e₄ w − s|² = rest − a cos θ₄ − b sin θ₄, for axis 4 (h, p)."""
    u, v = minus(s, p), minus(w, p)
    axial = dot(h, u) * dot(h, v)
    return dot(u, v) - axial, dot(u, cross(h, v)), 0.5 * (dot(u, u) + dot(v, v)) - axial


@inline
def _plane(h: Vector3, p: Vector3, s: Vector3, w: Vector3, c: float,
           sine: float) -> tuple[Vector3, Vector3]:
    """Return (the unit vector from s to e₄ w, the unit vector across it towards the elbow point).

    (h, p): axis 4, (c, sine) its turn.
    """
    u = _unit(minus(rotated_about(h, p, c, sine, w), s))
    foot = perpendicular(h, minus(p, s))
    out = perpendicular(u, foot)
    length = norm(out)
    if length <= _BESIDE * norm(foot):
        return u, _unit(cross(u, h))
    # once more: of a short one, rounding is a larger part
    return u, _unit(perpendicular(u, times(1.0 / length, out)))


@inline
def _reference(line: Vector3, h: Vector3) -> Vector3:
    """Return the unit vector across the line where ψ is counted from; h: axis 1."""
    across_line = perpendicular(line, h)
    if norm(across_line) <= _BESIDE:
        across_line = perpendicular(line, (1.0, 0.0, 0.0))
        if norm(across_line) <= _BESIDE:
            across_line = perpendicular(line, (0.0, 1.0, 0.0))
    across_line = _unit(across_line)
    return _unit(perpendicular(line, across_line))


@inline
def _angle(line: Vector3, reference: Vector3, v: Vector3) -> float:
    """Return the angle of v about the line, from the reference."""
    angle = math.atan2(dot(line, cross(reference, v)), dot(reference, v))
    return math.pi if angle == -math.pi else angle


@inline
def _unit(v: Vector3) -> Vector3:
    """Return v / |v|; zero of zero."""
    length = norm(v)
    return times(1.0 / length if length > 0.0 else 0.0, v)

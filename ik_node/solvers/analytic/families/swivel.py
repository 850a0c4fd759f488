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

import cython

from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems import rotation_triple
from ik_node.spatial.vector3 import Transform, Vector3
from ik_node.support import arrays, checks
from ik_node.support.arrays import InMatrix, InVector, Points, Vector

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *

NAN = float('nan')
_BESIDE = 1e-6   # sine below which two directions count as one
_NOWHERE = 1e-9  # lengths, of an arm of size 1, below which there is no direction
_ROUNDING = 1e-15  # rounding error of their squares: nearer distances count as the longest
_ON_THE_LINE = 1e-9  # of the size: a hint nearer to the line gives no direction


class Swivel(ClosedFamily):
    """Spherical shoulder, elbow and spherical wrist; the parameter is the swivel angle, rad.

    Points 0 to 2 of the structure are s, points 4 to 6 are w.
    """

    def solve(self, work: ClosedForm) -> int:
        """Write every configuration of the swivel angle, eight at most; see `ClosedFamily`.

        The signs of elbow, shoulder and wrist run as in binary counting, from + + + to − − −. The
        elbow's is that of θ₄ from where the wrist is farthest from s; the shoulder's that of θ₂
        from where axis 3 is nearest to axis 1's direction, the wrist's that of θ₆, likewise.
        Most are only compared: their directions are left out.
        """
        axes, points, M, psi = work.axes, work.points, work.M, work.parameter
        slack, shoulder, wrist = self.slack, work.found, work.wrist
        out = work.branches
        line, reference, count, ca, sa, cb, sb = swivel_elbows(axes, points, M, self.size, slack)
        h1, h2, h3, h4 = row(axes, 0), row(axes, 1), row(axes, 2), row(axes, 3)
        h5, h6, h7 = row(axes, 4), row(axes, 5), row(axes, 6)
        w3, w7 = rotation_triple.across(h2, h3), rotation_triple.across(h6, h7)
        solutions = 0
        for elbow in range(count):
            c4, s4 = (ca, sa) if elbow == 0 else (cb, sb)
            R = shoulder_rotation(axes, points, c4, s4, line,
                                  rotated_by(line, math.cos(psi), math.sin(psi), reference))
            shoulders = rotation_triple.make_rotation(h1, h2, h3, rotated(R, h3), rotated(R, w3),
                                                      work.ranges, 0, slack, shoulder)
            # R₅ R₆ R₇ = R₄ᵀ (R₁ R₂ R₃)ᵀ R_M
            rest = composed(inverse_transform(composed(R, rotation_about(h4, R[3], c4, s4))), M)
            wrists = rotation_triple.make_rotation(h5, h6, h7, rotated(rest, h7),
                                                   rotated(rest, w7), work.ranges, 4, slack,
                                                   wrist)
            for k in range(2):
                for j in range(3):
                    shoulder[k][j] = math.atan2(shoulder[k][2 * j + 1], shoulder[k][2 * j])
                    wrist[k][j] = math.atan2(wrist[k][2 * j + 1], wrist[k][2 * j])
            theta4 = math.atan2(s4, c4)
            for i in range(shoulders):
                for k in range(wrists):
                    for j in range(3):
                        out[solutions][j], out[solutions][4 + j] = shoulder[i][j], wrist[k][j]
                    out[solutions][3] = theta4
                    solutions += 1
        return solutions

    def own_parameter(self, q: Vector) -> float:
        """Return the swivel angle of a configuration q (7,), rad, in (−π, π].

        Meaningless where no swivel angle is defined.
        """
        axes, points = self.axes, self.points
        reach, out = _plane(row(axes, 3), row(points, 3), row(points, 0), row(points, 4),
                            math.cos(q[3]), math.sin(q[3]))
        for k in range(3):
            j = 2 - k
            h, c, sine = row(axes, j), math.cos(q[j]), math.sin(q[j])
            reach, out = rotated_by(h, c, sine, reach), rotated_by(h, c, sine, out)
        return _angle(reach, _reference(reach, row(axes, 0)), out)

    def towards(self, M: Transform, hint: Vector3) -> float:
        """Return the swivel angle, rad in (−π, π], that brings the elbow point nearest to a hint.

        M: the motion of the pose. hint: a point, m, base frame. The angle holds for both elbows:
        their points lie in one half-plane. NaN where the hint lies on the line from s to M w,
        which determines no angle.
        """
        axes, points = self.axes, self.points
        s = row(points, 0)
        reach, beside = minus(transform_point(M, row(points, 4)), s), minus(hint, s)
        if norm(cross(reach, beside)) <= _ON_THE_LINE * self.size * norm(reach):
            return NAN
        line = _unit(reach)
        return _angle(line, _reference(line, row(axes, 0)), beside)

    def angle_towards(self, T_base_goal: InMatrix, point: InVector) -> float:
        """Return `towards` for a pose (4, 4), m, and a point (3,), m, base frame."""
        checks.check_lengths(T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4
                             and point.shape[0] == 3)
        work = self.take()
        arrays.read_pose(T_base_goal, work.T)
        psi = self.towards(self.motion_to(work.T), (point[0], point[1], point[2]))
        self.idle.append(work)
        return psi


def swivel_elbows(axes: Points, points: Points, M: Transform, size: float,
                  slack: float) -> tuple[Vector3, Vector3, int, float, float, float, float]:
    """Return (line, reference, count, c₄, s₄, c₄, s₄), which do not depend on the swivel angle.

    line: unit, from s to M w. reference: unit, where ψ is counted from. The elbow of positive sign
    comes first. axes (7, 3): unit, points (7, 3): m, of the arm at zero, base frame. size: the
    arm's, m. slack: fraction of the size by which a goal out of reach still gets the nearest
    solution.
    """
    s, w = row(points, 0), row(points, 4)
    reach = minus(transform_point(M, w), s)
    a, b, rest = _distance(row(axes, 3), row(points, 3), s, w)
    distance, amplitude = norm(reach), math.sqrt(a * a + b * b)
    line = _unit(reach)
    if distance <= _NOWHERE * size or amplitude <= _NOWHERE * size * size:
        return line, line, 0, 1.0, 0.0, 1.0, 0.0
    reference = _reference(line, row(axes, 0))
    # |e₄ w − s|² = |M w − s|, signs turned round: θ₄ is counted from the stretched arm
    a, b, rest = -a, -b, 0.5 * distance * distance - rest
    if math.fabs(math.fabs(rest) - amplitude) <= _ROUNDING * size * size:
        rest = math.copysign(amplitude, rest)
        return line, reference, 1, a / rest, b / rest, a / rest, b / rest
    count, ca, sa, cb, sb = solve_sinusoid(a, b, rest, slack * size * distance / amplitude)
    return line, reference, count, ca, sa, cb, sb


def shoulder_rotation(axes: Points, points: Points, c4: float, s4: float, line: Vector3,
                      outward: Vector3) -> Transform:
    """Return R₁ R₂ R₃ as a motion, for a value (c₄, s₄) of the elbow.

    It brings the direction to the wrist onto the line, and the elbow's side outward; both unit.
    """
    a, b = _plane(row(axes, 3), row(points, 3), row(points, 0), row(points, 4), c4, s4)
    c, z = cross(a, b), cross(line, outward)
    return (along(along(times(line[0], a), outward[0], b), z[0], c),
            along(along(times(line[1], a), outward[1], b), z[1], c),
            along(along(times(line[2], a), outward[2], b), z[2], c), (0.0, 0.0, 0.0))


def _distance(h: Vector3, p: Vector3, s: Vector3, w: Vector3) -> tuple[float, float, float]:
    """Return (a, b, rest) of ½|e₄ w − s|² = rest − a cos θ₄ − b sin θ₄, for axis 4 (h, p)."""
    u, v = minus(s, p), minus(w, p)
    axial = dot(h, u) * dot(h, v)
    return dot(u, v) - axial, dot(u, cross(h, v)), 0.5 * (dot(u, u) + dot(v, v)) - axial


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


def _reference(line: Vector3, h: Vector3) -> Vector3:
    """Return the unit vector across the line where ψ is counted from; h: axis 1."""
    across_line = perpendicular(line, h)
    if norm(across_line) <= _BESIDE:
        across_line = perpendicular(line, (1.0, 0.0, 0.0))
        if norm(across_line) <= _BESIDE:
            across_line = perpendicular(line, (0.0, 1.0, 0.0))
    across_line = _unit(across_line)
    return _unit(perpendicular(line, across_line))


def _angle(line: Vector3, reference: Vector3, v: Vector3) -> float:
    """Return the angle of v about the line, from the reference."""
    angle = math.atan2(dot(line, cross(reference, v)), dot(reference, v))
    return math.pi if angle == -math.pi else angle


def _unit(v: Vector3) -> Vector3:
    """Return v / |v|; zero of zero."""
    length = norm(v)
    return times(1.0 / length if length > 0.0 else 0.0, v)

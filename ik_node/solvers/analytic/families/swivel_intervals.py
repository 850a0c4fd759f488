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

import cython
import numpy as np

from ik_node.solvers.analytic.families import swivel
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.subproblems import rotation_triple
from ik_node.spatial.vector3 import Transform, Vector3
from ik_node.support import arrays, checks
from ik_node.support.arrays import InMatrix, InVector, Memory, Points, Vector

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *

Triple = tuple[Vector3, Vector3, Vector3, Vector3, Vector3, Vector3, Vector3]
"""(n, g₁, g₂, g₃, k₁, k₂, k₃)."""

TWO_PI = 2.0 * math.pi
_MOST_CUTS = 40       # 2 × (3 joints × 2 limits + 2 extremes) × 2 roots, and those of aligned axes
_MOST = 8 * (_MOST_CUTS // 2)
_INSIDE = 1e-12       # rad: excess over a limit by rounding
_LEAST = 1e-12        # rad: shorter intervals are dropped


class Intervals:
    """Intervals of the swivel angle, one after the other, each of one branch; and scratch."""

    def __init__(self) -> None:
        """Make the arrays."""
        self.memory = memory = Memory()
        # The signs of elbow, shoulder and wrist of the branch, 1 or −1, see `Swivel.solve`; begin
        # in [−π, π] and end in (begin, begin + 2π], rad: an interval through π ends beyond it
        self.count, self.found = 0, memory.rows(np.zeros((_MOST, 5)))
        self.tried = memory.integers([0] * _MOST)  # whether a selection has tried an interval
        self.bounded = memory.integers([0] * 7)  # whether a joint has less than a full turn
        self.ends = memory.fours(np.zeros((7, 4)))  # (c, s) of its lower and upper limit
        self.middle = memory.pairs(np.zeros((7, 2)))  # (c, s) of the middle between them
        self.half = memory.vector(np.zeros(7))  # cosine of half the range; −2 without limits
        # Of shoulder and wrist: a, b and c of h₁·R₂h₃ = c + a cos θ₂ + b sin θ₂
        self.turning = memory.points(np.zeros((2, 3)))
        self.cuts = memory.vector(np.zeros(_MOST_CUTS))  # where a joint passes a limit, rad
        # For each piece from a cut to the next the branches inside, as bits: see `_which_inside`
        self.inside = memory.integers([0] * _MOST_CUTS)
        # Of a call from Python
        self.T = memory.pose(np.zeros((4, 4)))
        self.lower, self.upper = memory.vector(np.zeros(7)), memory.vector(np.zeros(7))

    def within(self, arm: Swivel, T_base_goal: InMatrix, lower: InVector, upper: InVector,
               narrower: float) -> np.ndarray:
        """Return the intervals (k, 5) for a pose (4, 4), m, within limits; see `find` and `found`.

        Raises ValueError for arrays of another shape.
        """
        checks.check_lengths(T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4
                             and lower.shape[0] == 7 and upper.shape[0] == 7)
        arrays.read_pose(T_base_goal, self.T)
        arrays.read_vector(lower, self.lower)
        arrays.read_vector(upper, self.upper)
        with cython.nogil:
            self.find(arm, arm.motion_to(self.T), self.lower, self.upper, narrower)
        rows = np.empty((self.count, 5))
        arrays.copy_matrix(self.found, rows)
        return rows

    def find(self, arm: Swivel, M: Transform, lower: Vector, upper: Vector, narrower: float) -> int:
        """Find the intervals within limits narrowed by `narrower`, rad; return their number.

        M: the motion T_goal T_tip⁻¹, T_tip at zero. lower, upper (7,): rad, ±inf for none; whole
        turns make no difference. An interval without a bound is from −π to π.
        """
        axes, points, slack = arm.axes, arm.points, arm.slack
        self.count = 0
        for j in range(7):
            if lower[j] + narrower > upper[j] - narrower:
                return 0
            self._write_bound(j, lower[j] + narrower, upper[j] - narrower)
        line, reference, count, ca, sa, cb, sb = swivel.swivel_elbows(axes, points, M, arm.size,
                                                                      slack)
        h1, h2, h3, h4 = row(axes, 0), row(axes, 1), row(axes, 2), row(axes, 3)
        h5, h6, h7 = row(axes, 4), row(axes, 5), row(axes, 6)
        for elbow in range(count):
            c4, s4 = (ca, sa) if elbow == 0 else (cb, sb)
            if not self._is_inside(3, c4, s4):
                continue
            R = swivel.shoulder_rotation(axes, points, c4, s4, line, reference)
            shoulder = (line, h1, h2, h3, rotated(R, h1), rotated(R, h2), rotated(R, h3))
            # R₅R₆R₇ = (R R₄)ᵀ Rot(−line, ψ) R_M
            wrist = (times(-1.0, line), rotated(R, rotated_by(h4, c4, s4, h5)),
                     rotated(R, rotated_by(h4, c4, s4, h6)), rotated(R, rotated_by(h4, c4, s4, h7)),
                     rotated(M, h5), rotated(M, h6), rotated(M, h7))
            n = self._cut(axes, 0, shoulder, slack, 0)
            n = self._cut(axes, 4, wrist, slack, n)
            if n == 0:
                self.cuts[0], n = -math.pi, 1
            _sort(self.cuts, n)
            for k in range(n):
                end = self.cuts[k + 1] if k + 1 < n else self.cuts[0] + TWO_PI
                middle = 0.5 * (self.cuts[k] + end)
                c, s = math.cos(middle), math.sin(middle)
                self.inside[k] = (self._which_inside(0, shoulder, slack, c, s)
                                  + 4 * self._which_inside(4, wrist, slack, c, s))
            for i in range(2):
                for k in range(2):
                    self._join(n, (1 << i) | (4 << k), 1 - 2 * elbow, 1 - 2 * i, 1 - 2 * k)
        return self.count

    def _write_bound(self, j: int, lower: float, upper: float) -> None:
        """Keep the limits of joint j, rad, as directions."""
        self.bounded[j] = 1 if upper - lower < TWO_PI - 1e-9 else 0
        if self.bounded[j] == 0:
            lower, upper = -math.pi, math.pi
        middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
        ends = self.ends[j]
        ends[0], ends[1] = math.cos(lower), math.sin(lower)
        ends[2], ends[3] = math.cos(upper), math.sin(upper)
        self.middle[j][0], self.middle[j][1] = math.cos(middle), math.sin(middle)
        self.half[j] = math.cos(half + _INSIDE) if self.bounded[j] else -2.0

    def _is_inside(self, j: int, c: float, s: float) -> bool:
        """Tell whether a turn of joint j is no farther than half the range from the middle."""
        return c * self.middle[j][0] + s * self.middle[j][1] >= self.half[j]

    def _cut(self, axes: Points, place: int, carried: Triple, slack: float, n: int) -> int:
        """Add to the n cuts where a triple's joints pass a limit; return how many there are then.

        place: the triple's first joint.
        """
        axis, g1, g2, k2, k3 = carried[0], carried[1], carried[2], carried[5], carried[6]
        h1, h2, h3 = row(axes, place), row(axes, place + 1), row(axes, place + 2)
        a, b = dot(h1, perpendicular(h2, h3)), dot(h1, cross(h2, h3))
        still, amplitude = dot(h1, h2) * dot(h2, h3), math.sqrt(a * a + b * b)
        turning = self.turning[place // 4]
        turning[0], turning[1], turning[2] = a, b, still
        first, second, third = self.ends[place], self.ends[place + 1], self.ends[place + 2]
        for side in range(2):
            i = 2 * side
            if self.bounded[place]:
                n = self._roots(axis, rotated_by(g1, first[i], first[i + 1], g2), k3, dot(h2, h3),
                                slack, n)
            if self.bounded[place + 1]:
                n = self._roots(axis, g1, k3, still + a * second[i] + b * second[i + 1], slack, n)
            if self.bounded[place + 2]:
                n = self._roots(axis, g1, rotated_by(k3, third[i], -third[i + 1], k2), dot(h1, h2),
                                slack, n)
            n = self._roots(axis, g1, k3, still + (amplitude if side == 0 else -amplitude), slack,
                            n)
        if (norm(cross(axis, g1)) < rotation_triple.ALIGNED
                and norm(cross(axis, k3)) < rotation_triple.ALIGNED):
            # an arm stretched out along axis 1, and the like: ψ is shared by the first and third
            _count, c2, s2, _c, _s = solve_sinusoid(a, b, dot(g1, k3) - still, 1.0)
            off, most = _shared(self, carried, place, c2, s2, k2)
            if most < math.pi:
                for k in range(2):
                    psi = (most * (1 - 2 * k) - off) * dot(axis, k3)
                    self.cuts[n] = math.atan2(math.sin(psi), math.cos(psi))
                    n += 1
        return n

    def _roots(self, axis: Vector3, u: Vector3, v: Vector3, value: float, slack: float,
               n: int) -> int:
        """Add to the n cuts the ψ with u · Rot(axis, ψ) v = value; return how many there are."""
        axial = dot(axis, u) * dot(axis, v)
        count, ca, sa, cb, sb = solve_sinusoid(dot(u, v) - axial, dot(u, cross(axis, v)),
                                               value - axial, slack)
        if count > 0:
            self.cuts[n] = math.atan2(sa, ca)
        if count > 1:
            self.cuts[n + 1] = math.atan2(sb, cb)
        return n + count

    def _which_inside(self, place: int, carried: Triple, slack: float, c: float,
                      s: float) -> int:
        """Return which branches of a triple are inside the limits at ψ: 1 the first, 2, or both.

        (c, s): of ψ.
        """
        axis, g1, g2, g3 = carried[0], carried[1], carried[2], carried[3]
        k1, k2 = rotated_by(axis, c, s, carried[4]), rotated_by(axis, c, s, carried[5])
        k3 = rotated_by(axis, c, s, carried[6])
        turning = self.turning[place // 4]
        count, ca, sa, cb, sb = solve_sinusoid(turning[0], turning[1], dot(g1, k3) - turning[2],
                                               slack)
        which = 0
        for i in range(count):
            c2, s2 = (ca, sa) if i == 0 else (cb, sb)
            if not self._is_inside(place + 1, c2, s2):
                continue
            defined, c1, s1 = rotation_between(g1, rotated_by(g2, c2, s2, g3), k3,
                                               rotation_triple.ALIGNED)
            if defined:
                # R₃ brings Rᵀ h₁ to R₂ᵀ h₁
                _found, c3, s3 = rotation_between(k3, g1, rotated_by(k2, c2, -s2, k1), 0.0)
                fits = self._is_inside(place, c1, s1) and self._is_inside(place + 2, c3, s3)
            else:
                off, most = _shared(self, carried, place, c2, s2, k2)
                fits = math.fabs(off) <= most + _INSIDE
            if fits:
                which += i + 1
        return which

    def _join(self, n: int, bits: int, elbow: int, shoulder: int, wrist: int) -> None:
        """Add the runs of the n pieces that are inside: of the branch with these bits and signs."""
        cuts, inside, first, since = self.cuts, self.inside, -1, -1
        for k in range(n):
            if inside[k] & bits != bits:
                first = k
                break
        if first < 0:
            self._add(-math.pi, math.pi, elbow, shoulder, wrist)
            return
        for i in range(1, n + 1):
            k = (first + i) % n
            fits = inside[k] & bits == bits
            if fits and since < 0:
                since = k
            elif not fits and since >= 0:
                end = cuts[k] if k > since else cuts[k] + TWO_PI
                if end - cuts[since] > _LEAST:
                    self._add(cuts[since], end, elbow, shoulder, wrist)
                since = -1

    def _add(self, begin: float, end: float, elbow: int, shoulder: int, wrist: int) -> None:
        """Add an interval of a branch."""
        row = self.found[self.count]
        row[0], row[1], row[2], row[3], row[4] = elbow, shoulder, wrist, begin, end
        self.count += 1


def _shared(own: Intervals, carried: Triple, place: int, c2: float, s2: float,
            k2: Vector3) -> tuple[float, float]:
    """Return the third joint's offset from mid-range with the first at mid-range, and the largest.

    In rad, where the two turn about one line, so that the first can take over from the third. k2:
    turned by ψ.
    """
    g1, g2, g3, first, third = carried[1], carried[2], carried[3], own.middle[place], own.middle[
        place + 2]
    there = rotated_by(g2, c2, -s2, rotated_by(g1, first[0], -first[1], k2))
    _found, c3, s3 = rotation_between(g3, g2, there, 0.0)
    c, s = third[0], third[1]
    return (math.atan2(s3 * c - c3 * s, c3 * c + s3 * s),
            math.acos(max(own.half[place], -1.0)) + math.acos(max(own.half[place + 2], -1.0)))


def _sort(values: Vector, n: int) -> None:
    """Sort the first n values in place, by insertion."""
    for i in range(1, n):
        value, k = values[i], i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            k -= 1
        values[k] = value

"""Three turning axes through one point that make a rotation: every solution.

R₁ R₂ R₃ = R for any axes, neighbours not parallel [Paden 1986; Elias & Wen 2025].
"""

import math

from ik_node._jit import njit
from ik_node.solvers.analytic.subproblems import solve_sinusoid, turn_between
from ik_node.solvers.analytic.vector3 import cross, dot, norm, perpendicular, times, turned

ALIGNED = 1e-9  # sine below which the first and the last axis count as one


@njit
def make_rotation(h1, h2, h3, y, z, start, slack, found):
    """Write the turns that make R into found (2, 6), rows c₁ s₁ c₂ s₂ c₃ s₃; return how many.

    y = R h₃ and z = R w, where w = `across(h2, h3)`. start (3,): angles, rad, that an answer stays
    nearest to where the first and the last axis fall together, and only θ₁ ± θ₃ is defined.
    """
    # h₁·R₂ h₃ = h₁·R h₃, since R₁ does not change a component along h₁
    flat = perpendicular(h2, h3)
    count, ca, sa, cb, sb = solve_sinusoid(
        dot(h1, flat), dot(h1, cross(h2, h3)), dot(h1, y) - dot(h1, h2) * dot(h2, h3), slack)
    w = across(h2, h3)
    for i in range(count):
        c2, s2 = (ca, sa) if i == 0 else (cb, sb)
        third = turned(h2, c2, s2, h3)
        known, c1, s1 = turn_between(h1, third, y, ALIGNED)
        if not known:
            c1, s1 = math.cos(start[0]), math.sin(start[0])
        # R₃ w = R₂ᵀ R₁ᵀ R w: of θ₁ as it is, so that rounding in the one is made good by the other
        _, c3, s3 = turn_between(h3, w, turned(h2, c2, -s2, turned(h1, c1, -s1, z)), 0.0)
        if not known:
            sign = 1.0 if dot(h1, third) > 0.0 else -1.0
            off = math.atan2(s3, c3) - start[2]
            off -= 2.0 * math.pi * round(off / (2.0 * math.pi))
            shared = start[0] + 0.5 * sign * off
            c1, s1 = math.cos(shared), math.sin(shared)
            _, c3, s3 = turn_between(h3, w, turned(h2, c2, -s2, turned(h1, c1, -s1, z)), 0.0)
        found[i, 0], found[i, 1], found[i, 2] = c1, s1, c2
        found[i, 3], found[i, 4], found[i, 5] = s2, c3, s3
    return count


@njit
def across(h2, h3):
    """Return the unit vector across h₃ in the plane of h₂ and h₃, which are not parallel."""
    w = perpendicular(h3, h2)
    return times(1.0 / norm(w), w)

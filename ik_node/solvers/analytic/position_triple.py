"""Three joints that bring a point to a place: every kind and order of them, every solution.

e₁ e₂ e₃ x = t, with e a turn about a line or a slide along it [Pieper 1968; Elias & Wen 2025,
Subproblems 3 and 5]. A joint's value is (c, s) of a turn, (m, 0) of a slide. The triple may be
read from either end: e₃⁻¹ e₂⁻¹ e₁⁻¹ t = x.
"""

from ik_node._jit import inline, njit
from ik_node.kinematics.forward import SLIDE
from ik_node.solvers.analytic.two_turns import NEARLY, slide_last, three_turns
from ik_node.solvers.analytic.vector3 import cross, dot, minus, norm
from ik_node.solvers.analytic.with_slides import one_turn, slide_between, three_slides


@njit
def place_point(k1, k2, k3, h1, p1, h2, p2, h3, p3, x, t, start, size, slack, turns, found):
    """Write the values that bring the point x to t into found (MOST, 6); return how many.

    k: what the joints do, TURN or SLIDE. h, p: their lines, at value zero. start (3,): angles,
    rad, for turns that make no difference. size: the arm's, m. slack: of that, how far t may be
    out of reach and still be given the nearest. turns (5, 4): scratch. A row of found is
    u₁ v₁ u₂ v₂ u₃ v₃.
    """
    slides = (k1 == SLIDE) + (k2 == SLIDE) + (k3 == SLIDE)
    if slides == 0:
        meets, parallel = _relation(h1, p1, h2, p2, size)
        if not meets and not parallel:
            meets, parallel = _relation(h2, p2, h3, p3, size)
            if meets or parallel:
                count = three_turns(h3, p3, h2, p2, h1, p1, t, x, start, 2, size, slack, turns,
                                     found)
                return _read_from_the_end(False, False, False, found, count)
        return three_turns(h1, p1, h2, p2, h3, p3, x, t, start, 0, size, slack, turns, found)
    if slides == 3:
        return three_slides(h1, h2, h3, minus(t, x), found)
    if slides == 2:
        return one_turn(k1, k2, k3, h1, p1, h2, p2, h3, p3, x, t, start, size, slack, found)
    if k2 == SLIDE:
        return slide_between(h1, p1, h2, h3, p3, x, t, start, size, slack, turns, found)
    if k3 == SLIDE:
        return slide_last(h1, p1, h2, p2, h3, x, t, start, 0, size, slack, turns, found)
    count = slide_last(h3, p3, h2, p2, h1, t, x, start, 2, size, slack, turns, found)
    return _read_from_the_end(True, False, False, found, count)


@inline
def _relation(h1, p1, h2, p2, size):
    """Return whether two lines meet, and whether they are parallel."""
    common = cross(h1, h2)
    sine = norm(common)
    parallel = sine < NEARLY
    return not parallel and abs(dot(common, minus(p2, p1))) < NEARLY * size * sine, parallel


@njit
def _read_from_the_end(first_slides, second_slides, third_slides, found, count):
    """Turn solutions of the reversed triple in place into those of the triple itself."""
    for i in range(count):
        a, b, c, d, e, f = (found[i, 0], found[i, 1], found[i, 2], found[i, 3], found[i, 4],
                            found[i, 5])
        found[i, 0], found[i, 1] = (-e, f) if first_slides else (e, -f)
        found[i, 2], found[i, 3] = (-c, d) if second_slides else (c, -d)
        found[i, 4], found[i, 5] = (-a, b) if third_slides else (a, -b)
    return count

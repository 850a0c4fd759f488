"""Arms of six revolute joints of any geometry: up to sixteen solutions for a pose.

The loop that the joints close through the goal can be opened at any joint, and read in both senses.
In each opening θ₁ and θ₂ are eliminated, θ₃ is an eigenvalue, θ₄ and θ₅ follow from its
eigenvector, the others one by one: see `elimination` and `opening`.
"""

import math

from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems import elimination, null_spaces, opening, sizes
from ik_node.solvers.analytic.subproblems.elimination import EliminationWork
from ik_node.spatial.vector3 import Motion
from ik_node.support import eigenvalues
from ik_node.support.arrays import Points

_DISTURBANCE = 1e-6  # rad, and of the arm's size; grows tenfold from try to try
_SLIGHT = 1e-9       # the same beside a self-motion
_REFERENCES = 3      # values of θ₃ tried for a regular matrix
_SINGULAR = 1e-10    # a pivot below this fraction of the largest is none
# |exp(iθ₃)|² gives the imaginary part. Up to 0.1 rad two roots may be about to coincide, so both
# give a candidate; one below 1e-4 rad counts as real, and must close the loop.
_NEARLY_REAL, _REAL = math.exp(0.2), math.exp(2e-4)
_CLOSED, _HOPELESS = 1e-5, 0.1  # remaining gap of the loop, rad and of the arm's size
_SAME = 1e-5         # rad


class GeneralArm(ClosedFamily):
    """Six revolute joints without any structure that a closed form could use."""

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`."""
        solutions = _candidates(work.axes, work.points, work.M, work.elimination)
        for i in range(solutions):
            for j in range(6):
                value = work.elimination.found[i][j]
                work.write_value(i, j, math.cos(value), math.sin(value))
        return solutions


def _candidates(axes: Points, points: Points, M: Motion, work: EliminationWork) -> int:
    """Write candidates into work.found (MOST_BRANCHES, 6), rad; return their number.

    The arm is e₁(q₁) … e₆(q₆) = M, eᵢ(q) the turn by q about the line through points[i] (6, 3), m,
    along the unit vector axes[i] (6, 3), in the base frame at q = 0; M moves the tip from its pose
    at q = 0 to the goal.

    The first opening usually succeeds. Where its roots coincide, as they always do with a spherical
    wrist, or no pair can be eliminated, others follow, each also for a slightly perturbed arm,
    whose roots are distinct, until two succeed: either may lose a pair of nearly equal roots.
    Beside a self-motion every θ₃ is nearly a root. Disturbances that hardly move isolated solutions
    separate them; all are tried, and find different ones.
    """
    opening.arrange(axes, points, M, 0, False, work.lines)
    best, second = opening.best_pairs(work.lines)
    count, sounds = 0, 0
    for attempt in range(6):
        side, power = attempt // 2, 10.0 ** (attempt // 2)
        disturbance = _DISTURBANCE * power if attempt % 2 == 1 else 0.0
        if work.beside_motion:
            side, disturbance = attempt % 3, _SLIGHT * power
        backward = side == 1
        first = second if side == 2 else (best + 2) % 6 if backward else best
        opening.arrange(axes, points, M, first, backward, work.lines)
        opening.normalise(work.lines, disturbance)
        count, sound = _configurations(work, first, backward, count)
        if sound:
            sounds += 1
            if not work.beside_motion and (attempt == 0 or (count > 0 and sounds == 2)):
                break
    return count


def _configurations(work: EliminationWork, first: int, backward: bool,
                    count: int) -> tuple[int, bool]:
    """Add the real solutions of one opening to work.found, rad.

    Return their new number, and whether every real root gave one that closes the loop.
    """
    theta, before = work.theta, count
    elimination.bilinear(work.lines, opening.SIXTH, 4, 3, 1.0, work.P)
    elimination.bilinear(work.lines, opening.GOAL, 0, 1, -1.0, work.Q)
    null_spaces.left_null_space(work.Q, work.N)
    elimination.six_equations(work)
    # A root at φ would be an infinite eigenvalue: take the most regular of a few.
    quality, phi = 0.0, 0.0
    for k in range(_REFERENCES + 1):
        angle = 0.5 + 2.0 * math.pi * k / _REFERENCES if k < _REFERENCES else phi
        elimination.twelve_equations(work, angle)
        regular = elimination.sixteen_roots(work, angle)
        if regular > quality:
            quality, phi = regular, angle
    if not quality > _SINGULAR:
        return count, False
    roots = eigenvalues.eigenvalues(work.K, work.real, work.imaginary)
    sound = roots == 16
    for k in range(roots):
        # exp(iδ) = (cot(δ/2) + i)/(cot(δ/2) − i)
        x, y = work.real[k], work.imaginary[k]
        large, small = x * x + (y + 1.0) * (y + 1.0), x * x + (y - 1.0) * (y - 1.0)
        if y < 0.0 or not large <= _NEARLY_REAL * small:
            continue
        theta[2] = phi + math.atan2(y + 1.0, x) - math.atan2(y - 1.0, x)
        elimination.twelve_equations(work, theta[2])
        single = null_spaces.null_vector(work.M, work.order, work.v) > _SINGULAR
        elimination.split(work.v, theta)
        residual = opening.close(work.lines, work.A, theta)
        if large <= _REAL * small and not (single and residual <= _CLOSED):
            sound = False
        if (residual <= _HOPELESS and count < sizes.MOST_BRANCHES
                and _add(work, first, backward, before, count)):
            count += 1
    return count, sound


def _add(work: EliminationWork, first: int, backward: bool, before: int, count: int) -> bool:
    """Write a solution into row count of work.found; return whether the first `before` lack it."""
    found = work.found
    for part in range(6):
        angle = work.theta[part]
        if not math.isfinite(angle):
            return False
        joint = (first + (5 - part if backward else part)) % 6
        found[count][joint] = angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
    for k in range(before):
        apart = 0.0
        for i in range(6):
            off = math.fabs(found[k][i] - found[count][i])
            apart = max(apart, min(off, 2.0 * math.pi - off))
        if apart < _SAME:
            return False
    return True

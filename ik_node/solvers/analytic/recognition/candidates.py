"""Candidate structures of an arm: the closed forms that its axes may fit, cheapest first."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.solvers.analytic.recognition import nominal as nominals
from ik_node.solvers.analytic.recognition.nominal import Joints, Nominal, Structure
from ik_node.spatial import inverse, turn_z_onto

_MOST_LOCKS = 100        # combinations of locked joints that are tried


class Candidate(NamedTuple):
    """A closed form that may solve an arm."""

    cost: int
    """Relative cost of a solve: the least is tried first."""
    family: int
    place: int
    nominal: Nominal
    """Six joints, or fewer."""
    whole: Joints
    """These and the locked ones."""
    locked: tuple[int, ...]
    """Indices of the locked ones in whole."""
    span: int = 3
    """Number of joints of the triple."""


def candidates(whole: Joints, T_base_tip: np.ndarray, size: float) -> Iterator[Candidate]:
    """Yield candidates: six joints or fewer, with others locked."""
    spare, spherical = len(whole.kind) - 6, spherical_7r(whole)
    # Only an exact arm keeps its swivel angle: refinement would change it for others.
    if spherical is not None and nominals.is_exact(spherical.nominal, size):
        yield spherical
    if spare <= 0:
        yield from _structures(whole, (), size)
        if spare < 0:
            yield from _of_few(whole, T_base_tip[:3, 3], size)
        return
    real = np.flatnonzero(whole.column != nominals.NOT_THERE)
    # Prismatic joints first: locking a rail leaves the arm on it. Then joints next to the tip.
    order = sorted(real.tolist(), key=lambda i: (whole.kind[i] != PRISMATIC, -i))
    for locked in itertools.islice(itertools.combinations(order, spare), _MOST_LOCKS):
        yield from _structures(whole, tuple(sorted(locked)), size)


def spherical_7r(whole: Joints) -> Candidate | None:
    """Return the arm with spherical shoulder and wrist nearest to a 7R arm; None for others."""
    if len(whole.kind) != 7 or (whole.kind != REVOLUTE).any() or (
            whole.column == nominals.NOT_THERE).any():
        return None
    points, miss = whole.points.copy(), 0.0
    for place in (0, 4):
        centre, off = nominals.common_point(whole, place)
        points[place:place + 3], miss = centre, max(miss, off)
    if not miss < np.inf:
        return None
    settled = Nominal(whole._replace(points=points), 0.0, miss)
    return Candidate(-1, nominals.SWIVEL, 0, settled, whole, ())


def general_6r(candidate: Candidate) -> Candidate | None:
    """Return the joints of an arm that are not locked as the general 6R, where they are six."""
    six = candidate.whole.without(candidate.locked)
    if (len(six.kind) != 6 or (six.kind != REVOLUTE).any()
            or (six.column == nominals.NOT_THERE).any()):
        return None
    return candidate._replace(cost=9, family=nominals.GENERAL, place=0,
                              nominal=Nominal(six, 0.0, 0.0))


def _structures(whole: Joints, locked: tuple[int, ...], size: float,
                span: int = 3) -> Iterator[Candidate]:
    """Yield the candidates of the joints that are not locked, with a triple, or a pair: span 2."""
    six = whole.without(locked)
    # Joints after a locked one: their relation to the joint before depends on its value, unless all
    # axes meet, which they still do then.
    turning = whole.points[whole.kind == REVOLUTE]
    broken = {i - k for k, i in enumerate(locked)} if (turning != turning[:1]).any() else set()
    last = len(six.kind) - span
    for place in sorted(range(last + 1), key=lambda place: (place != last, place)):
        triple = list(range(place, place + span))
        if not broken.isdisjoint(triple[1:]):
            continue
        point = nominals.with_common_point(six, place, size, span)
        if point is not None:
            cost = 0 if place in (0, last) else 2
            settled = _settled(point, place, span, broken, size)
            if nominals.is_exact(point, size) and not nominals.is_exact(settled, size):
                # Neighbours that nearly meet may be intended not to meet.
                yield Candidate(cost, nominals.SPHERICAL, place, point, whole, locked, span)
            yield Candidate(cost if nominals.is_exact(settled, size) else cost + 1,
                            nominals.SPHERICAL, place, settled, whole, locked, span)
        direction = nominals.with_common_direction(six, triple)
        if direction is not None and (six.kind[triple] == REVOLUTE).all():
            settled = _settled(direction, place, span, broken, size)
            yield Candidate(1, nominals.PARALLEL, place, settled, whole, locked, span)
    if len(six.kind) == 6 and (six.kind == REVOLUTE).all():
        yield Candidate(9, nominals.GENERAL, 0, Nominal(six, 0.0, 0.0), whole, locked)


def _of_few(whole: Joints, tip: np.ndarray, size: float) -> Iterator[Candidate]:
    """Yield the candidates of fewer than six joints without a triple.

    Three joints beside a pair of axes, or one axis and any point of it. Five revolute joints
    without such a pair are six, the last of which stays at zero.
    """
    count, nominal = len(whole.kind), Nominal(whole, 0.0, 0.0)
    if count == 5:
        for pair in _structures(whole, (), size, 2):
            later = 3 if nominals.is_exact(pair.nominal, size) else 6
            yield pair._replace(cost=pair.cost + later)
        if (whole.kind == REVOLUTE).all():
            frame = turn_z_onto(whole.axes[-1]).T
            beside = tip + 0.3 * size * frame[1]
            six = whole.followed_by(nominals.virtual(REVOLUTE, frame[:1], beside))
            yield Candidate(9, nominals.GENERAL, 0, Nominal(six, 0.0, 0.0), six, ())
        return
    if count <= 3 and (whole.kind == PRISMATIC).all():
        yield Candidate(3, nominals.SPHERICAL, 0, nominal, whole, (), 0)
    for place in np.flatnonzero(whole.kind == REVOLUTE)[::-1].tolist():
        axis, points = whole.axes[place], whole.points.copy()
        foot = points[place] + axis * (axis @ (tip - points[place]))
        for shift in (0.0, 0.5, -0.5):
            points[place] = foot + shift * size * axis
            own = _settled(nominal._replace(joints=whole._replace(points=points.copy())), place, 1,
                           set(), size)
            yield Candidate(3, nominals.SPHERICAL, place, own, whole, (), 1)


def _settled(nominal: Nominal, place: int, span: int, broken: set[int], size: float) -> Nominal:
    """Make the relations of neighbouring joints beside a triple exact, where there are three."""
    pairs, count = [], len(nominal.joints.kind)
    if count - span < 3:
        return nominal
    for side in (list(range(place)), list(range(place + span, count))):
        if len(side) == 3:  # the middle one stays
            pairs += [(side[1], side[0]), (side[1], side[2])]
        elif len(side) == 2:
            pairs += [(side[0], side[1])]
    return nominals.with_simple_neighbours(
        nominal, [pair for pair in pairs if max(pair) not in broken], size)


def structure_of(candidate: Candidate, T_base_tip: np.ndarray, size: float) -> Structure:
    """Return the structure of a candidate: nominal joints, and the locked ones as they are."""
    joints, angle, length = candidate.nominal
    axes, points = candidate.whole.axes.copy(), candidate.whole.points.copy()
    locks = np.full(len(axes), -1)
    locks[list(candidate.locked)] = np.arange(len(candidate.locked))
    axes[locks < 0], points[locks < 0] = joints.axes, joints.points
    slack = nominals.slack_of(angle, length, size)
    return Structure(candidate.family, candidate.place, size, slack, inverse(T_base_tip),
                     candidate.whole.kind, candidate.whole.column, locks, axes, points,
                     candidate.span)

"""What kind of arm a chain is, for a kind of goal: found from its axes alone, and tried out."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ik_node.exceptions import UnsupportedError
from ik_node.kinematics.forward import SLIDE, TURN
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.branches import branches
from ik_node.solvers.analytic.closed_loop import FORM_SCRATCH, MOST_BRANCHES
from ik_node.solvers.analytic.form import (
    EXACT_SLACK,
    FLAT,
    GENERAL,
    PARALLEL,
    SPHERICAL,
    SWIVEL,
    Form,
    pack_form,
    parameters_of,
)
from ik_node.solvers.analytic.ideal import (
    Ideal,
    miss_of_common_point,
    parallel,
    told,
    with_common_direction,
    with_common_point,
    with_simple_neighbours,
)
from ik_node.solvers.analytic.joints import (
    NOT_THERE,
    Joints,
    fillers,
    free_joints,
    joints_of,
    product,
)
from ik_node.spatial import inverse

_TRIALS = 12
_TRIAL_TOLERANCE = 1e-4  # rad or m
_SQUARE = 1e-3           # rad: axes nearer than this are told as parallel
_NOT_FAR = 0.1           # of the size: what axes miss a point by and it is worth telling
_MOST_LOCKS = 100        # choices of joints to lock that are looked at
_MOST_JOINTS = 16        # the search for a structure takes seconds beyond


class Recognised(NamedTuple):
    """An arm and the closed form that solves it."""

    form: Form
    words: str
    """What was found, and how far the file is from it."""
    locked: tuple[int, ...]
    """Entries of q that have to be given: the arm has these joints to spare."""


class _Candidate(NamedTuple):
    """One way to read an arm."""

    cost: int
    """What it costs to solve that way: the least is tried first."""
    family: int
    place: int
    ideal: Ideal
    """Six joints."""
    whole: Joints
    """Those, and the locked ones among them."""
    locked: tuple[int, ...]
    """Where in the whole the locked ones are."""


def recognise(chain: Chain, asked: np.ndarray, along_goal: bool) -> Recognised:
    """Return the closed form for a chain and the axes (6,) a goal asks for.

    along_goal: whether they are the goal's own axes, else the base's. Raises UnsupportedError
    where there is none, its `found` being a few words on what was found.
    """
    own = joints_of(chain)
    if isinstance(own, str):
        raise UnsupportedError(_refusal(chain, own), own)
    T_base_tip = chain.forward(np.zeros(chain.n_joints))
    size = _size(own, T_base_tip[:3, 3])
    flat = _flat(own, T_base_tip, size)
    if flat is not None:
        return flat
    if chain.n_joints > _MOST_JOINTS:
        found = f'{chain.n_joints} joints, and a closed form is looked for up to {_MOST_JOINTS}'
        raise UnsupportedError(_refusal(chain, found), found)
    free = free_joints(T_base_tip, asked, along_goal)
    if free is None:
        raise UnsupportedError('analytic has no closed form for goals that ask for one rotation '
                               'only', 'a goal for one rotation only')
    whole = free[0].followed_by(own).followed_by(free[1])
    for candidate in sorted(_candidates(whole, T_base_tip, size), key=lambda c: c.cost):
        form = _form(candidate, T_base_tip, size)
        if _proves_right(form, T_base_tip, len(whole.kind) < 6):
            return _recognised(chain, own, candidate, form)
    found = f'{_letters(own)} with no structure a closed form is known for'
    raise UnsupportedError(_refusal(chain, found), found)


def _refusal(chain: Chain, found: str) -> str:
    ball = ', transpose and ccd' if 'ball' not in found else ' and transpose'
    return (f'analytic has no closed form for the arm from {chain.base_link!r} to '
            f'{chain.tip_link!r}: found {found}; what fits this one is dls, pseudoinverse{ball}')


def _size(joints: Joints, tip: np.ndarray) -> float:
    """Return the arm's size, m: the way from joint to joint to the tip."""
    points = [joints.points[0]]
    for axis, point in zip(joints.axes[1:], joints.points[1:]):
        points.append(point + axis * (axis @ (points[-1] - point)))
    points.append(tip)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return length if length > 0.0 else 1.0


def _candidates(whole: Joints, T_base_tip: np.ndarray, size: float) -> Iterator[_Candidate]:
    """Yield ways to read joints as six, some locked or some added where there are not six."""
    spare = len(whole.kind) - 6
    if spare == 1 and (whole.kind == TURN).all() and (whole.column != NOT_THERE).all():
        shoulder = with_common_point(whole, 0, size)
        wrist = None if shoulder is None else with_common_point(shoulder.joints, 4, size)
        # A swivel angle is kept by an exact arm only: another would come off it when polished.
        if shoulder is not None and wrist is not None and _is_exact(shoulder, size) and _is_exact(
                wrist, size):
            yield _Candidate(-1, SWIVEL, 0, wrist, whole, ())
    if spare <= 0:
        for six in ([whole] if spare == 0 else fillers(whole, T_base_tip[:3, 3], -spare, size)):
            yield from _structures(six, (), size)
        return
    real = np.flatnonzero(whole.column != NOT_THERE)
    # Slides first: a rail that stands still leaves the arm on it. Then the joints next to the tip.
    order = sorted(real.tolist(), key=lambda i: (whole.kind[i] != SLIDE, -i))
    for locked in itertools.islice(itertools.combinations(order, spare), _MOST_LOCKS):
        yield from _structures(whole, tuple(sorted(locked)), size)


def _structures(whole: Joints, locked: tuple[int, ...], size: float) -> Iterator[_Candidate]:
    """Yield what the six joints that are not locked can be read as."""
    six = whole.without(locked)
    # Joints before which one is locked: how they stand to the one before them changes with it.
    broken = {i - k for k, i in enumerate(locked)}
    for place in (3, 0, 1, 2):
        if not broken.isdisjoint((place + 1, place + 2)):
            continue
        triple = [place, place + 1, place + 2]
        point = with_common_point(six, place, size)
        if point is not None:
            cost = 0 if place in (0, 3) else 2
            settled = _settled(point, place, broken, size)
            if _is_exact(point, size) and not _is_exact(settled, size):
                # Neighbours that do not quite meet are meant not to, as far as one can tell.
                yield _Candidate(cost, SPHERICAL, place, point, whole, locked)
            yield _Candidate(cost if _is_exact(settled, size) else cost + 1, SPHERICAL, place,
                             settled, whole, locked)
        direction = with_common_direction(six, triple)
        if direction is not None and (six.kind[triple] == TURN).all():
            yield _Candidate(1, PARALLEL, place, _settled(direction, place, broken, size), whole,
                             locked)
    if (six.kind == TURN).all():
        yield _Candidate(9, GENERAL, 0, Ideal(six, 0.0, 0.0), whole, locked)


def _settled(ideal: Ideal, place: int, broken: set[int], size: float) -> Ideal:
    """Make exact how the joints beside a triple stand to their neighbours among them."""
    pairs = []
    for side in (list(range(place)), list(range(place + 3, 6))):
        if len(side) == 3:  # the middle one stays
            pairs += [(side[1], side[0]), (side[1], side[2])]
        elif len(side) == 2:
            pairs += [(side[0], side[1])]
    return with_simple_neighbours(
        ideal, [pair for pair in pairs if max(pair) not in broken], size)


def _is_exact(ideal: Ideal, size: float) -> bool:
    """Tell whether an arm is ideal up to rounding."""
    return slack_of(ideal.angle, ideal.length, size) <= EXACT_SLACK


def _form(candidate: _Candidate, T_base_tip: np.ndarray, size: float) -> Form:
    """Return the form of a candidate: its ideal joints, and the locked ones where they are."""
    joints, angle, length = candidate.ideal
    axes, points = candidate.whole.axes.copy(), candidate.whole.points.copy()
    locks = np.full(len(axes), -1)
    locks[list(candidate.locked)] = np.arange(len(candidate.locked))
    axes[locks < 0], points[locks < 0] = joints.axes, joints.points
    return Form(candidate.family, candidate.place, size, slack_of(angle, length, size),
                inverse(T_base_tip), candidate.whole.kind, candidate.whole.column, locks, axes,
                points)


def slack_of(angle: float, length: float, size: float) -> float:
    """Return the slack of an ideal arm that is so far, rad and m, from the true one."""
    off = angle + length / size
    return EXACT_SLACK if off < 1e-9 else 10.0 * off + EXACT_SLACK


def _proves_right(form: Form, T_base_tip: np.ndarray, has_filler: bool) -> bool:
    """Tell whether the form finds postures again, from the poses they give the ideal arm."""
    codes, numbers = pack_form(form)
    joints = Joints(form.kind, form.axes, form.points, form.column)
    n = int(form.column.max()) + 1
    scratch, out = np.zeros(FORM_SCRATCH), np.empty((MOST_BRANCHES, n))
    real = form.column >= 0
    given = np.zeros(max(form.parameters, 1))
    rng = np.random.default_rng(0)
    misses = stuck = 0
    for _ in range(_TRIALS):
        q = rng.uniform(-np.pi, np.pi, n)
        values = np.zeros(len(form.kind))
        if not has_filler:
            values = rng.uniform(-1.0, 1.0, len(form.kind))
        values[real] = q[form.column[real]]
        values[form.kind == SLIDE] *= 0.3 * form.size
        q[form.column[real]] = values[real]
        parameters_of(codes, numbers, q, given)
        count = branches(codes, numbers, product(joints, values) @ T_base_tip, given, q + 0.1,
                         scratch, out)
        off = out[:count] - q
        turns = np.ones(n, dtype=bool)
        turns[form.column[real]] = form.kind[real] == TURN
        off[:, turns] -= 2.0 * np.pi * np.round(off[:, turns] / (2.0 * np.pi))
        misses += not (count and np.abs(off).max(axis=1).min() < _TRIAL_TOLERANCE)
        if form.parameters:  # a joint that the pose determines is none to spare
            given += 0.05
            stuck += not branches(codes, numbers, product(joints, values) @ T_base_tip, given, q,
                                  scratch, out)
    return misses <= 1 and stuck <= _TRIALS // 2


def _recognised(chain: Chain, own: Joints, candidate: _Candidate, form: Form) -> Recognised:
    """Say in words what was found."""
    _, angle, length = candidate.ideal
    columns = form.column[form.locked < 0]
    locked = tuple(int(c) for c in form.column[form.locked >= 0])
    words = _letters(own)
    if locked:
        words += ' with ' + ', '.join(f'{chain.joint_names[c]!r}' for c in locked) + ' given'
    triple = columns[candidate.place:candidate.place + 3]
    own_triple = sorted(int(c) for c in triple if c >= 0)
    n = chain.n_joints
    if candidate.family == GENERAL:
        words += ', general' + (_no_ball(own, form.size) if len(own.kind) == 6 else '')
    elif candidate.family == SWIVEL:
        words += ', spherical shoulder and wrist (axes 1, 2, 3 and 5, 6, 7 meet), swivel angle'
    elif len(own_triple) < 3:
        words += _of_few(own, angle)
    elif candidate.family == PARALLEL:
        words += f', {_axes(own_triple)} parallel'
    elif own_triple == [n - 3, n - 2, n - 1]:
        words += f', spherical wrist ({_axes(own_triple)} meet)'
    elif own_triple == [0, 1, 2]:
        words += f', spherical shoulder ({_axes(own_triple)} meet)'
    else:
        words += f', {_axes(own_triple)} meet'
    if candidate.family != SWIVEL:
        words += _no_swivel(own, form.size)
    return Recognised(form, words + told(angle, length), locked)


def _of_few(own: Joints, angle: float) -> str:
    """Return how the axes stand of an arm that is solved with joints that are not there.

    angle: how far the ideal's axes are from the file's, rad.
    """
    apart = max(angle, _SQUARE)
    runs: list[list[int]] = []
    for k in range(1, len(own.kind)):
        if not parallel(own.axes[k - 1], own.axes[k], apart):
            continue
        if runs and runs[-1][-1] == k - 1:
            runs[-1].append(k)
        else:
            runs.append([k - 1, k])
    if len(own.kind) > 1 and not runs:
        return ', no neighbouring axes parallel'
    return ''.join(f', {_axes(run)} parallel' for run in runs)


def _no_ball(own: Joints, size: float) -> str:
    """Return by how much neighbouring axes miss a common point, of a 6R arm where they all do."""
    misses = [miss_of_common_point(own, place) for place in range(4)]
    place = int(np.argmin(misses))
    if not misses[place] < _NOT_FAR * size:
        return ''
    return f' ({_axes([place, place + 1, place + 2])} miss a common point by {misses[place]:.3g} m)'


def _no_swivel(own: Joints, size: float) -> str:
    """Return how far a 7R arm is from spherical shoulder and wrist, where it all but has them."""
    if len(own.kind) != 7:
        return ''
    both = [with_common_point(own, place, size) for place in (0, 4)]
    off = [ball.length for ball in both if ball is not None]
    if len(off) < 2:
        return ''
    return f'; no swivel angle: shoulder and wrist are {max(off):.1e} m off spherical'


def _axes(columns: list[int]) -> str:
    """Return 'axes 2, 3, 4' for columns counted from 0."""
    return 'axes ' + ', '.join(str(c + 1) for c in columns)


def _letters(joints: Joints) -> str:
    """Return 6R, or RRPR."""
    if (joints.kind == TURN).all():
        return f'{len(joints.kind)}R'
    return ''.join('P' if kind == SLIDE else 'R' for kind in joints.kind)


def _flat(own: Joints, T_base_tip: np.ndarray, size: float) -> Recognised | None:
    """Return a planar arm, or a SCARA; None where the chain is neither."""
    turns, slides = np.flatnonzero(own.kind == TURN), np.flatnonzero(own.kind == SLIDE)
    if len(turns) < 2 or len(slides) > 1:
        return None
    ideal = with_common_direction(own, [*turns.tolist(), *slides.tolist()])
    if ideal is None:
        return None
    joints, tip = ideal.joints, T_base_tip[:3, 3]
    locked = turns[3:]  # an arm with more is posed by its first three
    if len(turns) == 2:  # a third axis through the tip, about which it may turn as it likes
        joints = joints.followed_by(Joints(np.array([TURN]), joints.axes[turns[:1]], tip[None],
                                           np.array([NOT_THERE])))
        ends = [*joints.points[turns], tip]
    else:
        ends = [*joints.points[turns], tip]
    h = joints.axes[turns[0]]
    links = np.diff(ends, axis=0)
    lengths = np.linalg.norm(links - (links @ h)[:, None] * h, axis=1)
    if lengths[:2].min() < 1e-9 * size:
        return None
    locks = np.full(len(joints.kind), -1)
    locks[locked] = np.arange(len(locked))
    form = Form(FLAT, 0, size, slack_of(ideal.angle, 0.0, size), inverse(T_base_tip), joints.kind,
                joints.column, locks, joints.axes, joints.points)
    name = f'planar {len(turns)}R' if not len(slides) else f'SCARA {_letters(own)}'
    told_lengths = ', '.join(f'L{i + 1} = {length:.6g} m' for i, length in enumerate(lengths)
                             if length > 1e-9 * size)
    off = f'; axes parallel to within {ideal.angle:.1e} rad' if ideal.angle > 1e-12 else ''
    return Recognised(form, f'{name} ({told_lengths}{off})',
                      tuple(int(c) for c in own.column[locked]))

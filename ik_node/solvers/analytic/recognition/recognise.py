"""Recognition: the closed form for a chain and a kind of goal, from its axes alone."""

import weakref
from typing import Any, NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.recognition import candidates as forms
from ik_node.solvers.analytic.recognition import nominal as nominals
from ik_node.solvers.analytic.recognition.candidates import Candidate
from ik_node.solvers.analytic.recognition.nominal import Joints, Structure
from ik_node.spatial import inverse
from ik_node.support.exceptions import UnsupportedError

_ALL = np.ones(6, dtype=bool)
_RIGHT_ANGLES = 0.5 * np.pi * np.arange(-1, 3)
_TRIALS = 12
_GENERAL_TRIALS = 3      # this family relies on no structure that could be missing
_TRIAL_TOLERANCE = 1e-4  # rad or m
_REDUNDANT = 5e-3        # ratio of singular values above which a Jacobian counts as regular
_DEPENDENT = 1e-6        # ratio below which it counts as singular, in every configuration
_MOST_JOINTS = 16        # the search for a structure takes seconds beyond
_SQUARE = 1e-3           # rad: axes nearer than this are described as parallel
_NOT_FAR = 0.1           # of the size: misses of a common point below this are mentioned


class Recognised(NamedTuple):
    """An arm and the closed form that solves it."""

    structure: Structure
    description: str
    """Description, with the deviation of the file from the nominal geometry."""
    locked: tuple[int, ...]
    """Entries of q of the locked joints: the redundancy parameters."""
    guesses: Structure | None = None
    """Of an inexact 7R arm, that with spherical shoulder and wrist nearest to it."""
    general: Structure | None = None
    """Of an inexact arm, its six joints that are not locked as the general 6R."""


# Verification takes a while, and a changed option makes a new solver.
_RECOGNISED: 'weakref.WeakKeyDictionary[Chain, dict[tuple[bytes, bool], Recognised]]' = (
    weakref.WeakKeyDictionary())


def recognise(chain: Chain, constrained: np.ndarray = _ALL, along_goal: bool = True) -> Recognised:
    """Return the closed form for a chain and a kind of goal.

    constrained (6,): the axes that goals constrain, by default all; along_goal: whether they are
    the goal's own axes, else the base's. Raises UnsupportedError without a closed form; its `found`
    describes the arm.
    """
    cache, key = _RECOGNISED.setdefault(chain, {}), (constrained.tobytes(), along_goal)
    if key not in cache:
        cache[key] = _recognise(chain, constrained, along_goal)
    return cache[key]


def _recognise(chain: Chain, constrained: np.ndarray, along_goal: bool) -> Recognised:
    own = nominals.joints_of(chain)
    if isinstance(own, str):
        raise UnsupportedError(_refusal(chain, own), own)
    T_base_tip = chain.forward(np.zeros(chain.n_joints))
    size = _size(own, T_base_tip[:3, 3])
    planar = _planar(own, T_base_tip, size)
    if planar is not None:
        return planar
    if chain.n_joints > _MOST_JOINTS:
        found = f'{chain.n_joints} joints, more than the limit of {_MOST_JOINTS} for closed forms'
        raise UnsupportedError(_refusal(chain, found), found)
    free = nominals.free_joints(T_base_tip, constrained, along_goal)
    if free is None:
        raise UnsupportedError('analytic has no closed form for goals that constrain one rotation '
                               'only', 'a goal for one rotation only')
    if not constrained[:3].any() and along_goal:  # where the axes are does not matter
        points = np.tile(T_base_tip[:3, 3], (len(own.kind), 1))
    else:
        points = own.points
    whole = free[0].followed_by(own._replace(points=points)).followed_by(free[1])
    best = None
    for candidate in sorted(forms.candidates(whole, T_base_tip, size), key=lambda c: c.cost):
        if best is not None and candidate.family == nominals.GENERAL:
            break
        structure = forms.structure_of(candidate, T_base_tip, size)
        has_filler = len(whole.kind) < len(structure.kind)
        if not _proves_right(structure, T_base_tip, has_filler):
            continue
        # The equations of fewer joints may leave an angle open at right angles.
        if len(structure.kind) < 6 and not _proves_right(structure, T_base_tip, has_filler,
                                                         _RIGHT_ANGLES):
            best = best or (candidate, structure)
            continue
        arm = described(chain, own, candidate, structure)
        if not structure.may_be_off:
            return arm
        guesses, general = (None if other is None else forms.structure_of(other, T_base_tip, size)
                            for other in (forms.spherical_7r(whole), forms.general_6r(candidate)))
        return arm._replace(guesses=guesses, general=general)
    if best is not None:
        return described(chain, own, *best)
    found = f'{letters(own)} with no structure a closed form is known for'
    rank = _rank(own, size)
    if rank < min(len(own.kind), 6):
        found += (': it is singular in every configuration, since its joints move the tip in '
                  f'{rank} independent directions only')
    elif not constrained.all():
        found += f', for goals that leave {_names(~constrained)} free'
    raise UnsupportedError(_refusal(chain, found), found)


def _names(axes: np.ndarray) -> str:
    """Return the names of some axes (6,) of a goal, as text."""
    return ' '.join(name for name, one in zip(('x', 'y', 'z', 'rx', 'ry', 'rz'), axes) if one)


def _rank(joints: Joints, size: float) -> int:
    """Return in how many independent ways joints move the tip, at most, of random configurations.

    size: of the arm, m.
    """
    rng, most = np.random.default_rng(0), 0
    for _ in range(_TRIALS):
        values = rng.uniform(-np.pi, np.pi, len(joints.kind))
        values[joints.kind == PRISMATIC] *= 0.1 * size
        J = nominals.twists(joints, values)
        J[:3] /= size
        sigma = np.linalg.svd(J, compute_uv=False)
        most = max(most, int((sigma > _DEPENDENT * sigma[0]).sum()))
    return most


def _refusal(chain: Chain, found: str) -> str:
    others = ', transpose and ccd' if 'spherical joints' not in found else ' and transpose'
    return (f'analytic has no closed form for the arm from {chain.base_link!r} to '
            f'{chain.tip_link!r}: found {found}; solvers for this one are dls, pseudoinverse'
            f'{others}')


def _size(joints: Joints, tip: np.ndarray) -> float:
    """Return the arm's size, m: the length of the path from joint to joint to the tip."""
    points = [joints.points[0]]
    for axis, point in zip(joints.axes[1:], joints.points[1:]):
        points.append(point + axis * (axis @ (points[-1] - point)))
    length = float(np.linalg.norm(np.diff([*points, tip], axis=0), axis=1).sum())
    return length if length > 0.0 else 1.0


def _proves_right(structure: Structure, T_base_tip: np.ndarray, has_filler: bool,
                  angles: np.ndarray | None = None) -> bool:
    """Tell whether the closed form recovers random configurations of the nominal arm.

    angles: those of its joints, rad, of which singular configurations are left out; None: all.
    """
    joints = Joints(structure.kind, structure.axes, structure.points, structure.column)
    if not _can_be_locked(joints, structure.locked >= 0, structure.size):
        return False
    arm, n, k = structure.closed_form(), int(structure.column.max()) + 1, len(structure.kind)
    real = structure.column >= 0
    columns = structure.column[real]
    revolute = np.ones(n, dtype=bool)
    revolute[columns] = structure.kind[real] == REVOLUTE
    rng = np.random.default_rng(0)
    misses, trials = 0, _GENERAL_TRIALS if structure.family == nominals.GENERAL else _TRIALS
    for trial in range(trials):
        if misses > 1 or misses + trials - trial <= 1:
            break
        q = rng.uniform(-np.pi, np.pi, n)
        values = np.zeros(k) if has_filler else rng.uniform(-1.0, 1.0, k)
        values[real] = q[columns]
        values[structure.kind == PRISMATIC] *= 0.3 * structure.size
        if angles is not None:
            values = np.where(structure.kind == REVOLUTE, rng.choice(angles, k), values)
            if not _is_regular(joints, values, slice(None), structure.size):
                continue
        q[columns] = values[real]
        pose = nominals.motions(joints, values)[-1] @ T_base_tip
        off = arm.branches(pose[None], arm.parameters_at(q), q + 0.1) - q
        off[:, revolute] -= 2.0 * np.pi * np.round(off[:, revolute] / (2.0 * np.pi))
        misses += not (len(off) and np.abs(off).max(axis=1).min() < _TRIAL_TOLERANCE)
    return misses <= 1


def _can_be_locked(joints: Joints, locked: np.ndarray, size: float) -> bool:
    """Tell whether the joints that are not locked (k,) suffice for the motions of the tip.

    A locked joint whose value the pose determines is not redundant: the others then move the tip
    in fewer than six ways, in every configuration.
    """
    rng = np.random.default_rng(0)
    for _ in range(_TRIALS if locked.any() else 0):
        values = rng.uniform(-np.pi, np.pi, len(locked))
        values[joints.kind == PRISMATIC] *= 0.1 * size
        if _is_regular(joints, values, ~locked, size):
            return True
    return not locked.any()


def _is_regular(joints: Joints, values: np.ndarray, some: Any, size: float) -> bool:
    """Tell whether some of the joints, at values (k,), move the tip in as many ways."""
    J = nominals.twists(joints, values)[:, some]
    J[:3] /= size
    singular_values = np.linalg.svd(J, compute_uv=False)
    return bool(singular_values[-1] > _REDUNDANT * singular_values[0])


def _planar(own: Joints, T_base_tip: np.ndarray, size: float) -> Recognised | None:
    """Return a planar arm, or a SCARA; None where the chain is neither."""
    revolute, prismatic = (np.flatnonzero(own.kind == kind) for kind in (REVOLUTE, PRISMATIC))
    if len(revolute) < 2 or len(prismatic) > 1:
        return None
    nominal = nominals.with_common_direction(own, [*revolute.tolist(), *prismatic.tolist()])
    if nominal is None:
        return None
    joints, tip, h = nominal.joints, T_base_tip[:3, 3], nominal.joints.axes[revolute[0]]
    links = np.diff([*joints.points[revolute], tip], axis=0)
    lengths = np.linalg.norm(links - (links @ h)[:, None] * h, axis=1)
    if lengths[:2].min() < 1e-9 * size:
        return None
    if len(revolute) == 2:  # a third, virtual axis through the tip
        joints = joints.followed_by(nominals.virtual(REVOLUTE, h[None], tip))
    # The first three joints are solved for, and the prismatic one, which commutes with all.
    order = np.argsort(joints.kind == PRISMATIC, kind='stable')
    joints, locked = Joints(*(field[order] for field in joints)), revolute[3:]
    locks = np.full(len(joints.kind), -1)
    locks[3:3 + len(locked)] = np.arange(len(locked))
    slack = nominals.slack_of(nominal.angle, 0.0, size)
    structure = Structure(nominals.PLANAR, 0, size, slack, inverse(T_base_tip), joints.kind,
                          joints.column, locks, joints.axes, joints.points)
    name = f'planar {len(revolute)}R' if not len(prismatic) else f'SCARA {letters(own)}'
    lengths_text = ', '.join(f'L{i + 1} = {length:.6g} m' for i, length in enumerate(lengths)
                             if length > 1e-9 * size)
    off = f'; axes parallel to within {nominal.angle:.1e} rad' if nominal.angle > 1e-12 else ''
    return Recognised(structure, f'{name} ({lengths_text}{off})',
                      tuple(int(c) for c in own.column[locked]))


def described(chain: Chain, own: Joints, candidate: Candidate, structure: Structure) -> Recognised:
    """Return a candidate that fits, with its description."""
    _, angle, length = candidate.nominal
    columns = structure.column[structure.locked < 0]
    locked = tuple(int(c) for c in structure.column[structure.locked >= 0])
    text = letters(own)
    if locked:
        text += ' with ' + ', '.join(f'{chain.joint_names[c]!r}' for c in locked) + ' given'
    triple = columns[candidate.place:candidate.place + candidate.span]
    own_triple = sorted(int(c) for c in triple if c >= 0)
    n = chain.n_joints
    if candidate.family == nominals.GENERAL:
        text += ', general' + (_near_spherical(own, structure.size) if len(own.kind) == 6 else '')
    elif candidate.family == nominals.SWIVEL:
        text += ', spherical shoulder and wrist (axes 1, 2, 3 and 5, 6, 7 meet), swivel angle'
    elif len(own_triple) < max(candidate.span, 2):
        text += _of_few(own, angle)
    elif candidate.family == nominals.PARALLEL:
        text += f', {_axes(own_triple)} parallel'
    elif own_triple == [n - 3, n - 2, n - 1]:
        text += f', spherical wrist ({_axes(own_triple)} meet)'
    elif own_triple == [0, 1, 2]:
        text += f', spherical shoulder ({_axes(own_triple)} meet)'
    else:
        text += f', {_axes(own_triple)} meet'
    if candidate.family != nominals.SWIVEL:
        text += _off_spherical(own, structure.size)
    return Recognised(structure, text + nominals.deviation_text(angle, length), locked)


def _of_few(own: Joints, angle: float) -> str:
    """Describe the axes of an arm whose triple has less than two axes of its own.

    angle: deviation of the nominal axes from the file's, rad.
    """
    apart = max(angle, _SQUARE)
    runs: list[list[int]] = []
    for k in range(1, len(own.kind)):
        if not nominals.parallel(own.axes[k - 1], own.axes[k], apart):
            continue
        if runs and runs[-1][-1] == k - 1:
            runs[-1].append(k)
        else:
            runs.append([k - 1, k])
    if len(own.kind) > 1 and not runs:
        return ', no neighbouring axes parallel'
    return ''.join(f', {_axes(run)} parallel' for run in runs)


def _near_spherical(own: Joints, size: float) -> str:
    """Describe by how much three neighbouring axes of a 6R arm miss a common point."""
    misses = [nominals.common_point(own, place)[1] for place in range(4)]
    place = int(np.argmin(misses))
    if not misses[place] < _NOT_FAR * size:
        return ''
    return f' ({_axes([place, place + 1, place + 2])} miss a common point by {misses[place]:.3g} m)'


def _off_spherical(own: Joints, size: float) -> str:
    """Describe the deviation of a 7R arm from spherical shoulder and wrist, where it is small."""
    if len(own.kind) != 7:
        return ''
    both = [nominals.with_common_point(own, place, size) for place in (0, 4)]
    off = [point.length for point in both if point is not None]
    if len(off) < 2:
        return ''
    return f'; no swivel angle: shoulder and wrist are {max(off):.1e} m off spherical'


def _axes(columns: list[int]) -> str:
    """Return 'axes 2, 3, 4' for columns counted from 0."""
    return 'axes ' + ', '.join(str(c + 1) for c in columns)


def letters(joints: Joints) -> str:
    """Return 6R, or RRPR."""
    if (joints.kind == REVOLUTE).all():
        return f'{len(joints.kind)}R'
    return ''.join('P' if kind == PRISMATIC else 'R' for kind in joints.kind)

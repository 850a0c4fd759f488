"""Recognised arms, and their description."""

from typing import NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.recognition.candidates import Candidate
from ik_node.solvers.analytic.recognition.joints import Joints
from ik_node.solvers.analytic.recognition.nominal import (
    common_point,
    deviation_text,
    parallel,
    with_common_point,
)
from ik_node.solvers.analytic.structure import GENERAL, PARALLEL, SWIVEL, Structure

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
    if candidate.family == GENERAL:
        text += ', general' + (_near_spherical(own, structure.size) if len(own.kind) == 6 else '')
    elif candidate.family == SWIVEL:
        text += ', spherical shoulder and wrist (axes 1, 2, 3 and 5, 6, 7 meet), swivel angle'
    elif len(own_triple) < max(candidate.span, 2):
        text += _of_few(own, angle)
    elif candidate.family == PARALLEL:
        text += f', {_axes(own_triple)} parallel'
    elif own_triple == [n - 3, n - 2, n - 1]:
        text += f', spherical wrist ({_axes(own_triple)} meet)'
    elif own_triple == [0, 1, 2]:
        text += f', spherical shoulder ({_axes(own_triple)} meet)'
    else:
        text += f', {_axes(own_triple)} meet'
    if candidate.family != SWIVEL:
        text += _off_spherical(own, structure.size)
    return Recognised(structure, text + deviation_text(angle, length), locked)


def _of_few(own: Joints, angle: float) -> str:
    """Describe the axes of an arm whose triple has less than two axes of its own.

    angle: deviation of the nominal axes from the file's, rad.
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


def _near_spherical(own: Joints, size: float) -> str:
    """Describe by how much three neighbouring axes of a 6R arm miss a common point."""
    misses = [common_point(own, place)[1] for place in range(4)]
    place = int(np.argmin(misses))
    if not misses[place] < _NOT_FAR * size:
        return ''
    return f' ({_axes([place, place + 1, place + 2])} miss a common point by {misses[place]:.3g} m)'


def _off_spherical(own: Joints, size: float) -> str:
    """Describe the deviation of a 7R arm from spherical shoulder and wrist, where it is small."""
    if len(own.kind) != 7:
        return ''
    both = [with_common_point(own, place, size) for place in (0, 4)]
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

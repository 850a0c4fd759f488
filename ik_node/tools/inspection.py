"""What a robot is, gathered for people and programs: plain data, as JSON has it."""

import math
from typing import Any

import numpy as np

from ik_node.exceptions import IkError, ModelError, UnsupportedError, names
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.model.dh import CONVENTIONS
from ik_node.model.joints import Joint
from ik_node.model.tree import KinematicTree
from ik_node.solvers.registry import make_solver, solver_names
from ik_node.workspace.task_rank import task_rank

_NEARLY = 1e-2   # rad: a turn this near to a quarter turn is meant to be one
_EXACTLY = 1e-9  # rad: what rounding in the last digits makes of it


def inspect_tree(tree: KinematicTree) -> dict[str, Any]:
    """Return name, root, links, joints and warnings of a tree; m and rad, None for no limit."""
    return {'name': tree.name, 'root': tree.root, 'links': list(tree.links),
            'joints': [_joint(joint) for joint in tree.joints.values()],
            'leaves': tree.leaves(), 'warnings': [*tree.warnings, *_odd(tree)]}


def inspect_chain(chain: Chain) -> dict[str, Any]:
    """Return the ends, joints, reach, task rank, DH rows and fitting solvers of a chain."""
    centre, radius = reach(chain.arrays)
    return {'base_link': chain.base_link, 'tip_link': chain.tip_link,
            'joints': list(chain.joint_names),
            'reach': {'radius': _finite(radius), 'centre': centre.tolist()},
            'task': _task(chain),
            'solvers': {name: _fit(name, chain) for name in solver_names()},
            'dh': {convention: _rows(chain, convention) for convention in CONVENTIONS}}


def chains_to_show(tree: KinematicTree, base: str | None, tip: str | None) -> list[Chain]:
    """Return the chain to a tip; without one to the default tip, or else to every leaf.

    Of leaves that the same joints move the last is enough, and links named *tool* or *tcp* go
    before leaves. Raises ModelError for unknown links and where nothing moves.
    """
    try:
        return [tree.chain(base, tip)]
    except ModelError:
        if tip is not None or base is not None:
            raise
    tips = [link for link in tree.links if 'tool' in link.lower() or 'tcp' in link.lower()]
    by_joints = {}
    for link in tips or tree.leaves():
        try:
            chain = tree.chain(None, link)
        except ModelError:  # a leaf that nothing moves
            continue
        by_joints[chain.joint_names] = chain
    return list(by_joints.values())


def _joint(joint: Joint) -> dict[str, Any]:
    known: dict[str, Any] = {'name': joint.name, 'type': joint.type, 'parent': joint.parent,
                             'child': joint.child}
    if joint.moves:
        known.update(axis=joint.axis.tolist(), lower=_finite(joint.lower),
                     upper=_finite(joint.upper), velocity=_finite(joint.velocity),
                     effort=_finite(joint.effort))
    if joint.moves and joint.mimic is not None:
        known['mimic'] = {'joint': joint.mimic.joint, 'multiplier': joint.mimic.multiplier,
                          'offset': joint.mimic.offset}
    return known


def _task(chain: Chain) -> dict[str, Any]:
    try:
        found = task_rank(chain)
    except IkError as error:
        return {'rank': None, 'describe': str(error)}
    return {'rank': found.rank, 'weights': found.weights.tolist(), 'never': list(found.never),
            'describe': found.describe()}


def _fit(name: str, chain: Chain) -> dict[str, Any]:
    """Return whether a solver takes a chain, and what it says of it."""
    try:
        solver = make_solver(name, chain)
    except UnsupportedError as error:
        return {'fits': False, 'says': error.found or str(error)}
    except Exception as error:  # a plug-in's: the others are shown all the same
        return {'fits': False, 'says': f'{type(error).__name__}: {error}'}
    return {'fits': True, 'says': getattr(solver, 'family', '')}


def _rows(chain: Chain, convention: str) -> dict[str, Any]:
    try:
        return chain.to_dh(convention)
    except ModelError as error:
        return {'error': str(error)}


def _odd(tree: KinematicTree) -> list[str]:
    """Return a sentence for each axis meant to be square to the one before, and missing limits."""
    found = []
    for joint in tree.joints.values():
        off = _off_square(joint.placement[:3, :3])
        if joint.moves:
            off = max(off, _off_square(joint.axis[None, :]))
        if off > _EXACTLY:
            found.append(f'joint {joint.name!r} is {off:.1e} rad off a right angle, as if written '
                         'with few digits')
    hasty = [joint.name for joint in tree.joints.values()
             if joint.moves and joint.mimic is None and math.isinf(joint.velocity)]
    if hasty:
        found.append(f'no velocity limit: {names(hasty)}')
    return found


def _off_square(directions: np.ndarray) -> float:
    """Return how far directions (k, 3) are off the coordinate axes, rad; 0 where meant to be off.

    Directions in a plane of two axes, and those anywhere, are meant to be; only what is off by
    less than `_NEARLY` is not.
    """
    small = np.abs(directions)[np.abs(directions) < _NEARLY]
    return float(small.max(initial=0.0))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None

"""Collects the properties of a robot as plain data for text and JSON."""

import math
from typing import Any

import numpy as np

from ik_node.collision.mesh_distance import TriangleMesh, coal
from ik_node.collision.robot import LinkPiece, RobotShapes
from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.model.dh import CONVENTIONS
from ik_node.model.joints import Joint
from ik_node.model.tree import KinematicTree
from ik_node.solvers.registry import make_solver, solver_names
from ik_node.support.exceptions import IkError, ModelError, UnsupportedError, names
from ik_node.workspace.task_rank import task_rank

_NEARLY = 1e-2   # rad: an angle this near to a right angle is meant to be one
_EXACTLY = 1e-9  # rad: rounding in the last digits


def inspect_tree(tree: KinematicTree) -> dict[str, Any]:
    """Return name, root, links, joints, masses and warnings of a tree; m, rad and kg.

    None means no limit. The inertia is about the centre, in link axes, kg m².
    """
    return {'name': tree.name, 'root': tree.root, 'links': list(tree.links),
            'joints': [_joint(joint) for joint in tree.joints.values()],
            'mass': sum(inertial.mass for inertial in tree.inertials.values()),
            'inertials': {link: {'mass': inertial.mass, 'center': inertial.center.tolist(),
                                 'inertia': inertial.inertia.tolist()}
                          for link, inertial in tree.inertials.items()},
            'leaves': tree.leaves(),
            'warnings': _warnings(tree)}


def inspect_chain(chain: Chain) -> dict[str, Any]:
    """Return the ends, joints, reach, task rank, DH rows and fitting solvers of a chain."""
    centre, radius, *_ = extent(chain.arrays)
    return {'base_link': chain.base_link, 'tip_link': chain.tip_link,
            'joints': list(chain.joint_names),
            'reach': {'radius': _finite(radius), 'centre': centre.tolist()},
            'task': _task(chain),
            'solvers': {name: _fit(name, chain) for name in solver_names()},
            'dh': {convention: _rows(chain, convention) for convention in CONVENTIONS}}


def inspect_collisions(robot: RobotShapes) -> dict[str, Any]:
    """Return the shapes of every link, and the pairs of links that are checked, or why not.

    vertices: of a hull, else 0. excess: how far it goes beyond the mesh at the most, m; None where
    that is not measured.
    """
    return {'shapes': [_shape(one, robot) for one in robot.pieces],
            'checked': sorted({(robot.pieces[a].link, robot.pieces[b].link)
                               for a, b in robot.pairs}),
            'left_out': robot.left_out()}


def _shape(one: LinkPiece, robot: RobotShapes) -> dict[str, Any]:
    convex, shape = one.piece.convex, one.piece.original
    name: str = type(shape).__name__.lower()
    excess: float | None = 0.0
    if isinstance(shape, TriangleMesh):
        name = 'convex hull of a mesh'
        excess = 0.0 if shape.is_convex else None if coal() is None else shape.hull_excess()
    return {'link': one.link, 'shape': name, 'visual': one.link in robot.visual,
            'vertices': convex.vertices, 'excess': excess}


def chains_to_show(tree: KinematicTree, base: str | None, tip: str | None) -> list[Chain]:
    """Return the chain to a tip; without one to the default tip, or else to every leaf.

    Of leaves moved by the same joints only the last is returned; links named *tool* or *tcp* take
    precedence over leaves. Raises ModelError for unknown links and where nothing moves.
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
    fields: dict[str, Any] = {'name': joint.name, 'type': joint.type, 'parent': joint.parent,
                              'child': joint.child}
    if joint.moves:
        fields.update(axis=joint.axis.tolist(), lower=_finite(joint.lower),
                      upper=_finite(joint.upper), velocity=_finite(joint.velocity),
                      effort=_finite(joint.effort))
    if joint.has_soft_limits:
        fields['soft_limits'] = True
    if joint.moves and joint.mimic is not None:
        fields['mimic'] = {'joint': joint.mimic.joint, 'multiplier': joint.mimic.multiplier,
                           'offset': joint.mimic.offset}
    return fields


def _task(chain: Chain) -> dict[str, Any]:
    try:
        found = task_rank(chain)
    except IkError as error:
        return {'rank': None, 'describe': str(error)}
    return {'rank': found.rank, 'weights': found.weights.tolist(), 'never': list(found.never),
            'describe': found.describe()}


def _fit(name: str, chain: Chain) -> dict[str, Any]:
    """Return whether a solver supports a chain, and its message."""
    try:
        solver = make_solver(name, chain)
    except UnsupportedError as error:
        return {'fits': False, 'says': error.found or str(error)}
    except Exception as error:  # of a plug-in: the other solvers are still shown
        return {'fits': False, 'says': f'{type(error).__name__}: {error}'}
    return {'fits': True, 'says': getattr(solver, 'family', '')}


def _rows(chain: Chain, convention: str) -> dict[str, Any]:
    try:
        return chain.to_dh(convention)
    except ModelError as error:
        return {'error': str(error)}


def _warnings(tree: KinematicTree) -> list[str]:
    """Return what is odd: axes slightly off a right angle, missing velocities and inertials."""
    found = []
    for joint in tree.joints.values():
        off = _off_square(joint.placement[:3, :3])
        if joint.moves:
            off = max(off, _off_square(joint.axis[None, :]))
        if off > _EXACTLY:
            found.append(f'joint {joint.name!r} is {off:.1e} rad off a right angle, as if written '
                         'with few digits')
    hasty = [name for name in tree.independent_joints if math.isinf(tree.joints[name].velocity)]
    shaped = tree.visuals.keys() | tree.collisions.keys()
    # The root link often has no inertial on purpose: KDL takes none there, and it seldom moves.
    light = [link for link in tree.links[1:] if link in shaped and link not in tree.inertials]
    return [*tree.warnings, *found, *(f'{what}: {names(those)}' for what, those in (
        ('no velocity limit', hasty), ('no usable inertial', light)) if those)]


def _off_square(directions: np.ndarray) -> float:
    """Return the angle of directions (k, 3) off the coordinate axes, rad; 0 where intended."""
    small = np.abs(directions)[np.abs(directions) < _NEARLY]
    return float(small.max(initial=0.0))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None

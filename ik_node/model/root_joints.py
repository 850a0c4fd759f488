"""A floating root as six joints of one degree of freedom, which files and messages can carry."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ik_node.model.joints import CONTINUOUS, PRISMATIC, Joint
from ik_node.model.tree import KinematicTree, check_tree, parts_of
from ik_node.spatial import rpy_from_matrix
from ik_node.support.exceptions import ModelError

ROOT_JOINTS = ('root_tx', 'root_ty', 'root_tz', 'root_rx', 'root_ry', 'root_rz')
"""Names of the joints, as those of Acclaim skeletons; R_world_root = Rz·Ry·Rx."""
_ORDER = ('root_tx', 'root_ty', 'root_tz', 'root_rz', 'root_ry', 'root_rx')  # from the world out
WORLD = 'world'


def has_root_joints(tree: KinematicTree) -> bool:
    """Return whether a tree has the joints of its root, as those of Acclaim skeletons do."""
    return all(name in tree.joints for name in ROOT_JOINTS)


def with_root_joints(tree: KinematicTree) -> KinematicTree:
    """Return the tree with the joints `ROOT_JOINTS` between a new link `world` and its root.

    A tree that has them is returned as it is. Raises ModelError where a link or joint has a name
    that is needed.
    """
    if has_root_joints(check_tree(tree)):
        return tree
    between = [f'{name}_link' for name in _ORDER[:-1]]
    for kind, needed, there in (('link', (WORLD, *between), tree.links),
                                ('joint', ROOT_JOINTS, tree.joints)):
        for name in needed:
            if name in there:
                raise ModelError(f'a moving root needs a {kind} {name!r}, and {tree.name!r} has '
                                 'one; rename it')
    placements = [tree.T_world_root, *[np.eye(4)] * (len(_ORDER) - 1)]
    roots = [Joint(name, PRISMATIC if name[-2] == 't' else CONTINUOUS, parent, child, placement,
                   np.eye(3)['xyz'.index(name[-1])])
             for name, parent, child, placement in zip(
                 _ORDER, (WORLD, *between), (*between, tree.root), placements)]
    parts = parts_of(tree)
    return KinematicTree.from_parts(replace(
        parts, links=[WORLD, *between, *parts.links], joints=[*roots, *parts.joints]))


def rooted_for(joint_names: Sequence[object], tree: KinematicTree) -> KinematicTree:
    """Return the tree with the joints of its root where some of the names are theirs.

    Raises ModelError as `with_root_joints`.
    """
    moves_root = any(name in ROOT_JOINTS for name in joint_names if isinstance(name, str)
                     if name not in tree.joints)
    return with_root_joints(tree) if moves_root else tree


def root_values(T_world_root: np.ndarray) -> np.ndarray:
    """Return the values of `ROOT_JOINTS` (6,), m and rad, for a pose (4, 4) of the root, m."""
    return np.array([*T_world_root[:3, 3],
                     *rpy_from_matrix(np.ascontiguousarray(T_world_root[:3, :3]))])

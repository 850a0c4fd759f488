"""What makes links and joints a tree, and in which order; what mimics lead to."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ik_node.bounds import MAX_NUMBER
from ik_node.exceptions import ModelError, names, unknown
from ik_node.model.joints import Joint


class Drive(NamedTuple):
    """Where a joint's value comes from, mimics followed to their end.

    value = multiplier · (value of the joint `source`) + offset; a joint that nothing moves has
    the multiplier 0.
    """

    source: str
    multiplier: float
    offset: float


def unique(joints: Iterable[Joint]) -> dict[str, Joint]:
    """Return joints by name, in the given order. Raises ModelError for a name given twice."""
    found: dict[str, Joint] = {}
    for joint in joints:
        if joint.name in found:
            raise ModelError(f'two joints are named {joint.name!r}')
        found[joint.name] = joint
    return found


def arcs_by_parent(links: Sequence[str], joints: Mapping[str, Joint]) -> dict[str, list[Joint]]:
    """Return the arcs that leave each link, in file order."""
    if not links:
        raise ModelError('the robot has no links')
    arcs: dict[str, list[Joint]] = {}
    for link in links:
        if link in arcs:
            raise ModelError(f'two links are named {link!r}')
        arcs[link] = []
    arc_into: dict[str, Joint] = {}
    for joint in joints.values():
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in arcs:
                raise ModelError(f'joint {joint.name!r}: {unknown(f"{role} link", link, links)}')
        other = arc_into.setdefault(joint.child, joint)
        if other is not joint:
            raise ModelError(f'joint {joint.name!r}: its child link {joint.child!r} already has a '
                             f'parent, by joint {other.name!r}; closed loops cannot be read')
        arcs[joint.parent].append(joint)
    return arcs


def find_root(links: Sequence[str], joints: Mapping[str, Joint]) -> str:
    """Return the link without a parent. Raises ModelError where there is none, or several."""
    children = {joint.child for joint in joints.values()}
    roots = [link for link in links if link not in children]
    if len(roots) == 1:
        return roots[0]
    if not roots:
        raise ModelError('the joints form a loop: every link has a parent, so there is no root '
                         f'link; the joints are {names(joints)}')
    raise ModelError(f'a robot has one root link, this one has {len(roots)}: {names(roots)}')


def depth_first(root: str, arcs: Mapping[str, Sequence[Joint]]) -> list[Joint | None]:
    """Return the arcs depth first, siblings in order, after None for the root arc.

    With a stack instead of recursion, so that no description is too deep.
    """
    order: list[Joint | None] = [None]
    stack = list(reversed(arcs[root]))
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(arcs[joint.child]))
    return order


def drive_of(joint: Joint, joints: Mapping[str, Joint]) -> Drive:
    """Follow a joint's mimics to the joint that moves it."""
    multiplier, offset = 1.0, 0.0
    current, seen = joint, [joint.name]
    while current.moves and current.mimic is not None:
        mimic = current.mimic
        offset += multiplier * mimic.offset
        multiplier *= mimic.multiplier
        if mimic.joint not in joints:
            raise ModelError(f'joint {current.name!r} mimics another: '
                             f'{unknown("joint", mimic.joint, joints)}')
        current = joints[mimic.joint]
        if current.name in seen:
            raise ModelError(f'joint {joint.name!r} mimics itself: '
                             f'{" → ".join([*seen, current.name])}')
        seen.append(current.name)
    if not max(abs(multiplier), abs(offset)) <= MAX_NUMBER or (
            0.0 < abs(multiplier) < 1.0 / MAX_NUMBER):
        raise ModelError(f'joint {joint.name!r} follows {current.name!r} with multiplier '
                         f'{multiplier:g} and offset {offset:g}; at most {MAX_NUMBER:g} in size, '
                         f'and for a multiplier at least {1.0 / MAX_NUMBER:g}, are allowed')
    return Drive(current.name, multiplier if current.moves else 0.0, offset)

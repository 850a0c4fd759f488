"""Order of links and joints in a tree, and the sources of mimic joints."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ik_node.model.joints import Joint, Mimic
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import ModelError, names, unknown


class Drive(NamedTuple):
    """The source of a joint's value, with mimics resolved.

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


def joints_by_parent(links: Sequence[str], joints: Mapping[str, Joint]) -> dict[str, list[Joint]]:
    """Return the joints below each link, in file order."""
    if not links:
        raise ModelError('the robot has no links')
    by_parent: dict[str, list[Joint]] = {}
    for link in links:
        if link in by_parent:
            raise ModelError(f'two links are named {link!r}')
        by_parent[link] = []
    joint_into: dict[str, Joint] = {}
    for joint in joints.values():
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in by_parent:
                raise ModelError(f'joint {joint.name!r}: {unknown(f"{role} link", link, links)}')
        other = joint_into.setdefault(joint.child, joint)
        if other is not joint:
            raise ModelError(f'joint {joint.name!r}: its child link {joint.child!r} already has a '
                             f'parent, by joint {other.name!r}; closed loops cannot be read')
        by_parent[joint.parent].append(joint)
    return by_parent


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


def depth_first(root: str, by_parent: Mapping[str, Sequence[Joint]]) -> list[Joint | None]:
    """Return the joints depth first, siblings in order, after None for the root link.

    With a stack instead of recursion, so that no description is too deep.
    """
    order: list[Joint | None] = [None]
    stack = list(reversed(by_parent[root]))
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(by_parent[joint.child]))
    return order


def drives_of(joints: Mapping[str, Joint]) -> dict[str, Drive]:
    """Return the source of the value of every joint; each mimic is resolved once.

    Raises ModelError for a mimic of a joint that does not exist, for mimics in a circle, and for
    ratios out of bounds.
    """
    drives: dict[str, Drive] = {}
    for joint in joints.values():
        followers: dict[str, Mimic] = {}  # in order, each mimics the next
        current = joint
        while current.name not in drives and current.moves and current.mimic is not None:
            followers[current.name] = current.mimic
            mimicked = current.mimic.joint
            if mimicked not in joints:
                raise ModelError(f'joint {current.name!r} mimics another: '
                                 f'{unknown("joint", mimicked, joints)}')
            if mimicked in followers:
                circle = list(followers)[list(followers).index(mimicked):]
                raise ModelError(f'joint {mimicked!r} mimics itself: '
                                 f'{" → ".join([*circle, mimicked])}')
            current = joints[mimicked]
        drive = drives.setdefault(current.name, Drive(
            current.name, 1.0 if current.moves else 0.0, 0.0))
        for name, mimic in reversed(followers.items()):
            drive = drives[name] = Drive(drive.source, mimic.multiplier * drive.multiplier,
                                         mimic.multiplier * drive.offset + mimic.offset)
    return {name: _bounded(name, drives[name]) for name in joints}


def _bounded(name: str, drive: Drive) -> Drive:
    """Return the drive of the joint of that name. Raises ModelError where it is out of bounds."""
    source, multiplier, offset = drive
    if not max(abs(multiplier), abs(offset)) <= MAX_NUMBER or (
            0.0 < abs(multiplier) < 1.0 / MAX_NUMBER):
        raise ModelError(f'joint {name!r} follows {source!r} with multiplier {multiplier:g} and '
                         f'offset {offset:g}; at most {MAX_NUMBER:g} in size, and for a '
                         f'multiplier at least {1.0 / MAX_NUMBER:g}, are allowed')
    return drive

"""Order of links and joints in a tree, and the sources of mimic joints with their limits."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ik_node.model.joints import Joint, Mimic
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import ModelError, names, unknown


class Drive(NamedTuple):
    """The source of a joint's value, with mimics resolved.

    value = multiplier · (value of the joint `source`) + offset; a fixed joint has the multiplier 0.
    """

    source: str
    multiplier: float
    offset: float


Range = tuple[float, float]  # lower and upper, rad or m
_HALF = 0.5 - 1e-9  # of a source's range: what its mimics must leave, rounding included


def depth_first(links: Sequence[str], joints: Sequence[Joint]) -> tuple[str, list[Joint]]:
    """Return the root link and all joints depth first, siblings in the given order.

    With a stack instead of recursion, so that no description is too deep. Raises ModelError unless
    the joints connect the links to one tree.
    """
    below = _joints_below(links, joints)
    root = _root(links, joints)
    order: list[Joint] = []
    stack = below[root][::-1]
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(below[order[-1].child]))
    lost = {*links} - {root, *(joint.child for joint in order)}
    if lost:
        raise ModelError(f'the links {names(link for link in links if link in lost)} form a loop: '
                         f'none of them hangs on the root {root!r}')
    return root, order


def _joints_below(links: Sequence[str], joints: Sequence[Joint]) -> dict[str, list[Joint]]:
    seen: set[str] = set()
    for joint in joints:
        if joint.name in seen:
            raise ModelError(f'two joints are named {joint.name!r}')
        seen.add(joint.name)
    if not links:
        raise ModelError('the robot has no links')
    below: dict[str, list[Joint]] = {}
    for link in links:
        if link in below:
            raise ModelError(f'two links are named {link!r}')
        below[link] = []
    joint_into: dict[str, Joint] = {}
    for joint in joints:
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in below:
                raise ModelError(f'joint {joint.name!r}: {unknown(f"{role} link", link, links)}')
        other = joint_into.setdefault(joint.child, joint)
        if other is not joint:
            raise ModelError(f'joint {joint.name!r}: its child link {joint.child!r} already has a '
                             f'parent, by joint {other.name!r}; closed loops cannot be read')
        below[joint.parent].append(joint)
    return below


def _root(links: Sequence[str], joints: Sequence[Joint]) -> str:
    children = {joint.child for joint in joints}
    roots = [link for link in links if link not in children]
    if not roots:
        raise ModelError('the joints form a loop: every link has a parent, so there is no root '
                         f'link; the joints are {names(joint.name for joint in joints)}')
    if len(roots) > 1:
        raise ModelError(f'a robot has one root link, this one has {len(roots)}: {names(roots)}')
    return roots[0]


def drives_of(joints: Mapping[str, Joint]) -> dict[str, Drive]:
    """Return the source of the value of every joint; each mimic is resolved once.

    Raises ModelError for a mimic of a joint that does not exist or is fixed, for mimics in a
    circle, and for ratios out of bounds.
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
            follower, current = current, joints[mimicked]
            if not current.moves:
                raise ModelError(f'joint {follower.name!r} mimics {mimicked!r}, which is fixed and '
                                 'has no value')
        drive = drives.setdefault(current.name, Drive(
            current.name, 1.0 if current.moves else 0.0, 0.0))
        for name, mimic in reversed(followers.items()):
            drive = drives[name] = Drive(drive.source, mimic.multiplier * drive.multiplier,
                                         mimic.multiplier * drive.offset + mimic.offset)
    for name in joints:
        _check_bounds(name, *drives[name])
    return {name: drives[name] for name in joints}


def mimic_ranges(joints: Mapping[str, Joint], drives: Mapping[str, Drive]) -> tuple[
        dict[str, dict[str, Range]], list[str]]:
    """Return {source: {mimic: range}} where the mimic is inside its own limits, and warnings.

    The ranges are of the source. Many files copy its limits to mimics that move the other way, or
    farther. Mimics whose limits, alone or together, would take more than half of the source's
    range, or leave none, are left out; joint_state_publisher and Pinocchio ignore all of them.
    """
    found: dict[str, dict[str, Range]] = {}
    for joint in joints.values():
        source, multiplier, offset = drives[joint.name]
        if joint.moves and joint.mimic is not None and multiplier != 0.0:
            low, high = sorted((limit - offset) / multiplier + 0.0  # −0.0 becomes 0
                               for limit in (joint.lower, joint.upper))
            found.setdefault(source, {})[joint.name] = low, high
    warnings: list[str] = []
    for source, ranges in found.items():
        own = joints[source].lower, joints[source].upper
        used = {name: one for name, one in ranges.items() if _leaves_half(own, [one])}
        found[source] = used = used if _leaves_half(own, used.values()) else {}
        warnings += [
            f'joint {name!r} mimics {source!r}: its limits {joints[name].lower:g} to '
            f'{joints[name].upper:g} are ignored, since they would take more than half of the '
            f'limits {own[0]:g} to {own[1]:g} of {source!r}' for name in ranges if name not in used]
    return found, warnings


def intersection(own: Range, others: Iterable[Range]) -> Range:
    """Return the limits that are inside all of some ranges; lower is above upper for none."""
    lows, highs = zip(own, *others)
    return max(lows), min(highs)


def _leaves_half(own: Range, others: Iterable[Range]) -> bool:
    lower, upper = intersection(own, others)
    width = own[1] - own[0]
    return (lower, upper) == own or (
        lower < upper and (math.isinf(width) or upper - lower >= _HALF * width))


def _check_bounds(name: str, source: str, multiplier: float, offset: float) -> None:
    if not max(abs(multiplier), abs(offset)) <= MAX_NUMBER or (
            0.0 < abs(multiplier) < 1.0 / MAX_NUMBER):
        raise ModelError(f'joint {name!r} follows {source!r} with multiplier {multiplier:g} and '
                         f'offset {offset:g}; at most {MAX_NUMBER:g} in size, and for a '
                         f'multiplier at least {1.0 / MAX_NUMBER:g}, are allowed')

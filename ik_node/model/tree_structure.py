"""The links and joints of a tree, checked and flattened, and forward kinematics over all of it."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from ik_node.kinematics.kinds import REVOLUTE
from ik_node.kinematics.structures import TreeArrays, first_moved
from ik_node.kinematics.tree import Tree
from ik_node.kinematics.tree_frames import frames_at
from ik_node.model.geometry import Collision, Visual
from ik_node.model.hierarchy import Drive, depth_first, drives_of, intersection, mimic_ranges
from ik_node.model.joints import ComplexJoint, Joint, check_text, joint_kind
from ik_node.model.parts import Inertial, MotionChannels, with_inertials
from ik_node.support import bounds
from ik_node.support.arguments import instance, is_real, mapping, one_of, sequence
from ik_node.support.exceptions import IkError, ModelError, names, shown, unknown
from ik_node.support.immutable import Immutable, frozen_copy

_FOLLOWS = 1e-6  # rad or m, and of the value: by which a mimic's may differ from what it follows to


class TreeStructure(Immutable):
    """Links as nodes, joints as edges. Immutable. For its attributes see `KinematicTree`."""

    def __init__(self, links: Sequence[str], joints: Iterable[Joint | ComplexJoint], *,
                 name: str = 'robot', warnings: Iterable[str] = (), text: str | None = None,
                 visuals: Mapping[str, Sequence[Visual]] | None = None,
                 inertials: Mapping[str, Inertial] | None = None,
                 collisions: Mapping[str, Sequence[Collision]] | None = None,
                 motion_channels: MotionChannels | None = None,
                 source_path: str | None = None) -> None:
        """Build the hierarchy from links and joints in any order.

        The links between the parts of a complex joint need not be given. text: the URDF that the
        tree was read from; source_path: its file. Raises ModelError for duplicate names, links that
        do not exist, a link with two parents, loops, several roots, mimics that lead nowhere, and
        inertials of links that do not exist.
        """
        links, joints = tuple(sequence(links, 'links')), tuple(sequence(joints, 'joints'))
        _check_parts(links, joints, name, text)
        self.name = name
        warnings = sequence(warnings, 'warnings')
        for warning in warnings:
            check_text(warning, 'a warning')
        self._source = links, joints, warnings
        self.complex_joints: Mapping[str, ComplexJoint] = MappingProxyType(
            {joint.name: joint for joint in joints if isinstance(joint, ComplexJoint)})
        self.visuals: Mapping[str, tuple[Visual, ...]] = MappingProxyType(
            _checked_shapes(visuals, Visual, 'visuals'))
        self.collisions: Mapping[str, tuple[Collision, ...]] = MappingProxyType(
            _checked_shapes(collisions, Collision, 'collisions'))
        instance(motion_channels, MotionChannels | None,
                 'motion_channels must be MotionChannels or None', ModelError)
        self.motion_channels = motion_channels
        if source_path is not None:
            check_text(source_path, 'the path of a model')
        self.source_path = source_path
        self.T_world_root = np.eye(4)
        self._text = None if self.complex_joints else text
        self.root, path = depth_first(
            (*links, *(part.child for joint in self.complex_joints.values()
                       for part in joint.parts()[:-1])),
            [part for joint in joints for part in (
                joint.parts() if isinstance(joint, ComplexJoint) else (joint,))])
        self.links = (self.root, *(joint.child for joint in path))
        self.inertials: Mapping[str, Inertial] = MappingProxyType(
            _checked_inertials(inertials, self.links))
        self.joints: Mapping[str, Joint] = MappingProxyType({joint.name: joint for joint in path})
        self.drives: Mapping[str, Drive] = MappingProxyType(drives_of(self.joints))
        self._mimic_ranges, of_mimics = mimic_ranges(self.joints, self.drives)
        self.warnings = _bounded((*warnings, *of_mimics))
        self._joint_into = {joint.child: joint for joint in path}
        self._arrays = self._flatten(path)
        self._freeze()

    def path(self, base_link: str, tip_link: str) -> list[Joint]:
        """Return the joints from a link down to another, fixed ones too.

        Raises ModelError for unknown links, and where the first is no ancestor of the second.
        """
        base = self._checked_link(base_link, 'base link')
        tip = link = self._checked_link(tip_link, 'tip link')
        path: list[Joint] = []
        while link not in (base, self.root):
            path.append(self._joint_into[link])
            link = path[-1].parent
        if link != base:
            raise ModelError(f'the base link {base!r} is no ancestor of the tip link {tip!r}; '
                             f'its ancestors are {names(joint.parent for joint in path)}. A body '
                             'with the task RelativePose moves one link relative to any other')
        return path[::-1]

    def limits(self, source: str, mimics: Iterable[str] | None = None) -> tuple[float, float]:
        """Return the limits of a joint, rad or m, that keep its mimics inside their own, too.

        mimics: names of those that count; by default all. Limits of mimics that would take more
        than half of the joint's range do not count; `warnings` names them. Raises ModelError for
        an unknown joint.
        """
        one_of(source, self.joints, 'joint')
        joint, ranges = self.joints[source], self._mimic_ranges.get(source, {})
        counted = ranges if mimics is None else {
            name for name in sequence(mimics, 'mimics') if isinstance(name, str)}
        return intersection((joint.lower, joint.upper), [
            one for name, one in ranges.items() if name in counted])

    def forward(self, values: Mapping[str, float] | None = None) -> dict[str, np.ndarray]:
        """Return the pose of every link, {link: T_root_link (4, 4)}, m.

        values: {joint: value}, rad or m; joints left out are at zero, mimics follow their source.
        Of a tree that is `placed` it is T_world_link. Raises ModelError for an unknown or a fixed
        joint, a mimic at another value than it follows to, or a value that is no finite number.
        """
        frames = frames_at(self._record, self._values_by_link({} if values is None else values))
        T_root_link = frames.T_world_link.copy()
        frames.release()
        return dict(zip(self.links, T_root_link))

    def joint_values(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the value of every moving joint, mimics too, given those of their sources.

        values: {joint: value}, rad or m; joints left out are at zero. Raises as `forward`.
        """
        values_by_link = self._values_by_link(values)
        return {joint.name: float(value)
                for joint, value in zip(self.joints.values(), values_by_link[1:]) if joint.moves}

    def visual_poses(self, values: Mapping[str, float] | None = None) -> list[
            tuple[str, Visual, np.ndarray]]:
        """Return (link, visual, T_root_shape (4, 4), m) of every shape; values as for `forward`.

        The transform of a shape acts on the shape alone [Parent 5.2].
        """
        T_root_link = self.forward(values)
        return [(link, visual, T_root_link[link] @ visual.placement)
                for link in self.links for visual in self.visuals.get(link, ())]

    def leaves(self, base_link: str | None = None) -> list[str]:
        """Return the links without children, below base_link (by default the root), in order."""
        parents = {joint.parent for joint in self.joints.values()}
        base = self.root if base_link is None else self._checked_link(base_link, 'base link')
        return [link for link in (base, *self._below(base)) if link not in parents]

    @cached_property
    def independent_joints(self) -> tuple[str, ...]:
        """The names of the joints that have a value of their own, depth first."""
        return tuple(joint.name for joint in self.joints.values()
                     if joint.moves and joint.mimic is None)

    @cached_property
    def _record(self) -> Tree:
        """The tree for the kernels; q has an entry for every link."""
        return Tree(self._arrays, len(self.links))

    def _values_by_link(self, values: Mapping[str, float]) -> np.ndarray:
        """Return the value of the joint of every link (k,), in the order of the links."""
        values = mapping(values, 'joint values {joint: value}')
        for name, value in values.items():
            if not isinstance(name, str) or name not in self.joints:
                raise ModelError(unknown('joint', name, self.joints))
            if not is_real(value):
                raise ModelError(f'the value of joint {name!r} must be a number, not '
                                 f'{shown(value)}')
            if not abs(value) <= sys.float_info.max:  # NaN is not, nor are some integers
                raise ModelError(f'the value of joint {name!r} is {shown(value)}, not a finite '
                                 'number')
        found = np.array([0.0, *(drive.multiplier * values.get(drive.source, 0.0) + drive.offset
                                 for drive in self.drives.values())], dtype=float)
        if not values.keys() <= self._independent:
            for joint, value in zip(self.joints.values(), found[1:]):
                self._check_follows(joint, values.get(joint.name, value), value)
        return found

    @cached_property
    def _independent(self) -> frozenset[str]:
        return frozenset(self.independent_joints)

    def _check_follows(self, joint: Joint, value: float, own: float) -> None:
        """Raise ModelError for a value of a joint that has none, or has `own` by its source."""
        if joint.mimic is not None and abs(value - own) > _FOLLOWS * max(1.0, abs(own)):
            raise ModelError(f'the joint {joint.name!r} follows {joint.mimic.joint!r}, here to '
                             f'{own:g}: its value cannot be {value:g}; give that of '
                             f'{self.drives[joint.name].source!r}')
        if not joint.moves and value != 0.0:
            raise ModelError(f'the joint {joint.name!r} is fixed: it has no value, such as '
                             f'{value:g}')

    def _checked_link(self, link: str, what: str) -> str:
        if not isinstance(link, str) or (link != self.root and link not in self._joint_into):
            raise ModelError(unknown(what, link, self.links))
        return link

    def _below(self, base: str) -> list[str]:
        """Return the links that hang on base, itself left out, depth first."""
        found = {base: None}
        for joint in self.joints.values():
            if joint.parent in found:
                found[joint.child] = None
        return list(found)[1:]

    def _flatten(self, path: Sequence[Joint]) -> TreeArrays:
        index = {link: k for k, link in enumerate(self.links)}
        count = len(self.links)
        kind = np.array([REVOLUTE, *(joint_kind(joint) for joint in path)])
        parent = np.array([-1, *(index[joint.parent] for joint in path)])
        # `forward` hands over the value of every joint, mimics too.
        return with_inertials(TreeArrays(*map(frozen_copy, (
            parent, kind, [np.eye(4), *(joint.placement for joint in path)],
            [np.zeros(3), *(joint.axis for joint in path)], np.arange(count), np.ones(count),
            np.zeros(count), first_moved(parent, kind)))), self.links, self.inertials)


def check_own_joint(tree: TreeStructure, name: object, where: str, mimics: bool = False) -> None:
    """Raise ModelError for anything but the name of a joint with a value of its own.

    where: begins its message. mimics: whether a joint that follows another will do, too.
    """
    own = tree.independent_joints
    if not isinstance(name, str) or name not in tree.joints:
        raise ModelError(f'{where}: {unknown("joint", name, own)}')
    if not tree.joints[name].moves:
        raise ModelError(f'{where}: joint {name!r} is fixed; those that move are {names(own)}')
    if tree.joints[name].mimic is not None and not mimics:
        raise ModelError(f'{where}: joint {name!r} follows {tree.drives[name].source!r}; give the '
                         'value of that joint')


def _check_parts(links: Any, joints: Any, name: Any, text: Any) -> None:
    for link in links:
        check_text(link, 'the name of a link')
    for joint in joints:
        if not isinstance(joint, (Joint, ComplexJoint)):
            raise ModelError(f'joints must be a list of Joint and ComplexJoint, not of '
                             f'{shown(joint)}')
    check_text(name, 'the name of a robot')
    if text is not None:
        check_text(text, 'the URDF of a robot')


def _bounded(warnings: Sequence[str]) -> tuple[str, ...]:
    """Return warnings that are short enough, and few enough, for a log."""
    more = len(warnings) - bounds.MAX_WARNINGS
    return (*(str(IkError(one)) for one in warnings[:bounds.MAX_WARNINGS]),
            *([f'… and {more} more warnings'] if more > 0 else []))


def _checked_shapes(values: Any, kind: type, what: str) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for link, shapes in mapping({} if values is None else values,
                                f'{what} {{link: list of {kind.__name__}}}').items():
        shapes = tuple(sequence(shapes, f'the {what} of {shown(link)}'))
        check_text(link, 'the name of a link')
        if not all(isinstance(shape, kind) for shape in shapes):
            raise ModelError(f'the {what} of {link!r} must be a list of {kind.__name__}, not '
                             f'{shown(shapes)}')
        if shapes:
            found[link] = shapes
    return found


def _checked_inertials(values: Any, links: Sequence[str]) -> dict[str, Inertial]:
    inertials = mapping({} if values is None else values, 'inertials {link: Inertial}')
    link_names = set(links)
    for link, inertial in inertials.items():
        if not isinstance(link, str) or link not in link_names:
            raise ModelError(f'inertials: {unknown("link", link, links)}')
        instance(inertial, Inertial, f'the inertial of {link!r} must be an Inertial', ModelError)
    return inertials

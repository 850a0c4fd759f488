"""The tree of links and joints, and forward kinematics over the whole of it."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from ik_node._arrays import flag, floats, mapping, pose_fault, sequence
from ik_node._immutable import Immutable, frozen_copy
from ik_node.bounds import as_path
from ik_node.exceptions import InputError, ModelError, names, shown, unknown
from ik_node.kinematics.forward import REVOLUTE, TreeArrays, first_moved, tree_frames
from ik_node.model.body import Body
from ik_node.model.chain import Chain
from ik_node.model.complex_joints import EXPONENTIAL, ComplexJoint, check_rotation
from ik_node.model.geometry import Collision, Visual
from ik_node.model.hierarchy import (
    Drive,
    depth_first,
    drives_of,
    find_root,
    joints_by_parent,
    unique,
)
from ik_node.model.inertial import Inertial
from ik_node.model.joints import Joint, check_text, joint_kind
from ik_node.model.parts import ModelParts, MotionChannels
from ik_node.spatial import is_pose

_POSE_TOLERANCE = 1e-6  # how far a matrix may be off SE(3)
_LEAVES = 5             # named when a tree is printed


class KinematicTree(Immutable):
    """A robot: links as nodes, joints as edges, from URDF, from DH rows, or by hand. Immutable.

    Attributes:
    - `name`: the robot's name.
    - `root`: the name of the root link.
    - `links`: names of all links, depth first, siblings in file order.
    - `joints`: read-only mapping name → `Joint`, in the same order.
    - `complex_joints`: read-only mapping name → `ComplexJoint`, of those whose parts `joints` has.
    - `visuals`: read-only mapping link → its `Visual`s, of the links that have some.
    - `collisions`: read-only mapping link → its `Collision` shapes, of the links that have some.
    - `inertials`: read-only mapping link → its `Inertial`, of the links that have one.
    - `warnings`: usable but questionable properties of the source; one sentence each.
    - `motion_channels`: how the values of a motion file are assigned to the joints; None where
      the source has no motion files.
    - `T_world_root`: (4, 4), pose of the root link in the world, m.
    """

    def __init__(self, links: Sequence[str], joints: Iterable[Joint | ComplexJoint], *,
                 name: str = 'robot', warnings: Iterable[str] = (), text: str | None = None,
                 visuals: Mapping[str, Sequence[Visual]] | None = None,
                 inertials: Mapping[str, Inertial] | None = None,
                 collisions: Mapping[str, Sequence[Collision]] | None = None,
                 motion_channels: MotionChannels | None = None) -> None:
        """Build the hierarchy from links and joints in any order.

        The links between the parts of a complex joint need not be given. text: the URDF that the
        tree was read from. Raises ModelError for duplicate names, links that do not exist, a link
        with two parents, loops, several roots, mimics that lead nowhere, and inertials of links
        that do not exist.
        """
        links, joints = _checked(links, joints)
        check_text(name, 'the name of a robot')
        self.name = name
        self.warnings = tuple(sequence(warnings, 'warnings'))
        self._source = links, joints
        self.complex_joints: Mapping[str, ComplexJoint] = MappingProxyType(
            {joint.name: joint for joint in joints if isinstance(joint, ComplexJoint)})
        self.visuals: Mapping[str, tuple[Visual, ...]] = MappingProxyType(
            _checked_shapes(visuals, Visual, 'visuals'))
        self.collisions: Mapping[str, tuple[Collision, ...]] = MappingProxyType(
            _checked_shapes(collisions, Collision, 'collisions'))
        if not isinstance(motion_channels, MotionChannels | None):
            raise ModelError('motion_channels must be MotionChannels or None, not '
                             f'{shown(motion_channels)}')
        self.motion_channels = motion_channels
        self.T_world_root = np.eye(4)
        self._text = None if self.complex_joints else text
        by_name = unique(part for joint in joints for part in (
            joint.parts() if isinstance(joint, ComplexJoint) else (joint,)))
        links = (*links, *(part.child for joint in self.complex_joints.values()
                           for part in joint.parts()[:-1]))
        by_parent = joints_by_parent(links, by_name)
        self.root = find_root(links, by_name)
        order = depth_first(self.root, by_parent)
        if len(order) < len(links):
            reached = {self.root, *(joint.child for joint in order[1:] if joint)}
            lost = [link for link in links if link not in reached]
            raise ModelError(f'the links {names(lost)} form a loop: none of them hangs on the root '
                             f'{self.root!r}')
        path = [joint for joint in order if joint is not None]
        self.links = (self.root, *(joint.child for joint in path))
        self.inertials: Mapping[str, Inertial] = MappingProxyType(
            _checked_inertials(inertials, self.links))
        self.joints: Mapping[str, Joint] = MappingProxyType({j.name: j for j in path})
        self.drives: Mapping[str, Drive] = MappingProxyType(drives_of(self.joints))
        self._joint_into = {joint.child: joint for joint in path}
        self._arrays = self._flatten(path)
        self._freeze()

    @classmethod
    def from_parts(cls, parts: ModelParts) -> 'KinematicTree':
        """Build the tree from what a reader of models returned. Raises ModelError."""
        if not isinstance(parts, ModelParts):
            raise ModelError(f'the parts of a model must be ModelParts, not {shown(parts)}')
        return cls(parts.links, parts.joints, name=parts.name, warnings=parts.warnings,
                   text=parts.text, visuals=parts.visuals, inertials=parts.inertials,
                   collisions=parts.collisions, motion_channels=parts.motion_channels)

    @classmethod
    def from_urdf(cls, source: str | PathLike[str],
                  xacro_args: Mapping[str, object] | None = None, *,
                  hold_complex_joints: bool = False, rotation: str = 'zyx') -> 'KinematicTree':
        """Read a robot from URDF or xacro.

        source: a path (.urdf, .xacro), or the XML text itself. xacro_args: the arguments of a
        xacro file, name → value. hold_complex_joints: whether planar and floating joints are held
        fixed at zero; else they become joints of one degree of freedom, see
        `model.complex_joints`. rotation: how floating ones turn, an Euler order or "exponential".
        Raises ModelError for an invalid source, naming the joint.
        """
        from ik_node.model.urdf import read_urdf
        check_rotation(rotation)
        if xacro_args is not None:
            xacro_args = mapping(xacro_args, 'xacro_args')
            for name, value in xacro_args.items():
                check_text(name, 'the name of a xacro argument')
                if not isinstance(value, (str, bool, float)) and not (
                        isinstance(value, int) and abs(value) < 2**63):
                    raise ModelError(f'the xacro argument {name!r} must be text or a number, not '
                                     f'{shown(value)}')
        hold_complex_joints = flag(hold_complex_joints, 'hold_complex_joints')
        return cls.from_parts(read_urdf(source, xacro_args, hold_complex_joints, rotation))

    @classmethod
    def from_dh(cls, table: Any, convention: str | None = None) -> 'KinematicTree':
        """Read a robot from Denavit-Hartenberg rows, standard or modified.

        table: a path (.yaml), a mapping (see `model.dh` for the schema), or (n, 4) rows a, alpha,
        d, theta, m and rad, all revolute; those need `convention`, "standard" or "modified".
        Raises ModelError for an invalid source, naming the row and the key.
        """
        from ik_node.model.dh import read_dh
        return cls.from_parts(read_dh(table, convention))

    @classmethod
    def from_asf(cls, path: str | PathLike[str],
                 length_unit: float | None = None) -> 'KinematicTree':
        """Read a figure from an Acclaim skeleton (.asf); z is up, lengths are in m.

        length_unit: metres per unit of length of the file, by default 0.0254 / its `length`. The
        links `root` and <bone>, in lower case, have their origins at the root and at the far end
        of the bone. The joints are root_tx … root_rz, below the link `world`, and <bone>_rx …, for
        each degree of freedom of the file. Motions are read by `read_amc`. Raises ModelError for
        an invalid file, naming the line, and InputError for a wrong length_unit.
        """
        from ik_node.model.asf import read_asf
        return cls.from_parts(read_asf(as_path(path, 'a skeleton'), length_unit))

    def chain(self, base_link: str | None = None, tip_link: str | None = None) -> Chain:
        """Return the serial chain from base_link to tip_link.

        base_link: the root by default. tip_link: by default the only leaf below the base, else
        the one whose name has "tool" or "tcp" in it. Raises ModelError, with the list of what
        there is, where no tip can be chosen so, where a name is unknown, where the base is no
        ancestor of the tip, and where nothing moves between them.
        """
        base = self.root if base_link is None else self._checked_link(base_link, 'base link')
        tip = (self._default_tip(base) if tip_link is None
               else self._checked_link(tip_link, 'tip link'))
        return Chain(self, base, tip, self.path(base, tip))

    def body(self, root: str = 'fixed', joints: Iterable[str] | None = None,
             held: Mapping[str, float] | None = None) -> Body:
        """Return the whole tree with one joint configuration q.

        root: "fixed"; "planar", whose x, y and yaw, or "floating", whose x, y, z and rotation
        vector come first in q. joints: the names of the moving joints that q has, in any order;
        by default all that are not held. held: {joint: value} of the others, rad or m, zero by
        default. Raises OptionError for an unknown root, ModelError for unknown joints, mimics
        among them, and where nothing moves, InputError for values that are no finite numbers.
        """
        return Body(self, self._arrays, root, joints, held)

    def joint_into(self, link: str) -> Joint | None:
        """Return the joint whose child a link is; None for the root. Raises ModelError."""
        return self._joint_into.get(self._checked_link(link, 'link'))

    def path(self, base_link: str, tip_link: str) -> list[Joint]:
        """Return the joints from a link down to another, fixed ones too.

        Raises ModelError for unknown links, and where the first is no ancestor of the second.
        """
        base = self._checked_link(base_link, 'base link')
        tip = self._checked_link(tip_link, 'tip link')
        path: list[Joint] = []
        link = tip
        while link != base:
            if link == self.root:
                raise ModelError(f'the base link {base!r} is no ancestor of the tip link {tip!r}; '
                                 f'its ancestors are {names(self._ancestors(tip))}')
            path.append(self._joint_into[link])
            link = path[-1].parent
        return path[::-1]

    def forward(self, values: Mapping[str, float] | None = None) -> dict[str, np.ndarray]:
        """Return the pose of every link, {link: T_root_link (4, 4)}, m.

        values: {joint: value}, rad or m; joints left out are at zero, mimics follow their source
        whatever is given for them, and fixed joints have no value. Of a tree that is `placed` it
        is T_world_link. Raises ModelError for an unknown joint or a value that is no finite number.
        """
        T_root_link = np.empty((len(self.links), 4, 4))
        axes = np.empty((len(self.links), 3))
        tree_frames(self._arrays, self._values_by_link({} if values is None else values),
                    T_root_link, axes)
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

    def placed(self, T_world_root: np.ndarray) -> 'KinematicTree':
        """Return the same figure at another place in the world, (4, 4), m.

        Everything but `forward`, `visual_poses` and `T_world_root` is as it was: chains begin at
        their base link wherever that is. Raises InputError unless it is a pose.
        """
        T = floats(T_world_root, 'T_world_root')
        if T.shape != (4, 4):
            raise InputError(f'T_world_root must be a pose (4, 4), not of shape {T.shape}')
        if not is_pose(T, _POSE_TOLERANCE):
            raise InputError('T_world_root must be a pose (4, 4): '
                             f'{pose_fault(T, _POSE_TOLERANCE)}')
        placement = self._arrays.placement.copy()
        placement[0] = T
        return self._with(T_world_root=T, _arrays=self._arrays._replace(placement=placement))

    @property
    def description(self) -> str:
        """The robot as URDF text: what it was read from, xacro expanded, where that says it all.

        It does not where the tree came as DH rows or by hand, and where complex joints move.
        """
        return self.to_urdf() if self._text is None else self._text

    def to_urdf(self) -> str:
        """Return the tree as URDF: links with inertials, visual and collision shapes; joints.

        A tree without any visuals gets simple shapes along its links. A ball by exponential map,
        for which URDF has no joints, is written as Euler angles 'zyx'.
        """
        from ik_node.model.urdf_writer import write_urdf
        tree = self.with_euler_angles()
        return write_urdf(ModelParts(tree.links, tuple(tree.joints.values()), tree.name,
                                     visuals=tree.visuals, inertials=tree.inertials,
                                     collisions=tree.collisions))

    def with_euler_angles(self) -> 'KinematicTree':
        """Return the same tree with Euler angles 'zyx' instead of exponential maps."""
        if all(joint.rotation != EXPONENTIAL for joint in self.complex_joints.values()):
            return self
        links, joints = self._source
        return KinematicTree(
            links, [replace(joint, rotation='zyx', lower=None, upper=None)
                    if isinstance(joint, ComplexJoint) and joint.rotation == EXPONENTIAL else joint
                    for joint in joints],
            name=self.name, warnings=self.warnings, visuals=self.visuals,
            inertials=self.inertials, collisions=self.collisions,
            motion_channels=self.motion_channels)

    def leaves(self, base_link: str | None = None) -> list[str]:
        """Return the links without children, below base_link (by default the root), in order."""
        parents = {joint.parent for joint in self.joints.values()}
        base = self.root if base_link is None else self._checked_link(base_link, 'base link')
        return [link for link in (base, *self._below(base)) if link not in parents]

    def __repr__(self) -> str:
        """Return the name, the root, how many links and moving joints there are, and the leaves."""
        moving = sum(joint.moves for joint in self.joints.values())
        leaves = self.leaves()
        more = f', … ({len(leaves)} in all)' if len(leaves) > _LEAVES else ''
        return (f'KinematicTree({self.name!r}: {len(self.links)} links from {self.root!r} to '
                f'{", ".join(map(repr, leaves[:_LEAVES]))}{more}, {moving} moving joints)')

    def _values_by_link(self, values: Mapping[str, float]) -> np.ndarray:
        """Return the value of the joint of every link (k,), in the order of the links."""
        values = mapping(values, 'joint values {joint: value}')
        for name, value in values.items():
            if not isinstance(name, str) or name not in self.joints:
                raise ModelError(unknown('joint', name, self.joints))
            if isinstance(value, bool) or not isinstance(
                    value, (int, float, np.integer, np.floating)):
                raise ModelError(f'the value of joint {name!r} must be a number, not '
                                 f'{shown(value)}')
            if not abs(value) <= sys.float_info.max:  # NaN is not, nor are some integers
                raise ModelError(f'the value of joint {name!r} is {shown(value)}, not a finite '
                                 'number')
        by_parent = np.zeros(len(self.links))
        for k, drive in enumerate(self.drives.values(), start=1):
            by_parent[k] = drive.multiplier * values.get(drive.source, 0.0) + drive.offset
        return by_parent

    def _checked_link(self, link: str, what: str) -> str:
        if not isinstance(link, str) or (link != self.root and link not in self._joint_into):
            raise ModelError(unknown(what, link, self.links))
        return link

    def _ancestors(self, link: str) -> list[str]:
        """Return the links from the parent of a link up to the root."""
        found = []
        while link != self.root:
            link = self._joint_into[link].parent
            found.append(link)
        return found

    def _below(self, base: str) -> list[str]:
        """Return the links that hang on base, itself left out, depth first."""
        found = {base: None}
        for joint in self.joints.values():
            if joint.parent in found:
                found[joint.child] = None
        return list(found)[1:]

    def _default_tip(self, base: str) -> str:
        leaves = self.leaves(base)
        if len(leaves) == 1:
            return leaves[0]
        for candidates in (leaves, self._below(base)):
            tools = [link for link in candidates
                     if 'tool' in link.lower() or 'tcp' in link.lower()]
            if len(tools) == 1:
                return tools[0]
        raise ModelError(f'name the tip link: below {base!r} there is no single leaf, and no '
                         f'single link named *tool* or *tcp*; the leaves are {names(leaves)}')

    def _flatten(self, path: Sequence[Joint]) -> TreeArrays:
        index = {link: k for k, link in enumerate(self.links)}
        count = len(self.links)
        kind = np.array([REVOLUTE, *(joint_kind(joint) for joint in path)])
        parent = np.array([-1, *(index[joint.parent] for joint in path)])
        # `forward` hands over the value of every joint, mimics too.
        return TreeArrays(*map(frozen_copy, (
            parent, kind, [np.eye(4), *(joint.placement for joint in path)],
            [np.zeros(3), *(joint.axis for joint in path)],
            np.arange(count), np.ones(count), np.zeros(count),
            first_moved(parent, kind))))


def check_tree(tree: object) -> KinematicTree:
    """Return a tree. Raises InputError for anything else."""
    if not isinstance(tree, KinematicTree):
        raise InputError(f'a KinematicTree is needed, not {shown(tree)}')
    return tree


def _checked(links: Any, joints: Any) -> tuple[tuple[str, ...], tuple[Joint | ComplexJoint, ...]]:
    """Return links and joints as tuples. Raises ModelError for anything else."""
    links, joints = tuple(sequence(links, 'links')), tuple(sequence(joints, 'joints'))
    for link in links:
        check_text(link, 'the name of a link')
    for joint in joints:
        if not isinstance(joint, (Joint, ComplexJoint)):
            raise ModelError(f'joints must be a list of Joint and ComplexJoint, not of '
                             f'{shown(joint)}')
    return links, joints


def _checked_shapes(values: Any, kind: type, what: str) -> dict[str, tuple[Any, ...]]:
    """Return the shapes of the links that have some. Raises ModelError for what is none."""
    if values is None:
        return {}
    found = {link: tuple(sequence(shapes, f'the {what} of {shown(link)}')) for link, shapes in
             mapping(values, f'{what} {{link: list of {kind.__name__}}}').items()}
    for link, shapes in found.items():
        check_text(link, 'the name of a link')
        if not all(isinstance(shape, kind) for shape in shapes):
            raise ModelError(f'the {what} of {link!r} must be a list of {kind.__name__}, not '
                             f'{shown(shapes)}')
    return {link: shapes for link, shapes in found.items() if shapes}


def _checked_inertials(values: Any, links: Sequence[str]) -> dict[str, Inertial]:
    """Return the inertials of links. Raises ModelError for what is none, and for other links."""
    if values is None:
        return {}
    inertials, link_names = mapping(values, 'inertials {link: Inertial}'), set(links)
    for link, inertial in inertials.items():
        if not isinstance(link, str) or link not in link_names:
            raise ModelError(f'inertials: {unknown("link", link, links)}')
        if not isinstance(inertial, Inertial):
            raise ModelError(f'the inertial of {link!r} must be an Inertial, not '
                             f'{shown(inertial)}')
    return inertials

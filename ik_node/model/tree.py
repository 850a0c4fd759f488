"""The tree of links and joints, and forward kinematics over the whole of it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from ik_node._arrays import floats
from ik_node.exceptions import InputError, ModelError, names, unknown
from ik_node.kinematics.forward import TURN, TreeArrays, tree_forward
from ik_node.model.chain import Chain
from ik_node.model.complex_joints import EXPONENTIAL, ComplexJoint
from ik_node.model.geometry import Visual
from ik_node.model.hierarchy import Drive, arcs_by_parent, depth_first, drive_of, find_root, unique
from ik_node.model.joints import Joint, arc_kind
from ik_node.spatial import is_pose

_POSE_TOLERANCE = 1e-6  # how far a matrix may be off SE(3)


class KinematicTree:
    """A robot: links as nodes, joints as arcs, from URDF, from DH rows, or by hand. Immutable.

    Attributes:
    - `name`: the robot's name.
    - `root`: the name of the root link.
    - `links`: names of all links, depth first, siblings in file order.
    - `joints`: read-only mapping name → `Joint`, in the same order.
    - `complex_joints`: read-only mapping name → `ComplexJoint`, of those whose parts `joints` has.
    - `visuals`: read-only mapping link → its `Visual`s, of the links that have some.
    - `warnings`: what is odd in the source though it can be used; one sentence each.
    - `T_world_root`: (4, 4), where the figure stands, m: the root arc.
    """

    def __init__(self, links: Sequence[str], joints: Iterable[Joint | ComplexJoint], *,
                 name: str = 'robot', warnings: Iterable[str] = (), text: str | None = None,
                 visuals: Mapping[str, Sequence[Visual]] | None = None) -> None:
        """Build the hierarchy from links and joints in any order.

        The links between the parts of a complex joint need not be given. text: the URDF that the
        tree was read from. Raises ModelError for duplicate names, links that do not exist, a link
        with two parents, loops, several roots, and mimics that lead nowhere.
        """
        self.name = name
        self.warnings = tuple(warnings)
        links, joints = self._given = tuple(links), tuple(joints)
        self.complex_joints: Mapping[str, ComplexJoint] = MappingProxyType(
            {joint.name: joint for joint in joints if isinstance(joint, ComplexJoint)})
        self.visuals: Mapping[str, tuple[Visual, ...]] = MappingProxyType(
            {link: tuple(shapes) for link, shapes in (visuals or {}).items() if shapes})
        self.T_world_root = np.eye(4)
        self._text = None if self.complex_joints else text
        given = unique(part for joint in joints for part in (
            joint.parts() if isinstance(joint, ComplexJoint) else (joint,)))
        links = (*links, *(part.child for joint in self.complex_joints.values()
                           for part in joint.parts()[:-1]))
        arcs = arcs_by_parent(links, given)
        self.root = find_root(links, given)
        order = depth_first(self.root, arcs)
        if len(order) < len(links):
            reached = {self.root, *(joint.child for joint in order[1:] if joint)}
            lost = [link for link in links if link not in reached]
            raise ModelError(f'the links {names(lost)} form a loop: none of them hangs on the root '
                             f'{self.root!r}')
        path = [joint for joint in order if joint is not None]
        self.links = (self.root, *(joint.child for joint in path))
        self.joints: Mapping[str, Joint] = MappingProxyType({j.name: j for j in path})
        self.drives: Mapping[str, Drive] = MappingProxyType(
            {joint.name: drive_of(joint, self.joints) for joint in path})
        self._arc_of = {joint.child: joint for joint in path}
        self._arrays = self._flatten(path)

    @classmethod
    def from_urdf(cls, source: str | PathLike[str],
                  xacro_args: Mapping[str, object] | None = None, *,
                  hold_complex_joints: bool = False, rotation: str = 'zyx') -> 'KinematicTree':
        """Read a robot from URDF or xacro.

        source: a path (.urdf, .xacro), or the XML text itself. xacro_args: the arguments of a
        xacro file, name → value. hold_complex_joints: whether planar and floating joints are held
        fixed at zero; else they become joints of one degree of freedom, see
        `model.complex_joints`. rotation: how floating ones turn, an Euler order or "exponential".
        Raises ModelError for what is wrong in it, naming the joint.
        """
        from ik_node.model.urdf import read_urdf
        return read_urdf(source, xacro_args, hold_complex_joints, rotation)

    @classmethod
    def from_dh(cls, table: Any, convention: str | None = None) -> 'KinematicTree':
        """Read a robot from Denavit-Hartenberg rows, standard or modified.

        table: a path (.yaml), a mapping (see `model.dh` for the schema), or (n, 4) rows a, alpha,
        d, theta, m and rad, all revolute; those need `convention`, "standard" or "modified".
        Raises ModelError for what is wrong in it, naming the row and the key.
        """
        from ik_node.model.dh import read_dh
        return read_dh(table, convention)

    def chain(self, base_link: str | None = None, tip_link: str | None = None) -> Chain:
        """Return the serial chain from base_link to tip_link.

        base_link: the root by default. tip_link: by default the only leaf below the base, else
        the one whose name has "tool" or "tcp" in it. Raises ModelError, with the list of what
        there is, where no tip can be chosen so, where a name is unknown, where the base is no
        ancestor of the tip, and where nothing moves between them.
        """
        base = self.root if base_link is None else self._known(base_link, 'base link')
        tip = self._default_tip(base) if tip_link is None else self._known(tip_link, 'tip link')
        return Chain(self, base, tip, self.path(base, tip))

    def joint_into(self, link: str) -> Joint | None:
        """Return the joint whose child a link is; None for the root. Raises ModelError."""
        return self._arc_of.get(self._known(link, 'link'))

    def path(self, base_link: str, tip_link: str) -> list[Joint]:
        """Return the joints from a link down to another, fixed ones too.

        Raises ModelError for unknown links, and where the first is no ancestor of the second.
        """
        base, tip = self._known(base_link, 'base link'), self._known(tip_link, 'tip link')
        path: list[Joint] = []
        link = tip
        while link != base:
            if link == self.root:
                raise ModelError(f'the base link {base!r} is no ancestor of the tip link {tip!r}; '
                                 f'its ancestors are {names(self._ancestors(tip))}')
            path.append(self._arc_of[link])
            link = path[-1].parent
        return path[::-1]

    def forward(self, values: Mapping[str, float] | None = None) -> dict[str, np.ndarray]:
        """Return the pose of every link, {link: T_root_link (4, 4)}, m.

        values: {joint: value}, rad or m; joints left out are at zero, mimics follow their source
        whatever is given for them, and fixed joints have no value. Of a tree that is `placed` it
        is T_world_link. Raises ModelError for an unknown joint or a value that is no finite number.
        """
        T_root_link = np.empty((len(self.links), 4, 4))
        tree_forward(self._arrays, self._arc_values(values or {}), T_root_link)
        return dict(zip(self.links, T_root_link))

    def joint_values(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the value of every moving joint, mimics too, given those of their sources.

        values: {joint: value}, rad or m; joints left out are at zero. Raises as `forward`.
        """
        arc_values = self._arc_values(values)
        return {joint.name: float(value)
                for joint, value in zip(self.joints.values(), arc_values[1:]) if joint.moves}

    def visual_poses(self, values: Mapping[str, float] | None = None) -> list[
            tuple[str, Visual, np.ndarray]]:
        """Return (link, visual, T_root_shape (4, 4), m) of every shape; values as for `forward`.

        The transform that readies a shape acts on the shape alone [Parent 5.2].
        """
        T_root_link = self.forward(values)
        return [(link, visual, T_root_link[link] @ visual.placement)
                for link in self.links for visual in self.visuals.get(link, ())]

    def placed(self, T_world_root: np.ndarray) -> 'KinematicTree':
        """Return the same figure at another place in the world, (4, 4), m.

        Everything but `forward`, `visual_poses` and `T_world_root` is as it was: chains begin at
        their base link wherever that is. Raises InputError for what is no pose.
        """
        T = floats(T_world_root, 'T_world_root')
        if T.shape != (4, 4) or not is_pose(T, _POSE_TOLERANCE):
            raise InputError(f'T_world_root must be a pose (4, 4), not {T.tolist()}')
        figure = copy(self)
        figure.T_world_root = T
        placement = self._arrays.placement.copy()
        placement[0] = T
        placement.flags.writeable = False
        figure._arrays = self._arrays._replace(placement=placement)
        return figure

    @property
    def description(self) -> str:
        """The robot as URDF text: what it was read from, xacro expanded, where that says it all.

        It does not where the tree came as DH rows or by hand, and where complex joints move.
        """
        return self.to_urdf() if self._text is None else self._text

    def to_urdf(self) -> str:
        """Return the tree as URDF: links, joints, visuals; without inertias and collision shapes.

        A tree without any visuals gets simple shapes along its links. A ball by exponential map,
        for which URDF has no joints, is written as Euler angles 'zyx'.
        """
        from ik_node.model.urdf_writer import write_urdf
        return write_urdf(self)

    def with_euler_angles(self) -> 'KinematicTree':
        """Return the same tree with Euler angles 'zyx' instead of exponential maps."""
        if all(joint.rotation != EXPONENTIAL for joint in self.complex_joints.values()):
            return self
        links, joints = self._given
        return KinematicTree(
            links, [replace(joint, rotation='zyx', lower=None, upper=None)
                    if isinstance(joint, ComplexJoint) and joint.rotation == EXPONENTIAL else joint
                    for joint in joints],
            name=self.name, warnings=self.warnings, visuals=self.visuals)

    def leaves(self, base_link: str | None = None) -> list[str]:
        """Return the links without children, below base_link (by default the root), in order."""
        parents = {joint.parent for joint in self.joints.values()}
        base = self.root if base_link is None else self._known(base_link, 'base link')
        return [link for link in (base, *self._below(base)) if link not in parents]

    def _arc_values(self, values: Mapping[str, float]) -> np.ndarray:
        """Return the value of every arc (k,), in the order of the links; the root arc has none."""
        if not isinstance(values, Mapping):
            raise ModelError(f'joint values must be a mapping joint: value, not {values!r:.60}')
        for name, value in values.items():
            if name not in self.joints:
                raise ModelError(unknown('joint', name, self.joints))
            if not isinstance(value, (int, float, np.integer, np.floating)):
                raise ModelError(f'the value of joint {name!r} must be a number, not {value!r:.60}')
            if not math.isfinite(value):
                raise ModelError(f'the value of joint {name!r} is {value}, not a finite number')
        arcs = np.zeros(len(self.links))
        for k, drive in enumerate(self.drives.values(), start=1):
            arcs[k] = drive.multiplier * values.get(drive.source, 0.0) + drive.offset
        return arcs

    def _known(self, link: str, what: str) -> str:
        if link != self.root and link not in self._arc_of:
            raise ModelError(unknown(what, link, self.links))
        return link

    def _ancestors(self, link: str) -> list[str]:
        """Return the links from the parent of a link up to the root."""
        found = []
        while link != self.root:
            link = self._arc_of[link].parent
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
        arrays = TreeArrays(
            parent=np.array([-1, *(index[joint.parent] for joint in path)]),
            kind=np.array([TURN, *(arc_kind(joint) for joint in path)]),
            placement=np.array([np.eye(4), *(joint.placement for joint in path)]),
            axis=np.array([np.zeros(3), *(joint.axis for joint in path)]))
        for array in arrays:
            array.flags.writeable = False
        return arrays

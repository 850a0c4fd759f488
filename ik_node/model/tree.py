"""The tree of links and joints, and forward kinematics over the whole of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from ik_node.model.body import Body
from ik_node.model.chain import Chain
from ik_node.model.joints import EXPONENTIAL, ComplexJoint, check_rotation, check_text
from ik_node.model.parts import ModelParts
from ik_node.model.tree_structure import TreeStructure
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import flag, instance, mapping, sequence
from ik_node.support.bounds import as_path
from ik_node.support.exceptions import ModelError, names, shown

_LEAVES = 5             # named when a tree is printed


class KinematicTree(TreeStructure):
    """A robot: links as nodes, joints as edges, from a file or by hand. Immutable.

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
    - `source_path`: the URDF, MJCF or SDF that was read, near which its meshes are; None else.
    - `T_world_root`: (4, 4), pose of the root link in the world, m.
    """

    @classmethod
    def from_parts(cls, parts: ModelParts) -> 'KinematicTree':
        """Build the tree from what a reader of models returned. Raises ModelError."""
        instance(parts, ModelParts, 'the parts of a model must be ModelParts', ModelError)
        return cls(**vars(parts))

    @classmethod
    def from_urdf(cls, source: str | PathLike[str],
                  xacro_args: Mapping[str, object] | None = None, soft_limits: bool = True, *,
                  hold_complex_joints: bool = False, rotation: str = 'zyx',
                  package_folders: Iterable[str | PathLike[str]] = ()) -> 'KinematicTree':
        """Read a robot from URDF or xacro.

        source: a path (.urdf, .xacro), or the XML text itself. xacro_args: the arguments of a
        xacro file, name → value. hold_complex_joints: whether planar and floating joints are fixed
        at zero; else they become joints of one degree of freedom, see `model.joints`.
        rotation: how floating ones turn, an Euler order or "exponential". soft_limits: whether
        those of safety controllers narrow the limits. package_folders: where xacro finds packages,
        besides ROS, ROS_PACKAGE_PATH and the folders above the file. Raises ModelError for an
        invalid source, naming the joint.
        """
        from ik_node.model.urdf import read_urdf
        check_rotation(rotation)
        xacro_args = {} if xacro_args is None else mapping(xacro_args, 'xacro_args')
        for name, value in xacro_args.items():
            check_text(name, 'the name of a xacro argument')
            if not isinstance(value, (str, bool, float)) and not (
                    isinstance(value, int) and abs(value) < 2**63):
                raise ModelError(f'the xacro argument {name!r} must be text or a number, not '
                                 f'{shown(value)}')
        return cls.from_parts(read_urdf(
            source, xacro_args, flag(hold_complex_joints, 'hold_complex_joints'), rotation,
            flag(soft_limits, 'soft_limits'),
            [as_path(folder, 'a folder of packages') for folder in sequence(
                package_folders, 'package_folders')]))

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
    def from_mjcf(cls, source: str | PathLike[str]) -> 'KinematicTree':
        """Read a robot from MJCF, which MuJoCo compiles; joint values are those of its qpos.

        source: a path, or the XML text itself, which opens no other file. Bodies and sites are
        links; the root is `world`, or the free body where nothing else moves. Raises ModelError for
        an invalid source, with what MuJoCo says, and where MuJoCo is not installed.
        """
        from ik_node.model.mjcf import read_mjcf
        return cls.from_parts(read_mjcf(source))

    @classmethod
    def from_sdf(cls, source: str | PathLike[str]) -> 'KinematicTree':
        """Read a robot from SDF, the format of Gazebo, of one model.

        source: a path, or the XML text itself, for which no included file is opened. Links and
        frames are links, those of nested models "model::link"; so is the frame of a joint, by the
        joint's name, where it is not that of the child. The root is `world` where a joint has it as
        its parent. Raises ModelError for an
        invalid source, naming the joint, link or frame, and for includes that are not found.
        """
        from ik_node.model.sdf import read_sdf
        return cls.from_parts(read_sdf(source))

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

    def chain(self, base_link: str | None = None, tip_link: str | None = None,
              tool: Any = None) -> Chain:
        """Return the serial chain from base_link to tip_link.

        base_link: the root by default. tip_link: by default the only leaf below the base, else
        the one whose name has "tool" or "tcp" in it. tool: T_tip_tool (4, 4), m, of a tool on the
        tip: goals, `forward` and `jacobian` are then of the tool. Raises ModelError, with the list
        of what there is, where no tip can be chosen so, where a name is unknown, where the base is
        no ancestor of the tip, and where nothing moves between them; InputError for a wrong tool.
        """
        base = self.root if base_link is None else self._checked_link(base_link, 'base link')
        tip = (self._default_tip(base) if tip_link is None
               else self._checked_link(tip_link, 'tip link'))
        return Chain(self, base, tip, self.path(base, tip), tool)

    def body(self, root: str = 'fixed', joints: Iterable[str] | None = None,
             held: Mapping[str, float] | None = None) -> Body:
        """Return the whole tree with one joint configuration q.

        root: "fixed"; "planar", whose x, y and yaw, or "floating", whose x, y, z and rotation
        vector come first in q. joints: the names of the moving joints that q has, in any order;
        by default all that are not held. held: {joint: value} of the others, rad or m, zero by
        default. Raises OptionError for an unknown root, ModelError for unknown joints, mimics
        among them, and where nothing moves of what could; InputError for values that are no finite
        numbers.
        """
        return Body(self, self._arrays, root, joints, held)

    def placed(self, T_world_root: np.ndarray) -> 'KinematicTree':
        """Return the same figure at another place in the world, (4, 4), m.

        Everything but `forward`, `visual_poses` and `T_world_root` is as it was: chains begin at
        their base link wherever that is. Raises InputError unless it is a pose.
        """
        T = as_pose(T_world_root, 'T_world_root')
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
        return write_urdf(replace(parts_of(tree), links=tree.links,
                                  joints=tuple(tree.joints.values())))

    def with_euler_angles(self) -> 'KinematicTree':
        """Return the same tree with Euler angles 'zyx' instead of exponential maps."""
        if all(joint.rotation != EXPONENTIAL for joint in self.complex_joints.values()):
            return self
        parts = parts_of(self)
        return KinematicTree.from_parts(replace(parts, joints=[
            replace(joint, rotation='zyx', lower=None, upper=None)
            if isinstance(joint, ComplexJoint) and joint.rotation == EXPONENTIAL else joint
            for joint in parts.joints]))

    def __repr__(self) -> str:
        moving = sum(joint.moves for joint in self.joints.values())
        leaves = self.leaves()
        more = f', … ({len(leaves)} in all)' if len(leaves) > _LEAVES else ''
        return (f'KinematicTree({self.name!r}: {len(self.links)} links from {self.root!r} to '
                f'{", ".join(map(repr, leaves[:_LEAVES]))}{more}, {moving} moving joints)')

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


def check_tree(tree: object) -> KinematicTree:
    """Return a tree. Raises InputError for anything else."""
    return instance(tree, KinematicTree, 'a KinematicTree is needed')


def parts_of(tree: KinematicTree) -> ModelParts:
    """Return what a tree was made of, without the text that it was read from."""
    links, joints, warnings = tree._source
    return ModelParts(links, joints, tree.name, warnings, None, tree.visuals, tree.inertials,
                      tree.collisions, tree.motion_channels, tree.source_path)

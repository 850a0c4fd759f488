"""Reads Acclaim skeletons (ASF) as figures of joints with one degree of freedom each.

The file gives `direction` and `axis` of every bone in the axes of the file, in the rest pose. With
C = R(axis), the motion of a bone is M = M_parent · C · R(dof) · C⁻¹ and its far end is at
p = p_parent + length · M · direction [Parent, lecture on kinematics]. R(dof) turns about fixed
axes, the first of `dof` first, so dof rx ry rz is Rz·Ry·Rx: from the parent out the joints
are rz, ry, rx, about the columns of C. Translations act before rotations, along the columns of C;
`l` stretches the bone along its direction. The root is at position + t and has M = R(dof) ·
R(orientation). Files have y up; a turn of 90° about x makes z point up.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ik_node.model.asf_file import ROOT, ROTATIONS, STRETCH, TRANSLATIONS, Bone, Skeleton, parse_asf
from ik_node.model.geometry import Cylinder, Sphere, Visual
from ik_node.model.joints import CONTINUOUS, FIXED, PRISMATIC, REVOLUTE, Joint
from ik_node.model.numbered_text import NumberedText
from ik_node.model.parts import Inertial, ModelParts, MotionChannels
from ik_node.spatial import pose_from_rotation, screw, turn_z_onto
from ik_node.support.arguments import number
from ik_node.support.bounds import MAX_LINKS, MAX_NUMBER
from ik_node.support.exceptions import InputError, shown

_INCH = 0.0254
_UNIT_TOLERANCE = 1e-3  # a direction this far off unit length gets a warning
_THICKNESS = 0.13       # of a bone's length: its radius, within bounds of the mean length:
_THINNEST, _THICKEST = 0.06, 0.3
_SHORTEST = 1e-9        # m: of a bone that is drawn
_COLOR = (0.85, 0.87, 0.90, 1.0)
_ROOT_COLOR = (0.93, 0.55, 0.18, 1.0)


def read_asf(source: Path | str, length_unit: float | None = None) -> ModelParts:
    """Read a skeleton from a file, or from its text; see `KinematicTree.from_asf`.

    Raises ModelError, which names the line, and InputError for a wrong length_unit.
    """
    if length_unit is not None:
        length_unit = number(length_unit, 'length_unit')
        if not 1e-9 <= length_unit <= MAX_NUMBER:
            raise InputError(f'length_unit must be between 1e-9 and {MAX_NUMBER:g} m, not '
                             f'{length_unit:g}')
    text = NumberedText(source, 'the skeleton')
    skeleton = parse_asf(text)
    return _Builder(text, skeleton, length_unit or _INCH / skeleton.units.length).parts()


def is_asf(head: str) -> bool:
    """Return whether a text that begins so is a skeleton."""
    return re.search(r'^[ \t]*:(version|units|root|bonedata|documentation)\b', head,
                     re.MULTILINE | re.IGNORECASE) is not None


class _Builder:
    def __init__(self, text: NumberedText, skeleton: Skeleton, length_unit: float) -> None:
        self._text, self._skeleton, self._unit = text, skeleton, length_unit
        self._links: dict[str, int] = {}
        self._joints: list[Joint] = []
        self._visuals: dict[str, tuple[Visual, ...]] = {}
        self._inertials: dict[str, Inertial] = {}
        self._warnings = list(skeleton.warnings)
        lengths = [bone.length for bone in skeleton.bones.values() if bone.length > 0.0]
        self._mean = length_unit * sum(lengths) / max(len(lengths), 1)

    def parts(self) -> ModelParts:
        skeleton, reserved = self._skeleton, {ROOT, *self._skeleton.bones}
        world = 'world'
        while world in reserved:
            world += '_'
        self._add_link(world, skeleton.root)
        self._add_root(skeleton.root, world)
        for name, parent in skeleton.parents.items():
            self._add_bone(skeleton.bones[name], parent)
        channels = {bone.name: tuple(f'{bone.name}_{dof}' for dof in bone.dof)
                    for bone in (skeleton.root, *skeleton.bones.values()) if bone.dof}
        return ModelParts(
            list(self._links), self._joints, skeleton.name, self._warnings,
            visuals=self._visuals, inertials=self._inertials,
            motion_channels=MotionChannels(channels, self._unit, skeleton.units.angle))

    def _add_root(self, root: Bone, world: str) -> None:
        y_up = screw(0.5 * math.pi, 0.0, 0)[:3, :3]  # y up to z up
        placement = pose_from_rotation(y_up, y_up @ (self._unit * np.array(root.position)))
        orientation = pose_from_rotation(_rotation(root.axis, root.order))
        link, placement = self._add_motion(root, world, placement, np.eye(3), TRANSLATIONS)
        self._add_joint(f'{ROOT}_fixed', FIXED, link, root, ROOT, placement @ orientation)
        if self._mean > 0.0:
            self._visuals[ROOT] = (Visual(Sphere(_THICKEST * self._mean), color=_ROOT_COLOR),)

    def _add_bone(self, bone: Bone, parent: str) -> None:
        C = _rotation(bone.axis, bone.order)
        translations = [dof for dof in bone.dof if dof in TRANSLATIONS]
        link, placement = self._add_motion(bone, parent, np.eye(4), C, translations)
        along = np.array(bone.direction)
        far = pose_from_rotation(np.eye(3), self._unit * bone.length * along)
        if not np.abs(far).max() <= MAX_NUMBER:
            raise self._text.error(bone.line, f'bone {bone.name!r} is longer than '
                                              f'{MAX_NUMBER:g} m')
        size = math.sqrt(along @ along)
        if bone.length > 0.0 and abs(size - 1.0) > _UNIT_TOLERANCE:
            self._warnings.append(f'bone {bone.name!r}: its direction is {size:g} long, and so '
                                  'many times its length is used')
        if STRETCH in bone.dof:
            self._add_joint(f'{bone.name}_{STRETCH}', PRISMATIC, link, bone, bone.name,
                            placement @ far, along / size,
                            self._limits(bone, STRETCH))
        else:
            self._add_joint(f'{bone.name}_fixed', FIXED, link, bone, bone.name, placement @ far)
        self._add_body(bone, far[:3, 3])

    def _add_motion(self, bone: Bone, link: str, placement: np.ndarray, axes: np.ndarray,
                    translations: Sequence[str]) -> tuple[str, np.ndarray]:
        """Add the joints of a bone's translations and rotations; axes (3, 3): their columns.

        Returns the last link, and what is left of the placement (4, 4), m.
        """
        rotations = [dof for dof in reversed(bone.dof) if dof in ROTATIONS]
        for dof in (*translations, *rotations):
            name = f'{bone.name}_{dof}'
            limits = self._limits(bone, dof)
            kind = PRISMATIC if dof in TRANSLATIONS else (
                REVOLUTE if any(map(math.isfinite, limits)) else CONTINUOUS)
            self._add_joint(name, kind, link, bone, f'{name}_link', placement,
                            axes[:, 'xyz'.index(dof[1])], limits)
            link, placement = f'{name}_link', np.eye(4)
        return link, placement

    def _limits(self, bone: Bone, dof: str) -> tuple[float, float]:
        lower, upper = bone.limits[bone.dof.index(dof)]
        unit = 1.0 if dof in ROTATIONS else self._unit
        return unit * lower, unit * upper

    def _add_joint(self, name: str, kind: str, parent: str, bone: Bone, child: str,
                   placement: np.ndarray, axis: np.ndarray | None = None,
                   limits: tuple[float, float] = (0.0, 0.0)) -> None:
        self._add_link(child, bone)
        self._joints.append(Joint(name, kind, parent, child, placement,
                                  np.array([1.0, 0.0, 0.0]) if axis is None else axis, *limits))

    def _add_link(self, link: str, bone: Bone) -> None:
        """Add a link. Raises ModelError where a bone has the name of another's link."""
        if link in self._links:
            raise self._text.error(max(bone.line, self._links[link]),
                                   f'two links would be named {shown(link)}: rename a bone')
        self._links[link] = bone.line
        if len(self._links) > MAX_LINKS:
            raise self._text.error(bone.line, f'the figure has more than {MAX_LINKS} links')

    def _add_body(self, bone: Bone, far: np.ndarray) -> None:
        """Add the shape of a bone, a cylinder with a round end, and its mass; far (3,), m."""
        length = math.hypot(*far)
        radius = min(max(_THICKNESS * length, _THINNEST * self._mean), _THICKEST * self._mean)
        along = far / length if length > _SHORTEST else np.array([0.0, 0.0, 1.0])
        if length > _SHORTEST:
            self._visuals[bone.name] = (
                Visual(Cylinder(radius, length),
                       pose_from_rotation(turn_z_onto(along), -0.5 * far), _COLOR),
                Visual(Sphere(radius), color=_COLOR))
        if bone.mass is None:
            return
        mass = bone.mass / self._skeleton.units.mass
        center = 0.5 * length if bone.center is None else self._unit * bone.center
        # The file has no inertia: that of the cylinder, about its centre, mass m:
        # m r²/2 about its axis, m (3r² + L²)/12 across [Parent].
        axial, across = 0.5 * radius**2, (3.0 * radius**2 + length**2) / 12.0
        inertia = mass * (across * np.eye(3) + (axial - across) * np.outer(along, along))
        if not (max(mass, abs(center), float(np.abs(inertia).max())) <= MAX_NUMBER):
            raise self._text.error(bone.line, f'bone {bone.name!r}: its mass {mass:g} kg, or where '
                                              f'it is, is beyond {MAX_NUMBER:g}')
        self._inertials[bone.name] = Inertial(mass, (center - length) * along,
                                              0.5 * (inertia + inertia.T))


def _rotation(angles: Sequence[float], order: str) -> np.ndarray:
    """Return the rotation (3, 3) by angles about the fixed axes x, y, z, rad, in an order."""
    R = np.eye(3)
    for axis in map('xyz'.index, order):
        R = screw(angles[axis], 0.0, axis)[:3, :3] @ R
    return R

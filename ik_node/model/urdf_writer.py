"""Writes any robot as URDF."""

import math
from xml.etree import ElementTree

import numpy as np

from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Shape, Visual
from ik_node.model.inertial import Inertial
from ik_node.model.joints import FIXED, PRISMATIC, RATES, REVOLUTE, UNLIMITED, Joint
from ik_node.model.parts import ModelParts
from ik_node.model.stick_figure import stick_figure
from ik_node.spatial import rpy_from_matrix


def write_urdf(parts: ModelParts) -> str:
    """Return a robot as XML text; see `KinematicTree.to_urdf`.

    parts: links from the root out, and joints of one degree of freedom, no rotation vectors.
    """
    joints = [joint for joint in parts.joints if isinstance(joint, Joint)]
    visuals = parts.visuals or stick_figure(parts.links, joints)
    robot = ElementTree.Element('robot', name=parts.name)
    for link in parts.links:
        element = ElementTree.SubElement(robot, 'link', name=link)
        for visual in visuals.get(link, ()):
            _write_visual(element, visual)
        for collision in parts.collisions.get(link, ()):
            _write_collision(element, collision)
        if link in parts.inertials:
            _write_inertial(element, parts.inertials[link])
    for joint in joints:
        _write_joint(robot, joint)
    _write_version(robot)
    ElementTree.indent(robot)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(robot, encoding="unicode")}\n'


def _write_joint(robot: ElementTree.Element, joint: Joint) -> None:
    element = ElementTree.SubElement(robot, 'joint', name=joint.name, type=joint.type)
    ElementTree.SubElement(element, 'parent', link=joint.parent)
    ElementTree.SubElement(element, 'child', link=joint.child)
    _write_origin(element, joint.placement)
    if joint.type == FIXED:
        return
    ElementTree.SubElement(element, 'axis', xyz=_numbers(joint.axis))
    usual = {'effort': _or_nothing(joint.effort), 'velocity': _or_nothing(joint.velocity)}
    usual.update({key: repr(getattr(joint, key)) for key in RATES
                  if math.isfinite(getattr(joint, key))})
    if joint.type in (REVOLUTE, PRISMATIC):
        ElementTree.SubElement(element, 'limit', {
            'lower': repr(max(joint.lower, -UNLIMITED)),
            'upper': repr(min(joint.upper, UNLIMITED)), **usual})
    elif set(usual.values()) != {'0'}:
        ElementTree.SubElement(element, 'limit', usual)
    if joint.mimic is not None:
        ElementTree.SubElement(element, 'mimic', joint=joint.mimic.joint,
                               multiplier=repr(float(joint.mimic.multiplier)),
                               offset=repr(float(joint.mimic.offset)))


def _write_version(robot: ElementTree.Element) -> None:
    """Write the earliest version that has all that is written: 1.0, which is not named, if it can.

    Rotations are written as rpy, which every version has.
    """
    if any(key in limit.attrib for limit in robot.iter('limit') for key in RATES):
        robot.set('version', '1.2')
    elif next(robot.iter('capsule'), None) is not None:
        robot.set('version', '1.1')


def _write_visual(link: ElementTree.Element, visual: Visual) -> None:
    element = ElementTree.SubElement(link, 'visual')
    _write_origin(element, visual.placement)
    _write_shape(ElementTree.SubElement(element, 'geometry'), visual.shape)
    if visual.color is not None:
        # The name says the colour: materials of one name are taken for the same.
        name = 'rgba_' + '_'.join(f'{part:g}' for part in visual.color)
        material = ElementTree.SubElement(element, 'material', name=name)
        ElementTree.SubElement(material, 'color', rgba=_numbers(visual.color))


def _write_collision(link: ElementTree.Element, collision: Collision) -> None:
    element = ElementTree.SubElement(link, 'collision')
    _write_origin(element, collision.placement)
    _write_shape(ElementTree.SubElement(element, 'geometry'), collision.shape)


def _write_inertial(link: ElementTree.Element, inertial: Inertial) -> None:
    element = ElementTree.SubElement(link, 'inertial')
    ElementTree.SubElement(element, 'origin', xyz=_numbers(inertial.center), rpy='0 0 0')
    ElementTree.SubElement(element, 'mass', value=repr(inertial.mass))
    ElementTree.SubElement(element, 'inertia', {
        f'i{"xyz"[i]}{"xyz"[j]}': repr(float(inertial.inertia[i, j]))
        for i in range(3) for j in range(i, 3)})


def _write_shape(geometry: ElementTree.Element, shape: Shape) -> None:
    if isinstance(shape, Box):
        ElementTree.SubElement(geometry, 'box', size=_numbers(shape.size))
    elif isinstance(shape, (Cylinder, Capsule)):
        ElementTree.SubElement(geometry, type(shape).__name__.lower(),
                               radius=repr(float(shape.radius)), length=repr(float(shape.length)))
    elif isinstance(shape, Mesh):
        ElementTree.SubElement(geometry, 'mesh', filename=shape.filename,
                               scale=_numbers(shape.scale))
    else:
        ElementTree.SubElement(geometry, 'sphere', radius=repr(float(shape.radius)))


def _write_origin(element: ElementTree.Element, T: np.ndarray) -> None:
    if not np.array_equal(T, np.eye(4)):
        ElementTree.SubElement(element, 'origin', xyz=_numbers(T[:3, 3]),
                               rpy=_numbers(rpy_from_matrix(T[:3, :3])))


def _numbers(values: object) -> str:
    """Return numbers to the last digit, so that what is read is what was written."""
    return ' '.join(repr(float(value) + 0.0) for value in values)  # type: ignore[attr-defined]


def _or_nothing(limit: float) -> str:
    return '0' if math.isinf(limit) else repr(float(limit))

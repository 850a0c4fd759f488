"""Writes any tree as URDF, for robot_state_publisher, RViz and whatever else reads it."""

import math
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from ik_node.model.geometry import Box, Cylinder, Mesh, Shape, Visual
from ik_node.model.joints import FIXED, PRISMATIC, REVOLUTE, UNLIMITED, Joint
from ik_node.model.stick_figure import stick_figure
from ik_node.spatial import rpy_from_matrix

if TYPE_CHECKING:
    from ik_node.model.tree import KinematicTree


def write_urdf(tree: 'KinematicTree') -> str:
    """Return a tree as XML text; see `KinematicTree.to_urdf`."""
    tree = tree.with_euler_angles()
    visuals = tree.visuals or stick_figure(tree)
    robot = ElementTree.Element('robot', name=tree.name)
    for link in tree.links:
        element = ElementTree.SubElement(robot, 'link', name=link)
        for visual in visuals.get(link, ()):
            _write_visual(element, visual)
    for joint in tree.joints.values():
        _write_joint(robot, joint)
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


def _write_visual(link: ElementTree.Element, visual: Visual) -> None:
    element = ElementTree.SubElement(link, 'visual')
    _write_origin(element, visual.placement)
    _write_shape(ElementTree.SubElement(element, 'geometry'), visual.shape)
    if visual.color is not None:
        # The name says the colour: materials of one name are taken for the same.
        name = 'rgba_' + '_'.join(f'{part:g}' for part in visual.color)
        material = ElementTree.SubElement(element, 'material', name=name)
        ElementTree.SubElement(material, 'color', rgba=_numbers(visual.color))


def _write_shape(geometry: ElementTree.Element, shape: Shape) -> None:
    if isinstance(shape, Box):
        ElementTree.SubElement(geometry, 'box', size=_numbers(shape.size))
    elif isinstance(shape, Cylinder):
        ElementTree.SubElement(geometry, 'cylinder', radius=repr(float(shape.radius)),
                               length=repr(float(shape.length)))
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

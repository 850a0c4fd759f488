"""Writes any robot as URDF."""

import math
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Shape, Visual
from ik_node.model.joints import FIXED, PRISMATIC, RATES, REVOLUTE, UNLIMITED, Joint
from ik_node.model.parts import Inertial, ModelParts
from ik_node.model.substitutes import stick_figure
from ik_node.spatial import rpy_from_matrix


def write_urdf(parts: ModelParts) -> str:
    """Return a robot as XML text; see `KinematicTree.to_urdf`.

    parts: links from the root out, and joints of one degree of freedom, no rotation vectors.
    """
    joints = [joint for joint in parts.joints if isinstance(joint, Joint)]
    visuals = parts.visuals or stick_figure(parts.links, joints)
    robot = Element('robot', name=parts.name)
    for link in parts.links:
        element = SubElement(robot, 'link', name=link)
        for visual in visuals.get(link, ()):
            _write_shape(element, 'visual', visual)
        for collision in parts.collisions.get(link, ()):
            _write_shape(element, 'collision', collision)
        if link in parts.inertials:
            _write_inertial(element, parts.inertials[link])
    for joint in joints:
        _write_joint(SubElement(robot, 'joint', name=joint.name, type=joint.type), joint)
    # The earliest version that has all that is written: rotations are rpy, which every one has.
    if any(key in limit.attrib for limit in robot.iter('limit') for key in RATES):
        robot.set('version', '1.2')
    elif next(robot.iter('capsule'), None) is not None:
        robot.set('version', '1.1')
    indent(robot)
    return f'<?xml version="1.0"?>\n{tostring(robot, encoding="unicode")}\n'


def _write_joint(element: Element, joint: Joint) -> None:
    SubElement(element, 'parent', link=joint.parent)
    SubElement(element, 'child', link=joint.child)
    _write_origin(element, joint.placement)
    if joint.type == FIXED:
        return
    SubElement(element, 'axis', xyz=_numbers(joint.axis))
    limit = {'effort': '0' if math.isinf(joint.effort) else repr(joint.effort),
             'velocity': repr(min(joint.velocity, UNLIMITED))}  # URDF requires both
    limit.update({key: repr(value) for key in RATES
                  if math.isfinite(value := getattr(joint, key))})
    if joint.type in (REVOLUTE, PRISMATIC):
        SubElement(element, 'limit', {'lower': repr(max(joint.lower, -UNLIMITED)),
                                      'upper': repr(min(joint.upper, UNLIMITED)), **limit})
    elif any(math.isfinite(getattr(joint, key)) for key in ('effort', 'velocity', *RATES)):
        SubElement(element, 'limit', limit)
    if joint.mimic is not None:
        SubElement(element, 'mimic', joint=joint.mimic.joint,
                   multiplier=repr(float(joint.mimic.multiplier)),
                   offset=repr(float(joint.mimic.offset)))


def _write_inertial(link: Element, inertial: Inertial) -> None:
    element = SubElement(link, 'inertial')
    SubElement(element, 'origin', xyz=_numbers(inertial.center), rpy='0 0 0')
    SubElement(element, 'mass', value=repr(inertial.mass))
    SubElement(element, 'inertia', {f'i{"xyz"[i]}{"xyz"[j]}': repr(float(inertial.inertia[i, j]))
                                    for i in range(3) for j in range(i, 3)})


def _write_shape(link: Element, tag: str, placed: Visual | Collision) -> None:
    element = SubElement(link, tag)
    _write_origin(element, placed.placement)
    name, attributes = _described(placed.shape)
    SubElement(SubElement(element, 'geometry'), name, attributes)
    if isinstance(placed, Visual) and placed.color is not None:
        # The name says the colour: materials of one name are taken for the same.
        name = 'rgba_' + '_'.join(f'{part:g}' for part in placed.color)
        SubElement(SubElement(element, 'material', name=name), 'color',
                   rgba=_numbers(placed.color))


def _described(shape: Shape) -> tuple[str, dict[str, str]]:
    if isinstance(shape, Box):
        return 'box', {'size': _numbers(shape.size)}
    if isinstance(shape, Mesh):
        return 'mesh', {'filename': shape.filename, 'scale': _numbers(shape.scale)}
    attributes = {'radius': repr(float(shape.radius))}
    if isinstance(shape, (Cylinder, Capsule)):
        attributes['length'] = repr(float(shape.length))
    return type(shape).__name__.lower(), attributes


def _write_origin(element: Element, T: np.ndarray) -> None:
    if not np.array_equal(T, np.eye(4)):
        SubElement(element, 'origin', xyz=_numbers(T[:3, 3]),
                   rpy=_numbers(rpy_from_matrix(T[:3, :3])))


def _numbers(values: Iterable[float]) -> str:
    """Return numbers to the last digit, so that what is read is what was written."""
    return ' '.join(repr(float(value) + 0.0) for value in values)

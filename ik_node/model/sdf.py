"""Reads SDF, the format of Gazebo [sdformat.org, specification 1.12].

A model has links, joints and frames, each with a pose relative to another of them,
T_world_frame = T_world_other · pose. Links, shapes and joints of one degree of freedom are written
as the elements of a URDF, and read as these are.
"""

from functools import partial
from os import PathLike
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ik_node.model import joints
from ik_node.model.joints import BALL, EXPONENTIAL, FIXED, REVOLUTE, UNLIMITED, ComplexJoint
from ik_node.model.numbered_text import number_of
from ik_node.model.parts import ModelParts
from ik_node.model.robot_xml import root_name
from ik_node.model.sdf_files import WHAT, read_model_element
from ik_node.model.sdf_links import as_urdf_link, is_true, read_pose, text_of, write_origin
from ik_node.model.urdf_joints import read_joint
from ik_node.model.urdf_links import (
    attribute_numbers,
    read_collisions,
    read_inertials,
    read_visuals,
)
from ik_node.spatial import inverse
from ik_node.support.bounds import MAX_NUMBER, check_links, check_name
from ik_node.support.exceptions import ModelError, names, shown, unknown

_UNIVERSAL = 'universal'
_TYPES = (FIXED, REVOLUTE, joints.CONTINUOUS, joints.PRISMATIC, BALL, _UNIVERSAL)
_MODEL, _WORLD = '__model__', 'world'
_TOP = ''  # where the model stands
_SAME = 1e-9  # m and of a rotation: a joint's frame is that of its child


def read_sdf(source: str | PathLike[str]) -> ModelParts:
    """Read a path, or the XML text; see `KinematicTree.from_sdf`. Raises ModelError."""
    path, model = read_model_element(source)
    return _Reader(model).parts(None if path is None else str(source))


def is_sdf(head: str) -> bool:
    """Return whether a text that begins so is an <sdf>."""
    return root_name(head) == 'sdf'


class _Frame(NamedTuple):
    """A link, joint, frame or model."""

    kind: str
    element: Element
    scope: str  # what names in it are below: '' or "arm::" of a nested model
    other: str  # full name of the frame that its pose is relative to
    T: np.ndarray  # (4, 4) T_other_frame, m


class _Reader:
    def __init__(self, model: Element) -> None:
        self._frames: dict[str, _Frame] = {}
        """By full name: "arm::hand" in a nested model "arm", which itself is "arm::__model__"."""
        self._add(model, _MODEL, _TOP, '')
        self._add_children(model, '')
        check_links(len(self._frames), 'links, joints and frames')
        for name, frame in reversed(self._frames.items()):  # the innermost models first
            if frame.kind == 'model' and (placed := frame.element.get('placement_frame')):
                self._poses = {_TOP: np.eye(4)}
                T = self._between(name, self._found(placed, frame.scope, f'model {name!r}'))
                self._frames[name] = frame._replace(T=frame.T @ inverse(T))
        self._poses = {_TOP: np.eye(4)}
        self._robot = Element('robot', name=model.get('name') or 'robot')
        self._links: list[str] = []
        self._balls: list[ComplexJoint] = []

    def parts(self, source_path: str | None) -> ModelParts:
        warnings: list[str] = []
        for name, frame in self._frames.items():
            self._pose(name)
            if frame.kind == 'link':
                self._links.append(name)
                self._robot.append(as_urdf_link(frame.element, name, partial(
                    self._pose_on, name, frame.scope)))
            elif frame.kind == 'frame':
                self._links.append(name)
                self._write_joint(name, FIXED, self._body(name), name)
            elif frame.kind == 'joint':
                self._add_joint(name, frame)
        check_links(len(self._links))
        single = [read_joint(element, element.get('name', ''), False, EXPONENTIAL, True, warnings)
                  for element in self._robot.findall('joint')]
        return ModelParts(self._links, [*single, *self._balls], self._robot.get('name', ''),
                          warnings, None, read_visuals(self._robot, warnings),
                          read_inertials(self._robot, warnings),
                          read_collisions(self._robot, warnings), None, source_path)

    def _add_children(self, model: Element, scope: str) -> None:
        for element in model:
            if element.tag not in ('link', 'joint', 'frame', 'model'):
                continue
            if not element.get('name'):
                raise ModelError(f'a <{element.tag}> of {WHAT} has no name')
            name, other = scope + check_name(element.get('name', ''), element.tag), _MODEL
            if element.tag == 'model':
                self._add(element, f'{name}::{_MODEL}', scope + other, scope)
                self._add_children(element, f'{name}::')
                continue
            if element.tag == 'joint':
                other = text_of(element, 'child') or other
            self._add(element, name, scope + (element.get('attached_to') or other), scope)

    def _add(self, element: Element, name: str, other: str, scope: str) -> None:
        """Add a frame; other: full name of what its pose is relative to if it does not say."""
        pose, kind = element.find('pose'), element.tag
        if pose is not None and name != _MODEL and (
                relative := pose.get('relative_to') or pose.get('frame')):
            other = scope + relative
        try:
            T = read_pose(element)
        except ValueError as error:
            raise ModelError(f'{kind} {name!r}: {error}') from error
        if name in self._frames:
            raise ModelError(f'{WHAT} has two links, joints or frames with the name {name!r}')
        self._frames[name] = _Frame(kind, element, name.removesuffix(_MODEL) if kind == 'model'
                                    else scope, other, T)

    def _found(self, name: str, scope: str, what: str) -> str:
        """Return the full name of a frame that an element below a scope names."""
        for full in (scope + name, f'{scope}{name}::{_MODEL}'):  # a nested model is a frame, too
            if full in self._frames:
                return full
        raise ModelError(f'{what}: ' + unknown('frame', name, [
            one.removeprefix(scope) for one in self._frames if one.startswith(scope)]))

    def _pose(self, name: str) -> np.ndarray:
        """Return T_world_name (4, 4), m."""
        path: dict[str, None] = {}
        while name not in self._poses:
            if name in path:
                raise ModelError(f'{WHAT}: poses are relative to each other in a circle: '
                                 f'{names(path)}')
            path[name] = None
            kind, _, _, other, _ = self._frames[name]
            name = other if name == _MODEL else self._found(other, '', f'{kind} {name!r}')
        T = self._poses[name]
        for one in reversed(path):
            T = self._poses[one] = T @ self._frames[one].T
        return T

    def _between(self, first: str, second: str) -> np.ndarray:
        return inverse(self._pose(first)) @ self._pose(second)

    def _pose_on(self, link: str, scope: str, element: Element) -> np.ndarray:
        """Return the pose (4, 4), m, of an element of a link in it. Raises ValueError."""
        T, pose = read_pose(element), element.find('pose')
        if pose is None or not (relative := pose.get('relative_to')):
            return T
        return self._between(link, self._found(relative, scope, f'link {link!r}')) @ T

    def _body(self, name: str) -> str:
        """Return the link that a frame is fixed to."""
        seen: dict[str, None] = {}
        while (frame := self._frames[name]).kind != 'link':
            if name in seen:
                raise ModelError(f'{WHAT}: frames are attached to each other in a circle: '
                                 f'{names(seen)}')
            seen[name] = None
            other = (text_of(frame.element, 'child') if frame.kind == 'joint' else
                     frame.element.get('attached_to') or _MODEL if frame.kind == 'frame' else
                     frame.element.get('canonical_link'))
            if not other:  # the first link, of nested models where there is no other
                links = [one for one, link in self._frames.items()
                         if link.kind == 'link' and one.startswith(frame.scope)]
                other = min(links, key=lambda one: one.count('::'), default='')
                other = other.removeprefix(frame.scope)
            name = self._found(other, frame.scope, f'{frame.kind} {name!r}')
        return name

    def _add_joint(self, name: str, frame: _Frame) -> None:
        element, what, kind = frame.element, f'joint {name!r}', frame.element.get('type', '')
        if kind not in _TYPES:
            raise ModelError(f'{what} is of type {shown(kind)}; the types that are read are '
                             f'{names(_TYPES)}')
        ends = []
        for tag in ('parent', 'child'):
            if not (end := text_of(element, tag)):
                raise ModelError(f'{what} has no <{tag}>')
            if end == _WORLD and _WORLD not in self._frames:  # else a link has this name
                self._links += [_WORLD] * (_WORLD not in self._links)
                self._poses[_WORLD] = self._poses[_TOP]
                ends.append(_WORLD)
            else:
                ends.append(self._body(self._found(end, frame.scope, what)))
        parent, child = ends
        if kind != FIXED and np.abs(self._between(name, child) - np.eye(4)).max() > _SAME:
            self._links.append(name)  # the joint's frame is a link, too
            self._write_joint(child, FIXED, name, child)
            child = name
        if kind == FIXED:
            self._write_joint(name, FIXED, parent, child)
        elif kind == BALL:
            self._balls.append(ComplexJoint(name, BALL, parent, child, self._between(parent, child),
                                            rotation=EXPONENTIAL))
        elif kind == _UNIVERSAL:
            self._links.append(middle := f'{name}_axis_link')
            self._write_moving(f'{name}_axis', REVOLUTE, parent, middle, name, 'axis')
            self._write_moving(f'{name}_axis2', REVOLUTE, middle, child, name, 'axis2')
        else:
            self._write_moving(name, kind, parent, child, name, 'axis')

    def _write_joint(self, name: str, kind: str, parent: str, child: str) -> Element:
        """Write a joint; of links that are no frames, between axes, the frames are one."""
        joint = SubElement(self._robot, 'joint', name=name, type=kind)
        SubElement(joint, 'parent', link=parent)
        SubElement(joint, 'child', link=child)
        write_origin(joint, self._between(parent, child))
        return joint

    def _write_moving(self, name: str, kind: str, parent: str, child: str, source: str,
                      tag: str) -> None:
        """Write a joint about or along an axis of a joint of the SDF, the source."""
        frame, what = self._frames[source], f'joint {source!r}'
        axis = frame.element.find(tag)
        if axis is None:
            raise ModelError(f'{what} has no <{tag}>')
        values = {'lower': '-1e16', 'upper': '1e16'} | {
            one.tag: (one.text or '').strip() for one in axis.findall('limit/*')
            if one.tag in ('lower', 'upper', 'effort', 'velocity') and (one.text or '').strip()}
        lower, upper = (number_of(values[key]) or 0.0 for key in ('lower', 'upper'))
        if kind == REVOLUTE and lower <= -UNLIMITED and upper >= UNLIMITED:
            kind = joints.CONTINUOUS
        self._poses.setdefault(f'{source}_axis_link', self._pose(source))
        joint = self._write_joint(name, kind, parent, child)
        SubElement(joint, 'limit', values)
        SubElement(joint, 'axis', xyz=' '.join(map(repr, self._axis(axis, frame, source))))
        if (mimic := axis.find('mimic')) is not None:
            self._write_mimic(joint, mimic, frame.scope, what)

    def _axis(self, axis: Element, frame: _Frame, source: str) -> list[float]:
        """Return an axis (3,) in the frame of its joint."""
        xyz, what = axis.find('xyz'), f'joint {source!r}'
        other = '' if xyz is None else xyz.get('expressed_in', '')
        if is_true(axis.findtext('use_parent_model_frame')):
            other = other or _MODEL
        text = '0 0 1' if xyz is None else xyz.text or ''
        try:
            found = attribute_numbers(Element('axis', xyz=text), 'xyz', 3, 'its axis')
        except ValueError as error:
            raise ModelError(f'{what}: {error}') from error
        if other:
            T_joint_other = self._between(source, self._found(other, frame.scope, what))
            found = (T_joint_other[:3, :3] @ found).tolist()
        return found

    def _write_mimic(self, joint: Element, mimic: Element, scope: str, what: str) -> None:
        """Write value = multiplier · (value of the leader − reference) + offset."""
        leader = self._found(mimic.get('joint', ''), scope, what)
        if self._frames[leader].element.get('type') == _UNIVERSAL:
            leader = f'{leader}_{mimic.get("axis", "axis")}'
        multiplier, offset, reference = (
            number_of(text_of(mimic, key) or default) for key, default in (
                ('multiplier', '1'), ('offset', '0'), ('reference', '0')))
        if multiplier is None or offset is None or reference is None or not (
                max(map(abs, (multiplier, offset, reference))) <= MAX_NUMBER):
            raise ModelError(f'{what}: multiplier, offset and reference of its mimic must be '
                             f'numbers, at most {MAX_NUMBER:g} in size')
        SubElement(joint, 'mimic', joint=leader, multiplier=repr(multiplier),
                   offset=repr(offset - multiplier * reference))

"""Reads SDF, the format of Gazebo [sdformat.org, specification 1.12].

A model has links, joints and frames, each with a pose relative to another of them:

    T_world_frame = T_world_other · pose

The poses of all are computed first. Links, joints of one degree of freedom and shapes are then
written as the elements of a URDF, and read as these are.
"""

import re
from functools import partial
from os import PathLike
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ik_node.model.joints import (
    BALL,
    CONTINUOUS,
    EXPONENTIAL,
    FIXED,
    PRISMATIC,
    REVOLUTE,
    UNLIMITED,
    ComplexJoint,
)
from ik_node.model.numbered_text import number_of
from ik_node.model.parts import ModelParts
from ik_node.model.robot_xml import parse_robot, xml_text
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

_WHAT = 'the SDF'
_UNIVERSAL = 'universal'
_TYPES = (FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, BALL, _UNIVERSAL)
_MODEL, _WORLD = '__model__', 'world'
_INCLUDES = 'included models are not opened; expand them first: "gz sdf -p FILE"'
_SAME = 1e-9  # m and of a rotation: a joint's frame is that of its child
_UNLIMITED = '1e16'  # SDF's default of limits


def read_sdf(source: str | PathLike[str]) -> ModelParts:
    """Read a path, or the XML text; see `KinematicTree.from_sdf`. Raises ModelError."""
    path, text = xml_text(source, _WHAT)
    root = parse_robot(text, _WHAT if path is None else f'{_WHAT} {str(path)!r}', 'sdf')
    models = [model for parent in (root, *root.findall('world'))
              for model in parent.findall('model')]
    if len(models) > 1:  # as of a world with its ground
        models = [model for model in models if not is_true(model.findtext('static'))]
    if len(models) != 1:
        included = [text_of(include, 'uri') for include in root.iter('include')]
        raise ModelError(
            f'{_WHAT} must have one <model> that is not static, not {len(models)}'
            + f' ({names(model.get("name", "") for model in models)})' * bool(models)
            + f'; it includes {names(included)}: {_INCLUDES}' * bool(included))
    version = re.match(r'(\d{1,3})\.(\d{1,3})', root.get('version', ''))
    is_old = version is not None and (int(version[1]), int(version[2])) <= (1, 4)
    return _Reader(models[0], is_old).parts(
        None if path is None else str(source))


def is_sdf(head: str) -> bool:
    """Return whether a text that begins so is an <sdf>."""
    return re.match(r'(?:[\ufeff\s]+|<\?.*?\?>|<!--.*?-->)*<sdf[\s>]', head, re.DOTALL) is not None


class _Frame(NamedTuple):
    """A link, joint, frame or model, by its full name: "arm::hand" of a nested model "arm"."""

    kind: str
    element: Element
    scope: str  # what names in it are below: '' or "arm::"
    other: str  # full name of the frame that its pose is relative to
    T: np.ndarray  # (4, 4) T_other_frame, m


class _Reader:
    def __init__(self, model: Element, is_old: bool) -> None:
        self._is_old = is_old  # axes are along those of the model, to version 1.4
        self._frames: dict[str, _Frame] = {}
        self._add(model, 'model', _MODEL, _WORLD, '')
        self._add_children(model, '')
        check_links(len(self._frames), 'links, joints and frames')
        for name, frame in reversed(self._frames.items()):  # the innermost models first
            placed = frame.element.get('placement_frame') if frame.kind == 'model' else None
            if placed:
                T = self._pose_in(self._found(placed, frame.scope, f'model {name!r}'), name)
                self._frames[name] = frame._replace(T=frame.T @ inverse(T))
        self._poses: dict[str, np.ndarray] = {_WORLD: np.eye(4)}
        self._robot = Element('robot', name=model.get('name') or 'robot')
        self._links: list[str] = []
        self._complex: list[ComplexJoint] = []

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
                self._fix(name, self._body_in_tree(name, '', f'frame {name!r}'), name)
            elif frame.kind == 'joint':
                self._add_joint(name, frame)
        joints = [read_joint(element, element.get('name', ''), False, EXPONENTIAL, True, warnings)
                  for element in self._robot.findall('joint')]
        check_links(len(self._links))
        return ModelParts(self._links, [*joints, *self._complex], self._robot.get('name', ''),
                          warnings, None, read_visuals(self._robot, warnings),
                          read_inertials(self._robot, warnings),
                          read_collisions(self._robot, warnings), None, source_path)

    def _add_children(self, model: Element, scope: str) -> None:
        for element in model:
            if element.tag == 'include':
                raise ModelError(f'{_WHAT} includes {shown(text_of(element, "uri"))}: {_INCLUDES}')
            if element.tag not in ('link', 'joint', 'frame', 'model'):
                continue
            if not element.get('name'):
                raise ModelError(f'a <{element.tag}> of {_WHAT} has no name')
            name = scope + check_name(element.get('name', ''), element.tag)
            if element.tag == 'model':
                inner = f'{name}::'
                self._add(element, 'model', inner + _MODEL, scope + _MODEL, scope, inner)
                self._add_children(element, inner)
            else:
                other = element.get('attached_to') or _MODEL
                if element.tag == 'joint':
                    other = text_of(element, 'child') or _MODEL
                self._add(element, element.tag, name, scope + other, scope)

    def _add(self, element: Element, kind: str, name: str, other: str, scope: str,
             inner: str | None = None) -> None:
        """Add a frame; other: full name of what its pose is relative to if it does not say."""
        what = f'{kind} {name!r}'
        pose = element.find('pose')
        if pose is not None and (relative := pose.get('relative_to') or pose.get('frame')):
            other = scope + relative
        try:
            T = read_pose(element)
        except ValueError as error:
            raise ModelError(f'{what}: {error}') from error
        if name in self._frames:
            raise ModelError(f'{_WHAT} has two links, joints or frames with the name {name!r}')
        self._frames[name] = _Frame(kind, element, scope if inner is None else inner, other, T)

    def _found(self, name: str, scope: str, what: str) -> str:
        """Return the full name of a frame that an element below a scope names."""
        for full in (scope + name, f'{scope}{name}::{_MODEL}'):  # a nested model is a frame, too
            if full in self._frames:
                return full
        if name == _WORLD:
            return _WORLD
        raise ModelError(f'{what}: ' + unknown('frame', name, [
            one.removeprefix(scope) for one in self._frames if one.startswith(scope)]))

    def _above(self, name: str) -> str:
        """Return the full name of the frame that another one is relative to."""
        other = self._frames[name].other
        if other in self._frames or other == _WORLD:
            return other
        return self._found(other, '', f'{self._frames[name].kind} {name!r}')

    def _pose_in(self, name: str, top: str) -> np.ndarray:
        """Return T_top_name (4, 4) along the frames between."""
        T, seen, first = np.eye(4), set[str](), name
        while name != top:
            if name in seen or name == _WORLD:
                raise ModelError(f'{_WHAT}: the pose of the placement_frame {first!r} is not one '
                                 f'in its model, but relative to {name!r}')
            seen.add(name)
            T, name = self._frames[name].T @ T, self._above(name)
        return T

    def _pose(self, name: str) -> np.ndarray:
        """Return T_world_name (4, 4), m."""
        path, seen = list[str](), set[str]()
        while name not in self._poses:
            if name in seen:
                raise ModelError(f'{_WHAT}: poses are relative to each other in a circle: '
                                 f'{names(path[path.index(name):])}')
            path.append(name)
            seen.add(name)
            name = self._above(name)
        T = self._poses[name]
        for one in reversed(path):
            T = self._poses[one] = T @ self._frames[one].T
        return T

    def _between(self, first: str, second: str) -> np.ndarray:
        return inverse(self._pose(first)) @ self._pose(second)

    def _body(self, name: str) -> str:
        """Return the link that a frame is fixed to, or the world."""
        seen: dict[str, None] = {}
        while name != _WORLD and (frame := self._frames[name]).kind != 'link':
            if name in seen:
                raise ModelError(f'{_WHAT}: frames are attached to each other in a circle: '
                                 f'{names(seen)}')
            seen[name] = None
            what = f'{frame.kind} {name!r}'
            if frame.kind == 'joint':
                name = self._found(text_of(frame.element, 'child'), frame.scope, what)
            elif frame.kind == 'frame':
                name = self._found(frame.element.get('attached_to') or _MODEL, frame.scope, what)
            elif canonical := frame.element.get('canonical_link'):
                name = self._found(canonical, frame.scope, what)
            else:
                links = [one for one, other in self._frames.items()
                         if other.kind == 'link' and one.startswith(frame.scope)]
                if not links:
                    raise ModelError(f'{what} has no link')
                name = next((one for one in links if self._frames[one].scope == frame.scope),
                            links[0])
        return name

    def _add_joint(self, name: str, frame: _Frame) -> None:
        element, what, kind = frame.element, f'joint {name!r}', frame.element.get('type', '')
        if kind not in _TYPES:
            raise ModelError(f'{what} is of type {shown(kind)}; the types that are read are '
                             f'{names(_TYPES)}')
        ends = {tag: text_of(element, tag) for tag in ('parent', 'child')}
        for tag, text in ends.items():
            if not text:
                raise ModelError(f'{what} has no <{tag}>')
        parent, child = (self._body_in_tree(text, frame.scope, what) for text in ends.values())
        if kind == FIXED:
            self._fix(name, parent, child)
            return
        end, T = child, self._between(parent, child)
        if np.abs(self._between(name, child) - np.eye(4)).max() > _SAME:
            end, T = name, self._between(parent, name)  # the joint's frame is a link, too
            self._links.append(name)
            self._fix(child, name, child)
        if kind == BALL:
            self._complex.append(ComplexJoint(name, BALL, parent, end, T, rotation=EXPONENTIAL))
        elif kind == _UNIVERSAL:
            middle = f'{name}_axis_link'
            self._links.append(middle)
            self._write_moving(f'{name}_axis', REVOLUTE, parent, middle, T, name, 'axis')
            self._write_moving(f'{name}_axis2', REVOLUTE, middle, end, np.eye(4), name, 'axis2')
        else:
            self._write_moving(name, kind, parent, end, T, name, 'axis')

    def _body_in_tree(self, name: str, scope: str, what: str) -> str:
        """Return the link that what an element names is fixed to; the world becomes a link."""
        body = self._body(self._found(name, scope, what))
        if body == _WORLD and _WORLD not in self._links:
            self._links.append(_WORLD)
        return body

    def _pose_on(self, link: str, scope: str, element: Element) -> np.ndarray:
        """Return the pose (4, 4), m, of an element of a link in it. Raises ValueError."""
        T, pose = read_pose(element), element.find('pose')
        if pose is None or not (relative := pose.get('relative_to')):
            return T
        return self._between(link, self._found(relative, scope, f'link {link!r}')) @ T

    def _fix(self, name: str, parent: str, child: str) -> None:
        self._write_joint(name, FIXED, parent, child, self._between(parent, child))

    def _write_joint(self, name: str, kind: str, parent: str, child: str, T: np.ndarray) -> Element:
        joint = SubElement(self._robot, 'joint', name=name, type=kind)
        SubElement(joint, 'parent', link=parent)
        SubElement(joint, 'child', link=child)
        write_origin(joint, T)
        return joint

    def _write_moving(self, name: str, kind: str, parent: str, child: str, T: np.ndarray,
                      source: str, tag: str) -> None:
        """Write a joint about or along an axis of a joint of the SDF, the source."""
        frame, what = self._frames[source], f'joint {source!r}'
        axis = frame.element.find(tag)
        if axis is None:
            raise ModelError(f'{what} has no <{tag}>')
        limit = axis.find('limit')
        values = {key: text_of(limit, key) for key in ('lower', 'upper', 'effort', 'velocity')
                  if limit is not None and text_of(limit, key)}
        values = {'lower': f'-{_UNLIMITED}', 'upper': _UNLIMITED} | values
        lower, upper = (number_of(values[key]) or 0.0 for key in ('lower', 'upper'))
        if kind == REVOLUTE and lower <= -UNLIMITED and upper >= UNLIMITED:
            kind = CONTINUOUS
        joint = self._write_joint(name, kind, parent, child, T)
        SubElement(joint, 'limit', values)
        SubElement(joint, 'axis', xyz=' '.join(map(repr, self._axis(axis, frame, source))))
        if (mimic := axis.find('mimic')) is not None:
            self._write_mimic(joint, mimic, frame.scope, what)

    def _axis(self, axis: Element, frame: _Frame, source: str) -> list[float]:
        """Return an axis (3,) in the frame of its joint."""
        xyz, what = axis.find('xyz'), f'joint {source!r}'
        name = '' if xyz is None else xyz.get('expressed_in', '')
        if self._is_old or is_true(axis.findtext('use_parent_model_frame')):
            name = name or _MODEL
        wrapped = Element('axis', xyz='0 0 1' if xyz is None else xyz.text or '')
        try:
            direction = np.array(attribute_numbers(wrapped, 'xyz', 3, 'its axis'))
        except ValueError as error:
            raise ModelError(f'{what}: {error}') from error
        if name:
            other = self._found(name, frame.scope, what)
            direction = self._between(source, other)[:3, :3] @ direction
        found: list[float] = direction.tolist()
        return found

    def _write_mimic(self, joint: Element, mimic: Element, scope: str, what: str) -> None:
        """Write value = multiplier · (value of the leader − reference) + offset."""
        leader = self._found(mimic.get('joint', ''), scope, what)
        if leader in self._frames and self._frames[leader].element.get('type') == _UNIVERSAL:
            leader = f'{leader}_{mimic.get("axis", "axis")}'
        values = []
        for key, default in (('multiplier', '1'), ('offset', '0'), ('reference', '0')):
            text = text_of(mimic, key) or default
            value = number_of(text)
            if value is None or not abs(value) <= MAX_NUMBER:
                raise ModelError(f'{what}: the {key} of its mimic must be a number, not '
                                 f'{shown(text)}')
            values.append(value)
        multiplier, offset, reference = values
        SubElement(joint, 'mimic', joint=leader, multiplier=repr(multiplier),
                   offset=repr(offset - multiplier * reference))

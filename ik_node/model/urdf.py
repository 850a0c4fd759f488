"""Reads URDF and xacro, of the versions that urdfdom knows [urdfdom 6.0, README, URDF Versioning].

1.1 adds quat_xyzw to <origin>, and <capsule>; 1.2 adds acceleration, deceleration and jerk to
<limit>. A file without a version is of version 1.0.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree

from ik_node.model.joints import PRISMATIC, RATES, REVOLUTE
from ik_node.model.parts import ModelParts
from ik_node.model.robot_xml import parse_robot, remove_unknown_calls, uses_xacro, xml_text
from ik_node.model.urdf_joints import lacks_velocity, read_joint
from ik_node.model.urdf_links import read_collisions, read_inertials, read_visuals
from ik_node.model.xacro_expansion import expanded
from ik_node.support import bounds
from ik_node.support.exceptions import ModelError, names, shown

_WHAT = 'the robot description'
_LATEST = (1, 2)


def read_urdf(source: str | PathLike[str],
              xacro_args: Mapping[str, object] | None = None, hold_complex_joints: bool = False,
              rotation: str = 'zyx', soft_limits: bool = True,
              package_folders: Iterable[str | PathLike[str]] = ()) -> ModelParts:
    """Read a path (.urdf, .xacro) or the XML text; see `KinematicTree.from_urdf`.

    Raises ModelError.
    """
    path, text = xml_text(source, _WHAT)
    is_xacro_file = path is not None and path.suffix == '.xacro'
    robot, warnings = _parsed(text, is_xacro_file)
    if xacro_args or is_xacro_file or uses_xacro(robot):
        text = expanded(robot, path, xacro_args or {}, [*map(Path, package_folders)])
        robot = parse_robot(text, _WHAT)
    parts = _read(robot, text, warnings, hold_complex_joints, soft_limits, rotation)
    return parts if path is None else replace(parts, source_path=str(source))


def read_untrusted_urdf(text: str, hold_complex_joints: bool = False,
                        soft_limits: bool = True) -> ModelParts:
    """Read XML text, not a path, that may come from anyone, as by a topic. Opens no file.

    xacro reads files and evaluates expressions; a text that uses it is refused. Raises ModelError.
    """
    text = text.lstrip('\ufeff \t\r\n')
    if text and '<' not in text:
        raise ModelError(f'the robot description is not XML: it begins with {shown(text[:60])}; '
                         'the name of a file is for the parameter model_path')
    robot, warnings = _parsed(text)
    if uses_xacro(robot):
        raise ModelError('the robot description uses xacro, which can read files and is '
                         'expanded only in the file of model_path; expand it first: "xacro '
                         'FILE"')
    return _read(robot, text, warnings, hold_complex_joints, soft_limits)


def is_urdf(head: str) -> bool:
    """Return whether a text that begins so is a <robot>."""
    return re.search(r'<robot[\s>/]', head) is not None


def is_xacro(head: str) -> bool:
    """Return whether a text that begins so is a <robot> with xacro in it."""
    return is_urdf(head) and re.search(r'xmlns:\w+\s*=\s*["\'][^"\']*xacro', head) is not None


def _parsed(text: str, is_xacro_file: bool = False) -> tuple[ElementTree.Element, list[str]]:
    """Return a robot, without what xacro has left behind unless it is xacro's input; warnings."""
    robot = parse_robot(text, _WHAT)
    removed = [] if is_xacro_file else remove_unknown_calls(robot)
    return robot, [f'the elements {names(removed)} are ignored: calls of macros that are not '
                   'defined, which xacro has left behind'] if removed else []


def _read(robot: ElementTree.Element, text: str, warnings: list[str], hold_complex_joints: bool,
          soft_limits: bool, rotation: str = 'zyx') -> ModelParts:
    _apply_version(robot, warnings)
    links = [_name(element, k) for k, element in enumerate(robot.findall('link'))]
    joints = robot.findall('joint')
    bounds.check_links(len(links))
    bounds.check_links(len(joints), 'joints')
    slow = [joint.get('name', '') for joint in joints if lacks_velocity(joint)]
    if slow:
        warnings.append(f'velocity limits that are not above 0 are ignored: {names(slow)}')
    return ModelParts(
        links, [read_joint(element, _name(element, k), hold_complex_joints, rotation, soft_limits,
                           warnings)
                for k, element in enumerate(joints)],
        robot.get('name', 'robot'), warnings, text, read_visuals(robot, warnings),
        read_inertials(robot, warnings), read_collisions(robot, warnings))


def _name(element: ElementTree.Element, index: int) -> str:
    name = element.get('name')
    if not name:
        raise ModelError(f'{element.tag} number {index + 1} of the robot description has no name')
    return bounds.check_name(name, element.tag)


def _apply_version(robot: ElementTree.Element, warnings: list[str]) -> None:
    """Remove what the declared version of a <robot> does not have, with a warning for each.

    So does urdfdom, and with it robot_state_publisher: what is read here agrees with their frames.
    Capsules stay, since shapes move nothing. Raises ModelError where URDF 1.2 needs both limits
    and has one.
    """
    version = _version_of(robot, warnings)
    if version < (1, 1):
        for owner in (*robot.findall('joint'), *robot.findall('link')):
            for origin in owner.iter('origin'):
                _remove(origin, ('quat_xyzw',), owner, '1.1', warnings)
    for joint in robot.findall('joint'):
        limit = joint.find('limit')
        if limit is None:
            continue
        if version < (1, 2):
            _remove(limit, RATES, joint, '1.2', warnings)
        elif joint.get('type') in (REVOLUTE, PRISMATIC) and (
                ('lower' in limit.attrib) != ('upper' in limit.attrib)):
            raise ModelError(f'joint {joint.get("name")!r} has only one of the limits lower and '
                             'upper; URDF 1.2 needs both')


def _version_of(robot: ElementTree.Element, warnings: list[str]) -> tuple[int, int]:
    text = robot.get('version', '1.0')
    found = re.fullmatch(r'([0-9]{1,9})\.([0-9]{1,9})', text)
    if found is None:
        warnings.append(f'the version {shown(text)} of the description is not of the form x.y; '
                        'read as 1.0')
        return 1, 0
    version = int(found[1]), int(found[2])
    if not (1, 0) <= version <= _LATEST:
        warnings.append(f'the version {text} of the description is not known; read as '
                        f'{"1.0" if version < _LATEST else "1.2"}')
    return version


def _remove(element: ElementTree.Element, keys: tuple[str, ...], owner: ElementTree.Element,
            version: str, warnings: list[str]) -> None:
    for key in keys:
        if element.attrib.pop(key, None) is not None:
            warnings.append(f'{owner.tag} {owner.get("name")!r}: {key} is ignored; it needs '
                            f'<robot version="{version}">')

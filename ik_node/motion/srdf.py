"""Reads the group states of an SRDF: MoveIt's named postures.

    <robot name="panda">
      <group_state name="ready" group="panda_arm">
        <joint name="panda_joint1" value="0"/>
      </group_state>
    </robot>

A joint of several degrees of freedom, as the one that floats a robot in the world, has as many
values, separated by spaces.
"""

import math
from os import PathLike
from typing import NamedTuple
from xml.etree import ElementTree

from ik_node.bounds import read_bytes
from ik_node.exceptions import ModelError
from ik_node.model.robot_xml import parse_robot


class GroupState(NamedTuple):
    """A named posture of a group of joints, as it stands in the file."""

    name: str
    group: str | None
    """None where the state names no group, though SRDF wants one."""
    values: dict[str, tuple[float, ...]]
    """Per joint its values, rad or m."""


def read_group_states(source: str | PathLike[str]) -> tuple[str, list[GroupState]]:
    """Return the file's name, for messages, and its group states in file order.

    source: a path, or the XML text itself. Raises ModelError for what cannot be read, naming the
    file, the state and the joint.
    """
    if isinstance(source, str) and source.lstrip('\ufeff \t\r\n').startswith('<'):
        what, data = 'the SRDF', source.lstrip('\ufeff \t\r\n').encode(errors='replace')
        encoding: str | None = 'utf-8'
    else:
        what, encoding = str(source), None  # as the file declares it
        try:
            data = read_bytes(source).removeprefix(b'\xef\xbb\xbf').lstrip(b' \t\r\n')
        except (OSError, ValueError) as error:
            raise ModelError(f'cannot read the SRDF {what!r}: {error}') from error
    robot = parse_robot(data, what, encoding)
    if b'<xacro:' in data:
        raise ModelError(f'{what} has xacro in it; expand it first: "xacro FILE > robot.srdf"')
    states: list[GroupState] = []
    for number, element in enumerate(robot.findall('group_state'), start=1):
        state = _group_state(element, number, what)
        if any(state[:2] == other[:2] for other in states):
            raise ModelError(f'{what}: two states of the group {state.group!r} are named '
                             f'{state.name!r}')
        states.append(state)
    return what, states


def _group_state(element: ElementTree.Element, number: int, what: str) -> GroupState:
    name = element.get('name')
    if not name:
        raise ModelError(f'{what}: group_state number {number} has no name')
    where = f'{what}: pose {name!r}'
    values: dict[str, tuple[float, ...]] = {}
    for joint in element.findall('joint'):
        joint_name = joint.get('name')
        if not joint_name:
            raise ModelError(f'{where}: a joint has no name')
        if joint_name in values:
            raise ModelError(f'{where}: joint {joint_name!r} is given twice')
        values[joint_name] = _numbers(joint.get('value'), f'{where}: joint {joint_name!r}')
    return GroupState(name, element.get('group') or None, values)


def _numbers(text: str | None, where: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in (text or '').split())
    except ValueError:
        numbers = ()
    if not numbers or not all(math.isfinite(number) for number in numbers):
        raise ModelError(f'{where}: the value must be a finite number, or several with spaces '
                         f'between, not {text!r}')
    return numbers

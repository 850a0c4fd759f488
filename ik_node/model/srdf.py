"""Reads the group states of an SRDF, MoveIt's named joint configurations.

    <robot name="panda">
      <group_state name="ready" group="panda_arm">
        <joint name="panda_joint1" value="0"/>
      </group_state>
    </robot>

A joint of several degrees of freedom, such as a floating joint, has as many values, separated by
spaces.
"""

import math
from os import PathLike
from typing import NamedTuple
from xml.etree import ElementTree

from ik_node.model.numbered_text import numbers_or_nan
from ik_node.model.robot_xml import parse_robot, uses_xacro
from ik_node.support.bounds import MAX_GROUP_STATES, as_path, read_bytes, reading
from ik_node.support.exceptions import ModelError


class GroupState(NamedTuple):
    """A named joint configuration of a group, as the file has it."""

    name: str
    group: str | None  # none where the state names no group, though SRDF requires one
    values: dict[str, tuple[float, ...]]  # per joint its values, rad or m


def read_group_states(source: str | PathLike[str]) -> tuple[str, list[GroupState]]:
    """Return the file's name, for messages, and its group states in file order.

    source: a path, or the XML text itself. Raises ModelError for an invalid file, naming the
    file, the state and the joint.
    """
    what = 'the SRDF'
    encoding: str | None = 'utf-8'
    if isinstance(source, str) and (text := source.lstrip('\ufeff \t\r\n')).startswith('<'):
        data = text.encode(errors='replace')
    else:
        source = as_path(source, what)
        what, encoding = str(source), None  # as the file declares it
        with reading(f'the SRDF {what!r}'):
            data = read_bytes(source).removeprefix(b'\xef\xbb\xbf').lstrip(b' \t\r\n')
    if uses_xacro(data, what, encoding):
        raise ModelError(f'{what} uses xacro; expand it first: "xacro FILE > robot.srdf"')
    elements = parse_robot(data, what, encoding).findall('group_state')
    if len(elements) > MAX_GROUP_STATES:
        raise ModelError(f'{what} has {len(elements)} group states; at most {MAX_GROUP_STATES} '
                         'are allowed')
    states: dict[tuple[str, str | None], GroupState] = {}
    for number, element in enumerate(elements, start=1):
        state = _group_state(element, number, what)
        if states.setdefault((state.name, state.group), state) is not state:
            raise ModelError(f'{what}: two states of the group {state.group!r} are named '
                             f'{state.name!r}')
    return what, list(states.values())


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
            raise ModelError(f'{where}: joint {joint_name!r} appears twice')
        values[joint_name] = _numbers(joint.get('value'), f'{where}: joint {joint_name!r}')
    return GroupState(name, element.get('group') or None, values)


def _numbers(text: str | None, where: str) -> tuple[float, ...]:
    numbers = tuple(numbers_or_nan(text or ''))
    if not numbers or not all(map(math.isfinite, numbers)):
        raise ModelError(f'{where}: the value must be a finite number, or several separated '
                         f'by spaces, not {text!r}')
    return numbers

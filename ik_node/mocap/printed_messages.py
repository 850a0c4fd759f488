"""Reads files of ROS messages as `ros2 topic echo` prints them: YAML, "---" after each message."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ik_node.mocap.recording import MAX_MOTION_BYTES
from ik_node.model.yaml_file import parse_yaml
from ik_node.support.bounds import MAX_NUMBER, read_bytes
from ik_node.support.exceptions import ModelError, shown, unknown

SECOND = 10**9
"""ns"""
_MAX_SEC = 2**31 - 1
_CUT = '...'     # in place of the items after the first 128
_END = re.compile(r'^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)', re.MULTILINE)
_NOTE = re.compile(  # that ros2 topic echo prints between messages
    r'^(?:WARNING: topic \[.*\n|A message was lost!!!\r?\n\t.*\n\ttotal count:.*\n)',
    re.MULTILINE)


class Message(NamedTuple):
    """A message of a file."""

    where: str
    """The file, and where it has several messages the number of this one and its first line."""
    values: Any
    """What the YAML says."""


def read_messages(path: Path) -> list[Message]:
    """Read the messages of a file, at least one.

    Notes of ros2 topic echo, as about lost messages, are skipped. Raises ModelError for a file that
    cannot be read or is not YAML, naming the line.
    """
    what = f'the motion {str(path)!r}'
    try:
        text = read_bytes(path, MAX_MOTION_BYTES).decode('utf-8-sig')
    except (OSError, ValueError) as error:
        raise ModelError(f'cannot read {what}: {error}') from error
    text = _NOTE.sub(lambda note: '\n' * note[0].count('\n'), text)
    documents, line = [], 1
    for document in _END.split(text):
        stripped = document.lstrip()
        if stripped:
            first = line + document[:len(document) - len(stripped)].count('\n')
            documents.append((first, stripped))
        line += document.count('\n') + 1  # and the line of the end
    documents = documents or [(1, '')]
    wheres = [what] if len(documents) == 1 else [
        f'{what}, message {k} from line {first}' for k, (first, _) in enumerate(documents, start=1)]
    return [Message(where, _parsed(*document, where))
            for where, document in zip(wheres, documents)]


def _parsed(line: int, text: str, where: str) -> Any:
    """Return what a text says that begins in a line. Raises ModelError, with lines of the file."""
    try:
        return parse_yaml(text, where)
    except ModelError:
        # Again, where it stands in the file, for the numbers of lines in the message.
        return parse_yaml('\n' * (line - 1) + text, where)


def mapping(value: Any, keys: tuple[str, ...], where: str) -> dict[str, Any]:
    """Return a mapping with some of the keys and no others. Raises ModelError."""
    if not isinstance(value, dict):
        raise ModelError(f'{where} must be a mapping with the keys {", ".join(keys)}, not '
                         f'{shown(value)}')
    for key in value:
        if key not in keys:
            raise ModelError(f'{where}: {unknown("key", key, keys)}')
    return value


def listed(value: Any, where: str) -> list[Any]:
    """Return a list that is printed in full. Raises ModelError."""
    if not isinstance(value, list):
        raise ModelError(f'{where} must be a list, not {shown(value)}')
    if _CUT in value:
        raise ModelError(f'{where}[{value.index(_CUT)}]: the message was printed in part only; use '
                         'ros2 topic echo --full-length')
    return value


def joint_values(value: Any, joint_names: Sequence[str], where: str) -> list[float]:
    """Return a list of values, one for each joint, rad or m. Raises ModelError."""
    values = listed(value, where)
    if len(values) != len(joint_names):
        raise ModelError(f'{where} must have {len(joint_names)} values, one for each joint, not '
                         f'{len(values)}')
    for i, one in enumerate(values):
        numeric = isinstance(one, (int, float)) and not isinstance(one, bool)
        if not numeric or not abs(one) <= MAX_NUMBER:
            hint = ', which YAML reads as text (write 1.0e-3)' if isinstance(one, str) else ''
            raise ModelError(f'{where}[{i}], of {joint_names[i]!r}, must be a number, at most '
                             f'{MAX_NUMBER:g} in size, not {shown(one)}{hint}')
    return values


def nanoseconds(value: Any, where: str) -> int:
    """Return a time or a duration, of sec and nanosec, in ns. Raises ModelError."""
    parts, total = mapping(value, ('sec', 'nanosec'), where), 0
    for key, scale, most in (('sec', SECOND, _MAX_SEC), ('nanosec', 1, SECOND - 1)):
        part = parts.get(key, 0)
        if isinstance(part, bool) or not isinstance(part, int) or not 0 <= part <= most:
            raise ModelError(f'{where}.{key} must be a whole number from 0 to {most}, not '
                             f'{shown(part)}')
        total += scale * part
    return total


def stamp(message: dict[str, Any], where: str) -> int:
    """Return the stamp of a message, ns. Raises ModelError."""
    header = mapping(message.get('header'), ('stamp', 'frame_id'), f'{where}: header')
    return nanoseconds(header.get('stamp'), f'{where}: header.stamp')

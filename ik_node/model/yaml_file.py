"""Reads YAML with plain values and unique keys, bounded in size and depth.

An anchor may have any number of aliases, so a text of a few hundred bytes can hold more values than
there is memory. The values of aliases are counted each time, before anything is constructed.
"""

import contextlib
import math
import re
import sys
from os import PathLike
from typing import Any

import yaml
from yaml.composer import Composer

from ik_node.support import bounds
from ik_node.support.arguments import is_real
from ik_node.support.exceptions import ModelError, shown

_ANGLE_UNITS = {'rad': 1.0, 'deg': math.pi / 180.0}
# libyaml's parser, many times as fast, unless PyYAML was built without it.
_Loader: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


def load_yaml(path: str | PathLike[str], what: str) -> Any:
    """Return what a YAML file holds. Raises ModelError for what cannot be read.

    what: what messages call the file.
    """
    path = bounds.as_path(path, what)
    what = f'{what} {str(path)!r}'
    with bounds.reading(what):
        text = bounds.read_bytes(path).decode('utf-8-sig')
    return parse_yaml(text, what)


def parse_yaml(text: str, what: str) -> Any:
    """Return what a YAML text holds. Raises ModelError for what cannot be read."""
    try:
        return yaml.load(text, _BoundedLoader)
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # as of a month 13
        raise ModelError(f'{what} is not YAML: {error}') from error


def angle_scale(unit: object, where: str = '') -> float:
    """Return a unit of angle, "rad" or "deg", in rad. Raises ModelError for any other."""
    if not isinstance(unit, str) or unit not in _ANGLE_UNITS:
        raise ModelError(f'{where}angle_unit must be rad or deg, not {shown(unit)}')
    return _ANGLE_UNITS[unit]


def real_number(value: Any, what: str, most: float = bounds.MAX_NUMBER) -> float:
    """Return a finite number of a file, at most so large in size. Raises ModelError for others."""
    if not is_real(value):
        hint = ''
        with contextlib.suppress(ValueError):
            hint = f'; in YAML write {float(value)!r}' if isinstance(value, str) else ''
        raise ModelError(f'{what} must be a number, not {shown(value)}{hint}')
    if not abs(value) <= min(most, sys.float_info.max):  # NaN is not, nor are some whole numbers
        allowed = f'at most {most:g} in size' if abs(value) < math.inf > most else 'a finite number'
        raise ModelError(f'{what} must be {allowed}, not {shown(value)}')
    return float(value)


class _BoundedLoader(Composer, _Loader):
    """Plain YAML without nodes that are too many, too deep or too long.

    A key given twice, whose last value would win, is refused.
    """

    def __init__(self, text: str) -> None:
        _Loader.__init__(self, text)
        Composer.__init__(self)
        self._count = self._depth = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return the next node; its values are counted."""
        alias, event, before = self.check_event(yaml.AliasEvent), self.peek_event(), self._count
        mark = event.start_mark
        self._depth += 1
        if self._depth > bounds.MAX_NESTING:
            raise _refused(f'values stand more than {bounds.MAX_NESTING} deep in each other', mark)
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > bounds.MAX_TEXT:
            # A long number takes quadratic time to read.
            raise _refused(f'a value has {len(event.value)} characters; at most '
                           f'{bounds.MAX_TEXT} are allowed', mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if alias and id(node) not in self._sizes:
            raise _refused('a value contains itself', mark)
        self._count += self._sizes[id(node)] if alias else 1
        if self._count > bounds.MAX_NODES:
            raise _refused(f'there are too many values; at most {bounds.MAX_NODES} are allowed',
                           mark)
        self._sizes.setdefault(id(node), self._count - before)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        """Return the mapping of a node."""
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise _refused(f'{key.value!r} appears twice', key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _number(loader: Any, node: yaml.ScalarNode) -> Any:
    """Return a number; the text where only YAML 1.1 reads one: 1:30 in base 60, 1_0, 010, 0b1."""
    is_whole = node.tag.endswith('int')
    if re.search('[_:]|^[-+]?0[0-9b]' if is_whole else '[_:]', node.value):
        return node.value
    return loader.construct_yaml_int(node) if is_whole else loader.construct_yaml_float(node)


_BoundedLoader.add_constructor('tag:yaml.org,2002:int', _number)
_BoundedLoader.add_constructor('tag:yaml.org,2002:float', _number)


def _refused(problem: str, mark: Any) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, mark)

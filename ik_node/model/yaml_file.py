"""YAML as it is read here: plain values, no key twice, bounded in size and depth.

An alias may stand for its anchor as often as it likes, so a text of a few hundred bytes can hold
more values than there is memory. They are counted as often as they stand for, before anything is
made of them.
"""

from os import PathLike
from typing import Any

import yaml

from ik_node.bounds import MAX_NESTING, MAX_NODES, read_bytes
from ik_node.exceptions import ModelError


def load_yaml(path: str | PathLike[str], what: str) -> Any:
    """Return what a YAML file holds. Raises ModelError for what cannot be read.

    what: what messages call the file.
    """
    try:
        text = read_bytes(path).decode('utf-8-sig')
    except (OSError, ValueError) as error:
        raise ModelError(f'cannot read {what} {str(path)!r}: {error}') from error
    try:
        return yaml.load(text, _BoundedLoader)
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # as of a month 13
        raise ModelError(f'{what} {str(path)!r} is no YAML: {error}') from error


class _BoundedLoader(yaml.SafeLoader):
    """Plain YAML that refuses what is too large, and a key given twice, whose last would win."""

    def __init__(self, text: str) -> None:
        """Begin to count."""
        super().__init__(text)
        self._count = self._depth = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return the next node, whose values are counted."""
        alias = self.check_event(yaml.AliasEvent)
        mark = self.peek_event().start_mark
        before = self._count
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise yaml.constructor.ConstructorError(
                None, None, f'values stand more than {MAX_NESTING} deep in each other', mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if alias and id(node) not in self._sizes:
            raise yaml.constructor.ConstructorError(None, None, 'a value contains itself', mark)
        self._count += self._sizes[id(node)] if alias else 1
        if self._count > MAX_NODES:
            raise yaml.constructor.ConstructorError(
                None, None, f'there are too many values; at most {MAX_NODES} are allowed', mark)
        self._sizes.setdefault(id(node), self._count - before)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node."""
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f'{key.value!r} is given twice', key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)

"""Parses the XML of robots, URDF, SRDF and MJCF, within bounds and without opening other files.

A description may come from anyone. Nothing that it names is fetched: entities and attribute-list
declarations are refused, external document types and inclusions are not read, and size and nesting
are bounded while a tree is built.

Other readers of URDF know no namespaces: names keep their prefixes, declared or not.
"""

import re
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from ik_node.support import bounds
from ik_node.support.arguments import instance
from ik_node.support.exceptions import ModelError, shown

XACRO = 'xacro'
_BLANK = '\ufeff \t\r\n'
_PIECE = 1_000_000  # bytes that are parsed at a time: those of an unfinished name once more each
_XACRO_WORDS = ('include', 'insert_block', 'call', 'macro', 'property', 'arg', 'if', 'unless',
                'element', 'attribute')
_BEFORE_ROOT = re.compile(r'[\ufeff\s]+|<\?.*?\?>|<!--.*?-->', re.DOTALL)
_EXPRESSIONS = (re.compile(r'\$\{'), '}'), (re.compile(r'\$\((eval|env|optenv)\s'), ')')


def xml_text(source: object, what: str) -> tuple[Path | None, str]:
    """Return the file that a source is, None for the XML text itself, and the text.

    what: how messages name it. Raises ModelError.
    """
    if isinstance(source, str) and (text := source.lstrip(_BLANK)).startswith('<'):
        return None, text
    instance(source, (str, PathLike), f'{what} must be a path to a file, or the XML text itself',
             ModelError)
    path = bounds.as_path(source, what)
    with bounds.reading(f'{what} {str(path)!r}',
                        '; give a path to a file, or the XML text itself'):
        data = bounds.read_bytes(path)
    declared = re.match(rb'\s*<\?xml[^>]*encoding=["\']([\w-]+)["\']', data)
    encoding = (declared[1].decode() if declared else
                'utf-16' if data.startswith((b'\xff\xfe<', b'\xfe\xff\0<')) else 'utf-8')
    try:
        return path, data.decode(encoding).lstrip(_BLANK)
    except (ValueError, LookupError) as error:  # the codecs raise more than UnicodeDecodeError
        raise ModelError(f'{str(path)!r} is not text in {encoding}') from error


def root_name(head: str) -> str:
    """Return the name of the root element of an XML text that begins so; '' for other texts."""
    begin = 0
    while skipped := _BEFORE_ROOT.match(head, begin):  # one regular expression takes 2^comments
        begin = skipped.end()
    root = re.match(r'<([\w:.-]+)[\s>/]', head[begin:])
    return root[1] if root else ''


def parse_robot(source: str | bytes, what: str, root: str = 'robot') -> ElementTree.Element:
    """Return the root element of an XML text; bytes are in the encoding that they declare.

    what: how messages name the text; root: the name that its root element must have. Comments may
    have "--" in them, and stand before the declaration. Raises ModelError.
    """
    data, encoding = (source, None) if isinstance(source, bytes) else (
        source.encode(errors='surrogatepass'), 'utf-8')  # the parser refuses what UTF-8 cannot hold
    bounds.check_size(len(data), what)
    problem: Exception | None = None
    for text in (data, _without_comments(data)):
        try:
            robot = _Scan(what).root(text, encoding)
            break
        except (expat.ExpatError, ValueError, LookupError) as error:
            problem = problem or error
    else:
        begin = data.lstrip()[:40].decode(errors='replace').partition('\n')[0]
        raise ModelError(f'{what} is not XML: {problem}; it begins with {begin!r}' if begin else
                         f'{what} is empty') from problem
    prefix = robot.tag.removesuffix(root)
    if prefix.endswith(':'):
        for element in robot.iter():
            element.tag = element.tag.removeprefix(prefix)
    if robot.tag != root:
        raise ModelError(f'{what} must be a <{root}>, not a <{robot.tag:.60}>')
    return robot


def uses_xacro(robot: ElementTree.Element) -> bool:
    """Return whether xacro would change what is read of a robot.

    It would where an element or an attribute is in xacro's namespace, and where an attribute's
    value holds ``${...}``, ``$(eval ...)``, ``$(env ...)`` or ``$(optenv ...)``. Text content and
    a namespace declaration alone do not count.
    """
    prefixes = _xacro_prefixes(robot)
    return any(
        _xacro_name(element.tag, prefixes) is not None or any(
            _has_expression(value) or (':' in name and _xacro_name(name, prefixes) is not None)
            for name, value in element.items())
        for element in robot.iter())


def remove_unknown_calls(robot: ElementTree.Element) -> list[str]:
    """Remove calls of xacro's macros that a robot does not define; return their names.

    xacro leaves them in its output where it finds no macro. A robot with inclusions stays as it is.
    """
    prefixes = _xacro_prefixes(robot)
    if '' in prefixes:  # every element may be one of xacro's
        return []
    defined = set(_XACRO_WORDS)
    within: set[ElementTree.Element] = set()  # the bodies of macros
    for element in robot.iter():
        word = _xacro_name(element.tag, prefixes)
        if word == 'include':
            return []
        if word == 'macro':
            defined.add(element.get('name', ''))
            within.update(element.iter())
    removed: dict[str, None] = {}

    def remains(element: ElementTree.Element) -> bool:
        word = _xacro_name(element.tag, prefixes)
        if word is None or (word in defined and (word != 'insert_block' or element in within)):
            return True
        removed[element.tag] = None
        return False
    for parent in robot.iter():
        parent[:] = filter(remains, parent[:])
    return list(removed)


def _has_expression(text: str) -> bool:
    return any((found := begin.search(text)) and end in text[found.end():]
               for begin, end in _EXPRESSIONS)


def _xacro_prefixes(robot: ElementTree.Element) -> set[str]:
    """Return the prefixes of names in xacro's namespace, which is written in several ways."""
    return {XACRO, *(name.partition(':')[2] for element in robot.iter()
                     for name, value in element.items() if name.startswith('xmlns')
                     and value.rstrip('/').endswith(('/xacro', '#xacro')))}


def _xacro_name(name: str, prefixes: set[str]) -> str | None:
    """Return a name in xacro's namespace without its prefix; None for others."""
    prefix, _, word = name.rpartition(':')
    return word if prefix in prefixes else None


def _without_comments(data: bytes) -> bytes:
    """Return a text without comments, in which XML allows no "--", and blanks before the rest."""
    head, *parts = data.split(b'<!--')
    return b''.join([head, *(part.partition(b'-->')[2] for part in parts)]).lstrip()


class _Scan:
    """One pass over an XML text, which checks its bounds and builds its tree."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._elements = self._depth = 0
        self._builder = ElementTree.TreeBuilder()

    def root(self, data: bytes, encoding: str | None) -> ElementTree.Element:
        """Return the root element. Raises ModelError, and what a parser raises for other texts."""
        parser = expat.ParserCreate(encoding)
        parser.EntityDeclHandler = self._refuse_entity
        parser.SkippedEntityHandler = self._refuse_entity
        parser.AttlistDeclHandler = self._refuse_attribute_list
        parser.StartElementHandler, parser.EndElementHandler = self._enter, self._leave
        parser.CharacterDataHandler = self._builder.data
        for first in range(0, len(data), _PIECE):  # other threads go on between two
            parser.Parse(data[first:first + _PIECE], False)
        parser.Parse(b'', True)
        return self._builder.close()

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise ModelError(f'{self._what} declares the XML entity {shown(name)}; entities are not '
                         'read')

    def _refuse_attribute_list(self, element: str, *_: object) -> None:
        """Refuse a declaration of attributes: its defaults cost quadratic time to parse."""
        raise ModelError(f'{self._what} declares the attributes of {shown(element)} in its '
                         'document type; such declarations are not read')

    def _enter(self, name: str, attributes: dict[str, str]) -> None:
        self._elements, self._depth = self._elements + 1, self._depth + 1
        if self._elements > bounds.MAX_NODES:
            raise ModelError(f'{self._what} has too many elements; at most {bounds.MAX_NODES} are '
                             'allowed')
        if self._depth > bounds.MAX_NESTING:
            raise ModelError(f'{self._what} has elements more than {bounds.MAX_NESTING} deep in '
                             'each other; no robot needs that')
        if len(attributes) > bounds.MAX_ATTRIBUTES:
            raise ModelError(f'{self._what}: an element {shown(name)} has {len(attributes)} '
                             f'attributes; at most {bounds.MAX_ATTRIBUTES} are allowed')
        self._builder.start(name, attributes)

    def _leave(self, name: str) -> None:
        self._depth -= 1
        self._builder.end(name)

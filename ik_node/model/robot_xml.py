"""Parses the XML of robots, URDF and SRDF, within bounds and without opening other files.

A description may come from anyone. Nothing that it names is fetched: entities and attribute-list
declarations are refused, external document types and inclusions are not read, and size and nesting
are bounded before a tree is built.
"""

from collections.abc import Mapping
from xml.etree import ElementTree
from xml.parsers import expat

from ik_node.support.bounds import MAX_ATTRIBUTES, MAX_NESTING, MAX_NODES, check_size
from ik_node.support.exceptions import ModelError, shown


def parse_robot(data: bytes, what: str, encoding: str | None = None) -> ElementTree.Element:
    """Return the <robot> of an XML text.

    what: how messages name the text. encoding: overrides the declared one; None: as declared.
    Raises ModelError.
    """
    uses_xacro(data, what, encoding)
    try:
        robot = ElementTree.fromstring(data, ElementTree.XMLParser(encoding=encoding))
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise _no_xml(data, what, error) from error
    # A default namespace of the robot; other readers of URDF know none.
    namespace = robot.tag.removesuffix('robot')
    if namespace.endswith('}'):
        for element in robot.iter():
            element.tag = element.tag.removeprefix(namespace)
    if robot.tag != 'robot':
        raise ModelError(f'{what} must be a <robot>, not a <{robot.tag:.60}>')
    return robot


def uses_xacro(data: bytes, what: str, encoding: str | None = None) -> bool:
    """Check the bounds of an XML text; return whether xacro would change what is read of it.

    It would where an element or an attribute is in xacro's namespace, and where an attribute's
    value holds ``${...}``. Comments, text content and a namespace declaration alone do not count.
    Arguments and errors as for `parse_robot`.
    """
    check_size(len(data), what)
    scan = _Scan(what)
    try:
        parser = expat.ParserCreate(encoding)
        parser.EntityDeclHandler = scan.refuse_entity
        parser.AttlistDeclHandler = scan.refuse_attribute_list
        parser.StartElementHandler, parser.EndElementHandler = scan.enter, scan.leave
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _no_xml(data, what, error) from error
    return scan.uses_xacro


def _no_xml(data: bytes, what: str, error: Exception) -> ModelError:
    return ModelError(f'{what} is not XML: {error}; it begins with '
                      f'{data[:40].decode(errors="replace")!r}')


class _Scan:
    """Handlers of one pass over an XML text. `uses_xacro`: see the function of that name."""

    def __init__(self, what: str) -> None:
        self.uses_xacro = False
        self._what = what
        self._elements = self._depth = 0
        self._xacro_prefixes = {'xacro'}

    def refuse_entity(self, name: str, *_: object) -> None:
        raise ModelError(f'{self._what} declares the XML entity {shown(name)}; entities are not '
                         'read')

    def refuse_attribute_list(self, element: str, *_: object) -> None:
        """Refuse a declaration of attributes: its defaults cost quadratic time to parse."""
        raise ModelError(f'{self._what} declares the attributes of {shown(element)} in its '
                         'document type; such declarations are not read')

    def enter(self, name: str, attributes: Mapping[str, str]) -> None:
        self._elements, self._depth = self._elements + 1, self._depth + 1
        if self._elements > MAX_NODES:
            raise ModelError(f'{self._what} has too many elements; at most {MAX_NODES} are allowed')
        if self._depth > MAX_NESTING:
            raise ModelError(f'{self._what} has elements more than {MAX_NESTING} deep in each '
                             'other; no robot needs that')
        if len(attributes) > MAX_ATTRIBUTES:
            raise ModelError(f'{self._what}: an element {shown(name)} has {len(attributes)} '
                             f'attributes; at most {MAX_ATTRIBUTES} are allowed')
        if not self.uses_xacro:
            self._look_for_xacro(name, attributes)

    def leave(self, _: str) -> None:
        self._depth -= 1

    def _look_for_xacro(self, name: str, attributes: Mapping[str, str]) -> None:
        for attribute, value in attributes.items():
            if '${' in value and '}' in value.partition('${')[2]:
                self.uses_xacro = True
            elif attribute.startswith('xmlns'):
                if value.rstrip('/').endswith(('/xacro', '#xacro')):  # written in several ways
                    self._xacro_prefixes.add(attribute.partition(':')[2])
            elif ':' in attribute and attribute.partition(':')[0] in self._xacro_prefixes:
                self.uses_xacro = True
        if (name.partition(':')[0] if ':' in name else '') in self._xacro_prefixes:
            self.uses_xacro = True

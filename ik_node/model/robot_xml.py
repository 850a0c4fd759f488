"""The XML of robots: URDF and SRDF.

Whoever may publish a description decides what stands in it. Nothing that it names is fetched:
entities are refused, of other files neither document types nor inclusions are read, and how large
and how deep it may be is bounded before a tree is built of it.
"""

from xml.etree import ElementTree
from xml.parsers import expat

from ik_node.bounds import MAX_NESTING, MAX_NODES, check_size
from ik_node.exceptions import ModelError


def parse_robot(data: bytes, what: str, encoding: str | None = None) -> ElementTree.Element:
    """Return the <robot> of an XML text. Entities are refused: no robot needs them, attacks do.

    what: what messages call it. encoding: of the text, whatever it declares; None for what it
    declares. Raises ModelError.
    """
    elements = depth = 0

    def refuse_entity(name: str, *_: object) -> None:
        raise ModelError(f'{what} declares the XML entity {name!r}; entities are not read')

    def enter(*_: object) -> None:
        nonlocal elements, depth
        elements, depth = elements + 1, depth + 1
        if elements > MAX_NODES:
            raise ModelError(f'{what} has too many elements; at most {MAX_NODES} are allowed')
        if depth > MAX_NESTING:
            raise ModelError(f'{what} has elements more than {MAX_NESTING} deep in each other; no '
                             'robot needs that')

    def leave(_: str) -> None:
        nonlocal depth
        depth -= 1

    check_size(len(data), what)
    try:
        parser = expat.ParserCreate(encoding)
        parser.EntityDeclHandler = refuse_entity
        parser.StartElementHandler, parser.EndElementHandler = enter, leave
        parser.Parse(data, True)
        robot = ElementTree.fromstring(data, ElementTree.XMLParser(encoding=encoding))
    except (expat.ExpatError, ElementTree.ParseError, ValueError, LookupError) as error:
        raise ModelError(f'{what} is no XML: {error}; it begins with '
                         f'{data[:40].decode(errors="replace")!r}') from error
    if robot.tag != 'robot':
        raise ModelError(f'{what} must be a <robot>, not a <{robot.tag}>')
    return robot

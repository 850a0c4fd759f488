"""The XML of robots: URDF and SRDF."""

from xml.etree import ElementTree
from xml.parsers import expat

from ik_node.exceptions import ModelError


def parse_robot(data: bytes, what: str, encoding: str | None = None) -> ElementTree.Element:
    """Return the <robot> of an XML text. Entities are refused: no robot needs them, attacks do.

    what: what messages call it. encoding: of the text, whatever it declares; None for what it
    declares. Raises ModelError.
    """
    def refuse_entity(name: str, *_: object) -> None:
        raise ModelError(f'{what} declares the XML entity {name!r}; entities are not read')

    try:
        parser = expat.ParserCreate(encoding)
        parser.EntityDeclHandler = refuse_entity
        parser.Parse(data, True)
        robot = ElementTree.fromstring(data, ElementTree.XMLParser(encoding=encoding))
    except (expat.ExpatError, ElementTree.ParseError, ValueError, LookupError) as error:
        raise ModelError(f'{what} is no XML: {error}; it begins with '
                         f'{data[:40].decode(errors="replace")!r}') from error
    if robot.tag != 'robot':
        raise ModelError(f'{what} must be a <robot>, not a <{robot.tag}>')
    return robot

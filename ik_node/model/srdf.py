"""Reads the pairs of links that may touch, from SRDF, the file of MoveIt, or from MJCF."""

from collections.abc import Iterable, Mapping
from os import PathLike
from xml.etree import ElementTree

from ik_node.model.mjcf import read_excluded_pairs
from ik_node.model.mjcf_compiler import is_mjcf
from ik_node.model.robot_xml import parse_robot, uses_xacro, xml_text
from ik_node.model.tree_structure import TreeStructure
from ik_node.support.exceptions import ModelError


def read_srdf(source: str | PathLike[str]) -> tuple[str, ElementTree.Element]:
    """Return what messages call an SRDF, a path or the XML text itself, and its <robot>.

    Raises ModelError for an invalid file, and for one that uses xacro.
    """
    path, text = xml_text(source, 'the SRDF')
    what = 'the SRDF' if path is None else str(path)
    robot = parse_robot(text, what)
    if uses_xacro(robot):
        raise ModelError(f'{what} uses xacro; expand it first: "xacro FILE > robot.srdf"')
    return what, robot


def read_disabled_collisions(source: str | PathLike[str],
                             tree: TreeStructure) -> list[tuple[str, str]]:
    """Return the pairs of a tree's links that an SRDF disables, or an MJCF excludes, in file order.

    source: a path, or the XML text itself; pairs with other links are left out. Raises ModelError
    for an invalid file.
    """
    if is_mjcf(xml_text(source, 'the SRDF')[1]):
        return [(first, second) for first, second in read_excluded_pairs(source)
                if first in tree.links and second in tree.links]
    what, robot = read_srdf(source)
    found = []
    for number, element in enumerate(robot.findall('disable_collisions'), start=1):
        first, second = element.get('link1'), element.get('link2')
        if not first or not second:
            raise ModelError(f'{what}: disable_collisions number {number} must have link1 and '
                             'link2')
        if first in tree.links and second in tree.links:
            found.append((first, second))
    return found


def write_disabled_collisions(robot: str, pairs: Mapping[tuple[str, str], str] | Iterable[
        tuple[str, str]]) -> str:
    """Return an SRDF with pairs of links that may touch; of a mapping, each with its reason."""
    reasons = pairs if isinstance(pairs, Mapping) else dict.fromkeys(pairs, 'User')
    root = ElementTree.Element('robot', name=robot)
    for (first, second), reason in reasons.items():
        ElementTree.SubElement(root, 'disable_collisions', link1=first, link2=second,
                               reason=reason)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding='unicode', xml_declaration=True) + '\n'

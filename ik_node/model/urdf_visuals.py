"""Reads the visual and collision shapes of a URDF; invalid ones are skipped with a warning."""

import math
from xml.etree import ElementTree

from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Shape, Sphere, Visual
from ik_node.model.number_text import numbers_in
from ik_node.model.urdf_origin import read_origin
from ik_node.support.exceptions import shown

_MOST_NUMBERS = 8  # the rest of a longer text stays one word, which is no number
_Color = tuple[float, float, float, float]


def read_visuals(robot: ElementTree.Element, warnings: list[str]) -> dict[str, tuple[Visual, ...]]:
    """Return the visuals of every link that has some; warn of those that are skipped."""
    materials = {material.get('name', ''): color for material in robot.findall('material')
                 if (color := _color_of(material)) is not None}
    found: dict[str, tuple[Visual, ...]] = {}
    for link in robot.findall('link'):
        visuals = []
        for element in link.findall('visual'):
            try:
                visuals.append(_visual(element, materials))
            except ValueError as error:
                warnings.append(f'link {link.get("name")!r}: a visual is skipped: {error}')
        if visuals:
            found[link.get('name', '')] = tuple(visuals)
    return found


def read_collisions(robot: ElementTree.Element,
                    warnings: list[str]) -> dict[str, tuple[Collision, ...]]:
    """Return the collision shapes of every link that has some; warn of those skipped."""
    found: dict[str, tuple[Collision, ...]] = {}
    for link in robot.findall('link'):
        collisions: list[Collision] = []
        for element in link.findall('collision'):
            try:
                collisions.append(Collision(_shape(element.find('geometry')),
                                            read_origin(element)))
            except ValueError as error:
                warnings.append(f'link {link.get("name")!r}: a collision shape is skipped: '
                                f'{error}')
        if collisions:
            found[link.get('name', '')] = tuple(collisions)
    return found


def _visual(element: ElementTree.Element, materials: dict[str, _Color]) -> Visual:
    """Return a visual. Raises ValueError."""
    material, color = element.find('material'), None
    if material is not None:
        color = _color_of(material) or materials.get(material.get('name', ''))
    return Visual(_shape(element.find('geometry')), read_origin(element), color)


def _shape(geometry: ElementTree.Element | None) -> Shape:
    """Return a shape. Raises ValueError."""
    element = next(iter(geometry), None) if geometry is not None else None
    if element is None:
        raise ValueError('it has no geometry')
    if element.tag == 'box':
        return Box(_numbers(element.get('size', ''), 3))
    if element.tag in ('cylinder', 'capsule'):
        radius, length = (_numbers(element.get(key, ''), 1)[0] for key in ('radius', 'length'))
        if element.tag == 'cylinder':
            return Cylinder(radius, length)
        if min(radius, length) < 0.0:
            raise ValueError(f'the radius {radius:g} and the length {length:g} of a capsule must '
                             'not be negative')
        return Capsule(radius, length)
    if element.tag == 'sphere':
        return Sphere(_numbers(element.get('radius', ''), 1)[0])
    if element.tag == 'mesh' and element.get('filename'):
        scale = _numbers(element.get('scale', '1'))
        return Mesh(element.get('filename', ''), scale * 3 if len(scale) == 1 else
                    _numbers(element.get('scale', ''), 3))
    raise ValueError(f'its shape is {ElementTree.tostring(element, encoding="unicode").strip()}')


def _color_of(material: ElementTree.Element) -> _Color | None:
    """Return a material's colour, opaque where it does not say; None where it has none."""
    element = material.find('color')
    try:
        numbers = _numbers(element.get('rgba', '')) if element is not None else ()
    except ValueError:
        return None
    return (*numbers, 1.0)[:4] if len(numbers) in (3, 4) else None


def _numbers(text: str, count: int | None = None) -> tuple:
    """Return the numbers of a text. Raises ValueError for others than `count` finite ones."""
    try:
        numbers = tuple(numbers_in(text, most_splits=_MOST_NUMBERS))
    except ValueError:
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)) or (count is not None and len(numbers) != count):
        raise ValueError(f'{shown(text)} is not {count or "any"} finite numbers')
    return numbers

"""Reads the links of a URDF: origins, masses and inertias, visual and collision shapes.

Invalid ones give warnings, not errors: only joints are needed.
"""

import contextlib
import math
from collections.abc import Callable
from typing import TypeVar
from xml.etree import ElementTree

import numpy as np

from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Shape, Sphere, Visual
from ik_node.model.numbered_text import numbers_in, numbers_or_nan
from ik_node.model.parts import Inertial
from ik_node.spatial import pose_from_rotation, pose_from_rpy
from ik_node.spatial.rotations import as_rotation
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError

_COUNTS = {1: 'a number', 3: 'three numbers', 4: 'four numbers', 6: 'six numbers',
           7: 'seven numbers'}
_ENTRIES = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
_MOST_NUMBERS = 8  # the rest of a longer text stays one word, which is no number
_Color = tuple[float, float, float, float]
_Read = TypeVar('_Read')


def read_origin(element: ElementTree.Element) -> np.ndarray:
    """Return the pose (4, 4), m, in the <origin> of an element; the identity without one.

    The rotation is given by rpy, or by quat_xyzw, which is normalised [urdfdom 5.1, URDF 1.1].
    Raises ValueError for both together, for a quaternion of length zero, and for other than finite
    numbers of at most MAX_NUMBER.
    """
    origin = element.find('origin')
    if origin is None:
        return np.eye(4)
    xyz = attribute_numbers(origin, 'xyz', 3, 'its origin', '0 0 0')
    if 'quat_xyzw' not in origin.attrib:
        return pose_from_rpy(xyz, attribute_numbers(origin, 'rpy', 3, 'its origin', '0 0 0'))
    if 'rpy' in origin.attrib:
        raise ValueError('its origin has both rpy and quat_xyzw; one of them must be removed')
    try:
        return pose_from_rotation(as_rotation(attribute_numbers(
            origin, 'quat_xyzw', 4, 'its origin'), 'its origin quat_xyzw'), xyz)
    except InputError as error:
        raise ValueError(str(error)) from error


def attribute_numbers(element: ElementTree.Element, key: str, count: int, what: str,
                      default: str = '', any_size: bool = False) -> list[float]:
    """Return as many numbers as an attribute must list, each at most MAX_NUMBER in size.

    what: how messages name the element. any_size: whether others are taken, NaN too. Raises
    ValueError.
    """
    text, numbers = element.get(key, default), list[float]()
    with contextlib.suppress(ValueError):
        numbers = numbers_in(text, most_splits=_MOST_NUMBERS)
    if len(numbers) != count or not (any_size or all(abs(one) <= MAX_NUMBER for one in numbers)):
        bound = '' if any_size else f', finite and at most {MAX_NUMBER:g} in size'
        raise ValueError(f'{what} {key}="{text:.60}" must be {_COUNTS[count]}{bound}')
    return numbers


def read_inertials(robot: ElementTree.Element, warnings: list[str]) -> dict[str, Inertial]:
    """Return the inertial of every link that has a usable one, and append warnings.

    Without a usable mass or centre of mass an inertial is left out; without a usable inertia it is
    a point mass. Unphysical ones are kept as they are.
    """
    found: dict[str, Inertial] = {}
    for link in robot.findall('link'):
        element, name = link.find('inertial'), link.get('name', '')
        if element is None:
            continue
        problems: list[str] = []
        try:
            found[name] = inertial = _inertial(element, problems)
        except ValueError as error:
            warnings.append(f'link {name!r}: its inertial is skipped: {error}')
            continue
        warnings.extend(f'link {name!r}: {problem}' for problem in problems)
        warnings.extend(f'link {name!r}: its inertial is unphysical, used as it is: {problem}'
                        for problem in inertial.problems())
    return found


def _inertial(element: ElementTree.Element, problems: list[str]) -> Inertial:
    """Return an inertial, its inertia turned into the link's axes. Raises ValueError."""
    mass = element.find('mass')
    if mass is None or mass.get('value') is None:
        raise ValueError('it has no <mass value="…"/>')
    (value,), T_link_inertial = attribute_numbers(mass, 'value', 1, 'mass'), read_origin(element)
    entries = dict.fromkeys(_ENTRIES, 0.0)
    try:
        entries.update(_moments(element.find('inertia'), problems))
    except ValueError as error:
        problems.append(f'its inertia is set to 0: {error}')
    xx, xy, xz, yy, yz, zz = entries.values()
    moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R_link_inertial = T_link_inertial[:3, :3]
    if not np.array_equal(R_link_inertial, np.eye(3)):
        moments = R_link_inertial @ moments @ R_link_inertial.T
        moments = 0.5 * (moments + moments.T)  # symmetric to the last digit
    return Inertial(value, T_link_inertial[:3, 3], moments)


def _moments(inertia: ElementTree.Element | None, problems: list[str]) -> dict[str, float]:
    if inertia is None:
        raise ValueError('there is no <inertia/>')
    missing = [key for key in _ENTRIES if key not in inertia.attrib]
    if any(key[1] == key[2] for key in missing):
        raise ValueError(f'there is no {", ".join(missing)}')
    if missing:
        problems.append(f'its inertia has no {", ".join(missing)}; set to 0')
    return {key: attribute_numbers(inertia, key, 1, 'inertia')[0]
            for key in _ENTRIES if key not in missing}


def read_visuals(robot: ElementTree.Element, warnings: list[str]) -> dict[str, tuple[Visual, ...]]:
    """Return the visuals of every link that has some; warn of those that are skipped."""
    materials = {material.get('name', ''): color for material in robot.findall('material')
                 if (color := _color_of(material)) is not None}

    def read(element: ElementTree.Element) -> Visual:
        material, color = element.find('material'), None
        if material is not None:
            color = _color_of(material) or materials.get(material.get('name', ''))
        return Visual(_shape(element), read_origin(element), color)
    return _of_links(robot, 'visual', 'a visual', read, warnings)


def read_collisions(robot: ElementTree.Element,
                    warnings: list[str]) -> dict[str, tuple[Collision, ...]]:
    """Return the collision shapes of every link that has some; warn of those skipped."""
    return _of_links(robot, 'collision', 'a collision shape',
                     lambda element: Collision(_shape(element), read_origin(element)), warnings)


def _of_links(robot: ElementTree.Element, tag: str, what: str,
              read: Callable[[ElementTree.Element], _Read],
              warnings: list[str]) -> dict[str, tuple[_Read, ...]]:
    found: dict[str, tuple[_Read, ...]] = {}
    for link in robot.findall('link'):
        shapes = []
        for element in link.findall(tag):
            try:
                shapes.append(read(element))
            except ValueError as error:
                warnings.append(f'link {link.get("name")!r}: {what} is skipped: {error}')
        if shapes:
            found[link.get('name', '')] = tuple(shapes)
    return found


def _shape(owner: ElementTree.Element) -> Shape:
    element = owner.find('geometry/*')
    if element is None:
        raise ValueError('it has no geometry')

    def numbers(key: str, count: int = 1) -> tuple:
        return tuple(attribute_numbers(element, key, count, element.tag))
    if element.tag == 'box':
        return Box(numbers('size', 3))
    if element.tag in ('cylinder', 'capsule'):
        (radius,), (length,) = numbers('radius'), numbers('length')
        if element.tag == 'cylinder':
            return Cylinder(radius, length)
        if min(radius, length) < 0.0:
            raise ValueError(f'the radius {radius:g} and the length {length:g} of a capsule must '
                             'not be negative')
        return Capsule(radius, length)
    if element.tag == 'sphere':
        return Sphere(*numbers('radius'))
    if element.tag == 'mesh' and element.get('filename'):
        words = element.get('scale', '1').split()
        element.set('scale', ' '.join(words * 3 if len(words) == 1 else words))
        return Mesh(element.get('filename', ''), numbers('scale', 3))
    raise ValueError(f'its shape is {ElementTree.tostring(element, encoding="unicode").strip()}')


def _color_of(material: ElementTree.Element) -> _Color | None:
    """Return a material's colour, opaque where it does not say; None where it has none."""
    element = material.find('color')
    numbers = [] if element is None else numbers_or_nan(element.get('rgba', ''), _MOST_NUMBERS)
    if len(numbers) not in (3, 4) or not all(map(math.isfinite, numbers)):
        return None
    red, green, blue, opacity = (*numbers, 1.0)[:4]
    return red, green, blue, opacity

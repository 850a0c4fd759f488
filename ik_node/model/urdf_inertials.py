"""Reads masses and inertias from URDF; invalid ones give warnings, not errors."""

from xml.etree import ElementTree

import numpy as np

from ik_node.model.inertial import Inertial
from ik_node.model.number_text import number_in
from ik_node.model.urdf_origin import read_origin
from ik_node.support.bounds import MAX_NUMBER

_ENTRIES = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')


def read_inertials(robot: ElementTree.Element, warnings: list[str]) -> dict[str, Inertial]:
    """Return the inertial of every link that has a usable one, and append warnings.

    Without a usable mass or centre of mass an inertial is left out; without a usable inertia it is
    a point mass. What is unphysical is kept as it is.
    """
    found: dict[str, Inertial] = {}
    for link in robot.findall('link'):
        element, name = link.find('inertial'), link.get('name', '')
        if element is None:
            continue
        problems: list[str] = []
        try:
            inertial = _inertial(element, problems)
        except ValueError as error:
            warnings.append(f'link {name!r}: its inertial is skipped: {error}')
            continue
        found[name] = inertial
        warnings.extend(f'link {name!r}: {problem}' for problem in problems)
        warnings.extend(f'link {name!r}: its inertial is unphysical, used as it is: {problem}'
                        for problem in inertial.problems())
    return found


def _inertial(element: ElementTree.Element, problems: list[str]) -> Inertial:
    """Return an inertial, its inertia turned into the link's axes. Raises ValueError."""
    mass = element.find('mass')
    if mass is None or mass.get('value') is None:
        raise ValueError('it has no <mass value="…"/>')
    value = _number(mass, 'value')
    T_link_inertial = read_origin(element)
    inertia = element.find('inertia')
    entries = dict.fromkeys(_ENTRIES, 0.0)
    try:
        if inertia is None:
            raise ValueError('there is no <inertia/>')
        missing = [key for key in _ENTRIES if key not in inertia.attrib]
        if any(key[1] == key[2] for key in missing):
            raise ValueError(f'there is no {", ".join(missing)}')
        if missing:
            problems.append(f'its inertia has no {", ".join(missing)}; set to 0')
        entries.update({key: _number(inertia, key) for key in _ENTRIES if key not in missing})
    except ValueError as error:
        problems.append(f'its inertia is set to 0: {error}')
    xx, xy, xz, yy, yz, zz = entries.values()
    moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R_link_inertial = T_link_inertial[:3, :3]
    if not np.array_equal(R_link_inertial, np.eye(3)):
        moments = R_link_inertial @ moments @ R_link_inertial.T
        moments = 0.5 * (moments + moments.T)  # symmetric to the last digit
    return Inertial(value, T_link_inertial[:3, 3], moments)


def _number(element: ElementTree.Element, key: str) -> float:
    """Return the number of an attribute. Raises ValueError."""
    text = element.get(key, '')
    try:
        number = number_in(text)
    except ValueError:
        number = np.nan
    if not abs(number) <= MAX_NUMBER:  # NaN is not, either
        raise ValueError(f'{element.tag} {key}="{text:.60}" must be a number, at most '
                         f'{MAX_NUMBER:g} in size')
    return number

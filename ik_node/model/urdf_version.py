"""The version of a URDF, and what later versions add [urdfdom 6.0, README, URDF Versioning].

1.1 adds quat_xyzw to <origin>, and <capsule>; 1.2 adds acceleration, deceleration and jerk to
<limit>. A file without a version is of version 1.0.
"""

import re
from xml.etree import ElementTree

from ik_node.model.joints import PRISMATIC, RATES, REVOLUTE
from ik_node.support.exceptions import ModelError, shown

_LATEST = (1, 2)


def apply_version(robot: ElementTree.Element, warnings: list[str]) -> None:
    """Remove what the declared version of a <robot> does not have, with a warning for each.

    So does urdfdom, and with it robot_state_publisher: what is read here agrees with their frames.
    Capsules stay, since shapes move nothing. A version that is not known is read as the latest, one
    that is malformed as 1.0. Raises ModelError where URDF 1.2 needs both limits and has one.
    """
    version = _version_of(robot, warnings)
    if version < (1, 1):
        for owner in (*robot.findall('joint'), *robot.findall('link')):
            for origin in owner.iter('origin'):
                _remove(origin, ('quat_xyzw',), owner, '1.1', warnings)
    for joint in robot.findall('joint'):
        limit = joint.find('limit')
        if limit is None:
            continue
        if version < (1, 2):
            _remove(limit, RATES, joint, '1.2', warnings)
        elif joint.get('type') in (REVOLUTE, PRISMATIC) and (
                ('lower' in limit.attrib) != ('upper' in limit.attrib)):
            raise ModelError(f'joint {joint.get("name")!r} has only one of the limits lower and '
                             'upper; URDF 1.2 needs both')


def _version_of(robot: ElementTree.Element, warnings: list[str]) -> tuple[int, int]:
    text = robot.get('version', '1.0')
    found = re.fullmatch(r'([0-9]{1,9})\.([0-9]{1,9})', text)
    if found is None:
        warnings.append(f'the version {shown(text)} of the description is not of the form x.y; '
                        'read as 1.0')
        return 1, 0
    version = int(found[1]), int(found[2])
    if version > _LATEST:
        warnings.append(f'the version {text} of the description is not known; read as 1.2')
    return version


def _remove(element: ElementTree.Element, keys: tuple[str, ...], owner: ElementTree.Element,
            version: str, warnings: list[str]) -> None:
    for key in keys:
        if element.attrib.pop(key, None) is not None:
            warnings.append(f'{owner.tag} {owner.get("name")!r}: {key} is ignored; it needs '
                            f'<robot version="{version}">')

"""Reads the joints of a URDF.

urdf_parser_py (PyPI 0.0.4, ROS urdfdom_py 1.2) refuses many real files and accepts some invalid
ones. It is therefore called for one joint at a time, reduced to what kinematics needs, with URDF's
defaults filled in; the returned numbers are then checked here.
"""

import math
from collections.abc import Mapping
from xml.etree import ElementTree

import numpy as np
from urdf_parser_py import urdf

from ik_node.model import joints
from ik_node.model.joints import ComplexJoint, Joint, Mimic, limits_of
from ik_node.model.numbered_text import number_in, number_of, numbers_in
from ik_node.model.urdf_links import read_origin
from ik_node.support.exceptions import ModelError, names, shown

_COMPLEX = (joints.PLANAR, joints.FLOATING)  # URDF's joints of several degrees of freedom
_TYPES = (joints.FIXED, joints.REVOLUTE, joints.CONTINUOUS, joints.PRISMATIC, *_COMPLEX)
_AXIS_TOLERANCE = 1e-3  # an axis this far off unit length gets a warning
# The elements read of a joint, their attributes, and defaults where the parser has none.
_Kept = tuple[str, tuple[str, ...], dict[str, str]]
_ENDS: tuple[_Kept, ...] = (('parent', ('link',), {}), ('child', ('link',), {}))
_MOVING: tuple[_Kept, ...] = (
    *_ENDS, ('axis', ('xyz',), {}),
    ('limit', ('lower', 'upper'), {'effort': '0', 'velocity': '0'}),
    ('mimic', ('joint', 'multiplier', 'offset'), {'multiplier': '1', 'offset': '0'}))
_NUMERIC = {'xyz', 'lower', 'upper', 'multiplier', 'offset'}


def read_joint(element: ElementTree.Element, name: str, hold_complex_joints: bool, rotation: str,
               warnings: list[str]) -> Joint | ComplexJoint:
    """Return a joint of a URDF, and append warnings; see `KinematicTree.from_urdf`.

    Raises ModelError.
    """
    kind = element.get('type')
    if kind not in _TYPES:
        raise ModelError(f'joint {name!r} is of type {kind!r}; the types are {names(_TYPES)}')
    parsed = _parsed(element, name, kind)
    try:
        placement = read_origin(element)
    except ValueError as error:
        raise ModelError(f'joint {name!r}: {error}') from error
    found = element.find('limit')
    limit = {} if found is None else found.attrib
    if kind == joints.FIXED:
        return Joint(name, kind, parsed.parent, parsed.child, placement, lower=0.0, upper=0.0)
    if kind in _COMPLEX:
        joint = ComplexJoint(name, kind, parsed.parent, parsed.child, placement,
                             _axis(parsed.axis, name, warnings), rotation)
        return _complex_joint(joint, limit, hold_complex_joints, warnings)
    kind, lower, upper = _limits(limit, parsed, name, warnings)
    return Joint(name, kind, parsed.parent, parsed.child, placement,
                 _axis(parsed.axis, name, warnings), lower, upper,
                 _positive(limit, 'velocity'), _positive(limit, 'effort'),
                 _mimic(parsed.mimic, name), **{
                     key: _rate(limit, key, name) for key in joints.RATES})


def _complex_joint(joint: ComplexJoint, limit: Mapping[str, str], hold: bool,
                   warnings: list[str]) -> Joint | ComplexJoint:
    """Return a planar or floating joint, or a fixed one in its place. URDF gives them no limits."""
    where = f'joint {joint.name!r} is {joint.type}'
    if not limit.keys().isdisjoint(joints.RATES):
        warnings.append(f'{where}: its limits of acceleration and jerk are ignored')
    if hold:
        warnings.append(f'{where}: it is fixed, as requested')
        return joint.held()
    warnings.append(f'{where}: replaced by the joints {names(part.name for part in joint.parts())}')
    return joint


def _parsed(element: ElementTree.Element, name: str, kind: str) -> urdf.Joint:
    """Let urdf_parser_py read what kinematics needs of a joint, with URDF's defaults filled in."""
    reduced = ElementTree.Element('joint', name=name, type=kind)
    for tag, kept, defaults in _ENDS if kind == joints.FIXED else _MOVING:
        found = element.find(tag)
        if tag in ('parent', 'child') and (found is None or not found.get('link')):
            raise ModelError(f'joint {name!r} has no <{tag} link="…"/>')
        if found is not None:
            attributes = {key: value for key, value in found.items() if key in kept}
            ElementTree.SubElement(reduced, tag, {**defaults, **attributes})
    try:
        for part in reduced:
            for key in _NUMERIC & part.attrib.keys():
                numbers_in(part.attrib[key])
        return urdf.Joint.from_xml_string(ElementTree.tostring(reduced, encoding='unicode'))
    except Exception as error:  # urdf_parser_py raises whatever its conversions meet
        reason = str(error).splitlines()[-1] if str(error) else type(error).__name__
        raise ModelError(f'joint {name!r} cannot be read: {reason}; it says '
                         f'{ElementTree.tostring(reduced, encoding="unicode")}') from error


def _axis(xyz: list[float] | None, name: str, warnings: list[str]) -> np.ndarray:
    axis = np.array([1.0, 0.0, 0.0] if xyz is None else xyz)  # URDF's default is 1 0 0
    length = math.sqrt(axis @ axis)
    if not math.isfinite(length) or length < 1e-9:
        raise ModelError(f'joint {name!r}: its axis {axis.tolist()} has no direction')
    if abs(length - 1.0) > _AXIS_TOLERANCE:
        warnings.append(f'joint {name!r}: its axis {axis.tolist()} is {length:g} long; used as '
                        'a direction')
    return axis / length


def _limits(limit: Mapping[str, str], parsed: urdf.Joint, name: str,
            warnings: list[str]) -> tuple[str, float, float]:
    if parsed.type == joints.CONTINUOUS:
        return joints.CONTINUOUS, -math.inf, math.inf
    if limit.keys().isdisjoint(('lower', 'upper')):
        if parsed.type == joints.PRISMATIC:
            raise ModelError(f'joint {name!r} is prismatic and needs <limit lower="…" '
                             'upper="…"/>')
        warnings.append(f'joint {name!r} is revolute without limits: read as continuous')
        return joints.CONTINUOUS, -math.inf, math.inf
    lower, upper = limits_of(parsed.limit.lower, parsed.limit.upper, f'joint {name!r}')
    if lower == upper:
        warnings.append(f'joint {name!r}: its limits {lower:g} to {upper:g} allow no motion')
    return parsed.type, lower, upper


def _positive(limit: Mapping[str, str], key: str) -> float:
    """Return a limit's attribute, or infinity where it says nothing usable: 0, NaN, no number."""
    value = number_of(limit.get(key, 'inf'))
    return value if value is not None and value > 0.0 else math.inf


def _rate(limit: Mapping[str, str], key: str, name: str) -> float:
    """Return one of RATES, infinite where there is none or 0, as files say it of velocities."""
    text = limit.get(key, 'inf')
    try:
        return number_in(text) or math.inf
    except ValueError as error:
        raise ModelError(f'joint {name!r}: its {key} must be a number, not '
                         f'{shown(text)}') from error


def _mimic(parsed: urdf.JointMimic | None, name: str) -> Mimic | None:
    if parsed is None:
        return None
    if not math.isfinite(parsed.multiplier) or not math.isfinite(parsed.offset):
        raise ModelError(f'joint {name!r}: its mimic has multiplier {parsed.multiplier} and offset '
                         f'{parsed.offset}; both must be finite numbers')
    return Mimic(parsed.joint, parsed.multiplier, parsed.offset)

"""Reads the joints of a URDF.

urdf_parser_py (PyPI 0.0.4, ROS urdfdom_py 1.2) refuses many real files and accepts some invalid
ones. It is therefore called for one joint at a time, reduced to what kinematics needs, with URDF's
defaults filled in; the returned numbers are then checked here.
"""

import math
from xml.etree import ElementTree

import numpy as np
from urdf_parser_py import urdf

from ik_node.model import joints
from ik_node.model.hierarchy import Range, intersection
from ik_node.model.joints import ComplexJoint, Joint, Mimic, limits_of
from ik_node.model.numbered_text import number_in, number_of
from ik_node.model.urdf_links import attribute_numbers, read_origin
from ik_node.support.exceptions import ModelError, names, shown

_COMPLEX = (joints.PLANAR, joints.FLOATING)  # URDF's joints of several degrees of freedom
_TYPES = (joints.FIXED, joints.REVOLUTE, joints.CONTINUOUS, joints.PRISMATIC, *_COMPLEX)
_AXIS_TOLERANCE = 1e-3  # an axis this far off unit length gets a warning
# The elements read of a joint, their attributes, and defaults where the parser has none.
_Kept = tuple[str, tuple[str, ...], dict[str, str]]
_ENDS: tuple[_Kept, ...] = (('parent', ('link',), {}), ('child', ('link',), {}))
_MOVING: tuple[_Kept, ...] = (
    *_ENDS, ('axis', ('xyz',), {}),
    ('mimic', ('joint', 'multiplier', 'offset'), {'multiplier': '1', 'offset': '0'}))
_NUMERIC = {'xyz', 'multiplier', 'offset'}
_UNLIMITED: Range = (-math.inf, math.inf)
_SOFT = 'soft_lower_limit', 'soft_upper_limit'
_DEGREES = 4.0 * math.pi, 720.0  # a larger limit of whole or half numbers looks like degrees


def read_joint(element: ElementTree.Element, name: str, hold_complex_joints: bool, rotation: str,
               soft_limits: bool, warnings: list[str]) -> Joint | ComplexJoint:
    """Return a joint of a URDF, and append warnings; see `KinematicTree.from_urdf`.

    Raises ModelError.
    """
    kind = element.get('type')
    if kind not in _TYPES:
        raise ModelError(f'joint {name!r} is of type {kind!r}; the types are {names(_TYPES)}')
    parsed = _parsed(element, name, kind, warnings)
    try:
        placement = read_origin(element)
    except ValueError as error:
        raise ModelError(f'joint {name!r}: {error}') from error
    limit = element.find('limit')
    limit = ElementTree.Element('limit') if limit is None else limit
    if kind == joints.FIXED:
        return Joint(name, kind, parsed.parent, parsed.child, placement, lower=0.0, upper=0.0)
    if kind in _COMPLEX:
        joint = ComplexJoint(name, kind, parsed.parent, parsed.child, placement,
                             _axis(parsed.axis, name, warnings), rotation)
        return _complex_joint(joint, limit, hold_complex_joints, warnings)
    try:
        mimic = None if parsed.mimic is None else Mimic(
            parsed.mimic.joint, parsed.mimic.multiplier, parsed.mimic.offset)
    except ModelError as error:
        raise ModelError(f'joint {name!r}: {error}') from error
    try:
        kind, limits = _limits(limit, kind, name, warnings)
    except ModelError as error:
        if mimic is None:
            raise
        warnings.append(f'{error}; this is ignored, since the joint mimics another')
        limits = _UNLIMITED
    narrowed = _softened(limits, element, kind, name, warnings) if soft_limits else limits
    return Joint(name, kind, parsed.parent, parsed.child, placement,
                 _axis(parsed.axis, name, warnings), *narrowed,
                 _positive(limit, 'velocity'), _positive(limit, 'effort'), mimic, **{
                     key: _rate(limit, key, name) for key in joints.RATES},
                 has_soft_limits=narrowed != limits)


def lacks_velocity(element: ElementTree.Element) -> bool:
    """Return whether a moving joint has a velocity limit that says nothing usable."""
    limit = element.find('limit')
    return element.get('type') in (joints.REVOLUTE, joints.CONTINUOUS, joints.PRISMATIC) and (
        limit is not None and not (number_of(limit.get('velocity', 'inf')) or 0.0) > 0.0)


def _complex_joint(joint: ComplexJoint, limit: ElementTree.Element, hold: bool,
                   warnings: list[str]) -> Joint | ComplexJoint:
    """Return a planar or floating joint, or a fixed one in its place. URDF gives them no limits."""
    where = f'joint {joint.name!r} is {joint.type}'
    if any(key in limit.attrib for key in joints.RATES):
        warnings.append(f'{where}: its limits of acceleration and jerk are ignored')
    if hold:
        warnings.append(f'{where}: it is fixed, as requested')
        return joint.held()
    warnings.append(f'{where}: replaced by the joints {names(part.name for part in joint.parts())}')
    return joint


def _parsed(element: ElementTree.Element, name: str, kind: str,
            warnings: list[str]) -> urdf.Joint:
    """Let urdf_parser_py read what kinematics needs of a joint, with URDF's defaults filled in."""
    reduced = ElementTree.Element('joint', name=name, type=kind)
    for tag, kept, defaults in _ENDS if kind == joints.FIXED else _MOVING:
        found = element.find(tag)
        if tag in ('parent', 'child') and (found is None or not found.get('link')):
            raise ModelError(f'joint {name!r} has no <{tag} link="…"/>')
        if tag == 'mimic' and found is not None and not found.get('joint'):
            raise ModelError(f'joint {name!r} has a <mimic> without joint="…"')
        if tag == 'axis' and found is not None and 'xyz' not in found.attrib:
            warnings.append(f'joint {name!r}: its axis has no xyz; 1 0 0 is used')
        elif found is not None:
            attributes = {key: value for key, value in found.items() if key in kept}
            ElementTree.SubElement(reduced, tag, {**defaults, **attributes})
    for part in reduced:
        for key in _NUMERIC & part.attrib.keys():
            _numbers(part, key, name)
    try:
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


def _limits(limit: ElementTree.Element, kind: str, name: str,
            warnings: list[str]) -> tuple[str, Range]:
    present = [key for key in ('lower', 'upper') if key in limit.attrib]
    if kind == joints.CONTINUOUS:
        return kind, _UNLIMITED
    if not present:
        if kind == joints.PRISMATIC:
            raise ModelError(f'joint {name!r} is prismatic and needs <limit lower="…" '
                             'upper="…"/>')
        warnings.append(f'joint {name!r} is revolute without limits: read as continuous')
        return joints.CONTINUOUS, _UNLIMITED
    lower, upper = (_numbers(limit, key, name)[0] if key in present else 0.0
                    for key in ('lower', 'upper'))
    lower, upper = limits = limits_of(lower, upper, f'joint {name!r}')
    if len(present) == 1:
        warnings.append(f'joint {name!r} has only the limit {present[0]}; the other one is 0')
    if lower == upper:
        warnings.append(f'joint {name!r}: its limits {lower:g} to {upper:g} allow no motion')
    if kind == joints.REVOLUTE and _DEGREES[0] < max(-lower, upper) <= _DEGREES[1] and (
            (2.0 * lower).is_integer() and (2.0 * upper).is_integer()):
        warnings.append(f'joint {name!r}: its limits {lower:g} to {upper:g} rad look like degrees')
    return kind, limits


def _softened(limits: Range, element: ElementTree.Element, kind: str, name: str,
              warnings: list[str]) -> Range:
    """Return limits within those of a <safety_controller> that has both, lower below upper.

    So do MoveIt and TRAC-IK. Soft limits that would leave no range are ignored.
    """
    safety = element.find('safety_controller')
    soft = {} if safety is None else safety.attrib
    if kind == joints.CONTINUOUS or not all(key in soft for key in _SOFT):
        return limits
    lower, upper = (number_of(soft[key]) for key in _SOFT)
    if lower is not None and upper is not None:
        if lower >= upper:
            return limits
        narrowed = intersection(limits, [(lower, upper)])
        if narrowed == limits or narrowed[0] < narrowed[1]:
            return narrowed
    warnings.append(f'joint {name!r}: its soft limits {shown(soft[_SOFT[0]])} to '
                    f'{shown(soft[_SOFT[1]])} are ignored; they leave no range '
                    f'of its limits {limits[0]:g} to {limits[1]:g}')
    return limits


def _numbers(element: ElementTree.Element, key: str, joint: str) -> list[float]:
    """Return `attribute_numbers` of an element of a joint. Raises ModelError."""
    try:
        return attribute_numbers(element, key, 3 if key == 'xyz' else 1,
                                 f'joint {joint!r}: its {element.tag}', any_size=True)
    except ValueError as error:
        raise ModelError(str(error)) from error


def _positive(limit: ElementTree.Element, key: str) -> float:
    """Return a limit's attribute, or infinity where it says nothing usable: 0, NaN, no number."""
    value = number_of(limit.get(key, 'inf'))
    return value if value is not None and 0.0 < value < joints.UNLIMITED else math.inf


def _rate(limit: ElementTree.Element, key: str, name: str) -> float:
    """Return one of RATES, infinite where there is none or 0, as files say it of velocities."""
    text = limit.get(key, 'inf')
    try:
        return number_in(text) or math.inf
    except ValueError as error:
        raise ModelError(f'joint {name!r}: its {key} must be a number, not '
                         f'{shown(text)}') from error


"""Reads URDF and xacro.

urdf_parser_py (PyPI 0.0.4, ROS urdfdom_py 1.2) refuses many real files and accepts some invalid
ones. It is therefore called for one joint at a time, reduced to what kinematics needs, with URDF's
defaults filled in; the returned numbers are then checked here.
"""

import math
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from urdf_parser_py import urdf

from ik_node.model.complex_joints import FLOATING, PLANAR, ComplexJoint
from ik_node.model.joints import (
    CONTINUOUS,
    FIXED,
    PRISMATIC,
    RATES,
    REVOLUTE,
    Joint,
    Mimic,
    limits_of,
)
from ik_node.model.number_text import number_in, numbers_in
from ik_node.model.parts import ModelParts
from ik_node.model.robot_xml import parse_robot, uses_xacro
from ik_node.model.urdf_inertials import read_inertials
from ik_node.model.urdf_origin import read_origin
from ik_node.model.urdf_version import apply_version
from ik_node.model.urdf_visuals import read_collisions, read_visuals
from ik_node.support.bounds import MAX_WARNINGS, as_path, check_links, check_name, read_bytes
from ik_node.support.exceptions import IkError, ModelError, names, shown

_COMPLEX = (PLANAR, FLOATING)  # URDF's joints of several degrees of freedom
_TYPES = (FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, *_COMPLEX)
_WHAT = 'the robot description'
_BLANK = '\ufeff \t\r\n'
_AXIS_TOLERANCE = 1e-3  # an axis this far off unit length gets a warning


def read_urdf(source: str | PathLike[str],
              xacro_args: Mapping[str, object] | None = None, hold_complex_joints: bool = False,
              rotation: str = 'zyx') -> ModelParts:
    """Read a path (.urdf, .xacro) or the XML text; see `KinematicTree.from_urdf`.

    Raises ModelError.
    """
    return _read(_text(source, xacro_args), hold_complex_joints, rotation)


def read_untrusted_urdf(text: str, hold_complex_joints: bool = False) -> ModelParts:
    """Read XML text that may come from anyone, as by a topic. Opens no file.

    A path is no such text. xacro reads files and evaluates expressions; a text that uses it is
    refused. Raises ModelError.
    """
    text = text.lstrip(_BLANK)
    if uses_xacro(_encoded(text), _WHAT, 'utf-8'):
        raise ModelError('the robot description uses xacro, which can read files and is '
                         'expanded only in the file of model_path; expand it first: "xacro '
                         'FILE"')
    return _read(text, hold_complex_joints)


def is_urdf(head: str) -> bool:
    """Return whether a text that begins so is a <robot>."""
    return re.search(r'<robot[\s>/]', head) is not None


def is_xacro(head: str) -> bool:
    """Return whether a text that begins so is a <robot> with xacro in it."""
    return is_urdf(head) and re.search(r'xmlns:\w+\s*=\s*["\'][^"\']*xacro', head) is not None


def _read(text: str, hold_complex_joints: bool, rotation: str = 'zyx') -> ModelParts:
    robot = parse_robot(_encoded(text), _WHAT, 'utf-8')
    warnings: list[str] = []
    apply_version(robot, warnings)
    links = [_name(element, k) for k, element in enumerate(robot.findall('link'))]
    joint_elements = robot.findall('joint')
    check_links(len(links))
    check_links(len(joint_elements), 'joints')
    joints: list[Joint | ComplexJoint] = []
    for k, element in enumerate(joint_elements):
        name = _name(element, k)
        if element.get('type') in _COMPLEX:
            joints.append(_complex_joint(element, name, hold_complex_joints, rotation, warnings))
        else:
            joints.append(_joint(element, name, warnings))
    visuals = read_visuals(robot, warnings)
    inertials = read_inertials(robot, warnings)
    collisions = read_collisions(robot, warnings)
    return ModelParts(links, joints, name=robot.get('name', 'robot'), warnings=_bounded(warnings),
                      text=text, visuals=visuals, inertials=inertials, collisions=collisions)


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8; what UTF-8 cannot hold is left to the parser to refuse."""
    return text.encode(errors='surrogatepass')


def _bounded(warnings: list[str]) -> list[str]:
    """Return warnings, few and short enough to be logged."""
    more = len(warnings) - MAX_WARNINGS
    return [*(str(IkError(warning)) for warning in warnings[:MAX_WARNINGS]),
            *([f'… and {more} more warnings'] if more > 0 else [])]


def _text(source: str | PathLike[str], xacro_args: Mapping[str, object] | None) -> str:
    """Return the URDF as text, xacro expanded, ready to parse."""
    if isinstance(source, str) and source.lstrip(_BLANK).startswith('<'):
        path, text = None, source
    else:
        if not isinstance(source, (str, PathLike)):
            raise ModelError('a robot description must be a path to a .urdf or .xacro file, or the '
                             f'XML text itself, not {type(source).__name__}')
        path = as_path(source, 'a robot description')
        text = _decode(path)
    text = text.lstrip(_BLANK)
    if xacro_args or (path and path.suffix == '.xacro') or uses_xacro(
            _encoded(text), _WHAT, 'utf-8'):
        parse_robot(_encoded(text), 'the xacro', 'utf-8')
        text = _expand(text, path, xacro_args or {})
    return text


def _decode(path: Path) -> str:
    try:
        data = read_bytes(path)
    except (OSError, ValueError) as error:
        raise ModelError(f'cannot read the robot description {str(path)!r}: {error}; give a path '
                         'to a .urdf or .xacro file, or the XML text itself') from error
    declared = re.match(rb'\s*<\?xml[^>]*encoding=["\']([\w-]+)["\']', data)
    try:
        return data.decode(declared[1].decode() if declared else 'utf-8')
    except (ValueError, LookupError) as error:  # the codecs raise more than UnicodeDecodeError
        raise ModelError(f'{str(path)!r} is not text in its encoding: {error}') from error


def _expand(text: str, path: Path | None, xacro_args: Mapping[str, object]) -> str:
    try:
        import xacro
    except ImportError as error:
        raise ModelError('reading xacro needs the package xacro: "pip install xacro", or in a '
                         'ROS 2 install ros-<distro>-xacro') from error
    mappings = {name: str(value).lower() if isinstance(value, bool) else str(value)
                for name, value in xacro_args.items()}
    try:
        if path:
            document = xacro.process_file(str(path), mappings=mappings)
        else:
            xacro.init_stacks(None)
            document = xacro.parse(text)
            xacro.process_doc(document, mappings=mappings)
        return document.toxml()
    except Exception as error:  # whatever a macro's own Python expressions raise
        raise ModelError(f'xacro cannot expand {str(path) if path else "the text"!r}: '
                         f'{type(error).__name__}: {error}') from error


def _name(element: ElementTree.Element, index: int) -> str:
    name = element.get('name')
    if not name:
        raise ModelError(f'{element.tag} number {index + 1} of the robot description has no name')
    return check_name(name, element.tag)


def _joint(element: ElementTree.Element, name: str, warnings: list[str]) -> Joint:
    kind = element.get('type')
    if kind not in _TYPES:
        raise ModelError(f'joint {name!r} is of type {kind!r}; the types are {names(_TYPES)}')
    parsed = _parsed(element, name, kind)
    placement = _placement(element, name)
    if kind == FIXED:
        return Joint(name, kind, parsed.parent, parsed.child, placement, lower=0.0, upper=0.0)
    kind, lower, upper = _limits(element, parsed, name, warnings)
    return Joint(name, kind, parsed.parent, parsed.child, placement,
                 _axis(parsed.axis, name, warnings), lower, upper,
                 _positive(element, 'velocity'), _positive(element, 'effort'),
                 _mimic(parsed.mimic, name),
                 **{key: _rate(element, key, name) for key in RATES})


def _complex_joint(element: ElementTree.Element, name: str, hold: bool, rotation: str,
                   warnings: list[str]) -> Joint | ComplexJoint:
    """Return a planar or floating joint, or a fixed one in its place. URDF gives them no limits."""
    kind = element.get('type', '')
    parsed = _parsed(element, name, kind)
    normal = _axis(parsed.axis, name, warnings)
    joint = ComplexJoint(name, kind, parsed.parent, parsed.child, _placement(element, name),
                         normal, rotation)
    limit = element.find('limit')
    if limit is not None and not limit.attrib.keys().isdisjoint(RATES):
        warnings.append(f'joint {name!r} is {kind}: its limits of acceleration and jerk are '
                        'ignored')
    if hold:
        warnings.append(f'joint {name!r} is {kind}: it is fixed, as requested')
        return joint.held()
    warnings.append(f'joint {name!r} is {kind}: replaced by the joints '
                    f'{names(part.name for part in joint.parts())}')
    return joint


def _placement(element: ElementTree.Element, name: str) -> np.ndarray:
    try:
        return read_origin(element)
    except ValueError as error:
        raise ModelError(f'joint {name!r}: {error}') from error


def _parsed(element: ElementTree.Element, name: str, kind: str) -> urdf.Joint:
    """Let urdf_parser_py read what kinematics needs of a joint, with URDF's defaults filled in."""
    reduced = ElementTree.Element('joint', name=name, type=kind)
    for tag, kept, defaults in _READ[FIXED if kind == FIXED else 'moving']:
        found = element.find(tag)
        if tag in ('parent', 'child') and (found is None or not found.get('link')):
            raise ModelError(f'joint {name!r} has no <{tag} link="…"/>')
        if found is not None:
            attributes = {key: value for key, value in found.attrib.items() if key in kept}
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


# Per kind of joint: the elements read, their attributes, and defaults where the parser has none.
_Kept = tuple[str, tuple[str, ...], dict[str, str]]
_FRAME: tuple[_Kept, ...] = (
    ('parent', ('link',), {}), ('child', ('link',), {}))
_READ: dict[str, tuple[_Kept, ...]] = {
    FIXED: _FRAME,
    'moving': (*_FRAME, ('axis', ('xyz',), {}),
               ('limit', ('lower', 'upper'), {'effort': '0', 'velocity': '0'}),
               ('mimic', ('joint', 'multiplier', 'offset'), {'multiplier': '1', 'offset': '0'})),
}
_NUMERIC = {'xyz', 'lower', 'upper', 'multiplier', 'offset'}


def _axis(xyz: list[float] | None, name: str, warnings: list[str]) -> np.ndarray:
    axis = np.array([1.0, 0.0, 0.0] if xyz is None else xyz)  # URDF's default is 1 0 0
    length = math.sqrt(axis @ axis)
    if not math.isfinite(length) or length < 1e-9:
        raise ModelError(f'joint {name!r}: its axis {axis.tolist()} has no direction')
    if abs(length - 1.0) > _AXIS_TOLERANCE:
        warnings.append(f'joint {name!r}: its axis {axis.tolist()} is {length:g} long; used as '
                        'a direction')
    return axis / length


def _limits(element: ElementTree.Element, parsed: urdf.Joint, name: str,
            warnings: list[str]) -> tuple[str, float, float]:
    """Return a joint's type and limits; a revolute joint without bounds is a continuous one."""
    kind = parsed.type
    if kind == CONTINUOUS:
        return CONTINUOUS, -math.inf, math.inf
    limit = element.find('limit')
    if limit is None or ('lower' not in limit.attrib and 'upper' not in limit.attrib):
        if kind == PRISMATIC:
            raise ModelError(f'joint {name!r} is prismatic and needs <limit lower="…" '
                             'upper="…"/>')
        warnings.append(f'joint {name!r} is revolute without limits: read as continuous')
        return CONTINUOUS, -math.inf, math.inf
    lower, upper = limits_of(parsed.limit.lower, parsed.limit.upper, f'joint {name!r}')
    if lower == upper:
        warnings.append(f'joint {name!r}: its limits {lower:g} to {upper:g} allow no motion')
    return kind, lower, upper


def _positive(element: ElementTree.Element, attribute: str) -> float:
    """Return a limit's attribute, or infinity where it says nothing usable: 0, NaN, no number."""
    limit = element.find('limit')
    try:
        value = number_in(limit.get(attribute, 'inf')) if limit is not None else math.inf
    except ValueError:
        return math.inf
    return value if value > 0.0 else math.inf


def _rate(element: ElementTree.Element, key: str, name: str) -> float:
    """Return one of RATES, infinite where there is none or 0, as files say it of velocities."""
    limit = element.find('limit')
    text = 'inf' if limit is None else limit.get(key, 'inf')
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

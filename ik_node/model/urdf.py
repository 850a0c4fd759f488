"""Reads URDF and xacro into a tree.

urdf_parser_py (PyPI 0.0.4, ROS urdfdom_py 1.2) refuses much of what stands in real files and is
silent about some of what is wrong in them. It is therefore handed one joint at a time, cut down to
what kinematics needs, with URDF's defaults filled in; the numbers it returns are then checked here.
"""

import math
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from urdf_parser_py import urdf

from ik_node.bounds import MAX_NUMBER, check_links, check_name, read_bytes
from ik_node.exceptions import ModelError, names
from ik_node.model.complex_joints import FLOATING, PLANAR, ComplexJoint
from ik_node.model.joints import CONTINUOUS, FIXED, PRISMATIC, REVOLUTE, UNLIMITED, Joint, Mimic
from ik_node.model.robot_xml import parse_robot
from ik_node.model.tree import KinematicTree
from ik_node.model.urdf_visuals import read_visuals
from ik_node.spatial import pose_from_rpy

_COMPLEX = (PLANAR, FLOATING)  # URDF's joints of several degrees of freedom
_TYPES = (FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, *_COMPLEX)
_BLANK = '\ufeff \t\r\n'
_AXIS_TOLERANCE = 1e-3  # an axis this far off unit length is told of, not only normalised


def read_urdf(source: str | PathLike[str],
              xacro_args: Mapping[str, object] | None = None, hold_complex_joints: bool = False,
              rotation: str = 'zyx') -> KinematicTree:
    """Read a tree from a path (.urdf, .xacro) or from the XML text; see `KinematicTree.from_urdf`.

    Raises ModelError.
    """
    return _read(_text(source, xacro_args), hold_complex_joints, rotation)


def read_urdf_text(text: str, hold_complex_joints: bool = False) -> KinematicTree:
    """Read a tree from XML text that anyone may have sent: it is neither a path nor xacro.

    xacro reads files and evaluates expressions; a text with xacro in it is refused. Raises
    ModelError.
    """
    if _uses_xacro(text):
        raise ModelError('the robot description has xacro in it, which can read files and is '
                         'expanded only in a file that urdf_path names; expand it first: "xacro '
                         'FILE"')
    return _read(text.lstrip(_BLANK), hold_complex_joints)


def _read(text: str, hold_complex_joints: bool, rotation: str = 'zyx') -> KinematicTree:
    robot = parse_robot(text.encode(errors='surrogatepass'), 'the robot description', 'utf-8')
    warnings: list[str] = []
    links = [_name(element, k) for k, element in enumerate(robot.findall('link'))]
    check_links(len(links))
    joints: list[Joint | ComplexJoint] = []
    for k, element in enumerate(robot.findall('joint')):
        name = _name(element, k)
        if element.get('type') in _COMPLEX:
            joints.append(_complex_joint(element, name, hold_complex_joints, rotation, warnings))
        else:
            joints.append(_joint(element, name, warnings))
    return KinematicTree(links, joints, name=robot.get('name', 'robot'), warnings=warnings,
                         text=text, visuals=read_visuals(robot, warnings))


def _text(source: str | PathLike[str], xacro_args: Mapping[str, object] | None) -> str:
    """Return the URDF as text, xacro expanded, ready to parse."""
    if isinstance(source, str) and source.lstrip(_BLANK).startswith('<'):
        path, text = None, source
    else:
        if not isinstance(source, (str, PathLike)):
            raise ModelError('a robot description must be a path to a .urdf or .xacro file, or the '
                             f'XML text itself, not {type(source).__name__}')
        path = Path(source)
        text = _decode(path)
    text = text.lstrip(_BLANK)
    if xacro_args or (path and path.suffix == '.xacro') or _uses_xacro(text):
        parse_robot(text.encode(errors='surrogatepass'), 'the xacro', 'utf-8')
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
        raise ModelError(f'{str(path)!r} is no text in its encoding: {error}') from error


def _uses_xacro(text: str) -> bool:
    """Tell whether a description still has xacro in it; declaring its name space is not enough."""
    return re.search(r'<xacro:\w', text) is not None or '${' in text


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
    placement = _placement(parsed, name)
    if kind == FIXED:
        return Joint(name, kind, parsed.parent, parsed.child, placement, lower=0.0, upper=0.0)
    kind, lower, upper = _limits(element, parsed, name, warnings)
    return Joint(name, kind, parsed.parent, parsed.child, placement,
                 _axis(parsed.axis, name, warnings), lower, upper,
                 _positive(element, 'velocity'), _positive(element, 'effort'),
                 _mimic(parsed.mimic, name))


def _complex_joint(element: ElementTree.Element, name: str, hold: bool, rotation: str,
                   warnings: list[str]) -> Joint | ComplexJoint:
    """Return a planar or floating joint, or a fixed one in its place. URDF gives them no limits."""
    kind = element.get('type', '')
    parsed = _parsed(element, name, kind)
    normal = _axis(parsed.axis, name, warnings)
    joint = ComplexJoint(name, kind, parsed.parent, parsed.child, _placement(parsed, name), normal,
                         rotation)
    if hold:
        warnings.append(f'joint {name!r} is {kind}: it is held fixed, as asked')
        return joint.held()
    warnings.append(f'joint {name!r} is {kind}: taken as the joints '
                    f'{names(part.name for part in joint.parts())}')
    return joint


def _placement(parsed: urdf.Joint, name: str) -> np.ndarray:
    origin = parsed.origin or urdf.Pose(xyz=[0, 0, 0], rpy=[0, 0, 0])
    xyz, rpy = np.array(origin.xyz), np.array(origin.rpy)
    if not (np.abs([xyz, rpy]) <= MAX_NUMBER).all():  # NaN is not, either
        raise ModelError(f'joint {name!r}: its origin xyz={origin.xyz} rpy={origin.rpy} must be '
                         f'finite numbers, at most {MAX_NUMBER:g} in size')
    return pose_from_rpy(xyz, rpy)


def _parsed(element: ElementTree.Element, name: str, kind: str) -> urdf.Joint:
    """Let urdf_parser_py read what kinematics needs of a joint, with URDF's defaults filled in."""
    reduced = ElementTree.Element('joint', name=name, type=kind)
    for tag, kept, defaults in _READ[FIXED if kind == FIXED else 'moving']:
        found = element.find(tag)
        if tag in ('parent', 'child') and (found is None or not found.get('link')):
            raise ModelError(f'joint {name!r} has no <{tag} link="…"/>')
        if found is not None:
            given = {key: value for key, value in found.attrib.items() if key in kept}
            ElementTree.SubElement(reduced, tag, {**defaults, **given})
    try:
        return urdf.Joint.from_xml_string(ElementTree.tostring(reduced, encoding='unicode'))
    except Exception as error:  # urdf_parser_py raises whatever its conversions meet
        reason = str(error).splitlines()[-1] if str(error) else type(error).__name__
        raise ModelError(f'joint {name!r} cannot be read: {reason}; it says '
                         f'{ElementTree.tostring(reduced, encoding="unicode")}') from error


# Per kind of joint: the elements read, their attributes, and defaults where the parser has none.
_Kept = tuple[str, tuple[str, ...], dict[str, str]]
_FRAME: tuple[_Kept, ...] = (
    ('parent', ('link',), {}), ('child', ('link',), {}), ('origin', ('xyz', 'rpy'), {}))
_READ: dict[str, tuple[_Kept, ...]] = {
    FIXED: _FRAME,
    'moving': (*_FRAME, ('axis', ('xyz',), {}),
               ('limit', ('lower', 'upper'), {'effort': '0', 'velocity': '0'}),
               ('mimic', ('joint', 'multiplier', 'offset'), {'multiplier': '1', 'offset': '0'})),
}


def _axis(xyz: list[float] | None, name: str, warnings: list[str]) -> np.ndarray:
    axis = np.array([1.0, 0.0, 0.0] if xyz is None else xyz)  # URDF's default is 1 0 0
    length = math.sqrt(axis @ axis)
    if not math.isfinite(length) or length < 1e-9:
        raise ModelError(f'joint {name!r}: its axis {axis.tolist()} has no direction')
    if abs(length - 1.0) > _AXIS_TOLERANCE:
        warnings.append(f'joint {name!r}: its axis {axis.tolist()} is {length:g} long; taken as '
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
        warnings.append(f'joint {name!r} is revolute but gives no limits: taken as continuous')
        return CONTINUOUS, -math.inf, math.inf
    lower, upper = (math.copysign(math.inf, limit) if abs(limit) >= UNLIMITED else limit
                    for limit in (parsed.limit.lower, parsed.limit.upper))
    if not lower <= upper:
        raise ModelError(f'joint {name!r}: its limits {lower} to {upper} are no range; lower must '
                         'not be greater than upper')
    if lower == upper:
        warnings.append(f'joint {name!r}: its limits {lower:g} to {upper:g} leave it no room')
    return kind, lower, upper


def _positive(element: ElementTree.Element, attribute: str) -> float:
    """Return a limit's attribute, or infinity where it says nothing usable: 0, NaN, no number."""
    limit = element.find('limit')
    try:
        value = float(limit.get(attribute, 'inf')) if limit is not None else math.inf
    except ValueError:
        return math.inf
    return value if value > 0.0 else math.inf


def _mimic(parsed: urdf.JointMimic | None, name: str) -> Mimic | None:
    if parsed is None:
        return None
    if not math.isfinite(parsed.multiplier) or not math.isfinite(parsed.offset):
        raise ModelError(f'joint {name!r}: its mimic has multiplier {parsed.multiplier} and offset '
                         f'{parsed.offset}; both must be finite numbers')
    return Mimic(parsed.joint, parsed.multiplier, parsed.offset)

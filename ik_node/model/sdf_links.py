"""The links of SDF as elements of URDF: inertials, visual and collision shapes."""

from collections.abc import Callable
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ik_node.model.urdf_links import attribute_numbers
from ik_node.spatial import pose_from_rotation, pose_from_rpy, rpy_from_matrix
from ik_node.spatial.rotations import as_rotation
from ik_node.support.exceptions import InputError, ModelError

_SHAPES = {'box': ('size',), 'cylinder': ('radius', 'length'), 'capsule': ('radius', 'length'),
           'sphere': ('radius',)}
"""Those that URDF has, with their numbers; their elements in SDF are attributes in URDF."""


def text_of(element: Element, tag: str) -> str:
    """Return the text of a child, without blanks around it; '' where there is none."""
    return (element.findtext(tag) or '').strip()


def read_pose(element: Element) -> np.ndarray:
    """Return the pose (4, 4), m, in the <pose> of an element; the identity without one.

    Raises ValueError for other than finite numbers, three for the position and three angles or a
    quaternion x y z w.
    """
    pose = element.find('pose')
    if pose is None or not (text := (pose.text or '').strip()):
        return np.eye(4)
    turned = pose.get('rotation_format', 'euler_rpy')
    if turned not in ('euler_rpy', 'quat_xyzw'):
        raise ValueError('the rotation_format of its pose must be euler_rpy or quat_xyzw, not '
                         f'{turned:.60}')
    numbers = attribute_numbers(Element('pose', pose=text), 'pose',
                                7 if turned == 'quat_xyzw' else 6, 'its')
    if turned == 'quat_xyzw':
        try:
            return pose_from_rotation(as_rotation(numbers[3:], 'the quaternion of its pose'),
                                      numbers[:3])
        except InputError as error:
            raise ValueError(str(error)) from error
    rpy = np.radians(numbers[3:]) if is_true(pose.get('degrees')) else numbers[3:]
    return pose_from_rpy(numbers[:3], rpy)


def is_true(text: str | None) -> bool:
    """Return whether a text is a true one of SDF."""
    return text is not None and text.strip().lower() in ('1', 'true')


def write_origin(element: Element, T: np.ndarray) -> None:
    """Write the pose (4, 4), m, of an element as its <origin>."""
    SubElement(element, 'origin', xyz=' '.join(map(repr, T[:3, 3].tolist())),
               rpy=' '.join(map(repr, rpy_from_matrix(T[:3, :3]))))


def as_urdf_link(link: Element, name: str, pose: Callable[[Element], np.ndarray]) -> Element:
    """Return a link as URDF has it; what is invalid stays so, for the reader of URDF to warn of.

    pose: returns the pose (4, 4), m, of an element of the link in it; may raise ValueError.
    """
    found = Element('link', name=name)
    inertial = link.find('inertial')
    if inertial is not None:
        element = _placed(found, inertial, pose)
        SubElement(element, 'mass', value=text_of(inertial, 'mass') or '1')
        inertia = inertial.find('inertia')
        SubElement(element, 'inertia', {'ixx': '1', 'iyy': '1', 'izz': '1', 'ixy': '0', 'ixz': '0',
                                        'iyz': '0'} | {
            one.tag: (one.text or '').strip() for one in ([] if inertia is None else inertia)})
    for tag in ('visual', 'collision'):
        for shape in link.findall(tag):
            element = _placed(found, shape, pose)
            geometry = shape.find('geometry/*')
            if geometry is not None:
                SubElement(element, 'geometry').append(_geometry(geometry))
            if color := (shape.findtext('material/diffuse') or '').strip():
                SubElement(SubElement(element, 'material'), 'color', rgba=color)
    return found


def _placed(link: Element, source: Element, pose: Callable[[Element], np.ndarray]) -> Element:
    """Add an element of the same name at the same pose."""
    element = SubElement(link, source.tag)
    try:
        write_origin(element, pose(source))
    except (ValueError, ModelError) as error:
        SubElement(element, 'origin', xyz=f'({error})')  # no numbers, which is warned of
    return element


def _geometry(shape: Element) -> Element:
    if shape.tag == 'mesh':
        uri = text_of(shape, 'uri')
        if uri.startswith('model://'):  # found as a package is: a folder of that name
            uri = 'package' + uri.removeprefix('model')
        return Element('mesh', filename=uri, scale=text_of(shape, 'scale') or '1 1 1')
    if shape.tag in _SHAPES:
        return Element(shape.tag, {key: text_of(shape, key) for key in _SHAPES[shape.tag]})
    return Element(shape.tag)

"""Reads the <origin> of a joint, a shape or an inertial from URDF."""

from xml.etree import ElementTree

import numpy as np

from ik_node.model.number_text import numbers_in
from ik_node.spatial import pose_from_rpy
from ik_node.spatial.rotations import as_rotation
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError

_COUNTS = {'xyz': (3, 'three'), 'rpy': (3, 'three'), 'quat_xyzw': (4, 'four')}
_MOST_NUMBERS = 4  # the rest of a longer text stays one word, which is no number


def read_origin(element: ElementTree.Element) -> np.ndarray:
    """Return the pose (4, 4), m, in the <origin> of an element; the identity without one.

    The rotation is given by rpy, or by quat_xyzw, which is normalised [urdfdom 5.1, URDF 1.1].
    Raises ValueError for both together, for a quaternion of length zero, and for other than finite
    numbers of at most MAX_NUMBER.
    """
    origin = element.find('origin')
    if origin is None:
        return np.eye(4)
    xyz = _numbers(origin, 'xyz', '0 0 0')
    if 'quat_xyzw' not in origin.attrib:
        return pose_from_rpy(xyz, _numbers(origin, 'rpy', '0 0 0'))
    if 'rpy' in origin.attrib:
        raise ValueError('its origin has both rpy and quat_xyzw; one of them must be removed')
    T = np.eye(4)
    T[:3, 3] = xyz
    try:
        T[:3, :3] = as_rotation(_numbers(origin, 'quat_xyzw', ''), 'its origin quat_xyzw')
    except InputError as error:
        raise ValueError(str(error)) from error
    return T


def _numbers(origin: ElementTree.Element, key: str, default: str) -> np.ndarray:
    text = origin.get(key, default)
    try:
        numbers = np.array(numbers_in(text, most_splits=_MOST_NUMBERS))
    except ValueError:
        numbers = np.array([np.nan])
    count, word = _COUNTS[key]
    if len(numbers) != count or not (np.abs(numbers) <= MAX_NUMBER).all():  # NaN is not, either
        raise ValueError(f'its origin {key}="{text:.60}" must be {word} numbers, finite and at '
                         f'most {MAX_NUMBER:g} in size')
    return numbers

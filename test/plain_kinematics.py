"""Forward kinematics straight from the XML of a URDF, by scipy's rotations: to check ours with."""

from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation


class PlainRobot:
    """A robot without mimics, from its root to one tip."""

    def __init__(self, text, tip):
        joints = {joint.find('child').get('link'): joint
                  for joint in ElementTree.fromstring(text).findall('joint')}
        self.path = []
        while tip in joints:
            self.path.insert(0, joints[tip])
            tip = joints[tip].find('parent').get('link')
        self.names = [joint.get('name') for joint in self.path if joint.get('type') != 'fixed']
        self.limits = {joint.get('name'): _limits(joint) for joint in joints.values()
                       if joint.get('type') != 'fixed'}

    def forward(self, values):
        """Return T_root_tip (4, 4), m; values: {joint: rad or m}."""
        T = np.eye(4)
        for joint in self.path:
            T = T @ _pose(joint.find('origin'))
            kind, value = joint.get('type'), values.get(joint.get('name'), 0.0)
            axis = np.array(_numbers(joint.find('axis'), 'xyz', '1 0 0'))
            motion = np.eye(4)
            if kind == 'prismatic':
                motion[:3, 3] = value * axis
            elif kind != 'fixed':
                motion[:3, :3] = Rotation.from_rotvec(value * axis).as_matrix()
            T = T @ motion
        return T

    def random(self, rng):
        """Return joint values inside the limits, half a turn each way where there are none."""
        return {name: rng.uniform(max(lower, -np.pi), min(upper, np.pi))
                for name, (lower, upper) in self.limits.items()}

    def faults(self, names, positions):
        """Return what is wrong with joint states, in words, or nothing."""
        if sorted(names) != sorted(self.limits) or len(names) != len(positions):
            return f'incomplete: {list(names)}'
        for name, value in zip(names, positions):
            lower, upper = self.limits[name]
            if not lower <= value <= upper:  # NaN is not, either
                return f'{name} at {value}, outside {lower} to {upper}'
        return ''


def _numbers(element, key, default):
    return [float(word) for word in (default if element is None else element.get(key, default)
                                     ).split()]


def _pose(origin):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler('xyz', _numbers(origin, 'rpy', '0 0 0')).as_matrix()
    T[:3, 3] = _numbers(origin, 'xyz', '0 0 0')
    return T


def _limits(joint):
    limit = joint.find('limit')
    if joint.get('type') == 'continuous' or limit is None:
        return -np.inf, np.inf
    return float(limit.get('lower', '0')), float(limit.get('upper', '0'))

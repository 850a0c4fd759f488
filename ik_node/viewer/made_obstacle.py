"""Obstacles that are made on the page, and the markers by which the node gets them."""

from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import Vector3
from visualization_msgs.msg import Marker

from ik_node.ros.conversions import matrix_to_pose

# The kinds, with the names of their sizes.
SIZES = {'box': ('size x', 'size y', 'size z'), 'sphere': ('radius',),
         'cylinder': ('radius', 'length'), 'ground': ()}
_TYPES = {'sphere': Marker.SPHERE, 'cylinder': Marker.CYLINDER}


class MadeObstacle(NamedTuple):
    """An obstacle of one of the kinds in `SIZES`; the upper side of a ground is its x-y plane."""

    kind: str
    sizes: tuple[float, ...]  # m
    T: np.ndarray  # (4, 4), m, in the scene

    def marker(self, number: int, action: int = Marker.ADD) -> Marker:
        """Return the marker of it, in the frame of the root link, or the world where that moves."""
        scale = self.sizes
        if self.kind == 'ground':
            scale = (np.inf,) * 3  # a half-space
        elif self.kind != 'box':
            scale = 2.0 * scale[0], 2.0 * scale[0], 2.0 * scale[0] if len(scale) == 1 else scale[1]
        x, y, z = scale
        return Marker(ns=f'page/{self.kind}', id=number, action=action, pose=matrix_to_pose(self.T),
                      type=_TYPES.get(self.kind, Marker.CUBE), scale=Vector3(x=x, y=y, z=z))

"""The first view in RViz: a camera on what the demonstration shows, and a grid of its size."""

import itertools
import math
from typing import Any

import numpy as np

from ik_node.commands.pictures import nearest_camera
from ik_node.control.options import NodeOptions
from ik_node.kinematics.reach import extent
from ik_node.mocap.recording import Recording
from ik_node.model.chain import Chain
from ik_node.model.tree import KinematicTree
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.publishing.markers.limit_panel import LimitPanel
from ik_node.ros.publishing.markers.shapes import shown_size

_FIELD_OF_VIEW = math.radians(45.0)  # vertical, of RViz's orbit camera
_ASPECT = 1.2                        # width by height of the picture in the window of demo.rviz
_FILLED = 0.92                       # part of the picture that the robot may fill
_TIMES = 40                          # of a motion
_LINES = 5                           # of the status of an arm: the usual ones are shorter
_NEAR_CLIP = 1.0 / 300.0             # of the distance
# Of an arm's size: how far a handle and the text of a goal above it get from the tip.
_HANDLE, _TEXT = 0.15, 0.26
# Of a figure's size: how far hands and feet get, and the text above it.
_AROUND, _ABOVE = 0.15, 0.3


def shown_points(tree: KinematicTree, chain: Chain | None, options: NodeOptions) -> np.ndarray:
    """Return points (k, 3), m, that the first view has to show, in RViz's fixed frame.

    chain: of the arm; None for a figure. options: of the node, for a root that moves.
    """
    if chain is not None:
        size, path = shown_size(extent(chain.arrays).reach), ClosedPath(chain)
        frames = [tree.forward(dict(zip(chain.joint_names, q))) for q in (
            chain.neutral(), *map(path.configuration, np.linspace(0.0, 1.0, _TIMES)))]
        handles = [_box(links[chain.tip_link][None, :3, 3], _HANDLE * size, _TEXT * size)
                   for links in frames]
        T, corners = frames[0][chain.base_link], LimitPanel(chain, 0, size).corners(_LINES)
        return np.concatenate([*handles, corners @ T[:3, :3].T + T[:3, 3], [
            T[:3, 3] for links in frames for T in links.values()]])
    T_frame_root = np.eye(4) if options.root == 'fixed' else options.T_world_root
    links = np.array([(T_frame_root @ T)[:3, 3] for T in tree.forward().values()])
    size = shown_size(float(np.ptp(links, axis=0).max()))
    return _box(links, _AROUND * size, (_AROUND + _ABOVE) * size)


def motion_points(recording: Recording) -> np.ndarray:
    """Return points (k, 3), m, around all links at times of a recorded motion, in its root."""
    own = frozenset(recording.tree.independent_joints)  # mimics follow
    places = np.array([[T[:3, 3] for T in recording.tree.forward({
        name: value for name, value in zip(recording.moving_joints, recording.positions(time))
        if name in own}).values()] for time in np.linspace(0.0, recording.duration, _TIMES)])
    around = _AROUND * shown_size(float(np.ptp(places[0], axis=0).max()))
    return _box(places.reshape(-1, 3), around, around)


def fit(config: dict[str, Any], points: np.ndarray) -> None:
    """Set the view and the grid of an RViz configuration so that points (k, 3), m, are seen."""
    manager = config['Visualization Manager']
    view = manager['Views']['Current']
    yaw, pitch = view['Yaw'], view['Pitch']
    direction = np.array([math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch),
                          math.sin(pitch)])
    eye, focal_point = nearest_camera(points, direction, _FIELD_OF_VIEW, _ASPECT, _FILLED)
    distance = math.dist(eye, focal_point)
    view['Distance'] = distance
    view['Focal Point'] = dict(zip('XYZ', focal_point.tolist()))
    view['Near Clip Distance'] = _NEAR_CLIP * distance
    for display in manager['Displays']:
        if display['Class'] == 'rviz_default_plugins/Grid':
            display['Cell Size'] = float(f'{distance / 15.0:.0e}')
        elif display['Class'] == 'rviz_default_plugins/TF':
            display['Marker Scale'] = 0.1 * distance


def _box(places: np.ndarray, around: float, above: float) -> np.ndarray:
    """Return the corners (8, 3) of a box around places (k, 3) with some space, m."""
    lower, upper = places.min(axis=0) - around, places.max(axis=0) + around
    upper[2] += above - around
    return np.array(list(itertools.product(*zip(lower, upper))))

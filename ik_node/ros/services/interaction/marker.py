"""The interactive marker: a ball for dragging and the menu, arrows and rings along the axes."""

import math

import numpy as np
from geometry_msgs.msg import Pose, Quaternion
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerControl, Marker

from ik_node.ros.publishing.markers.shapes import cube

_COLOR = ColorRGBA(r=0.95, g=0.95, b=0.98, a=0.4)
# Of the arm's size.
_SIZE = 0.2
_BALL = 0.09
_HALF = math.sqrt(0.5)
# Each rotates the x axis of a control, along and about which it acts, to one of the handle's axes.
_ALONG = (('x', Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)),
          ('y', Quaternion(x=0.0, y=0.0, z=_HALF, w=_HALF)),
          ('z', Quaternion(x=0.0, y=-_HALF, z=0.0, w=_HALF)))


def handle_marker(name: str, frame: str, pose: Pose, weights: np.ndarray,
                  size: float) -> InteractiveMarker:
    """Return a handle at a pose, in a frame, with arrows and rings for the weighted axes.

    weights: (6,) along the handle's axes, as of a goal; axes of weight 0 have no control. The stamp
    is zero: it stays in its frame. size: of the arm, m.
    """
    handle = InteractiveMarker(name=name, pose=pose, scale=_SIZE * size)
    handle.header.frame_id = frame
    handle.controls = [
        _centre(weights, size),
        *(_control(f'move_{axis}', InteractiveMarkerControl.MOVE_AXIS, orientation)
          for (axis, orientation), weight in zip(_ALONG, weights[:3]) if weight),
        *(_control(f'rotate_{axis}', InteractiveMarkerControl.ROTATE_AXIS, orientation)
          for (axis, orientation), weight in zip(_ALONG, weights[3:]) if weight)]
    return handle


def _centre(weights: np.ndarray, size: float) -> InteractiveMarkerControl:
    """Return a ball to drag in all weighted directions, or only for the menu with fewer than two.

    With two directions it moves in their plane, whose normal is the control's x axis.
    """
    free = np.flatnonzero(weights[:3] == 0.0)
    if len(free) == 0:
        control = _control('move', InteractiveMarkerControl.MOVE_3D, _ALONG[0][1])
    elif len(free) == 1:
        control = _control('move', InteractiveMarkerControl.MOVE_PLANE, _ALONG[free[0]][1])
    else:
        control = _control('menu', InteractiveMarkerControl.MENU, _ALONG[0][1])
    control.always_visible = True
    control.markers = [Marker(type=Marker.SPHERE, scale=cube(_BALL * size), color=_COLOR)]
    return control


def _control(name: str, mode: int, orientation: Quaternion) -> InteractiveMarkerControl:
    return InteractiveMarkerControl(name=name, interaction_mode=mode, orientation=orientation)

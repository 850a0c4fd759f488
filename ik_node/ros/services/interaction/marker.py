"""The interactive marker: a ball for dragging, arrows and rings along the axes, and a menu."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from geometry_msgs.msg import Pose, Quaternion
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerControl,
    Marker,
    MenuEntry,
)

from ik_node.ros.publishing.markers.shapes import cube

HOME, POSITION_ONLY, SOLVER = 1, 2, 3
"""Entries of the menu; solvers to choose from have the numbers after them."""
_FIRST_SOLVER = 4

_COLOR = ColorRGBA(r=0.95, g=0.95, b=0.98, a=0.4)
# Of the group's size.
_SIZE = 0.2
_BALL = 0.09
_HALF = math.sqrt(0.5)
# Each rotates the x axis of a control, along and about which it acts, to one of the handle's axes.
_ALONG = (('x', Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)),
          ('y', Quaternion(x=0.0, y=0.0, z=_HALF, w=_HALF)),
          ('z', Quaternion(x=0.0, y=-_HALF, z=0.0, w=_HALF)))


class Look(NamedTuple):
    """What a handle is shown with, besides its pose."""

    frame: str
    size: float  # of the group, m
    weights: tuple[float, ...]
    """(6,) along the handle's axes, linear first; axes of weight 0 have no control."""
    solvers: tuple[str, ...]  # the names to choose from
    solver: str
    position_only: bool | None  # None where there is no choice


def handle_marker(name: str, pose: Pose, look: Look) -> InteractiveMarker:
    """Return a handle at a pose, with arrows and rings for the weighted axes, and a menu.

    The stamp is zero: it stays in its frame.
    """
    weights = look.weights
    handle = InteractiveMarker(name=name, pose=pose, scale=_SIZE * look.size,
                               menu_entries=_menu_entries(look))
    handle.header.frame_id = look.frame
    handle.controls = [_centre(weights, look.size), *(
        _control(f'{verb}_{axis}', mode, orientation)
        for verb, mode, part in (('move', InteractiveMarkerControl.MOVE_AXIS, weights[:3]),
                                 ('rotate', InteractiveMarkerControl.ROTATE_AXIS, weights[3:]))
        for (axis, orientation), weight in zip(_ALONG, part) if weight)]
    return handle


def _centre(weights: Sequence[float], size: float) -> InteractiveMarkerControl:
    """Return a ball to drag in all weighted directions, or only for the menu with fewer than two.

    With two directions it moves in their plane, whose normal is the control's x axis.
    """
    free = [i for i in range(3) if weights[i] == 0.0]
    if not free:
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


def _menu_entries(look: Look) -> list[MenuEntry]:
    """Return the entries, with ticks at the present solver and at position only if set."""
    return [
        _entry(SOLVER, 'Solver'),
        *(_entry(_FIRST_SOLVER + i, _ticked(name, name == look.solver), SOLVER)
          for i, name in enumerate(look.solvers)),
        *([] if look.position_only is None else [
            _entry(POSITION_ONLY, _ticked('Position only', look.position_only))]),
        _entry(HOME, 'Home')]


def chosen_solver(solvers: Sequence[str], entry: int) -> str | None:
    """Return the solver of an entry; None for other entries."""
    return dict(enumerate(solvers, _FIRST_SOLVER)).get(entry)


def _ticked(title: str, ticked: bool) -> str:
    """Return a title as interactive_markers' own menus tick them; the message has no field."""
    return f'[{"x" if ticked else " "}] {title}'


def _entry(number: int, title: str, parent: int = 0) -> MenuEntry:
    return MenuEntry(id=number, parent_id=parent, title=title, command_type=MenuEntry.FEEDBACK)

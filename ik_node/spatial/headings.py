"""Headings: what a goal asks that constrains one rotation and leaves two free."""

import numpy as np

from ik_node.spatial import so3

_NAMES = 'xyz'


def heading_axis(weights: np.ndarray) -> int | None:
    """Return the axis, 0 to 2, of the only rotation with a weight (6,) above 0; else None."""
    turning, = np.nonzero(weights[3:])
    return int(turning[0]) if len(turning) == 1 else None


def tip_heading(T_goal: np.ndarray, T_tip: np.ndarray, axis: int) -> tuple[float, np.ndarray]:
    """Return the heading of a tip about an axis of a goal, rad, and its derivatives (3,).

    These are by rotations about the goal's axes; see `so3.heading`. Poses are (4, 4).
    """
    order = [axis, (axis + 1) % 3, (axis + 2) % 3]
    angle, *rates = so3.heading(*T_goal[:3, order].T @ T_tip[:3, order[1]])
    return angle, np.array(rates)[np.argsort(order)]


def why_no_heading(T_goal: np.ndarray, T_tip: np.ndarray, weights: np.ndarray) -> str:
    """Return why a tip has no heading about the axis of a goal that weights (6,) name; else ''."""
    axis = heading_axis(weights)
    if axis is None or tip_heading(T_goal, T_tip, axis)[1][axis] != 0.0:
        return ''
    own, other = _NAMES[axis], _NAMES[(axis + 1) % 3]
    return (f'a goal for one rotation, about its {own} axis, asks for the heading of the tip\'s '
            f'{other} axis about it; the two are parallel, so that there is none: let the goal '
            'constrain another axis, or all three')

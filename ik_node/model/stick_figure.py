"""Simple shapes for a robot without visual shapes: rods between joints, hubs at moving joints."""

import math
from collections.abc import Sequence

import numpy as np

from ik_node.model.geometry import Box, Cylinder, Sphere, Visual
from ik_node.model.joints import Joint
from ik_node.spatial import turn_z_onto

_THICKNESS = 0.03      # of the figure's size: a rod's radius
_HUB = 1.45            # of a rod's radius: a hub's
_SHORTEST = 1e-6       # of the figure's size: what is drawn as a rod
_COLORS = ((0.93, 0.55, 0.18, 1.0), (0.32, 0.36, 0.42, 1.0), (0.85, 0.87, 0.90, 1.0))
_TIP_COLOR = (0.25, 0.55, 0.85, 1.0)


def stick_figure(links: Sequence[str], joints: Sequence[Joint]) -> dict[str, tuple[Visual, ...]]:
    """Return shapes for every link, from the root out, in m, sized by the joints' distances.

    All of a link's shapes have one colour: some viewers give a link no more than that.
    """
    arms = [float(np.linalg.norm(joint.placement[:3, 3])) for joint in joints]
    size = max(sum(arms) / max(len([arm for arm in arms if arm > 0.0]), 1), 1e-3) * 3.0
    radius = _THICKNESS * size
    figure: dict[str, list[Visual]] = {link: [] for link in links}
    joint_into = {joint.child: joint for joint in joints}
    colors = {link: _COLORS[k % len(_COLORS)] for k, link in enumerate(
        link for link in links if link not in joint_into or joint_into[link].moves)}
    color = _COLORS[0]
    children: dict[str, list[Joint]] = {link: [] for link in links}
    for child in joints:
        children[child.parent].append(child)
    for link in links:
        joint = joint_into.get(link)
        below = children[link]
        color = colors.get(link, colors.get(joint.parent, color) if joint else color)
        colors[link] = color
        if joint is not None and joint.moves:
            figure[link].append(_hub(joint, radius, color))
        for child in below:
            figure[link].extend(_rod(child.placement[:3, 3], radius, _SHORTEST * size, color))
        if not below and joint is not None and not joint.moves:
            figure[link].append(Visual(Sphere(1.1 * radius), color=_TIP_COLOR))
    return {link: tuple(visuals) for link, visuals in figure.items() if visuals}


def _hub(joint: Joint, radius: float, color: tuple[float, float, float, float]) -> Visual:
    """Return the shape at a joint, along its axis: a box if prismatic, else a cylinder."""
    T = np.eye(4)
    T[:3, :3] = turn_z_onto(joint.axis)
    if joint.prismatic:
        return Visual(Box((2.0 * radius, 2.0 * radius, 3.0 * radius)), T, color)
    return Visual(Cylinder(_HUB * radius, 3.0 * radius), T, color)


def _rod(end: np.ndarray, radius: float, shortest: float,
         color: tuple[float, float, float, float]) -> list[Visual]:
    """Return a cylinder from the link's origin to end (3,), m, with a round end; none if short."""
    length = math.sqrt(end @ end)
    if length <= shortest:
        return []
    T = np.eye(4)
    T[:3, :3] = turn_z_onto(end / length)
    T[:3, 3] = 0.5 * end
    ball = np.eye(4)
    ball[:3, 3] = end
    return [Visual(Cylinder(radius, length), T, color), Visual(Sphere(radius), ball, color)]

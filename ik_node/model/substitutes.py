"""Simple shapes for robots without, and inertials of links without, from their shapes."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Shape, Sphere, Visual
from ik_node.model.joints import Joint
from ik_node.model.parts import Inertial
from ik_node.model.tree_structure import TreeStructure
from ik_node.spatial import pose_from_rotation, turn_z_onto

DENSITY = 1000.0       # kg/m³, that of water
_THICKNESS = 0.035     # of the length of the longest branch: a rod's radius
_HUB = 1.2             # of a rod's radius: a hub's
_SHORTEST = 1e-6       # of the figure's size: what is drawn as a rod
_COLORS = ((0.93, 0.55, 0.18, 1.0), (0.32, 0.36, 0.42, 1.0), (0.85, 0.87, 0.90, 1.0))
_TIP_COLOR = (0.25, 0.55, 0.85, 1.0)
_Color = tuple[float, float, float, float]


def stick_figure(links: Sequence[str], joints: Sequence[Joint]) -> dict[str, tuple[Visual, ...]]:
    """Return shapes for every link, from the root out, in m, as thick as an arm of that length.

    All of a link's shapes have one colour: some viewers give a link no more than that.
    """
    along = dict.fromkeys(links, 0.0)  # m, from the root
    for one in joints:
        along[one.child] = along[one.parent] + float(np.linalg.norm(one.placement[:3, 3]))
    size = max(*along.values(), 3e-3)
    radius = _THICKNESS * size
    figure: dict[str, list[Visual]] = {link: [] for link in links}
    joint_into = {joint.child: joint for joint in joints}
    children: dict[str, list[Joint]] = {link: [] for link in links}
    for child in joints:
        children[child.parent].append(child)
    colors: dict[str, _Color] = {}
    next_color = itertools.cycle(_COLORS)
    for link in links:
        joint, below = joint_into.get(link), children[link]
        color = colors[link] = (next(next_color) if joint is None or joint.moves
                                else colors[joint.parent])
        if joint is not None and joint.moves:
            figure[link].append(_hub(joint, radius, color))
        for child in below:
            figure[link].extend(_rod(child.placement[:3, 3], radius, _SHORTEST * size, color))
        if not below and joint is not None and not joint.moves:
            figure[link].append(Visual(Sphere(1.1 * radius), color=_TIP_COLOR))
    return {link: tuple(visuals) for link, visuals in figure.items() if visuals}


def _hub(joint: Joint, radius: float, color: _Color) -> Visual:
    T = pose_from_rotation(turn_z_onto(joint.axis))
    if joint.prismatic:
        return Visual(Box((2.0 * radius, 2.0 * radius, 2.6 * radius)), T, color)
    return Visual(Cylinder(_HUB * radius, 2.6 * radius), T, color)


def _rod(end: np.ndarray, radius: float, shortest: float, color: _Color) -> list[Visual]:
    """Return a cylinder from the link's origin to end (3,), m, with a round end; none if short."""
    length = math.sqrt(end @ end)
    if length <= shortest:
        return []
    return [Visual(Cylinder(radius, length),
                   pose_from_rotation(turn_z_onto(end / length), 0.5 * end), color),
            Visual(Sphere(radius), pose_from_rotation(np.eye(3), end), color)]


def with_shape_inertials(tree: TreeStructure) -> dict[str, Inertial]:
    """Return {link: Inertial} of a tree, estimated for links that the file gives none.

    Those get the mass of their boxes, cylinders, capsules and spheres at 1000 kg/m³: of the
    collision shapes, of the visual ones where there are none. Parts that overlap count twice. The
    volume of a mesh is not known: a link that has only meshes gets the rods along it that are drawn
    of a robot without shapes, and so does every link of a robot that has neither inertials nor
    shapes. A link without shapes, of a robot that has some, is without mass.
    """
    found = dict(tree.inertials)
    is_bare = not tree.inertials and not tree.collisions and not tree.visuals
    rods: dict[str, tuple[Visual, ...]] | None = None
    for link in tree.links:
        if link in found:
            continue
        shapes: tuple[Collision | Visual, ...] = (
            *tree.collisions.get(link, ()),) or (*tree.visuals.get(link, ()),)
        solids = [shape for shape in shapes if not isinstance(shape.shape, Mesh)] or [
            shape for shape in tree.visuals.get(link, ()) if not isinstance(shape.shape, Mesh)]
        if is_bare or (shapes and not solids):
            rods = stick_figure(tree.links, list(tree.joints.values())) if rods is None else rods
            solids = list(rods.get(link, ()))
        if solids:
            found[link] = inertial_of(solids)
    return found


def inertial_of(shapes: Sequence[Collision | Visual]) -> Inertial:
    """Return the inertial of shapes other than meshes, of the density of water, link axes.

    The moments of the parts are moved to the common centre of mass by Steiner's theorem.
    """
    parts = [_solid(shape.shape) for shape in shapes]
    masses = np.array([mass for mass, _ in parts])
    total = float(masses.sum())
    if not total > 0.0:
        return Inertial(0.0)
    centers = np.array([shape.placement[:3, 3] for shape in shapes])
    center = masses @ centers / total
    inertia = np.zeros((3, 3))
    for shape, (mass, moments) in zip(shapes, parts):
        R, r = shape.placement[:3, :3], shape.placement[:3, 3] - center
        inertia += R @ np.diag(moments) @ R.T + mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Inertial(total, center, 0.5 * (inertia + inertia.T))


def _solid(shape: Shape) -> tuple[float, np.ndarray]:
    """Return the mass, kg, and the principal moments (3,), kg m², of a homogeneous solid."""
    if isinstance(shape, Box):
        x, y, z = shape.size
        mass = DENSITY * abs(x * y * z)
        return mass, mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    if isinstance(shape, Cylinder):
        r2, h2 = shape.radius ** 2, shape.length ** 2
        mass = DENSITY * np.pi * r2 * abs(shape.length)
        return mass, mass * np.array([r2 / 4.0 + h2 / 12.0, r2 / 4.0 + h2 / 12.0, r2 / 2.0])
    assert isinstance(shape, Capsule | Sphere)
    return _capsule(abs(shape.radius), abs(getattr(shape, 'length', 0.0)))


def _capsule(r: float, h: float) -> tuple[float, np.ndarray]:
    """Return mass and principal moments of a cylinder of radius r and length h between hemispheres.

    The centre of mass of a hemisphere lies 3 r/8 off its flat face, and its moments there about
    axes in that plane are (2/5 − 9/64) m r²; Steiner's theorem moves them to the middle.
    """
    cylinder, cap = DENSITY * np.pi * r * r * h, DENSITY * 2.0 / 3.0 * np.pi * r ** 3
    across = (cylinder * (r * r / 4.0 + h * h / 12.0)
              + 2.0 * cap * ((0.4 - 9.0 / 64.0) * r * r + (0.5 * h + 0.375 * r) ** 2))
    along = cylinder * r * r / 2.0 + 2.0 * cap * 0.4 * r * r
    return cylinder + 2.0 * cap, np.array([across, across, along])

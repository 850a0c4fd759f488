"""Inertials of links that have none, from the volume of their shapes at uniform density."""

from collections.abc import Sequence

import numpy as np

from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Shape, Sphere, Visual
from ik_node.model.inertial import Inertial
from ik_node.model.stick_figure import stick_figure
from ik_node.model.tree_structure import TreeStructure

DENSITY = 1000.0  # kg/m³, that of water


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


def inertial_of(shapes: Sequence[Collision | Visual], density: float = DENSITY) -> Inertial:
    """Return the inertial of shapes other than meshes, of one density, kg/m³, link axes.

    The moments of the parts are moved to the common centre of mass by Steiner's theorem.
    """
    parts = [_solid(shape.shape, density) for shape in shapes]
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


def _solid(shape: Shape, density: float) -> tuple[float, np.ndarray]:
    """Return the mass, kg, and the principal moments (3,), kg m², of a homogeneous solid."""
    if isinstance(shape, Box):
        x, y, z = shape.size
        mass = density * abs(x * y * z)
        return mass, mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    if isinstance(shape, Cylinder):
        r2, h2 = shape.radius ** 2, shape.length ** 2
        mass = density * np.pi * r2 * abs(shape.length)
        return mass, mass * np.array([r2 / 4.0 + h2 / 12.0, r2 / 4.0 + h2 / 12.0, r2 / 2.0])
    if isinstance(shape, Capsule):
        return _capsule(abs(shape.radius), abs(shape.length), density)
    assert isinstance(shape, Sphere)
    mass = density * 4.0 / 3.0 * np.pi * abs(shape.radius) ** 3
    return mass, np.full(3, 0.4 * mass * shape.radius ** 2)


def _capsule(r: float, h: float, density: float) -> tuple[float, np.ndarray]:
    """Return mass and principal moments of a cylinder of radius r and length h between hemispheres.

    The centre of mass of a hemisphere lies 3 r/8 off its flat face, and its moments there about
    axes in that plane are (2/5 − 9/64) m r²; Steiner's theorem moves them to the middle.
    """
    cylinder, cap = density * np.pi * r * r * h, density * 2.0 / 3.0 * np.pi * r ** 3
    across = (cylinder * (r * r / 4.0 + h * h / 12.0)
              + 2.0 * cap * ((0.4 - 9.0 / 64.0) * r * r + (0.5 * h + 0.375 * r) ** 2))
    along = cylinder * r * r / 2.0 + 2.0 * cap * 0.4 * r * r
    return cylinder + 2.0 * cap, np.array([across, across, along])

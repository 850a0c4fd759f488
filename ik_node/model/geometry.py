"""Visual and collision shapes of links, each with its own transform.

The transform places the shape on its link [Parent 5.2] and is never inherited by child links.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ik_node.support.arguments import instance, shaped
from ik_node.support.immutable import Immutable, frozen_copy


class Box(NamedTuple):
    """A box about its middle."""

    size: tuple[float, float, float]  # m, along x, y and z


class Cylinder(NamedTuple):
    """A cylinder about its middle, along z."""

    radius: float
    length: float


class Capsule(NamedTuple):
    """A cylinder about its middle, along z, with a hemisphere at each end."""

    radius: float
    length: float  # m, of the cylinder alone [urdfdom 5.1, URDF 1.1]


class Sphere(NamedTuple):
    """A sphere about its middle."""

    radius: float


class Mesh(NamedTuple):
    """A mesh in a file."""

    filename: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Shape = Box | Cylinder | Capsule | Sphere | Mesh


@dataclass(frozen=True, eq=False)
class _PlacedShape(Immutable):
    shape: Shape
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))  # (4, 4) T_link_shape; m

    def __post_init__(self) -> None:
        instance(self.shape, Shape, 'a shape must be a Box, Cylinder, Capsule, Sphere or Mesh')
        T_link_shape = shaped(self.placement, (4, 4), 'the placement of a shape')
        object.__setattr__(self, 'placement', frozen_copy(T_link_shape))


@dataclass(frozen=True, eq=False)
class Visual(_PlacedShape):
    """A shape on a link. Immutable. Raises InputError for wrong arguments."""

    color: tuple[float, float, float, float] | None = None
    """Red, green, blue and opacity, 0 to 1; None for the mesh's own or the viewer's."""


@dataclass(frozen=True, eq=False)
class Collision(_PlacedShape):
    """A shape of a link, or a part of it, for collision checks. Raises as `Visual`."""

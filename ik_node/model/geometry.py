"""Visual and collision shapes of links, each with its own transform.

The transform places the shape on its link [Parent 5.2] and is never inherited by child links.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ik_node.support.arguments import floats
from ik_node.support.exceptions import InputError, shown
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
class Visual(Immutable):
    """A shape on a link. Immutable."""

    shape: Shape
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    """(4, 4) T_link_shape; m. Not inherited by children of the link."""
    color: tuple[float, float, float, float] | None = None
    """Red, green, blue and opacity, 0 to 1; None for the mesh's own or the viewer's."""

    def __post_init__(self) -> None:
        """Keep a read-only copy of the transform. Raises InputError for wrong arguments."""
        object.__setattr__(self, 'placement', _placement_of(self.shape, self.placement))


@dataclass(frozen=True, eq=False)
class Collision(Immutable):
    """A shape of a link, or a part of it, for collision checks."""

    shape: Shape
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))  # (4, 4) T_link_shape; m

    def __post_init__(self) -> None:
        """Keep a read-only copy of the transform. Raises InputError for wrong arguments."""
        object.__setattr__(self, 'placement', _placement_of(self.shape, self.placement))


def _placement_of(shape: object, placement: object) -> np.ndarray:
    """Return a read-only copy of a shape's transform (4, 4), m. Raises InputError."""
    if not isinstance(shape, Shape):
        raise InputError(f'a shape must be a Box, Cylinder, Capsule, Sphere or Mesh, not '
                         f'{shown(shape)}')
    T_link_shape = floats(placement, 'the placement of a shape')
    if T_link_shape.shape != (4, 4):
        raise InputError('the placement of a shape must have the shape (4, 4), not '
                         f'{T_link_shape.shape}')
    return frozen_copy(T_link_shape)

"""What a link looks like: shapes, each with a transform that readies it.

That transform is the node's own [Parent 5.2]: it places the shape on its link and is never
inherited by the links that hang on it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class Box(NamedTuple):
    """A box about its middle."""

    size: tuple[float, float, float]
    """m, along x, y and z."""


class Cylinder(NamedTuple):
    """A cylinder about its middle, along z."""

    radius: float
    length: float


class Sphere(NamedTuple):
    """A sphere about its middle."""

    radius: float


class Mesh(NamedTuple):
    """A mesh in a file."""

    filename: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Shape = Box | Cylinder | Sphere | Mesh


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape on a link."""

    shape: Shape
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    """(4, 4) T_link_shape; m. Readies the shape only; children of the link don't inherit it."""
    color: tuple[float, float, float, float] | None = None
    """Red, green, blue and opacity, 0 to 1; None for the mesh's own or the viewer's."""

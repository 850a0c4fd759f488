"""A regular grid of cubes around an arm."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import binary_erosion

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain, check_chain
from ik_node.support.arguments import floats, shaped, whole
from ik_node.support.exceptions import InputError, shown
from ik_node.workspace.sampling import configurations, reach_scale

MOST_VOXELS = 4_000_000

_SAMPLES = 128               # to find the axes along which the tip never moves
_MOTIONLESS = 1e-4            # of the reach: 1.5708 for a right angle moves a tip by a few 1e-5
_ACROSS = {1: 200, 2: 100, 3: 40}  # voxels across the reach where no edge is given


@dataclass(frozen=True)
class Voxels:
    """Cubes that fill a box in a chain's base frame, numbered with z as the fastest index.

    Along a direction in which the tip never moves there is one layer of them, and the tip's
    coordinate lies in its middle.
    """

    origin: np.ndarray  # (3,) the lower corner of the box, m
    edge: float  # of a cube, m
    shape: tuple[int, int, int]  # how many cubes there are along x, y and z
    fixed_axes: tuple[bool, bool, bool]  # along which of x, y and z the tip never moves

    @classmethod
    def around(cls, chain: Chain, edge: float | None = None, bounds: Any = None,
               seed: int = 0) -> 'Voxels':
        """Return a grid that holds every position of a chain's tip.

        edge: m; by default a round number that puts some 40 voxels across the reach, 100 where
        the arm is planar. bounds: (2, 3) the lower and the upper corner of the region, m, base
        frame; by default all that the tip can reach. Raises InputError for an edge that is not
        above zero, bounds that enclose nothing, and grids of more than `MOST_VOXELS`;
        UnsupportedError for a prismatic joint without limits.
        """
        check_chain(chain)
        seed = whole(seed, 'seed')
        tips = np.array([chain.forward(q)[:3, 3]
                         for q in configurations(chain, _SAMPLES, seed)])
        fixed_axes = np.ptp(tips, axis=0) <= _MOTIONLESS * reach_scale(chain)
        if bounds is None:
            centre, radius, *_ = extent(chain.arrays)
            lower, upper = centre - radius, centre + radius
        else:
            lower, upper = _bounds(bounds)
        dimension = int(3 - fixed_axes.sum())
        size = float((upper - lower)[~fixed_axes].max(initial=0.0)) or reach_scale(chain)
        edge = _round(size / _ACROSS[dimension or 3]) if edge is None else _edge(edge)
        shape = _shape(upper - lower, edge, fixed_axes)
        if math.prod(shape) > MOST_VOXELS:
            raise InputError(f'{" × ".join(map(str, shape))} voxels with an edge of {edge:g} m are '
                             f'{math.prod(shape)}, at most {MOST_VOXELS} are allowed; an edge of '
                             f'{_edge_that_fits(upper - lower, edge, fixed_axes):g} m is large '
                             'enough')
        middle, level = 0.5 * (lower + upper), tips.mean(axis=0)
        # A plane outside the bounds is ignored: the layer stays inside them.
        middle = np.where(fixed_axes & (lower <= level) & (level <= upper), level, middle)
        origin = middle - 0.5 * edge * np.array(shape)
        origin.flags.writeable = False
        x, y, z = fixed_axes.tolist()
        return cls(origin, edge, shape, (x, y, z))

    @property
    def size(self) -> int:
        """How many voxels there are."""
        return math.prod(self.shape)

    @property
    def dimension(self) -> int:
        """Along how many of the base's axes the tip moves, 0 to 3."""
        return 3 - sum(self.fixed_axes)

    @property
    def cell(self) -> float:
        """The measure of one voxel in the directions in which the tip moves: m³, m² or m."""
        return self.edge ** self.dimension

    def centres(self, numbers: np.ndarray) -> np.ndarray:
        """Return the centres (k, 3), m, base frame, of voxels given by their numbers (k,)."""
        places = np.stack(np.unravel_index(numbers, self.shape), axis=-1)
        return self.origin + self.edge * (places + 0.5)

    def surface(self, numbers: np.ndarray) -> np.ndarray:
        """Return those of voxels (k,) of which a face is not covered by another one of them.

        As a mask (k,). Where the tip stays in a plane or on a line all of them are on the surface.
        """
        if any(self.fixed_axes):
            return np.ones(len(numbers), bool)
        inside = np.zeros(self.shape, bool)
        inside.flat[numbers] = True
        return ~binary_erosion(inside).flat[numbers]


def _bounds(bounds: Any) -> tuple[np.ndarray, np.ndarray]:
    corners = shaped(bounds, (2, 3), 'bounds, two corners in m,')
    if not (corners[0] < corners[1]).all():
        raise InputError('the first corner of bounds must be below the second along every axis, '
                         f'not {corners[0].tolist()} and {corners[1].tolist()}')
    return corners[0], corners[1]


def _edge(edge: Any) -> float:
    number = floats(edge, 'the edge of a voxel')
    if number.shape != () or not number > 0.0:
        raise InputError(f'the edge of a voxel must be a number above 0 (m), not {shown(edge)}')
    return float(number)


def _shape(extent: np.ndarray, edge: float, fixed_axes: np.ndarray) -> tuple[int, int, int]:
    """Return the numbers of voxels that cover the extent (3,), m."""
    # A rounding error beyond a whole number of voxels needs no further voxel.
    x, y, z = np.where(fixed_axes, 1, np.maximum(np.ceil(extent / edge - 1e-9), 1)).tolist()
    return int(x), int(y), int(z)


def _edge_that_fits(extent: np.ndarray, edge: float, fixed_axes: np.ndarray) -> float:
    """Return an edge, m, with two digits, that makes few enough voxels."""
    while math.prod(_shape(extent, edge, fixed_axes)) > MOST_VOXELS:
        digit = 10.0 ** (math.floor(math.log10(edge)) - 1)
        edge = digit * math.ceil(1.02 * edge / digit)
    return edge


def _round(length: float) -> float:
    """Return which of 1, 2, 5, 10, … times a power of ten is nearest a length, by ratio."""
    decade = 10.0 ** math.floor(math.log10(length))
    return min((step * decade for step in (1.0, 2.0, 5.0, 10.0)),
               key=lambda number: abs(math.log(number / length)))

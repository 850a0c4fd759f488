"""A regular grid of cubes around an arm."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_erosion

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain, check_chain
from ik_node.support.arguments import positive, whole
from ik_node.support.exceptions import InputError
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
    def around(cls, chain: Chain, edge: float | None = None, seed: int = 0) -> 'Voxels':
        """Return a grid that holds every position of a chain's tip.

        edge: m; by default a round number that puts some 40 voxels across the reach, 100 where
        the arm is planar. Raises InputError for an edge that is not above zero, and grids of more
        than `MOST_VOXELS`; UnsupportedError for a prismatic joint without limits.
        """
        check_chain(chain)
        tips = chain.record.poses(configurations(chain, _SAMPLES, whole(seed, 'seed')))[:, :3, 3]
        fixed_axes = np.ptp(tips, axis=0) <= _MOTIONLESS * reach_scale(chain)
        centre, radius, *_ = extent(chain.arrays)
        dimension, width = int(3 - fixed_axes.sum()), 2.0 * radius or reach_scale(chain)
        edge = _round(width / _ACROSS[dimension or 3]) if edge is None else positive(
            edge, 'the edge of a voxel (m)')
        # A rounding error beyond a whole number of voxels needs no further voxel.
        across = max(math.ceil(2.0 * radius / edge - 1e-9), 1)
        x, y, z = fixed_axes.tolist()
        shape = 1 if x else across, 1 if y else across, 1 if z else across
        if math.prod(shape) > MOST_VOXELS:
            raise InputError(f'{" × ".join(map(str, shape))} voxels with an edge of {edge:g} m are '
                             f'{math.prod(shape)}, at most {MOST_VOXELS} are allowed; use a larger '
                             'edge')
        origin = np.where(fixed_axes, tips.mean(axis=0), centre) - 0.5 * edge * np.array(shape)
        origin.flags.writeable = False
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


def _round(length: float) -> float:
    """Return which of 1, 2, 5, 10, … times a power of ten is nearest a length, by ratio."""
    decade = 10.0 ** math.floor(math.log10(length))
    return min((step * decade for step in (1.0, 2.0, 5.0, 10.0)),
               key=lambda number: abs(math.log(number / length)))

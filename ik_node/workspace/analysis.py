"""Workspace analysis of an arm: `analyse_workspace` returns a `Workspace`.

Reachability maps say what is reachable: one of positions, and for dexterity one of poses. The
**dexterity** of a voxel is the part, 0 to 1, of a set of evenly spread orientations that the tip
can take at the voxel's centre; a voxel is **dexterous** where it takes them all. It is the
reachability index of the capability map [Zacharias, Borst & Hirzinger, Capturing Robot Workspace
Structure: Representing Robot Capabilities, IROS 2007]. Rotations about axes that the arm leaves
free do not count; where all are free, as of a planar 2R, dexterity is 0.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.support.arguments import whole
from ik_node.support.exceptions import InputError, shown, unknown
from ik_node.workspace.filling import Report
from ik_node.workspace.reachability import ReachabilityMap, position_map, reachability_map
from ik_node.workspace.sampling import (
    configurations,
    orientations,
    reach_scale,
    scaled_tip_jacobians,
)
from ik_node.workspace.task_rank import TaskRank, task_rank
from ik_node.workspace.voxels import Voxels

FIGURES = ('reachable', 'manipulability', 'conditioning', 'dexterity')

_DIRECTIONS, _TURNS = 18, 36  # of the map for dexterity
_FINER = 2                    # are the cells of maps than voxels, in a plane
_AT_ONCE = 1 << 17            # poses that are evaluated
_PARTLY = -0.75               # cells: a border so near a centre is inside a voxel, on average
_LOOKED_AT = 4096             # configurations, of which …
_EXTREMES = 4                 # … so many lead to the nearest and the farthest position


@dataclass(frozen=True)
class Workspace:
    """The workspace of a tip in voxels: what is reachable at their centres."""

    chain: Chain
    voxels: Voxels
    task: TaskRank
    """The axes that the arm serves; manipulability and conditioning are those of these axes."""
    numbers: np.ndarray
    """(k,) the reachable voxels, as `voxels` numbers them; the order of every array below."""
    centre_reachable: np.ndarray
    """(k,) whether the tip reaches the voxel's centre, in any orientation, and not only a part."""
    manipulability: np.ndarray
    """(k,) the best √det(J Jᵀ) found at the centre, over the served axes [Yoshikawa 1985], in m and
    rad; 0 where the centre is not reachable."""
    conditioning: np.ndarray
    """(k,) σ_min/σ_max, 0 to 1, of that configuration, linear rows divided by `length_scale`."""
    dexterity: np.ndarray | None
    """(k,) the part of all orientations, 0 to 1, at the centre; None if not requested."""
    map: ReachabilityMap | None  # of dexterity; None without
    orientations: int  # how many were tried at each centre
    length_scale: float  # m
    reach_centre: np.ndarray
    """(3,) m, base frame: a point on the first axis, from which the reach is measured."""
    reach: tuple[float, float]
    """The smallest and the largest distance of the tip from `reach_centre`, m, in the directions
    in which the tip moves; of the whole arm, wherever the voxels are."""

    @property
    def centres(self) -> np.ndarray:
        """(k, 3) the centres of the reachable voxels, m, base frame."""
        return self.voxels.centres(self.numbers)

    @property
    def volume(self) -> float:
        """The measure of the reachable workspace in `unit`: of the voxels with reachable centres.

        Voxels that the border cuts count whole or not at all; the errors cancel on average.
        """
        return float(self.centre_reachable.sum() * self.voxels.cell)

    @property
    def unit(self) -> str:
        """The unit of volumes: m³, of an arm that stays in a plane along the base's axes m²."""
        return ('', 'm', 'm²', 'm³')[self.voxels.dimension]

    @property
    def dexterous(self) -> np.ndarray:
        """(k,) whether the tip takes every orientation at the centre. Raises as `values`."""
        return self.values('dexterity') == 1.0

    def describe(self) -> str:
        """Return the results as lines of text, the main figures in the first."""
        voxels, (nearest, farthest) = self.voxels, self.reach
        at = ', '.join(f'{number:.4g}' for number in np.round(self.reach_centre, 6) + 0.0)
        inside = int(self.centre_reachable.sum())
        lines = [f'reach {nearest:.3f} to {farthest:.3f} m from ({at}), reachable '
                 f'{self.volume:.4g} {self.unit}'.rstrip(),
                 f'{len(self.numbers)} of {voxels.size} voxels of {voxels.edge:g} m, the centres '
                 f'of {inside}',
                 self.task.describe()]
        if len(self.numbers):
            lines.append(f'best manipulability {self.manipulability.max():.4g}, best conditioning '
                         f'{self.conditioning.max():.3f} at a length scale of '
                         f'{self.length_scale:.4g} m')
        if self.dexterity is not None:
            dexterous = int(self.dexterous.sum())
            lines.append(f'dexterous {dexterous * voxels.cell:.4g} {self.unit}, '.replace(' ,', ',')
                         + f'{100.0 * dexterous / max(inside, 1):.1f} % of the reachable, with '
                         f'{self.orientations} orientations')
        return '\n'.join(lines)

    def values(self, figure: str) -> np.ndarray:
        """Return one of `FIGURES` for the reachable voxels (k,).

        "reachable" is 1 where the centre is reachable and 0.5 where only a part of the voxel is.
        Raises InputError for an unknown figure, and for dexterity that was not requested.
        """
        if not isinstance(figure, str) or figure not in FIGURES:
            raise InputError(unknown('figure', figure, FIGURES))
        if figure == 'reachable':
            return np.where(self.centre_reachable, 1.0, 0.5)
        values = getattr(self, figure)
        if values is None:
            raise InputError('dexterity was not computed: call analyse_workspace with a number of '
                             'orientations, dexterity=… (on the command line --dexterity N)')
        return values

    def grid(self, figure: str) -> np.ndarray:
        """Return one of `FIGURES` as a grid of `voxels.shape`, NaN where nothing is reachable."""
        grid = np.full(self.voxels.size, np.nan)
        grid[self.numbers] = self.values(figure)
        return grid.reshape(self.voxels.shape)


def analyse_workspace(chain: Chain, edge: float | None = None, *, dexterity: int = 0,
                      map: ReachabilityMap | None = None, progress: Report | None = None,
                      seed: int = 0) -> Workspace:
    """Return the workspace of a chain's tip.

    edge: of a voxel, m, by default chosen for the arm, see `Voxels.around`; dexterity: how many
    orientations are tried at every centre, 0 for none; map: of the arm, for dexterity, by default
    one is made; progress: called with the part that is done, 0 to 1, and the name of the stage. The
    same seed gives the same result. Raises InputError for invalid numbers, and a map of another
    arm, UnsupportedError for a prismatic joint without limits, and for dexterity of a tip that
    stays on a surface.
    """
    if progress is not None and not callable(progress):
        raise InputError(f'progress must be a function, not {shown(progress)}')
    count = whole(dexterity, 'dexterity (a number of orientations)', 0)
    voxels = Voxels.around(chain, edge, seed)
    if map is not None:
        map.check_chain(chain)
    makes = bool(count) and map is None
    task, length = task_rank(chain, seed), reach_scale(chain)
    resolution = voxels.edge / (1 if voxels.dimension == 3 else _FINER)
    positions, q = position_map(chain, resolution, _scaled(progress, 0.0, 0.2 if makes else 1.0),
                                seed)
    found = _evaluated(positions, voxels, np.arange(voxels.size), np.eye(3)[None])[:, 0]
    if voxels.dimension == 0:  # the tip never moves
        found[:, 3] = 1.0
    numbers = np.flatnonzero(found[:, 3] > _PARTLY)
    found = found[numbers]
    inside, part = found[:, 3] > 0.0, None
    if makes:
        map = reachability_map(chain, resolution, _DIRECTIONS, _TURNS, seed=seed,
                               progress=_scaled(progress, 0.2, 1.0))
    if count and map is not None:
        part = np.zeros(len(numbers))
        if map.lattice.weights[3:].any():
            part[inside] = (_evaluated(map, voxels, numbers[inside], orientations(
                chain, count, seed))[..., 0] > 0.0).mean(axis=1)
    conditioning = np.zeros(len(q), np.float32)
    if task.rank:
        J = scaled_tip_jacobians(chain, q, length)[:, task.weights > 0.0]
        sigma = np.linalg.svd(J, compute_uv=False)
        conditioning[:] = sigma[:, -1] / np.maximum(sigma[:, 0], np.finfo(float).tiny)
    centre = extent(chain.arrays).centre
    return Workspace(
        chain, voxels, task, numbers, inside, found[:, 1] * bool(task.rank),
        _evaluated(positions, voxels, numbers, np.eye(3)[None], conditioning)[:, 0, 1], part,
        map, count, length, centre, _reach(chain, voxels, centre, seed))


def _evaluated(map: ReachabilityMap, voxels: Voxels, numbers: np.ndarray, R: np.ndarray,
               values: np.ndarray | None = None) -> np.ndarray:
    """Return `map.evaluate` at the centres of voxels (k,), in orientations (t, 3, 3): (k, t, 4)."""
    found, some = np.empty((len(numbers), len(R), 4)), max(_AT_ONCE // len(R), 1)
    for first in range(0, len(numbers), some):
        part = slice(first, first + some)
        T = np.tile(np.eye(4), (len(numbers[part]), len(R), 1, 1))
        T[..., :3, :3], T[..., :3, 3] = R, voxels.centres(numbers[part])[:, None]
        found[part] = map.evaluate(T, values)
    return found


def _reach(chain: Chain, voxels: Voxels, centre: np.ndarray, seed: int) -> tuple[float, float]:
    """Return the smallest and the largest distance of the tip from centre (3,), m.

    Found by minimisation from the best of some sampled configurations.
    """
    moves = ~np.array(voxels.fixed_axes)
    starts_at = configurations(chain, _LOOKED_AT, seed)
    tips = chain.record.poses(starts_at)[:, :3, 3]
    nearest_first = np.argsort(np.linalg.norm((tips - centre)[:, moves], axis=1), kind='stable')
    limits = list(zip(chain.lower, chain.upper))

    def distance(q: np.ndarray, sign: float) -> tuple[float, np.ndarray]:
        # |p − c|² and its gradient 2 Jᵀ (p − c)
        away = (chain.forward(q)[:3, 3] - centre) * moves
        return sign * float(away @ away), sign * 2.0 * chain.jacobian(q)[:3].T @ away

    def extreme(sign: float, starts: np.ndarray) -> float:
        best = min(float(minimize(distance, starts_at[start], (sign,), jac=True,
                                  method='L-BFGS-B', bounds=limits).fun) for start in starts)
        return float(np.sqrt(max(sign * best, 0.0)))
    return extreme(1.0, nearest_first[:_EXTREMES]), extreme(-1.0, nearest_first[-_EXTREMES:])


def _scaled(report: Report | None, first: float, last: float) -> Report:
    """Return the report of a map that is made between two parts of the whole."""
    def progress(done: float, stage: str) -> None:
        if report is not None:
            report(first + (last - first) * done, stage)
    return progress

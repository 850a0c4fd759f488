"""Workspace analysis of an arm: `analyse_workspace` returns a `Workspace`."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.support.arguments import whole
from ik_node.support.exceptions import InputError, shown, unknown
from ik_node.workspace.occupancy import Occupancy
from ik_node.workspace.reachable import Progress, mark_samples, solve_centres
from ik_node.workspace.reachable import dexterity as dexterity_of
from ik_node.workspace.sampling import ConfigurationSampler, reach_scale
from ik_node.workspace.task_rank import TaskRank, task_rank
from ik_node.workspace.voxels import Voxels

FIGURES = ('reachable', 'manipulability', 'conditioning', 'dexterity')

Report = Callable[[float, str], None]  # part of the whole, 0 to 1; name of the stage

_PAUSE = 0.1                  # s between two reports
_PER_VOXEL = 20               # samples, by default
_FEWEST, _MOST = 1 << 15, 1 << 20
_LOOKED_AT = 12               # power of two of configurations, of which …
_EXTREMES = 4                     # … so many lead to the nearest and the farthest position


@dataclass(frozen=True)
class Workspace:
    """The workspace of a tip in voxels; see `reachable` for the definitions."""

    chain: Chain
    voxels: Voxels
    task: TaskRank
    """The axes that the arm serves; manipulability and conditioning are those of these axes."""
    numbers: np.ndarray
    """(k,) the reachable voxels, as `voxels` numbers them; the order of every array below."""
    centre_reachable: np.ndarray
    """(k,) whether the tip reaches the voxel's centre, and not only the voxel."""
    samples: np.ndarray
    """(k,) how many of the sampled configurations put the tip inside; 0 where only IK did."""
    manipulability: np.ndarray
    """(k,) the best √det(J Jᵀ) found over the served axes [Yoshikawa 1985], in m and rad."""
    conditioning: np.ndarray
    """(k,) the best σ_min/σ_max found, 0 to 1, the linear rows of J divided by `length_scale`."""
    dexterity: np.ndarray | None
    """(k,) the part of all orientations, 0 to 1, at the centre; None if not requested."""
    orientations: int  # how many were tried at each centre
    configurations: np.ndarray
    """(k, n) the configuration found whose tip is nearest the voxel's centre, rad or m."""
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


def analyse_workspace(chain: Chain, edge: float | None = None, *, samples: int | None = None,
                      dexterity: int = 0, bounds: Any = None, progress: Report | None = None,
                      seed: int = 0) -> Workspace:
    """Return the workspace of a chain's tip.

    edge: of a voxel, m; samples: how many configurations are drawn; dexterity: how many
    orientations are tried at every centre, 0 for none; bounds: (2, 3), m, base frame, the region;
    defaults are chosen for the arm, see `Voxels.around`. progress: called with the part that is
    done, 0 to 1, and the name of the stage. The same seed gives the same result. Raises InputError
    for invalid numbers, UnsupportedError for a prismatic joint without limits.
    """
    if progress is not None and not callable(progress):
        raise InputError(f'progress must be a function, not {shown(progress)}')
    orientations = whole(dexterity, 'dexterity (a number of orientations)', 0)
    voxels = Voxels.around(chain, edge, bounds, seed)
    count = (min(max(_PER_VOXEL * voxels.size, _FEWEST), _MOST) if samples is None
             else whole(samples, 'samples', 1))
    task, length = task_rank(chain, seed), reach_scale(chain)
    sampled, solved = 1.0 / (4.0 + orientations), 4.0 / (4.0 + orientations)  # of the time
    found = Occupancy(chain, voxels, task.weights > 0.0)
    mark_samples(found, count, seed, _stage(progress, 'sampling configurations', 0.0, sampled))
    at_centre = solve_centres(found, seed, _stage(progress, 'solving for centres', sampled, solved))
    numbers = np.flatnonzero(found.reached)
    part = None
    if orientations:
        part, inside = np.zeros(len(numbers)), at_centre[numbers]
        part[inside] = dexterity_of(found, task.weights, numbers[inside], orientations,
                                    _stage(progress, 'testing orientations', solved, 1.0), seed)
    centre = extent(chain.arrays).centre
    return Workspace(
        chain, voxels, task, numbers, at_centre[numbers], found.samples[numbers],
        found.manipulability[numbers], found.conditioning[numbers], part, orientations,
        found.configuration[numbers], length, centre, _reach(chain, voxels, centre, seed))


def _reach(chain: Chain, voxels: Voxels, centre: np.ndarray, seed: int) -> tuple[float, float]:
    """Return the smallest and the largest distance of the tip from centre (3,), m.

    Found by minimisation from the best of some sampled configurations.
    """
    moves = ~np.array(voxels.fixed_axes)
    configurations = ConfigurationSampler(chain, seed).next(_LOOKED_AT)
    tips = chain.record.poses(configurations)[:, :3, 3]
    nearest_first = np.argsort(np.linalg.norm((tips - centre)[:, moves], axis=1), kind='stable')
    limits = list(zip(chain.lower, chain.upper))

    def distance(q: np.ndarray, sign: float) -> tuple[float, np.ndarray]:
        # |p − c|² and its gradient 2 Jᵀ (p − c)
        away = (chain.forward(q)[:3, 3] - centre) * moves
        return sign * float(away @ away), sign * 2.0 * chain.jacobian(q)[:3].T @ away

    def extreme(sign: float, starts: np.ndarray) -> float:
        best = min(float(minimize(distance, configurations[start], (sign,), jac=True,
                                  method='L-BFGS-B', bounds=limits).fun) for start in starts)
        return float(np.sqrt(max(sign * best, 0.0)))
    return extreme(1.0, nearest_first[:_EXTREMES]), extreme(-1.0, nearest_first[-_EXTREMES:])


def _stage(report: Report | None, name: str, first: float, last: float) -> Progress:
    """Return the function that a stage calls with its own progress, 0 to 1, at any time.

    first, last: of the whole, at its ends. The progress that is reported never decreases.
    """
    most, at = first, -_PAUSE

    def progress(done: float) -> None:
        nonlocal most, at
        most, now = max(most, first + (last - first) * done), time.monotonic()
        if report is not None and (now - at >= _PAUSE or done >= 1.0):
            at = now
            report(most, name)
    return progress

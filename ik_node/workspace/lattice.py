"""The lattice of a reachability map: what a chain's poses are reduced to, and the cells of it."""

import math
from typing import NamedTuple

import numpy as np

from ik_node.kinematics.kinds import REVOLUTE
from ik_node.kinematics.reach import extent
from ik_node.kinematics.structures import ChainArrays
from ik_node.model.chain import Chain
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy
from ik_node.spatial import inverse, pose_from_rotation, turn_z_onto
from ik_node.support.exceptions import InputError, UnsupportedError
from ik_node.workspace.sampling import configurations, only_axis, ranges
from ik_node.workspace.task_rank import task_rank

MOST_CELLS = 1 << 27   # with their turns
MOST_IN_CHUNKS = 1 << 34
HEADINGS = 60          # as in `cells`

_SAMPLES = 8192
_MARGIN = 0.08          # of the reach, beyond the sampled positions
_STILL = 1e-4           # of the reach: directions in which the tip does not move
_PARALLEL = 1e-4
_LOOKS, _LOOKS_AT_POSITION, _BINS_OF_POSITION = 3, 384, 16
_FLIP = np.diag([1.0, -1.0, -1.0, 1.0])


class Lattice(NamedTuple):
    """The cells of a map, see `cells` for the coordinates."""

    T_joint_base: np.ndarray
    """(4, 4) the base seen from the first joint where that is left out of the cells, m."""
    T_tip_wrist: np.ndarray
    """(4, 4) the frame whose third axis the last joint turns about, or that may turn freely."""
    origin: np.ndarray  # (4,) lower edges of x, y, z in m and θ in rad
    step: np.ndarray  # (4,) widths of the cells
    shape: tuple[int, int, int, int]
    turns: int
    reduced: bool
    polar: bool
    weights: np.ndarray
    """(6,) of goals, see `Goal`: 0 for rotations that do not count."""
    structure: str

    @property
    def size(self) -> int:
        """How many cells there are."""
        return math.prod(self.shape)


class SamplingPlan(NamedTuple):
    """How the cells of a chain are sampled; n joints."""

    arrays: ChainArrays  # of the first joint to the wrist; joints that are left out have no limits
    first: int  # the joint that changes only the heading, −1 without one
    last: int  # the joint that changes only the turn, −1 without one
    sign: float  # of the turn to that joint's value
    has_turn: bool
    ranges: np.ndarray
    """(2, 2) of these joints, rad; that of the last times its sign."""
    low: np.ndarray  # (n,) the samples begin there,
    span: np.ndarray  # (n,) and extend so far: not at all for these joints
    shift: np.ndarray  # (n,) the first sample, of the span,
    stride: np.ndarray  # (n,) and the difference to the next one
    weights: np.ndarray
    """(6,) one over the widths of the cells, 0 for rows that do not count: 1/m, 1/rad."""
    measured: np.ndarray  # (6,) these weights for manipulability
    bins: int  # of a cell, of which a sample opens one: where a joint is not left out
    looks: int  # configurations at a centre, of which the best manipulability counts
    volume: float  # manipulability in m and rad of one in cells


def plan_of(chain: Chain, resolution: float, directions: int, turns: int,
            seed: int, most: int = MOST_CELLS, oriented: bool = True
            ) -> tuple[Lattice, SamplingPlan]:
    """Return the lattice of a chain, and how it is filled.

    oriented: whether orientations count; else cells are those of positions, and manipulability
    still that of all axes that the arm serves. Raises UnsupportedError where the tip stays on a
    surface or a line that is not along the axes of the lattice, if oriented, and InputError for
    more than `most` cells.
    """
    arrays, task, scale = chain.arrays, task_rank(chain, seed), extent(chain.arrays)
    low, high = ranges(chain)
    T_base_tip = chain.record.poses(configurations(chain, _SAMPLES, seed))
    sequence = low_discrepancy(2, chain.n_joints, seed, 0)
    first = _reducible(arrays, 0)
    if not oriented and np.ptp(T_base_tip[:, :3, 3], axis=0).min() <= _STILL * scale.reach:
        first = first and bool(np.ptp([low[0], high[0]]) >= 2.0 * math.pi - 1e-6)  # few cells
    T_joint_base = inverse(arrays.placement[0]) if first else np.eye(4)
    served = int((task.weights[3:] > 0.0).sum()) if oriented else 0
    axis = only_axis(chain, seed)
    polar = served < 2
    by_angle = served == 1 and axis is not None
    if by_angle and axis is not None and not first:
        T_joint_base = inverse(pose_from_rotation(turn_z_onto(axis)))
    T_tip_wrist, sign, last = np.eye(4), 1.0, False
    if served == 2:
        T_tip_wrist = pose_from_rotation(turn_z_onto(np.eye(3)[int(np.argmin(task.weights[3:]))]))
    elif served == 3 or by_angle:
        last = len(arrays.kind) > 1 and _reducible(arrays, -1)
        tool = arrays.placement[-1]
        T_tip_wrist = inverse(tool) @ pose_from_rotation(np.eye(3), (0.0, 0.0, tool[2, 3]))
        if by_angle:
            z = (T_joint_base @ T_base_tip[0] @ T_tip_wrist)[2, 2]
            last = last and abs(z) > 1.0 - _PARALLEL
            if last and z < 0.0:
                T_tip_wrist, sign = T_tip_wrist @ _FLIP, -1.0
            elif not last:
                T_tip_wrist = pose_from_rotation((T_joint_base @ T_base_tip[0])[:3, :3].T)
        elif not last:
            T_tip_wrist = np.eye(4)
    T = T_joint_base @ T_base_tip @ T_tip_wrist
    has_turn = served == 3 or by_angle
    lattice = _lattice(T, T_joint_base, T_tip_wrist, resolution, directions, scale.reach,
                       turns if has_turn else 1, bool(first), polar, most)
    moves = np.array(lattice.shape[:3]) > 1
    moves[1] |= polar and bool(first)
    if oriented and int(moves.sum()) > int((task.weights[:3] > 0.0).sum()):
        raise UnsupportedError(
            f'a map of {chain.tip_link!r} is not supported: it {task.describe()}, and stays on a '
            'surface or a line that is not along the axes of the map')
    weights = np.append(moves / resolution, np.zeros(3))
    per_turn = directions / math.pi
    if served == 3:
        weights[3:] = per_turn
    elif served == 2:
        weights[3:5] = per_turn
    elif by_angle and not last:
        weights[5] = per_turn
    lower, upper = chain.lower.copy(), chain.upper.copy()
    reach = np.zeros((2, 2))
    for at, is_reduced, k in ((0, first, 0), (1, last, -1)):
        if is_reduced:
            column = arrays.column[k]
            reach[at] = np.sort((sign if at else 1.0) * np.array([low[column], high[column]]))
            if not np.isfinite(chain.upper[column] - chain.lower[column]):
                reach[at] = -math.pi, math.pi
            low[column] = high[column] = 0.0
            lower[column], upper[column] = -math.inf, math.inf
    placement = arrays.placement.copy()
    placement[0] = T_joint_base @ placement[0]
    placement[-1] = placement[-1] @ T_tip_wrist
    measured = weights.copy()
    if not oriented:
        measured[3:] = task.weights[3:] > 0.0
    plan = SamplingPlan(arrays._replace(placement=placement, lower=lower, upper=upper),
                int(arrays.column[0]) if first else -1, int(arrays.column[-1]) if last else -1,
                sign, has_turn, reach, low, high - low, sequence[0],
                (sequence[1] - sequence[0]) % 1.0, weights, measured,
                (1 if first or polar else HEADINGS) * (1 if last else lattice.turns) if oriented
                else _BINS_OF_POSITION, _LOOKS if oriented else _LOOKS_AT_POSITION,
                float(1.0 / measured[measured > 0.0].prod()))
    whole = [bool(np.ptp(one) >= 2.0 * math.pi - 1e-6) for one in reach]
    goal = task.weights if served > 1 or by_angle else np.append(task.weights[:3], np.zeros(3))
    text = _structure(lattice, plan, served, by_angle, whole)
    return lattice._replace(weights=goal, structure=text), plan


def _reducible(arrays: ChainArrays, k: int) -> bool:
    return bool(arrays.kind[k] == REVOLUTE and not arrays.shared[k] and arrays.ratio[k] == 1.0)


def _lattice(T: np.ndarray, T_joint_base: np.ndarray, T_tip_wrist: np.ndarray, resolution: float,
             directions: int, reach: float, turns: int, reduced: bool, polar: bool,
             most: int) -> Lattice:
    """Return the lattice around sampled poses of the wrist T (k, 4, 4)."""
    p, margin = T[:, :3, 3], _MARGIN * reach + resolution
    low, high = p.min(axis=0) - margin, p.max(axis=0) + margin
    still = np.ptp(p, axis=0) <= _STILL * reach
    middle, count = 0.5 * (low + high), np.ceil((high - low) / resolution).astype(int)
    if reduced:
        radius = float(np.hypot(p[:, 0], p[:, 1]).max()) + margin
        middle[:2], count[:2] = 0.0, 2 * math.ceil(radius / resolution)
        if polar:
            count[:2] = math.ceil(radius / resolution), 1
    count = np.where(still & ~np.array([reduced, reduced, False]), 1, count)
    origin = middle - 0.5 * resolution * count
    if reduced and polar:
        origin[0] = 0.0
    inclinations = 1 if polar else directions
    shape = (int(count[0]), int(count[1]), int(count[2]), inclinations)
    if math.prod(shape) * turns > most:
        raise InputError(f'{" × ".join(map(str, shape))} cells with {turns} turns are '
                         f'{math.prod(shape) * turns}, at most {most} are allowed; use a '
                         'larger resolution, fewer directions and turns'
                         f'{", or chunks" * (most == MOST_CELLS)}')
    return Lattice(T_joint_base, T_tip_wrist, np.append(origin, -0.5 if polar else 0.0),
                   np.append(np.full(3, resolution), 1.0 if polar else math.pi / inclinations),
                   shape, turns, reduced, polar, np.ones(6), '')


def _structure(lattice: Lattice, plan: SamplingPlan, served: int, by_angle: bool,
               whole: list[bool]) -> str:
    """Return in words what the cells are, and which joints are left out of them."""
    by_turns = plan.has_turn and not (plan.last >= 0 and whole[1])
    parts = [f'{lattice.step[0]:g} m voxels',
             f'{lattice.shape[3]} directions' * (not lattice.polar),
             f'{lattice.turns} turns' * by_turns, 'headings' * (plan.first < 0)]
    dimension = sum(n > 1 for n in lattice.shape) + (plan.first < 0) + by_turns
    text = f'{dimension}D: ' + ' × '.join(filter(None, parts))
    if plan.first >= 0:
        text += '; the first joint turns ' + ('freely' if whole[0] else 'between its limits')
    if plan.last >= 0:
        text += '; the last joint turns ' + ('freely' if whole[1] else 'between its limits')
    if served == 2:
        text += '; the turn about one axis of the tip is left free'
    elif served < 3 and not by_angle:
        text += '; the orientation is left free'
    return text

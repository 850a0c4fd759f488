"""Blocks of cells of a map while it is filled: what is done to one, in any process, and on disk.

A block has some layers of cells along x, and of its neighbours the layers next to them. The bits of
a map are the same wherever its blocks are filled, and whatever their size is: samples change only
the cell that they fall into, in the order of their numbers, and a pass from neighbours reads only
what was reached in passes before it. So such a pass may be done twice to the same arrays, and its
neighbours may see it early.
"""

import functools
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.kinematics.forward import ChainRecord
from ik_node.model.chain import Chain
from ik_node.solvers.auto import AutoSolver
from ik_node.solvers.goal import Goal
from ik_node.spatial import inverse
from ik_node.support.exceptions import InputError
from ik_node.workspace.cells import Cells
from ik_node.workspace.filling_kernel import Filler
from ik_node.workspace.lattice import HEADINGS, Lattice, SamplingPlan

_RESTARTS = 20    # of a solve for a centre
_LEAST = 0.01     # cells: a centre is on one side of the border
_EXCHANGED = ('reached', 'q', 'offset')

State = Any  # arrays by name; the number of the step, where these are on disk; None at first


class Job(NamedTuple):
    """What is filled; it can be sent to other processes."""

    name: str  # differs between jobs of a process
    chain: Chain
    lattice: Lattice
    plan: SamplingPlan
    obstacles: tuple[Any, ...] | None  # None where collisions do not count
    folder: str | None  # of the blocks on disk
    in_place: bool  # whether arrays may be changed by every stage
    layers: int  # of a block

    @property
    def blocks(self) -> range:
        """The numbers of the blocks."""
        return range(math.ceil(self.lattice.shape[0] / self.layers))


def locate(job: Job, first: int, count: int) -> list[np.ndarray]:
    """Return for each block the samples of `count` from `first` on that fall into it."""
    layers = np.empty(count, np.int64)
    _filler(job._replace(obstacles=None), job.lattice,
            _zeros(job, job.lattice._replace(shape=(1, 1, 1, 1)))).locate(first, layers)
    blocks = layers // job.layers
    return [(first + np.flatnonzero(blocks == block)).astype(np.int64) for block in job.blocks]


def advance(job: Job, block: int, before: Any, step: int, stage: str,
            *arguments: Any) -> tuple[State, Any]:
    """Return the state of a block after a stage, and the stage's result: a number or a list.

    before: what this returned before, None at first. On disk a step that was done is not repeated.
    """
    state, lattice = before[0] if before is not None else None, _block_of(job, block)
    results: list[Any] = []
    if job.folder is not None:
        state, results = _read(job, block)
        if len(results) > step:
            return step, results[step]
    if state is None:
        state = _zeros(job, lattice)
    elif not job.in_place:
        state = _changeable(state, stage != 'spread')
    result = _STAGES[stage](job, lattice, state, block, *arguments)
    if job.folder is None:
        return state, result
    _write(job, block, state, [*results, result])
    return step, result


def edge(job: Job, block: int, after: tuple[State, Any], layer: int) -> dict[str, np.ndarray]:
    """Return what a neighbour needs of a block's first (1) or last (−2) layer of its own."""
    state = _read(job, block, _EXCHANGED)[0] if job.folder is not None else after[0]
    layers = _block_of(job, block).shape[0]
    return {name: state[name].reshape(layers, -1)[layer].copy() for name in _EXCHANGED}


def finish(job: Job, block: int, after: tuple[State, Any], *edges: Any) -> tuple[np.ndarray, ...]:
    """Return of the cells of a block: depth, manipulability, whether they have a row, and these.

    At last, where cells have no directions, the configurations (k, n) of the manipulability.
    """
    state = _changeable(_read(job, block)[0] if job.folder is not None else after[0])
    lattice = _block_of(job, block)
    _set_edges(lattice, state, edges)
    depth = _depths(lattice, state)
    inner = slice(lattice.size // lattice.shape[0], -(lattice.size // lattice.shape[0]))
    opened = state['opened'].reshape(lattice.size, -1)[inner]
    partial = (state['reached'][inner] > 0) & (opened != (1 << HEADINGS) - 1).any(axis=1)
    q = state['q'].reshape(lattice.size, -1)[inner if lattice.polar else slice(0)]
    return depth[inner], state['best'][inner], partial, opened[partial], q


def _draw(job: Job, lattice: Lattice, state: dict[str, np.ndarray], block: int,
          located: Sequence[Sequence[np.ndarray]]) -> list[int]:
    """Draw samples; return how many changed a cell, and how many cells are reached."""
    filler = _filler(job, lattice, state)
    changed = sum(filler.sample(numbers[block], 1) for numbers in located)
    return [changed, int(np.count_nonzero(state['reached']))]


def _spread(job: Job, lattice: Lattice, state: dict[str, np.ndarray], block: int,
            stamp: int, *edges: Any) -> int:
    """Attempt cells from neighbours; return how many are reached."""
    _set_edges(lattice, state, edges)
    _filler(job, lattice, state).spread(stamp)
    inner = state['reached'].reshape(lattice.shape[0], -1)[1:-1]
    return int(np.count_nonzero(inner == stamp))


def _solve(job: Job, lattice: Lattice, state: dict[str, np.ndarray], block: int, stamp: int,
           *edges: Any) -> int:
    """Solve with restarts for centres not reached next to reached ones; return how many were."""
    _set_edges(lattice, state, edges)
    plan, n, filler = job.plan, job.chain.n_joints, _filler(job, lattice, state)
    lower, upper = job.chain.lower.copy(), job.chain.upper.copy()
    for joint in (plan.first, plan.last):
        if joint >= 0:
            lower[joint], upper[joint] = -np.inf, np.inf
    solver = AutoSolver(job.chain.with_limits(lower, upper), max_restarts=_RESTARTS)
    back, ahead, T = inverse(lattice.T_joint_base), inverse(lattice.T_tip_wrist), np.empty((4, 4))
    reached, before = state['reached'], int(np.count_nonzero(state['reached']))
    for node, other in zip(*_border(lattice, np.where(reached < stamp, reached, 0))):
        q = state['q'][other * n:(other + 1) * n].astype(float)
        filler.goal_from(int(node), q, T)
        result = solver.solve(Goal.from_pose(back @ T @ ahead, lattice.weights, project=True), q)
        if result.success:
            filler.seed(int(node), result.q, stamp)
    return int(np.count_nonzero(reached)) - before


_STAGES: Mapping[str, Any] = {'draw': _draw, 'spread': _spread, 'solve': _solve}


def _block_of(job: Job, block: int) -> Lattice:
    """Return the cells of a block, with a layer of each neighbour."""
    lattice, first = job.lattice, block * job.layers
    origin = lattice.origin.copy()
    origin[0] += (first - 1) * lattice.step[0]
    return lattice._replace(origin=origin, shape=(
        min(job.layers, lattice.shape[0] - first) + 2, *lattice.shape[1:]))


def _zeros(job: Job, lattice: Lattice) -> dict[str, np.ndarray]:
    """Return the arrays of cells that `Filler` describes."""
    size = lattice.size
    return {'reached': np.zeros(size, np.int64), 'tries': np.zeros(size, np.int64),
            'best': np.zeros(size, np.float32), 'opened': np.zeros(size * lattice.turns, np.int64),
            'q': np.zeros(size * job.chain.n_joints, np.float32),
            'offset': np.zeros(4 * size, np.float32)}


def _filler(job: Job, lattice: Lattice, state: Mapping[str, np.ndarray]) -> Filler:
    scene = None if job.obstacles is None else _model(job.name, job.chain, job.obstacles).take()
    return Filler(ChainRecord(job.plan.arrays), Cells(lattice), job.plan, state['reached'],
                  state['tries'], state['best'], state['opened'], state['q'], state['offset'],
                  _heading_spans(), scene)


_models: dict[str, CollisionModel] = {}


def _model(name: str, chain: Chain, obstacles: tuple[Any, ...]) -> CollisionModel:
    """Return the model for collisions of a job, which each process makes once."""
    found = _models.get(name)
    if found is None:
        found = CollisionModel(chain, obstacles)
        _models.clear()
        _models[name] = found
    return found


@functools.lru_cache(1)
def _heading_spans() -> np.ndarray:
    """Return the bits of 0 to all headings from each one on, (headings (headings + 1),)."""
    return np.array([sum(1 << (first + k) % HEADINGS for k in range(count))
                     for first in range(HEADINGS) for count in range(HEADINGS + 1)], np.int64)


def _changeable(state: Mapping[str, np.ndarray], copies: bool = False) -> dict[str, np.ndarray]:
    """Return a state whose arrays may be written: those of other processes may not be."""
    return {name: array.copy() if copies or not array.flags.writeable else array
            for name, array in state.items()}


def _set_edges(lattice: Lattice, state: dict[str, np.ndarray], edges: Sequence[Any]) -> None:
    for layer, found in zip((0, -1), edges):
        for name, values in (found or {}).items():
            state[name].reshape(lattice.shape[0], -1)[layer] = values


def _border(lattice: Lattice, reached: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the inner cells (k,) not reached next to ones that are, and one of these (k,) each."""
    inside = reached.reshape(lattice.shape) > 0
    numbers = np.arange(inside.size).reshape(inside.shape)
    other = np.full(inside.shape, -1)
    for here, there, _, _ in _neighbours():
        view = other[here]
        view[:] = np.where(~inside[here] & inside[there], numbers[there], view)
    other[[0, -1]] = -1
    nodes = np.flatnonzero(other.ravel() >= 0)
    return nodes, other.ravel()[nodes]


def _depths(lattice: Lattice, state: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the distances (k,) of the cells' centres from the border, in cells, −1 to 1.

    Positive inside. Outside that to the nearest pose found. Inside that to the planes through the
    poses found next to it, at right angles to the offsets there.
    """
    shape = lattice.shape
    inside, offset = state['reached'].reshape(shape) > 0, state['offset'].reshape(*shape, 4)
    away = np.sqrt((offset ** 2).sum(axis=-1))
    depth = np.where(inside, 1.0, np.where(away > 0.0, -np.clip(away, _LEAST, 1.0), -1.0))
    for here, there, axis, sign in _neighbours():
        border = inside[here] & ~inside[there]
        distance = away[there][border]
        along = -sign * offset[there][border][:, axis] / np.maximum(distance, 1e-9) - distance
        along = np.where(distance > 0.0, along, 0.5)
        view = depth[here]
        view[border] = np.minimum(view[border], np.clip(along, _LEAST, 1.0))
    return np.asarray(depth.astype(np.float16).astype(np.float32).ravel())


def _neighbours() -> Iterator[tuple[Any, Any, int, int]]:
    """Yield the slices of cells and of their neighbours, the axis and the sign of the step."""
    for axis in range(4):
        for sign in (-1, 1):
            low, high = [slice(None)] * 4, [slice(None)] * 4
            low[axis], high[axis] = slice(0, -1), slice(1, None)
            here, there = (low, high) if sign > 0 else (high, low)
            yield tuple(here), tuple(there), axis, sign


def _file(job: Job, block: int) -> Path:
    return Path(str(job.folder), f'block-{block:04}.npz')


def _read(job: Job, block: int, wanted: Sequence[str] | None = None) -> tuple[State, list[Any]]:
    """Return the arrays of a block on disk, None without any, and the results of its steps."""
    file = _file(job, block)
    if not file.exists():
        return None, []
    try:
        with np.load(file, allow_pickle=False) as archive:
            state = {name: archive[name] for name in wanted or archive.files if name != 'results'}
            return state, json.loads(str(archive['results']))
    except Exception as error:  # of NumPy and zipfile
        raise InputError(f'{str(file)!r} is damaged ({error}): remove it, and the block is filled '
                         'again') from error


def _write(job: Job, block: int, state: Mapping[str, Any], results: list[Any]) -> None:
    """Replace the file of a block, only when all is written."""
    file = _file(job, block)
    part = file.with_suffix(f'.{os.getpid()}.part')
    try:
        with open(part, 'wb') as stream:
            np.savez(stream, results=np.array(json.dumps(results)), **state)
        os.replace(part, file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise

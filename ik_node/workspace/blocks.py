"""Blocks of cells of a map while it is filled: what is done to one, in any process, and on disk.

A block has some layers of cells along x, and sees of its neighbours the layers next to them.
Between stages only cells that were attempted are kept, and rows of bits only of those that are
reachable in part. The bits of a map are the same wherever its blocks are filled, and whatever their
size is: samples change only the cell that they fall into, in the order of their numbers, and a pass
from neighbours reads only what was reached in passes before it: on disk it may see later ones.
"""

import functools
import json
import math
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
from ik_node.support.bounds import replacing
from ik_node.support.exceptions import InputError
from ik_node.workspace.cells import Cells
from ik_node.workspace.filling_kernel import Filler
from ik_node.workspace.lattice import HEADINGS, Lattice, SamplingPlan

_RESTARTS = 20    # of a solve for a centre
_LEAST = 0.01     # cells: a centre is on one side of the border
_EXCHANGED = ('nodes', 'reached', 'q', 'offset')

Arrays = dict[str, np.ndarray]
"""What `Filler` describes. As a state of the cells `nodes` (k,) alone, numbered in the lattice, and
with the rows in their order; else of all cells of a block."""


class Job(NamedTuple):
    """What is filled; it can be sent to other processes."""

    name: str  # differs between jobs of a process
    chain: Chain
    lattice: Lattice
    plan: SamplingPlan
    obstacles: tuple[Any, ...] | None  # None where collisions do not count
    folder: str | None  # of the blocks on disk
    layers: int  # of a block

    @property
    def blocks(self) -> range:
        """The numbers of the blocks."""
        return range(math.ceil(self.lattice.shape[0] / self.layers))

    def shape(self, block: int) -> tuple[int, ...]:
        """Return the numbers of cells of a block, with a layer of each neighbour."""
        layers, *others = self.lattice.shape
        return min(self.layers, layers - block * self.layers) + 2, *others

    def begin(self, block: int) -> int:
        """Return the number in the lattice of the first cell of a block."""
        return (block * self.layers - 1) * math.prod(self.lattice.shape[1:])


def locate(job: Job, first: int, count: int) -> tuple[int, list[np.ndarray]]:
    """Return `first`, and for each block the samples that fall into it, and their cells (2, k).

    Of `count` samples, numbered from `first` on; cells are those of the block.
    """
    nodes = np.empty(count, np.int64)
    _filler(job._replace(obstacles=None), 0, _none(job)).locate(first, nodes)
    blocks = nodes // (job.layers * math.prod(job.lattice.shape[1:]))
    order = np.argsort(blocks.astype(np.int16), kind='stable')
    found = np.split(order, np.cumsum(np.bincount(blocks + 1, minlength=len(job.blocks))))[1:]
    return first, [np.array([own, nodes[own] - job.begin(block)], np.int32)
                   for block, own in zip(job.blocks, found)]


def advance(job: Job, block: int, before: Any, step: int, stage: str,
            *arguments: Any) -> tuple[Any, Any]:
    """Return the state of a block after a stage, and the stage's result: a number or a list.

    before: what this returned before, None at first. On disk the state is the number of the step,
    and a step that was done is not repeated.
    """
    results = results_of(job, block)
    if len(results) > step:
        return step, results[step]
    state, result = _STAGES[stage](job, block, _state(job, block, before), *arguments)
    if job.folder is None:
        return state, result
    _write(job, block, state, [*results, result])
    return step, result


def edge(job: Job, block: int, after: tuple[Any, Any], layer: int) -> Arrays:
    """Return what a neighbour needs of a block's first (1) or last (−2) layer of its own."""
    state, (layers, *others) = _state(job, block, after, _EXCHANGED), job.shape(block)
    there = (state['nodes'] - job.begin(block)) // math.prod(others) == layer % layers
    return {name: state[name][there] for name in _EXCHANGED}


def finish(job: Job, block: int, after: tuple[Any, Any], *edges: Any) -> tuple[np.ndarray, ...]:
    """Return of the cells of a block: depth, manipulability, whether they have a row, and these.

    At last, where cells have no directions, the configurations (k, n) of the manipulability.
    """
    state, layer = _state(job, block, after), math.prod(job.lattice.shape[1:])
    cells, inner = _dense(job, block, state, *edges), slice(layer, -layer)
    return (_depths(job.shape(block), cells)[inner], cells['best'][inner], cells['row'][inner] > 0,
            state['opened'], cells['q'][inner if job.lattice.polar else slice(0)])


def _draw(job: Job, block: int, state: Arrays, located: Sequence[Any]) -> tuple[Arrays, list[int]]:
    """Draw samples; return the state, how many changed a cell, and how many cells are reached."""
    cells = _dense(job, block, state)
    filler, changed = _filler(job, block, cells), 0
    for first, found in located:
        numbers, nodes = found[block].astype(np.int64)
        changed += filler.sample(first + numbers, nodes, 1)
    return _packed(job, block, cells), [changed, int(np.count_nonzero(cells['reached']))]


def _spread(job: Job, block: int, state: Arrays, stamp: int, *edges: Any) -> tuple[Arrays, int]:
    """Attempt cells from neighbours; return the state, and how many are reached."""
    cells = _dense(job, block, state, *edges)
    count = _filler(job, block, cells).spread(stamp)
    return _packed(job, block, cells), count


def _solve(job: Job, block: int, state: Arrays, stamp: int, *edges: Any) -> tuple[Arrays, int]:
    """Solve with restarts for centres not reached next to reached ones; return how many were."""
    cells, plan, lattice = _dense(job, block, state, *edges), job.plan, job.lattice
    filler, reached, count = _filler(job, block, cells), cells['reached'], 0
    lower, upper = job.chain.lower.copy(), job.chain.upper.copy()
    for joint in (plan.first, plan.last):
        if joint >= 0:
            lower[joint], upper[joint] = -np.inf, np.inf
    solver = AutoSolver(job.chain.with_limits(lower, upper), max_restarts=_RESTARTS)
    back, ahead, T = inverse(lattice.T_joint_base), inverse(lattice.T_tip_wrist), np.empty((4, 4))
    for node, other in zip(*_border((reached.reshape(job.shape(block)) > 0) & (
            reached.reshape(job.shape(block)) < stamp))):
        q = cells['q'][other].astype(float)
        filler.goal_from(int(node), q, T)
        result = solver.solve(Goal.from_pose(back @ T @ ahead, lattice.weights, project=True), q)
        if result.success:
            count += filler.seed(int(node), result.q, stamp)
    return _packed(job, block, cells), count


_STAGES: Mapping[str, Any] = {'draw': _draw, 'spread': _spread, 'solve': _solve}


def _none(job: Job) -> Arrays:
    """Return the state of a block at first."""
    numbers, values = np.zeros(0, np.int64), np.zeros(0, np.float32)
    return {'nodes': numbers, 'reached': numbers, 'tries': numbers, 'row': numbers, 'best': values,
            'q': values.reshape(0, job.chain.n_joints), 'offset': values.reshape(0, 4),
            'opened': numbers.reshape(0, job.lattice.turns)}


def _dense(job: Job, block: int, state: Arrays, *edges: Any) -> Arrays:
    """Return the arrays of all cells of a block, with rows for each that may come to need one."""
    size, begin, rows = math.prod(job.shape(block)), job.begin(block), state['opened']
    cells = {name: np.zeros((size, *array.shape[1:]), array.dtype)
             for name, array in state.items() if name not in ('nodes', 'opened')}
    for part in (state, *filter(None, edges)):
        for name in cells.keys() & part.keys():
            cells[name][part['nodes'] - begin] = part[name]
    cells['opened'] = np.zeros((1 + len(rows) + size, rows.shape[1]), np.int64)
    cells['opened'][1:1 + len(rows)] = rows
    return cells


def _packed(job: Job, block: int, cells: Arrays) -> Arrays:
    """Return the state of the cells of a block that were attempted."""
    nodes = np.flatnonzero(cells['tries'])
    state = {name: array[nodes] for name, array in cells.items() if name != 'opened'}
    partial = state['row'] > 0
    state['opened'] = cells['opened'][state['row'][partial]]
    state['row'][partial] = np.arange(1, 1 + len(state['opened']))
    return state | {'nodes': job.begin(block) + nodes}


def _filler(job: Job, block: int, cells: Arrays) -> Filler:
    scene = None if job.obstacles is None else _model(job.name, job.chain, job.obstacles).take()
    return Filler(ChainRecord(job.plan.arrays), Cells(job.lattice), job.plan, job.begin(block),
                  cells, int(cells['row'].max(initial=0)), _heading_spans(), scene)


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


def _border(inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the inner cells (k,) not reached next to ones that are, and one of these (k,) each."""
    numbers = np.arange(inside.size).reshape(inside.shape)
    other = np.full(inside.shape, -1)
    for here, there, _, _ in _neighbours():
        view = other[here]
        view[:] = np.where(~inside[here] & inside[there], numbers[there], view)
    other[[0, -1]] = -1
    nodes = np.flatnonzero(other.ravel() >= 0)
    return nodes, other.ravel()[nodes]


def _depths(shape: tuple[int, ...], cells: Arrays) -> np.ndarray:
    """Return the distances (k,) of the cells' centres from the border, in cells, −1 to 1.

    Positive inside. Outside that to the nearest pose found. Inside that to the planes through the
    poses found next to it, at right angles to the offsets there.
    """
    inside, offset = cells['reached'].reshape(shape) > 0, cells['offset'].reshape(*shape, 4)
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


def results_of(job: Job, block: int) -> list[Any]:
    """Return the results of the steps of a block that are on disk."""
    if job.folder is None or not _file(job, block).exists():
        return []
    return list(json.loads(str(_read(job, block, ('results',))['results'])))


def _state(job: Job, block: int, after: Any, wanted: Sequence[str] = ()) -> Arrays:
    """Return arrays of the state of a block, after the stage that returned this, None at first."""
    if job.folder is not None and (after is not None or _file(job, block).exists()):
        return _read(job, block, wanted or [*_none(job)])
    return _none(job) if after is None else after[0]


def _read(job: Job, block: int, wanted: Sequence[str]) -> Arrays:
    """Return arrays of the file of a block."""
    file = _file(job, block)
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in wanted}
    except Exception as error:  # of NumPy and zipfile
        raise InputError(f'{str(file)!r} is damaged ({error}): remove it, and the block is filled '
                         'again') from error


def _write(job: Job, block: int, state: Mapping[str, Any], results: list[Any]) -> None:
    with replacing(_file(job, block)) as stream:
        np.savez(stream, results=np.array(json.dumps(results)), **state)

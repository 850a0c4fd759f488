"""Fills reachability maps: by samples, from neighbours that are reached, by inverse kinematics."""

import contextlib
import json
import math
import operator
import os
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.support.exceptions import InputError, UnsupportedError, shown
from ik_node.workspace.blocks import Job, advance, edge, finish, locate, results_of
from ik_node.workspace.lattice import Lattice, SamplingPlan

Report = Callable[[float, str], None]  # part of the whole, 0 to 1; name of the stage

_MOST_BINS = 16       # samples of a round for each cell, one for each of its bins;
_FEWEST = 1 << 16     # and at least so many in all
_PIECE = 1 << 18      # samples that are located at once,
_PIECES = 1 << 11     # and the most pieces before they are drawn, 8 bytes a sample
_CHANGE = 5e-3        # of the cells reached: a round that changes fewer is the last
_MOST_ROUNDS = 40
_OF_WORKER = 2        # blocks of a worker: few, but the middle of a map takes longer than its ends;
_BYTES = 1 << 31      # of a block on disk while something is done to it, most of them not written
_PER_CELL = 80        # bytes, and 8 for each turn
_TIMEOUT = 10.0       # s: for a connection to a scheduler
_DONE = 'done'


class _Threads:
    """Runs functions in threads, in the order in which they are submitted."""

    def __init__(self, workers: int | None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.workers)

    def submit(self, number: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the future of a call; arguments may be futures, and lists of them."""
        def call() -> Any:
            return function(*map(_resolved, arguments))
        return self._pool.submit(call)

    def gather(self, futures: Sequence[Any]) -> Iterator[Any]:
        """Yield the results of futures."""
        for future in futures:
            yield future.result()

    def close(self) -> None:
        """Cancel what has not begun, and end the threads."""
        self._pool.shutdown(cancel_futures=True)


class _Cluster:
    """Runs functions on the workers of a Dask cluster, which does those of lost workers again."""

    def __init__(self, client: Any) -> None:
        self._client, self._own = client, None
        if isinstance(client, str):
            self._client = self._own = _connected(client)
        self._addresses = [address for address, threads in sorted(self._client.nthreads().items())
                           for _ in range(threads)]
        self.workers = max(len(self._addresses), 1)

    def submit(self, number: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the future of a call for a block, or piece of samples: they take turns."""
        where = self._addresses[number % self.workers:][:1] or None  # if it is not lost
        return self._client.submit(function, *arguments, pure=False, workers=where,
                                   allow_other_workers=where is not None)

    def gather(self, futures: Sequence[Any]) -> Iterator[Any]:
        yield from self._client.gather(list(futures))

    def close(self) -> None:
        if self._own is not None:
            self._own.close()


class Filling:
    """Fills the blocks of a map one stage after another.

    The bits are the same wherever the blocks are filled: in threads, in files of a folder, on the
    workers of a cluster.
    """

    def __init__(self, chain: Chain, lattice: Lattice, plan: SamplingPlan,
                 obstacles: Sequence[Any] | None, report: Report, workers: int | None,
                 client: Any, folder: str | None) -> None:
        """obstacles: those to avoid, and the robot itself; None where collisions do not count."""
        self._lattice, self._plan, self._report = lattice, plan, report
        self._runner: Any = _Threads(workers) if client is None else _Cluster(client)
        size = lattice.size // lattice.shape[0] * (_PER_CELL + 8 * lattice.turns)
        layers = (math.ceil(lattice.shape[0] / (_OF_WORKER * self._runner.workers))
                  if folder is None else max(_BYTES // size, 1))
        self._job = Job(uuid.uuid4().hex, chain, lattice, plan,
                        None if obstacles is None else tuple(obstacles), folder, layers)
        self._shared = self._runner.submit(0, Job._make, self._job)  # sent to each worker once
        self._states: list[Any] = [None for _ in self._job.blocks]
        self._steps = [0 for _ in self._job.blocks]

    def run(self, exact: bool) -> tuple[np.ndarray, ...]:
        """Return depth, manipulability and row of each cell, the bits of the rows, configurations.

        exact: whether centres at the border are solved for in the end. Row 0 is of cells that are
        not reached, or reachable at all headings and turns. Configurations: see `finish`.
        """
        with contextlib.closing(self._runner):
            self._draw()
            blocks, stamp = list(self._job.blocks), 2
            while blocks:
                changed = self._advance(blocks, 'spread', stamp)
                last = {block for block, count in zip(blocks, changed) if count}
                blocks = [block for block in self._job.blocks
                          if last & {block - 1, block, block + 1}]
                stamp += 1
            if exact:
                self._advance(list(self._job.blocks), 'solve', stamp + 1)
            edges = self._edges(list(self._job.blocks))
            found = [*self._runner.gather([
                self._runner.submit(block, finish, self._shared, block, self._states[block],
                                    *edges[block]) for block in self._job.blocks])]
        self._report(1.0, _DONE)
        depth, best, partial, opened, q = (np.concatenate([one[k] for one in found])
                                           for k in range(5))
        del found  # as large as these
        rows = np.cumsum(partial)
        rows *= partial
        return depth, best, rows, np.ascontiguousarray(opened.ravel()), q

    def _draw(self) -> None:
        """Draw samples until a round of them changes little."""
        drawn, blocks, expected = 0, list(self._job.blocks), 1.0
        done = min(len(results_of(self._job, block)) for block in blocks)  # on disk
        count = max(self._lattice.size * min(self._plan.bins, _MOST_BINS), _FEWEST)
        for _ in range(_MOST_ROUNDS):
            changed = reached = 0
            for first in range(0, count, _PIECE * _PIECES):
                pieces = range(first, min(first + _PIECE * _PIECES, count), _PIECE)
                located = [self._runner.submit(begin // _PIECE, locate, self._shared, drawn + begin,
                                               min(_PIECE, count - begin))
                           for begin in pieces if self._steps[-1] >= done]
                results = self._advance(blocks, 'draw', located,
                                        0.9 * min(_CHANGE / expected, 1.0))
                changed += sum(one[0] for one in results)
                reached = sum(one[1] for one in results)
            drawn += count
            expected = changed / max(reached, 1)
            if expected <= _CHANGE:
                break

    def _advance(self, blocks: Sequence[int], stage: str, argument: Any, begin: float = 0.9
                 ) -> list[Any]:
        """Do a stage with blocks; return its results."""
        edges = self._edges(blocks) if stage != 'draw' else {}
        for block in blocks:
            self._states[block] = self._runner.submit(
                block, advance, self._shared, block, self._states[block], self._steps[block], stage,
                argument, *edges.get(block, ()))
            self._steps[block] += 1
        results = []
        for result in self._runner.gather([
                self._runner.submit(block, operator.itemgetter(1), self._states[block])
                for block in blocks]):
            results.append(result)
            self._report(begin, _NAMES[stage])
        return results

    def _edges(self, blocks: Sequence[int]) -> dict[int, tuple[Any, Any]]:
        """Return for each block the edges of the blocks before and after it, None without one."""
        def of(block: int, layer: int) -> Any:
            return None if block not in self._job.blocks else self._runner.submit(
                block, edge, self._shared, block, self._states[block], layer)
        return {block: (of(block - 1, -2), of(block + 1, 1)) for block in blocks}


_NAMES = {'draw': 'sampling configurations', 'spread': 'solving from neighbours',
          'solve': 'solving for the border'}


def check_folder(folder: Any, info: dict[str, Any]) -> str:
    """Return a folder for the blocks of a map, made where there is none.

    Raises InputError where it has the blocks of another map, OSError where it cannot be made.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise InputError(f'chunks must be a folder, not {shown(folder)}')
    path, text = Path(folder), json.dumps(info, sort_keys=True)
    path.mkdir(parents=True, exist_ok=True)
    for part in path.glob('*.part'):  # of a run that was killed
        part.unlink()
    note = path / 'map.json'
    if not note.exists():
        if any(path.glob('block-*.npz')):
            raise InputError(f'the folder {str(path)!r} has blocks of an unknown map: choose '
                             'another')
        note.write_text(text)
    elif note.read_text() != text:
        raise InputError(f'the folder {str(path)!r} has the blocks of another map: choose another, '
                         'or remove it')
    return str(path.absolute())


def check_client(client: Any) -> None:
    """Raise InputError for what is no client of Dask and no address."""
    if client is not None and not isinstance(client, str) and not (
            hasattr(client, 'submit') and hasattr(client, 'scheduler_info')):
        raise InputError('client must be a distributed.Client or the address of a scheduler, not '
                         f'{shown(client)}')


def _connected(address: str) -> Any:
    """Return a client of the scheduler at an address. Raises UnsupportedError, InputError."""
    try:
        from distributed import Client
    except ImportError as error:
        raise UnsupportedError(f'a cluster needs Dask ({error}): pip install "ik_node[maps]"'
                               ) from error
    if not re.search(r':\d+$', address):  # a Client of it would print a traceback at its end
        raise InputError(f'cannot reach the Dask scheduler {address!r}: it has an address like '
                         'tcp://10.0.0.1:8786')
    try:
        return Client(address, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f'cannot reach the Dask scheduler {address!r}: {error}') from error


def _resolved(argument: Any) -> Any:
    if isinstance(argument, list):
        return [_resolved(one) for one in argument]
    return argument.result() if isinstance(argument, Future) else argument

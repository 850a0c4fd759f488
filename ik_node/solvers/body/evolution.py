"""Evolution of a body's joint values: generations, one call of a kernel each."""

import zlib
from typing import Any

import numpy as np

from ik_node._jit import njit, specialise
from ik_node.model.body import Body
from ik_node.model.body_frames import BodyFrames
from ik_node.solvers.body.evolution_kernels import (
    BODY_EVOLUTION,
    EVOLUTION,
    MEMORY,
    BodyEvolution,
    unpack_generation,
)
from ik_node.solvers.body.problem import Level
from ik_node.solvers.body.space import Attempt, Space
from ik_node.solvers.genetic.evolution import PROGRESS, begin, breed, take
from ik_node.solvers.genetic.generator import first_state
from ik_node.solvers.genetic.settings import Evolution
from ik_node.solvers.result import StopReason

LENGTH = 0.1    # m: places without limits are spread over π of it, to both sides
_NO_CODES = np.empty(0, dtype=np.int64)


class Generations:
    """Evolves joint values of a body for the tasks of a level."""

    def __init__(self, body: Body, method: Evolution, scale: np.ndarray) -> None:
        """Take the settings of the evolution; scale: (n,) 1/√weight of the joints."""
        self._body, self._method = body, method
        without_limits = ~(np.isfinite(body.lower) & np.isfinite(body.upper))
        own = BodyEvolution(scale / scale.max(initial=1e-300),
                            (body.prismatic & without_limits).astype(float), LENGTH, method)
        self._own = np.concatenate(EVOLUTION.pack(method)[1] + BODY_EVOLUTION.pack(own)[1])

    def evolve(self, level: Level, seed: int, start: np.ndarray, q: np.ndarray,
               space: Space) -> Attempt:
        """Return the best of all generations; q (n,) is one of the first.

        start: (n,) about which joints without limits are spread. The same seed and q give the same.
        """
        q, n = q.copy(), len(q)
        memory = np.zeros(MEMORY.size(0, n)[1])
        _, work = unpack_generation(_NO_CODES, self._own, memory, n)
        work.start[:], work.deadline[0] = start, space.end
        work.state[0] = first_state((seed + zlib.crc32(q.tobytes())) % 2**31)
        generation = self._in_python
        best, since = np.inf, 0
        for number in range(self._method.generations + 1):
            if generation(level, memory, number == 0, q):
                return Attempt(q, StopReason.CONVERGED, number)
            if space.out_of_time():
                return Attempt(q, StopReason.TIMEOUT, number)
            least = float(work.parents[0, 0])
            if least < PROGRESS * best:
                best, since = least, 0
                continue
            since += 1
            if since >= self._method.wipeout:
                return Attempt(q, StopReason.STALLED, number)
        return Attempt(q, StopReason.ITERATIONS, self._method.generations)

    def _in_python(self, level: Level, memory: np.ndarray, begins: bool, q: np.ndarray) -> bool:
        """Do the same with tasks written in Python."""
        settings, work = unpack_generation(_NO_CODES, self._own, memory, len(q))
        judged = level, BodyFrames(self._body, q)
        met = (_begin(self._body, judged, settings, work, True, q) if begins else
               _breed(self._body, judged, settings, work))
        take(work.parents, q)
        return bool(met)


@njit
def _judge_in_python(limits: Body, judged: tuple[Level, BodyFrames],
                     settings: BodyEvolution, work: Any) -> bool:
    """Write the cost of work.child; return whether every necessary task is met. Never compiled."""
    level, frames = judged
    frames.update(work.child[0, 1:1 + len(work.z)])
    rows = level.evaluate(frames)
    work.child[0, 0] = rows.cost
    return rows.met


_begin = specialise(begin.function, 'begin_in_python', judge=_judge_in_python)
_breed = specialise(breed.function, 'breed_in_python', judge=_judge_in_python)

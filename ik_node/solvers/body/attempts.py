"""Attempts of a body solver from several starts, each of them verified."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from ik_node.model.body import Body
from ik_node.model.body_frames import BodyFrames
from ik_node.solvers.body.problem import Level
from ik_node.solvers.body.proofs import Proof, proof
from ik_node.solvers.body.pursuit import FACTORS, relax, relaxes
from ik_node.solvers.body.records import Records
from ik_node.solvers.body.restarts import random_start
from ik_node.solvers.body.result import BodyResult
from ik_node.solvers.body.space import Attempt, Space
from ik_node.solvers.driver import Driver, reason_of
from ik_node.solvers.result import StopReason
from ik_node.tasks.base import Task, is_built_in

_CLOSEST_STARTS = 12  # of `closest`
_SETTLED = 3          # of these, from which a minimum is searched for
_LATER = FACTORS[-1] ** 2  # what a level's cost counts over that of the one before
_SAME = 1e-5          # part of a cost by which approaches to one minimum differ
_SETTLING = 10        # descents in a row, at most, to a minimum


class Verified(NamedTuple):
    """An attempt's joint values, and what independent frames say of them."""

    q: np.ndarray
    success: bool
    errors: dict[str, tuple[float, float]]
    rank: tuple[float, ...]
    """What is missed, the highest priority first: less is better."""


class Problem(NamedTuple):
    """The levels, the start (n,) and the space of a solve."""

    levels: list[Level]
    start: np.ndarray
    space: Space


class Found(NamedTuple):
    """The best that was found, and how the search ended."""

    best: Verified
    reason: StopReason
    iterations: int
    restarts: int

    @property
    def success(self) -> bool:
        """Whether all that is necessary is met."""
        return self.best.success


class Attempts(Driver[Problem, Found, BodyResult]):
    """Finds the best joint values from several starts, by the `_attempt` of a method.

    - `body`, `tasks`, `options`; `task_names`: the keys of the errors.
    """

    _merges: ClassVar[bool] = True
    """Whether levels that must all be met are tried as one."""

    body: Body
    tasks: Sequence[Task]
    task_names: Sequence[str]
    _records: Records | None
    """The tasks, since the first solve."""
    _quick: Level | None
    """The level that one descent can meet; None where there is more to do."""

    @abstractmethod
    def _attempt(self, levels: list[Level], frames: BodyFrames, q: np.ndarray,
                 space: Space, thorough: bool) -> Attempt:
        """Search from q (n,), inside the limits. thorough: for the best where all is not met."""

    def _find(self, problem: Problem) -> Found:
        """Search from the start, then from random ones; at the end, thoroughly, from the best."""
        levels, start, space = problem
        rng: np.random.Generator | None = None  # making one takes as long as a solve
        proved, last = None, self.options.max_restarts
        best, attempt, restarts = None, Attempt(start, StopReason.TIMEOUT, 0), -1
        number, attempts = 0, last + (3 if len(levels) > 1 else 1)
        while number < attempts:
            thorough = number > last
            restarts += 1
            q = start
            if best is not None and number != last + 1:
                rng = np.random.default_rng(self.options.seed) if rng is None else rng
                q = best.q if thorough else random_start(self.body, start, number - 1, rng)
            found, verified = self._search(levels, q, start, space, thorough)
            if best is None or verified.success or _is_better(verified.rank, best.rank):
                best, attempt = verified, found
            if best.success or space.out_of_time():
                break
            if number == 0:
                proved = self._proof()
            number = number + 1 if proved is None or thorough else last + 1
        if best is None:
            best = self._verified(levels, start, start)
        reason = reason_of(best.success, attempt.reason)
        if not best.success and space.out_of_time():
            reason = StopReason.TIMEOUT
        if proved is not None and not best.success:
            reason = proved.reason
        return Found(best, reason, attempt.iterations, restarts)

    def _find_closest(self, problem: Problem, found: Found) -> Found:
        """Return the best minimum near what was found, and from random starts.

        Each start is approached by the kernels, in a fraction of the time that a minimum over
        several levels takes; that is searched for from the most promising ones only.
        """
        levels, start, space = problem
        best = found.best
        for q in self._promising(levels, best.q, start, space):
            verified = self._verified(levels, self._settle(levels, q, space), start)
            if verified.success or _is_better(verified.rank, best.rank):
                best = verified
            if best.success or space.out_of_time():
                break
        return found._replace(best=best, reason=reason_of(best.success, found.reason))

    def _is_over(self, problem: Problem) -> bool:
        return problem.space.out_of_time()

    def _promising(self, levels: list[Level], q_found: np.ndarray, start: np.ndarray,
                   space: Space) -> list[np.ndarray]:
        """Return some q (n,) from which to go on to a minimum, the most promising one first."""
        rng, frames = np.random.default_rng(self.options.seed), BodyFrames(self.body, start)
        by_merit: list[tuple[float, np.ndarray]] = []
        for k in range(_CLOSEST_STARTS):
            q = q_found if k == 0 else random_start(self.body, start, k - 1, rng)
            q = self._approached(levels, frames, q, space)
            frames.update(q)
            merit = sum(_LATER ** k * level.evaluate(frames).cost
                        for k, level in enumerate(levels))
            if all(abs(merit - other) > _SAME * merit for other, _ in by_merit):
                by_merit.append((merit, q))
            if space.out_of_time():
                break
        by_merit.sort(key=lambda each: each[0])
        return [q for _, q in by_merit[:_SETTLED]]

    def _approached(self, levels: list[Level], frames: BodyFrames, q: np.ndarray,
                    space: Space) -> np.ndarray:
        """Return a q (n,) nearer to the levels than q (n,), or to the first of them."""
        if len(levels) > 1 and self._merges and relaxes(levels):
            return relax(levels, range(len(levels)), q, space).q
        return levels[0].descend(q, space.end).q

    def _settle(self, levels: list[Level], q: np.ndarray, space: Space) -> np.ndarray:
        """Return a minimum (n,) near q (n,)."""
        frames = BodyFrames(self.body, q)
        if len(levels) > 1:
            return self._attempt(levels, frames, q, space, True).q
        for _ in range(_SETTLING):
            found = levels[0].descend(q, space.end, settles=True)
            q = found.q
            if found.reason is not StopReason.ITERATIONS:
                break
        return q

    def _proof(self) -> Proof | None:
        """Return a proof that a necessary task cannot be met, None where there is none."""
        options = self.options
        for task in self.tasks:
            if task.is_necessary and is_built_in(task):
                found = proof(self.body, task, options.position_tolerance,
                              options.orientation_tolerance)
                if found is not None:
                    return found
        return None

    def _search(self, levels: list[Level], q: np.ndarray, start: np.ndarray, space: Space,
                thorough: bool) -> tuple[Attempt, Verified]:
        """Search from q (n,), and verify; continuous joints end at the start's turn."""
        if self._quick is None or thorough:
            found = self._attempt(levels, BodyFrames(self.body, q), q, space, thorough)
            return found, self._verified(levels, found.q, start)
        found, success, misses = self._quick.solve(q, start, space.end)
        return found, self._outcome(levels, found.q, success, misses)

    def _verified(self, levels: list[Level], q: np.ndarray, start: np.ndarray) -> Verified:
        """Return joint values (n,) with errors from frames computed anew at them.

        Whole turns of continuous joints away from the start (n,) are undone.
        """
        assert self._records is not None
        q, success, misses = self._records.verify(
            np.clip(q, self.body.lower, self.body.upper), start)
        return self._outcome(levels, q, success, misses)

    def _outcome(self, levels: list[Level], q: np.ndarray, success: bool,
                 misses: np.ndarray) -> Verified:
        """Return what is verified at q (n,), given what each task misses (t, 2), m and rad."""
        missed = {name: (along, about)
                  for name, (along, about) in zip(self.task_names, misses.tolist())}
        return Verified(q, success, missed, self._rank(levels, q, missed, success))

    def _rank(self, levels: list[Level], q: np.ndarray, missed: dict[str, tuple[float, float]],
              success: bool) -> tuple[float, ...]:
        """Return what is missed at q (n,), the highest priority first."""
        if success:
            return (0.0,)
        strict = sum(m * m + o * o for m, o in (missed[name] for name, task in zip(
            self.task_names, self.tasks) if task.is_necessary and task.priority == 0
            and not self._is_met(missed[name])))
        frames = BodyFrames(self.body, q)
        return strict, *(level.evaluate(frames).cost for level in levels)


def _is_better(rank: tuple[float, ...], than: tuple[float, ...]) -> bool:
    """Tell whether something is missed clearly less; levels that miss next to nothing are alike."""
    for a, b in zip(rank, than):
        if abs(a - b) > 1e-6 * max(abs(a), abs(b)) and max(abs(a), abs(b)) > 1e-12:
            return a < b
    return False

"""Attempts of a body solver from several starts, each of them verified."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from ik_node.model.body import Body
from ik_node.solvers.body.compiled_tasks import Records, TaskLevel
from ik_node.solvers.body.proofs import Proof, proof
from ik_node.solvers.collision.avoidance import push_apart
from ik_node.solvers.collision.guarded_steps import closest_free
from ik_node.solvers.driver import Driver, reason_of
from ik_node.solvers.kernel.low_discrepancy import initial_guess
from ik_node.solvers.result import REASONS, StopReason
from ik_node.solvers.solver_output import Attempt, Budget, VerifiedAttempt
from ik_node.tasks.base import Task, is_built_in

_CLOSEST_STARTS = 12  # of `closest`
_SETTLED = 3          # of these, from which a minimum is searched for
_PROGRESS = 1e-5      # by which part of itself the merit of a search must shrink
_QUICK = 1e-2         # the same where another start may do better
_FACTORS = (3e-2, 1e-3)  # of the rows of what comes last, while it is improved by penalties
_LATER = _FACTORS[-1] ** 2  # what a level's cost counts over that of the one before
_SAME = 1e-5          # part of a cost by which approaches to one minimum differ
_SETTLING = 10        # descents in a row, at most, to a minimum
_PARTS = (0.7, 0.9)   # of the way from q0 to an initial guess, by turns
_ANEW = 3             # every third restart moves all joints
_LENGTH = 0.15        # m: places without limits are spread over π of it, to both sides


class BodyProblem(NamedTuple):
    """The levels, the start (n,) and the budget of a solve."""

    levels: list[TaskLevel]
    start: np.ndarray
    budget: Budget


class Attempts(Driver):
    """Finds the best joint values from several starts, by the `_attempt` of a method.

    - `_space`: the body, or the same inside the consistency limits of the present solve.
    - `_merges`: whether levels that must all be met are tried as one.
    - `_records`: the tasks, since the first solve.
    - `_quick`: the level that one descent can meet; None where there is more to do.
    """

    _merges: ClassVar[bool] = True

    body: Body
    _space: Body
    tasks: Sequence[Task]
    _records: Records | None
    _quick: TaskLevel | None

    @abstractmethod
    def _search_levels(self, levels: Sequence[TaskLevel], q: np.ndarray, budget: Budget,
                       progress: float) -> Attempt:
        """Search over levels from q (n,), while the merit shrinks by that part of itself."""

    def _attempt(self, levels: list[TaskLevel], q: np.ndarray, budget: Budget,
                 thorough: bool) -> Attempt:
        """Search from q (n,), inside the limits. thorough: for the best where all is not met.

        Priorities do not matter where all can be met: the levels of necessary tasks are tried as
        one, by the faster descent of a single level, if the method merges them; where that fails
        and `thorough`, by a search over levels. Then the other levels are improved.
        """
        if self._merges and len(levels) == 1:
            return levels[0].descend(q, budget.deadline)
        last = max((k for k, level in enumerate(levels) if level.is_necessary), default=-1)
        needed = levels[:last + 1]
        if not needed:
            return self._search_levels(levels, q, budget, _PROGRESS)
        found = self._meet(needed, q, budget, thorough)
        if found.reason is not StopReason.CONVERGED and thorough and len(needed) < len(levels):
            return self._search_levels(levels, found.q, budget, _PROGRESS)
        if found.reason is not StopReason.CONVERGED or len(needed) == len(levels):
            return found
        rest = budget._replace(max_iterations=max(budget.max_iterations - found.iterations, 1))
        if self._merges and len(needed) == len(levels) - 1 and _relaxes(levels) and all(
                level.all_necessary for level in needed):
            improved = _relax(levels, [0] * len(needed) + [1], found.q, rest)
        else:
            improved = self._search_levels(levels, found.q, rest, _PROGRESS)
        back = self._meet(needed, improved.q, rest, False)
        is_better = back.reason is StopReason.CONVERGED and (
            _missed_later(levels, back.q) < _missed_later(levels, found.q))
        best = back if is_better else found
        return best._replace(iterations=found.iterations + improved.iterations + back.iterations)

    def _meet(self, levels: list[TaskLevel], q: np.ndarray, budget: Budget,
              thorough: bool) -> Attempt:
        """Search from q (n,) for what meets levels whose last one is necessary."""
        if self._merges and len(levels) == 1:
            return levels[0].descend(q, budget.deadline)
        if self._merges and all(level.all_necessary for level in levels):
            found = levels[0].records.merged(levels).descend(q, budget.deadline)
            if not thorough or found.reason in (StopReason.CONVERGED, StopReason.TIMEOUT):
                return found
        return self._search_levels(levels, q, budget, _PROGRESS if thorough else _QUICK)

    def _find(self, problem: BodyProblem) -> VerifiedAttempt:
        """Search from the start, then from others; at the end, thoroughly, from the best."""
        q, last = problem.start, self.options.max_restarts
        best, proved, least = None, None, tuple[float, ...]()
        number, restarts = 0, 0
        while True:
            thorough = number > last
            found = self._search(problem, q, thorough)
            if self._space is not self.body and (
                    (found.q < self._space.lower) | (found.q > self._space.upper)).any():
                found = found._replace(success=False)  # a root's rotation vector was shortened
            if (found.success and self.collisions is not None
                    and not self.collisions.is_free(found.q)):
                found = self._pushed_apart(problem, found)
            if found.success:
                return found._replace(reason=StopReason.CONVERGED, restarts=restarts)
            rank = self._rank(problem.levels, found)
            if best is None or _is_better(rank, least):
                best, least = found, rank
            if problem.budget.is_over():
                break
            if number == 0:
                proved = self._proof()
            number = number + 1 if proved is None or thorough else last + 1
            if number > last + (2 if len(problem.levels) > 1 else 0):
                break
            restarts += 1
            if number <= last:
                q = self._restart(problem, found, number - 1)
            else:
                q = problem.start if number == last + 1 else best.q
        reason = (StopReason.TIMEOUT if problem.budget.is_over()
                  else reason_of(False, best.reason))
        return best._replace(reason=reason if proved is None else proved.reason, restarts=restarts)

    def _find_closest(self, problem: BodyProblem, found: VerifiedAttempt) -> VerifiedAttempt:
        """Return the best minimum near what was found, and from the most promising other starts."""
        best, least = found, self._rank(problem.levels, found)
        for q in self._promising(problem, found.q):
            for minimum in (self._settle(problem, q), q):  # a settled one may miss the first more
                verified = self._verified(problem, Attempt(minimum, found.reason,
                                                           found.iterations), problem.start)
                rank = self._rank(problem.levels, verified)
                if (verified.success or _is_better(rank, least)) and self._is_free(verified.q):
                    best, least = verified, rank
            if best.success or problem.budget.is_over():
                break
        if self.collisions is not None and not best.success:
            q = closest_free(
                problem.start, lambda q: [level.evaluate(q) for level in problem.levels],
                self._space, self.collisions, problem.budget.deadline)
            there = self._verified(problem, Attempt(q, best.reason, best.iterations),
                                   problem.start)
            if not self._is_free(best.q) or (_is_better(self._rank(problem.levels, there), least)
                                             and self._is_free(there.q)):
                best = there
        return best._replace(reason=reason_of(best.success, best.reason), restarts=found.restarts)

    def _pushed_apart(self, problem: BodyProblem, found: VerifiedAttempt) -> VerifiedAttempt:
        """Return a free result near one in collision; else this, as a failure."""
        assert self.collisions is not None
        needed = [level for level in problem.levels if level.is_necessary]

        def rows(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            each = [level.evaluate(q) for level in needed]
            return (np.concatenate([one.A for one in each]),
                    np.concatenate([one.missed() for one in each]))

        better = push_apart(found.q, rows, lambda q: self._search(problem, q, False), self._space,
                            self.collisions, problem.budget.is_over)
        if better is not None:
            return better
        return found._replace(success=False, reason=StopReason.COLLISION)

    def _restart(self, problem: BodyProblem, failed: VerifiedAttempt, number: int) -> np.ndarray:
        """Return the start (n,) of restart `number`, from 0, after an attempt that failed.

        Joints that move neither the tasks that it missed nor what it touched mostly stay there:
        two arms are not both solved again for what one of them met.
        """
        guess = self._guess(problem.start, number)
        moves = np.zeros(len(guess), dtype=bool)
        if number % _ANEW == _ANEW - 1:
            return guess
        if failed.reason is StopReason.COLLISION and self.collisions is not None:
            near = self.collisions.near_pairs(failed.q, self.collisions.margin)
            moves |= near.gradients.any(axis=0)
        for level in problem.levels:
            A = level.evaluate(failed.q).A
            for k, rows in zip(level.indices, level.slices):
                if self.tasks[k].is_necessary and not self.options.allow(failed.misses[k]):
                    moves |= A[rows].any(axis=0)
        start: np.ndarray = np.where(moves, guess, failed.q) if moves.any() else guess
        return start

    def _guess(self, start: np.ndarray, number: int) -> np.ndarray:
        """Return part of the way from q0 (n,) to an initial guess."""
        guess = initial_guess(self._space, start, number, self.options.seed, _LENGTH)
        part = _PARTS[number % len(_PARTS)]
        return np.clip(start + part * (guess - start), self._space.lower, self._space.upper)

    def _promising(self, problem: BodyProblem, q_found: np.ndarray) -> list[np.ndarray]:
        """Return some q (n,) from which to go on to a minimum, the most promising one first.

        Each start is approached by the kernels, in a fraction of the time that a minimum takes.
        """
        levels, start, budget = problem
        by_merit: list[tuple[float, np.ndarray]] = []
        for k in range(_CLOSEST_STARTS):
            if budget.is_over():
                break
            q = self._approached(levels, q_found if k == 0 else self._guess(start, k - 1), budget)
            merit = sum(_LATER ** k * level.evaluate(q).cost for k, level in enumerate(levels))
            if all(abs(merit - other) > _SAME * merit for other, _ in by_merit):
                by_merit.append((merit, q))
        by_merit.sort(key=lambda each: each[0])
        return [q for _, q in by_merit[:_SETTLED]]

    def _approached(self, levels: list[TaskLevel], q: np.ndarray, budget: Budget) -> np.ndarray:
        """Return a q (n,) nearer to the levels than q (n,), or to the first of them."""
        if len(levels) > 1 and self._merges and _relaxes(levels):
            return _relax(levels, range(len(levels)), q, budget).q
        return levels[0].descend(q, budget.deadline).q

    def _settle(self, problem: BodyProblem, q: np.ndarray) -> np.ndarray:
        """Return a minimum (n,) near q (n,)."""
        levels, _, budget = problem
        if len(levels) > 1:
            return self._attempt(levels, q, budget, True).q
        for _ in range(_SETTLING):
            found = levels[0].descend(q, budget.deadline, settles=True)
            q = found.q
            if found.reason is not StopReason.ITERATIONS:
                break
        return q

    def _proof(self) -> Proof | None:
        """Return a proof that a necessary task cannot be met, None where there is none."""
        return next(filter(None, (self._proof_of(task) for task in self.tasks
                                  if task.is_necessary)), None)

    def _proof_of(self, task: Task) -> Proof | None:
        """Return a proof that a task cannot be met, None where there is none."""
        return proof(self.body, task, self.options.position_tolerance,
                     self.options.orientation_tolerance) if is_built_in(task) else None

    def _search(self, problem: BodyProblem, q: np.ndarray, thorough: bool) -> VerifiedAttempt:
        """Search from q (n,), and verify; continuous joints end at the start's turn."""
        levels, start, budget = problem
        if self._quick is None or thorough:
            return self._verified(problem, self._attempt(levels, q, budget, thorough), start)
        q, success, misses, end, iterations = self._quick.solve(start, q, budget.deadline)
        return VerifiedAttempt(q, success, misses, REASONS[end], iterations)

    def _verified(self, problem: BodyProblem, attempt: Attempt,
                  start: np.ndarray) -> VerifiedAttempt:
        """Return an attempt with what tasks miss, from frames computed anew.

        Whole turns of continuous joints away from the start (n,) are undone.
        """
        assert self._records is not None
        q, success, misses = self._records.check.verify(
            start, np.clip(attempt.q, self._space.lower, self._space.upper))
        return VerifiedAttempt(q, success, misses, attempt.reason, attempt.iterations)

    def _rank(self, levels: list[TaskLevel], found: VerifiedAttempt) -> tuple[float, ...]:
        """Return what is missed, the highest priority first: less is better."""
        strict = sum(m * m + o * o for (m, o), task in zip(found.misses.tolist(), self.tasks)
                     if task.is_necessary and task.priority == 0 and not self.options.allow((m, o)))
        return strict, *(level.evaluate(found.q).cost for level in levels)


def _is_better(rank: tuple[float, ...], than: tuple[float, ...]) -> bool:
    """Tell whether something is missed clearly less; levels that miss next to nothing are alike."""
    for a, b in zip(rank, than):
        if abs(a - b) > 1e-6 * max(abs(a), abs(b)) and max(abs(a), abs(b)) > 1e-12:
            return a < b
    return False


def _relaxes(levels: Sequence[TaskLevel]) -> bool:
    """Return whether levels can be minimised by penalties: all tasks are least squares."""
    return all(type(task).energy is Task.energy for level in levels for task in level.tasks)


def _relax(levels: Sequence[TaskLevel], grades: Sequence[int], q: np.ndarray,
          budget: Budget) -> Attempt:
    """Minimise levels from q (n,), those of a lower grade first, which then almost stay so.

    By quadratic penalties: descents of all levels as one, in which a level weighs the less the
    higher its grade, and less and less [Nocedal & Wright, Numerical Optimization, 2006, 17.1].
    """
    found, iterations = Attempt(q, StopReason.CONVERGED, 0), 0
    for factor in _FACTORS:
        together = levels[0].records.merged(levels, [factor ** grade for grade in grades])
        found = together.descend(found.q, budget.deadline, settles=True)
        iterations += found.iterations
        if found.reason is StopReason.TIMEOUT:
            break
    return found._replace(iterations=iterations)


def _missed_later(levels: Sequence[TaskLevel], q: np.ndarray) -> tuple[float, ...]:
    """Return what the levels miss at q (n,) whose tasks are not all necessary."""
    rows = [(level, level.evaluate(q)) for level in levels if not level.all_necessary]
    return tuple(float(np.linalg.norm(one.missed())) if level.is_necessary else one.cost
                 for level, one in rows)

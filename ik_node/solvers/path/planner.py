"""Chooses one configuration for every pose of a path, for the path as a whole.

The candidates of all poses form a ladder, through which a shortest path is found. Where it breaks,
candidates are added: tracks from both sides of the break, and the solver's own solutions from other
guesses, tracked forward and backward. A redundant arm's path is smoothed at the end.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ik_node.solvers.kernel.low_discrepancy import low_discrepancy, one_turn_ranges
from ik_node.solvers.path.ladder import Ladder, fewer
from ik_node.solvers.path.problem import PathProblem
from ik_node.solvers.path.smoothing import smoothed

_ROUNDS = 12        # of repairs
_PATIENCE = 4       # rounds without fewer breaks
_DENSER = 4,         # densities of the candidates of a redundant arm in the first rounds
_WINDOW = 50        # poses to either side of a break that get these,
_AT_ONCE = 10       # so many of them between looks at the clock
_AROUND = 3         # poses to either side that a step is compared with
_ROUGH = 3.0        # of the median of these: a step that is rough
_SEEDS = 24         # guesses for the solver's own method where a path begins or breaks
_FAILURES = 3       # of these guesses: the others are left out
_BREAKS = 4         # breaks that are repaired in a round
_SPREAD = 1024      # guesses in all


# Called as closed_form(poses, density): returns the candidates (k, n) of each of these poses, None
# without a closed form. density: of the values of a redundancy.
ClosedForm = Callable[[slice, int], Sequence[np.ndarray] | None]


class PathPlanner:
    """Plans a path for a problem."""

    def __init__(self, problem: PathProblem, closed_form: ClosedForm) -> None:
        self._problem, self._closed_form = problem, closed_form
        candidates, n = closed_form(slice(None), 1), problem.chain.n_joints
        self._sampled = candidates is None
        rungs = ([np.empty((0, n))] * len(problem.poses) if candidates is None
                 else fewer(list(candidates), problem.deadline))
        if problem.q0 is not None:
            rungs.insert(0, problem.q0[None])
        self._ladder = Ladder(problem, rungs)
        self._failed: dict[int, Any] = {}
        self._next = 0
        self._tracked: set[tuple[int, bytes, bool]] = set()
        self.redundant = n > int((problem.weights > 0.0).sum(axis=1).min(initial=6))

    def plan(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (q (m, n), whether each pose is met (m,))."""
        problem = self._problem
        if not len(problem.poses):
            return np.empty((0, problem.chain.n_joints)), np.empty(0, dtype=bool)
        if self._sampled:
            self._add_solutions(0, problem.chain.neutral() if problem.q0 is None else problem.q0)
        q = self._choose()
        fewest, idle = len(q) + 1, 0
        for density in (*(_DENSER if self.redundant and not self._sampled else ()),
                        *[0] * _ROUNDS):
            places = self._broken(q)
            idle = 0 if len(places) < fewest else idle + 1
            fewest = min(fewest, len(places))
            if not len(places) or idle > _PATIENCE or problem.is_late:
                break
            if not (self._add_denser(places, density) if density
                    else self._add_at_breaks(q, places)):
                break
            q = self._choose()
        if not problem.is_late and self._add_at_rough_steps(q):
            q = self._choose()
        met = np.isfinite(q).all(axis=1)
        if self.redundant and met.any() and not (problem.is_late and len(self._broken(q))):
            q = self._smooth(q, met)
        return q, met

    def failures(self, places: Sequence[int]) -> dict[int, Any]:
        """Return the `Found` of the solver's own method for poses that are not met.

        After the deadline only those that have been solved before.
        """
        for i in places:
            if self._problem.is_late:
                break
            if i not in self._failed:
                self._failed[i] = self._problem.solve(i, self._problem.chain.neutral())
        return {i: self._failed[i] for i in places if i in self._failed}

    def _choose(self) -> np.ndarray:
        """Return the configurations (m, n) of the best path; NaN where a pose has none."""
        return self._ladder.choose()[self._problem.anchored:]

    def _broken(self, q: np.ndarray) -> np.ndarray:
        """Return the poses without a configuration, or more than the largest step from q (m, n)."""
        before = self._before(q)
        with np.errstate(invalid='ignore'):
            far = self._problem.too_far(q - before)
        blocked = self._problem.blocked(np.concatenate([before[:1], q]))[1:]
        blocked[0] = blocked[0] and self._problem.joined
        far |= blocked
        return np.flatnonzero(far | ~np.isfinite(q).all(axis=1))

    def _before(self, q: np.ndarray) -> np.ndarray:
        """Return the configuration (m, n) before each pose; that of the first is q0 or its own."""
        first = q[0] if self._problem.q0 is None else self._problem.q0
        return np.concatenate([first[None], q[:-1]])

    def _add_at_breaks(self, q: np.ndarray, places: np.ndarray) -> bool:
        """Add candidates about breaks of a path (m, n); return whether there are new ones."""
        new = False
        for i in places[:_BREAKS].tolist():
            if self._problem.is_late:
                break
            before = self._before(q)[i]
            if np.isfinite(before).all():
                new = self._track(i - 1, before, True) or new
            if np.isfinite(q[i]).all():
                new = self._track(i, q[i], False) or new
            if i not in self._failed and (self._sampled or self.redundant
                                          or not self._ladder.size(i + self._problem.anchored)):
                present = before if np.isfinite(before).all() else self._problem.chain.neutral()
                new = self._add_solutions(i, present) or new
        return new

    def _add_at_rough_steps(self, q: np.ndarray) -> bool:
        """Add candidates at steps far above those around them; return whether there are new ones.

        In a singular configuration a closed form gives one of many solutions.
        """
        new = False
        steps = np.abs(q - self._before(q)).max(axis=1)
        around = np.median(sliding_window_view(np.pad(steps, _AROUND, mode='edge'),
                                               2 * _AROUND + 1), axis=1)
        with np.errstate(invalid='ignore'):
            rough = np.flatnonzero(steps > _ROUGH * around)
        for i in dict.fromkeys((rough[:, None] + (-1, 0)).ravel().tolist()):
            if self._problem.is_late:
                break
            if not 0 < i < len(q) - 1:
                continue
            for guess in (q[i - 1], q[i + 1], 0.5 * (q[i - 1] + q[i + 1])):
                if np.isfinite(guess).all():
                    found, met = self._problem.near_pose(i, guess)
                    new = (met and self._ladder.add(i + self._problem.anchored, found)) or new
        return new

    def _add_denser(self, places: np.ndarray, density: int) -> bool:
        """Add more candidates of the closed form about breaks; return whether there are any."""
        added, done = 0, 0
        for i in places[:_BREAKS].tolist():
            last = min(i + _WINDOW, len(self._problem.poses))
            for first in range(max(done, i - _WINDOW), last, _AT_ONCE):
                if self._problem.is_late:
                    break
                part = slice(first, min(first + _AT_ONCE, last))
                for k, rung in enumerate(self._closed_form(part, density) or (), start=first):
                    added += len(rung)
                    self._ladder.extend(k + self._problem.anchored, rung)
            done = last
        return added > 0

    def _add_solutions(self, i: int, near: np.ndarray) -> bool:
        """Solve pose i from several guesses, from `near` (n,) first, and track the solutions."""
        new, failed = False, 0
        for k in range(_SEEDS):
            if self._problem.is_late:
                break
            guess = near if k == 0 else self._guesses[(self._next + k) % len(self._guesses)]
            found = self._problem.solve(i, guess.copy())
            if not found.success:
                if k == 0:  # with all restarts of the solver
                    self._failed[i] = found
                failed += 1
                if k == 0 or failed == _FAILURES:
                    break
                continue
            if self._ladder.add(i + self._problem.anchored, found.q):
                new = True
                for forward in (True, False):
                    self._track(i, found.q, forward)
        self._next += _SEEDS
        return new

    def _track(self, i: int, q: np.ndarray, forward: bool) -> bool:
        """Add the track from q (n,) of pose i to the ladder; return whether it has new ones."""
        key = (i, q.tobytes(), forward)
        if key in self._tracked:
            return False
        self._tracked.add(key)
        new = False
        for j, one in enumerate(self._problem.track(i, q, forward), start=1):
            if self._problem.is_late:
                break
            at = i + j if forward else i - j
            if self._ladder.add(at + self._problem.anchored, one):
                new = True
            elif not self.redundant:
                break
        return new

    def _smooth(self, q: np.ndarray, met: np.ndarray) -> np.ndarray:
        """Return a smoothed path, where that has no more breaks."""
        whole = q.copy()
        for i in np.flatnonzero(~met):
            whole[i] = whole[i - 1] if i and np.isfinite(whole[i - 1]).all() else (
                q[np.flatnonzero(met)[0]])
        joined = met.copy()
        joined[1:] &= met[:-1]
        joined[self._broken(q)] = False
        start = self._problem.q0
        joined[0] &= start is not None and bool(
            (np.abs(whole[0] - start) <= self._problem.most).all())
        better = smoothed(self._problem, whole, joined)
        better[~met] = np.nan
        if not all(map(self._problem.is_free, better[met])):
            return q
        return better if len(self._broken(better)) <= len(self._broken(q)) else q

    @functools.cached_property
    def _guesses(self) -> np.ndarray:
        """Guesses (k, n) spread over the limits, a turn of a joint without."""
        lower, upper = one_turn_ranges(self._problem.chain)
        samples = low_discrepancy(_SPREAD, len(lower), self._problem.seed)
        found: np.ndarray = lower + samples * (upper - lower)
        return found

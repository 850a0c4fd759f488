"""Solutions without collisions, by any method, and straight lines out of collisions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.collision.obstacles import Obstacle
from ik_node.kinematics.reach import extent
from ik_node.model.body import Body
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace
from ik_node.solvers.goal import Goal
from ik_node.solvers.kernel.low_discrepancy import initial_guess, low_discrepancy
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Found, VerifiedAttempt
from ik_node.support import clock
from ik_node.support.arguments import flag
from ik_node.support.exceptions import OptionError

_REPAIRS = 8          # steps; of more few succeed, and restarts cost less
_PASSES = 3           # of one, with more joints held at limits in each
_CLEARANCE = 1e-3     # m, beyond the margin, that a repair aims at
_LARGEST_STEP = 0.05  # m, by which it moves a pair apart
_DEEP = 0.1           # m, of all overlaps: from deeper ones restarts lead out sooner
_DAMPING = 1e-7
_FARTHEST = 3.0     # rad or m, in each joint
_SIZES = 12         # of changes that are tried
_SAMPLES = 32       # of each size, besides those of single joints
_ENOUGH = 24        # free configurations
_PLACES = 16        # on the line to each
_SAME = 1e-3        # m: of lines that lead as deep the shortest is best
_BESIDE = 0.02      # rad or m: a robot so far beside its line has left it


def avoiding(solver: Any, space: Chain | Body, avoid_collisions: bool,
             obstacles: Iterable[Obstacle], margin: float, others: Mapping[str, float] | None,
             disabled: Iterable[tuple[str, str]]) -> None:
    """Let a solver, of an arm or a body, avoid collisions where that is wanted.

    Raises OptionError for what is of meaning for collisions alone, where these are not avoided.
    """
    arguments: dict[str, Any] = {'obstacles': obstacles, 'margin': margin, 'others': others,
                             'disabled': disabled}
    if flag(avoid_collisions, 'avoid_collisions'):
        solver.avoid(CollisionModel(space, **arguments))
        return
    for name, value in arguments.items():
        if value is not None and not (isinstance(value, (tuple, list, float, int)) and not value):
            raise OptionError(f'{name} needs avoid_collisions=True')


def blocked(found: Found) -> Found:
    """Return the result of a search that has found solutions in collision only."""
    return Found(*found)._replace(success=False, reason=StopReason.COLLISION)


def search_free(solver: Any, goal: Goal, q0: np.ndarray,
                is_free: Callable[[np.ndarray], bool]) -> Found:
    """Solve from q0 (n,), then from other initial guesses, until a solution is free.

    As many as `max_restarts`. A goal that is not met from q0, with the restarts of the method, is
    not searched for again.
    """
    first = found = solver._solve_verified(goal, q0)
    length, options = extent(solver.chain.arrays).length_scale, solver.options
    is_late = False
    for number in range(1, options.max_restarts + 2):
        if found.success and solver._is_consistent(q0, found.q) and is_free(found.q):
            return found
        is_late = first.success and clock.is_over(solver._deadline())
        if not first.success or number > options.max_restarts or is_late:
            break
        found = solver._solve_verified(goal, initial_guess(
            solver._chain_about(q0), q0, number - 1, options.seed, length))
        found = found._replace(restarts=found.restarts + number)
    if is_late:
        return blocked(first)._replace(reason=StopReason.TIMEOUT)
    return blocked(first) if first.success else first


def push_apart(q: np.ndarray, rows: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
               search: Callable[[np.ndarray], VerifiedAttempt], space: JointSpace,
               collisions: CollisionModel, is_over: Callable[[], bool]) -> VerifiedAttempt | None:
    """Return a free solution near one in collision, q (n,); None where none was found.

    rows(q): (A, e), A Δq = e is wanted of the tasks. Pairs that are nearer than the margin are
    moved apart by the shortest steps that keep the tasks, Δq = Mᵀ (M Mᵀ)⁻¹ b, with the gradients
    of their distances in M; joints that would leave their limits stay there. search(q): solves from
    a free configuration. is_over(): tells whether to give up.
    """
    for _ in range(_REPAIRS):
        if is_over():
            break
        _, distances, gradients, _ = collisions.near_pairs(
            q, collisions.margin + 0.5 * _CLEARANCE)
        overlaps = collisions.margin - distances
        if not len(distances):
            found = search(q)
            if not found.success or collisions.is_free(found.q):
                return found if found.success else None
            q = found.q
            continue
        if overlaps.sum() > _DEEP:
            break
        A, e = rows(q)
        M = np.concatenate([A, gradients])
        b = np.concatenate([e, np.minimum(overlaps + _CLEARANCE, _LARGEST_STEP)])
        step, free = np.zeros(len(q)), np.ones(len(q), dtype=bool)
        for _ in range(_PASSES):
            own = M[:, free]
            gram = own @ own.T
            gram.flat[::len(gram) + 1] += _DAMPING
            step[free] = own.T @ np.linalg.solve(gram, b - M[:, ~free] @ step[~free])
            held = np.clip(q + step, space.lower, space.upper) - q
            beyond = free & (np.abs(held - step) > 0.0)
            step = held
            if not beyond.any():
                break
            free &= ~beyond
        q = q + step
    return None


class CollisionExit(NamedTuple):
    """The straight line in joint space from inside a collision to a free configuration."""

    begin: np.ndarray  # (n,) rad or m
    end: np.ndarray  # (n,)

    def contains(self, q: np.ndarray) -> bool:
        """Tell whether q (n,) is on the line, before its end."""
        line = self.end - self.begin
        share = np.clip((q - self.begin) @ line / (line @ line), 0.0, 1.0)
        return bool(share < 1.0 and np.abs(self.begin + share * line - q).max() < _BESIDE)

    def step(self, q: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return the step (n,) from q (n,) straight towards the end, within bounds."""
        change = self.end - q
        bounds = np.where(change > 0.0, upper, -lower)
        shares = bounds[change != 0.0] / np.abs(change[change != 0.0])
        step: np.ndarray = change * np.clip(shares, 0.0, 1.0).min(initial=1.0)
        return step


def exit_from(q: np.ndarray, collisions: CollisionModel) -> CollisionExit | None:
    """Return a straight line from the contact at q (n,) to a free configuration.

    Of those found the one on which nothing is touched that is not touched at q, where there is one;
    then that on which what overlaps gets least deep; then the shortest. None where none was found.
    """
    here = _depths(q, collisions)
    touched = {b for _, b in here}  # of a link and an obstacle the obstacle
    lines = []
    for at in _around(q, collisions.space):
        if collisions.is_free(at):
            lines.append((*_hindrance(q, at, collisions, touched), float(np.abs(at - q).sum()), at))
            if len(lines) == _ENOUGH:
                break
    deepest = max(here.values(), default=0.0)
    return CollisionExit(q, min(lines, key=lambda line: (
        line[0], round(max(line[1] - deepest, 0.0) / _SAME), line[2]))[3]) if lines else None


def _around(q: np.ndarray, space: JointSpace) -> Iterator[np.ndarray]:
    """Yield configurations (n,) within the limits, farther and farther from q."""
    n = len(q)
    unit = np.concatenate([np.eye(n), -np.eye(n), 2.0 * low_discrepancy(
        _SAMPLES * _SIZES, n, 0) - 1.0])
    for k, size in enumerate(np.geomspace(0.05, _FARTHEST, _SIZES)):
        first = 2 * n + k * _SAMPLES
        for change in (*unit[:2 * n], *unit[first:first + _SAMPLES]):
            yield np.clip(q + size * change, space.lower, space.upper)


def _hindrance(q: np.ndarray, end: np.ndarray, collisions: CollisionModel,
               touched: set[int]) -> tuple[bool, float]:
    """Return whether the line from q to an end has new contacts, and the deepest of all, m."""
    is_new, deepest = False, 0.0
    for share in np.arange(1, _PLACES + 1) / _PLACES:
        depths = _depths(q + share * (end - q), collisions)
        is_new |= any(b not in touched for _, b in depths)
        deepest = max([deepest, *depths.values()])
    return is_new, deepest


def _depths(q: np.ndarray, collisions: CollisionModel) -> dict[tuple[int, int], float]:
    """Return by how much pairs are nearer than the margin at q (n,), m."""
    near = collisions.near_pairs(q, collisions.margin)
    return near.by_pair(collisions.margin - near.distances)

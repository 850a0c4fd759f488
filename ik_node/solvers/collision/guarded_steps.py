"""Steps of joint values that keep a margin from contact.

A step that would bring a pair nearer than it may come is replaced by the one next to it, in what
the tasks make of it and then in the joints, that linearised distances allow. They are linearised
anew where the step leads, until it holds [sequential quadratic programming: Nocedal & Wright,
Numerical Optimization, 18]. Towards a contact steps slow down, along it and away from it they are
free, and out of one they lead only outwards; where they lead no farther there, along the straight
line to a free configuration.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ik_node.collision.contact import NearPairs
from ik_node.collision.model import CollisionModel
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace
from ik_node.solvers.collision.avoidance import CollisionExit, exit_from
from ik_node.solvers.goal import Goal, task_rows
from ik_node.solvers.kernel.qp.hierarchical_qp import Cascade
from ik_node.solvers.solver_output import LevelRows
from ik_node.support import clock

_APPROACH = 0.5    # of the distance that is left, so that a robot slows down towards a contact
_CLEARANCE = 5e-5  # m, beyond the margin, that steps aim at
_MESHES = 1e-3     # m, beyond both, for meshes that coal compares: the nearer, the more often
_NEAR = 0.05       # m, beyond both: pairs that every step looks at
_OUTWARD = 0.02    # m, by which one step parts what is too near
_MOST_PAIRS = 64   # the most violated pairs, in one quadratic program
_CASCADES = 64     # that are kept
_ROUNDS = 6        # linearisations
_HALVINGS = 6      # of a step, where these do not suffice
_HELD = 1e-6       # m, tolerance of the constraints
_LOOKS = 20        # at meshes where their hulls touch, in each step
_SHORTER = 0.9     # of the part of a step that is free
_CURVATURE = 1.0   # 1/rad
_SINGULAR = 1e-2
_DEEP = 1e-3       # m, nearer than the margin: what a step must lead out of
_LEADS_OUT = 0.05  # of the distance that the fastest joint alone could gain: less leads nowhere
# Of `closest_free`:
_MOST_STEPS = 100
_ABOVE = 1e-4        # m, beyond the margin: steps keep theirs less as much
_LONGEST = 0.2       # rad or m
_AT_REST = 1e-5      # rad or m: a smaller step is the last
_SETTLED = 1e-5      # of what is missed: so is one with a smaller reduction
_BOLDER, _CAREFUL = 1.0 / 3.0, 9.0  # the damping after a step that is taken, and that is not
_BOLDEST = 1e-3
_FAILURES = 3        # in a row

_NO_TARGETS: Mapping[tuple[int, int], float] = {}


class GuardedSteps:
    """Steps of one robot that keep the margin of a collision model. For one thread at a time."""

    def __init__(self, collisions: CollisionModel, approach: float = _APPROACH) -> None:
        """Keep the margin of a model.

        approach: by how much of the distance that is left one step may bring a pair nearer.
        """
        self.collisions, self._approach = collisions, approach
        self._least = collisions.margin + _CLEARANCE
        self._cascades: dict[bytes, Cascade] = {}
        self._measured: set[tuple[int, int]] = set()
        self._exit: CollisionExit | None = None
        self._searched: Any = None  # where, and beside what, an exit was last searched for

    def step(self, q: np.ndarray, wanted: np.ndarray | None, levels: Sequence[LevelRows],
             lower: np.ndarray, upper: np.ndarray, curvature: float = _CURVATURE) -> np.ndarray:
        """Return the step (n,) next to a wanted one, rad or m, that keeps the margin from q (n,).

        wanted: that of the tasks by default. levels: their rows at q, the strictest first. lower,
        upper: (n,) bounds of the step. curvature: of surfaces and paths, 1/rad, for the damping of
        what is in the way.
        """
        if wanted is None:
            wanted = self._solve(levels, lower, upper, curvature)
        self._measured.clear()
        here, step = self._near(q), wanted
        begun = here.distances < self._kept(here)
        if self._exit is not None and begun.any() and self._exit.contains(q):
            return self._exit.step(q, lower, upper)
        self._exit = None
        targets = self._targets(here)
        there = self._near(q + wanted, targets)
        if self._measured:
            here = self._near(q)
            targets, begun = self._targets(here), here.distances < self._kept(here)
            there = self._near(q + wanted, targets)
        linear = here.distances + here.gradients @ wanted
        is_free = not begun.any() and (linear >= self._wanted(here, targets)).all()
        for k in range(_ROUNDS):
            before = step
            if k > 0:
                there = self._near(q + step, targets)
            if (there.distances >= self._wanted(there, targets) - _HELD).all() and (
                    k > 0 or is_free):
                break
            if k == 0:
                there, before = here, np.zeros_like(q)
            missing = self._wanted(there, targets) - there.distances + there.gradients @ before
            nearest = np.argsort(-missing)[:_MOST_PAIRS]
            outward = LevelRows(
                here.gradients[begun],
                np.minimum((self._kept(here) - here.distances)[begun], _OUTWARD),
                np.ones(begun.sum(), bool), 0.0, False)
            kept = LevelRows(there.gradients[nearest], missing[nearest],
                             np.ones(len(nearest), bool), 0.0, False)
            step = self._solve([kept, outward, *levels], lower, upper, curvature)
        else:  # what is linearised does not hold
            step = self._shortened(q, step, here)
        part = self.collisions.free_part(np.array([q, q + step]), looks=_LOOKS)
        step = step if part > 1.0 else _SHORTER * part * step
        if self._is_stuck(q, step, here, np.maximum(upper, -lower)) and (
                self._searched != (q.tobytes(), self.collisions.scene)):
            self._exit = exit_from(q, self.collisions)
            self._searched = q.tobytes(), self.collisions.scene
        return step if self._exit is None else self._exit.step(q, lower, upper)

    def _is_stuck(self, q: np.ndarray, step: np.ndarray, here: NearPairs,
                  bounds: np.ndarray) -> bool:
        """Tell whether a step (n,) from q (n,) hardly leads out of the collision there."""
        deep = here.distances < self.collisions.margin - _DEEP
        if not deep.any() or self.collisions.is_free(q):
            return False
        there = self._near(q + step)
        after = there.by_pair(there.distances)
        gained = sum(after.get((a, b), self._least) - before for (a, b), before in zip(
            here.pairs[deep].tolist(), here.distances[deep].tolist()))
        return bool(gained < _LEADS_OUT * (np.abs(here.gradients[deep]) * bounds).max())

    def _shortened(self, q: np.ndarray, step: np.ndarray, here: NearPairs) -> np.ndarray:
        """Return as much of a step (n,) from q (n,) as brings nothing nearer than it may be."""
        margin = self.collisions.margin
        least = here.by_pair(np.minimum(here.distances, margin))
        for _ in range(_HALVINGS):
            there = self._near(q + step)
            if all(distance >= least.get(pair, margin) - _HELD
                   for pair, distance in there.by_pair(there.distances).items()):
                return step
            step = 0.5 * step
        return np.zeros_like(q)

    def _near(self, q: np.ndarray,
              targets: Mapping[tuple[int, int], float] = _NO_TARGETS) -> NearPairs:
        """Return the pairs that are near at q (n,), by their meshes where hulls miss a target."""
        def by_meshes(a: int, b: int, distance: float) -> bool:
            if distance < targets.get((a, b), self._least + _MESHES) - _HELD:
                self._measured.add((a, b))
            return (a, b) in self._measured
        return self.collisions.near_pairs(q, self._least + _NEAR, by_meshes)

    def _targets(self, here: NearPairs) -> dict[tuple[int, int], float]:
        """Return how far apart each pair must be after the step, m."""
        d, least = here.distances, self._kept(here)
        after = np.where(d < least, np.minimum(d + 2.0 * _HELD, least),
                         least + (1.0 - self._approach) * (d - least))
        return here.by_pair(after)

    def _wanted(self, near: NearPairs, targets: dict[tuple[int, int], float]) -> np.ndarray:
        return np.array([targets.get((a, b), least) for (a, b), least in zip(
            near.pairs.tolist(), self._kept(near).tolist())])

    def _kept(self, near: NearPairs) -> np.ndarray:
        """Return how far apart pairs (k,) are to be, m."""
        least: np.ndarray = self._least + _MESHES * near.meshes
        return least

    def _solve(self, levels: Sequence[LevelRows], lower: np.ndarray, upper: np.ndarray,
               curvature: float) -> np.ndarray:
        """Return the least step (n,) within bounds that serves levels, the strictest first."""
        levels = [level for level in levels if len(level.e)]
        rows, one_sided = ([len(level.e) for level in levels],
                           np.concatenate([level.one_sided for level in levels]))
        key = np.array(rows).tobytes() + one_sided.tobytes()
        if key not in self._cascades:
            if len(self._cascades) > _CASCADES:
                self._cascades.clear()
            self._cascades[key] = Cascade(len(lower), rows, one_sided)
        # λ² = curvature · |e|: a contact bends the steps by as much as tasks miss for good.
        e = np.concatenate([level.e for level in levels])
        missed = math.sqrt(sum(float(level.missed() @ level.missed()) for level in levels))
        return self._cascades[key].run(np.concatenate([level.A for level in levels]), e, lower,
                                       upper, 2.0 * curvature / max(missed, _HELD), _SINGULAR)


def closest_free(q: np.ndarray, rows: Callable[[np.ndarray], Sequence[LevelRows]],
                 space: JointSpace, collisions: CollisionModel, deadline: float) -> np.ndarray:
    """Return where steps from q (n,), rad or m, towards tasks lead without contact.

    rows(q): what the tasks ask for, the strictest level first. From within a contact the steps
    first lead out of it. deadline: by time.perf_counter, s.
    """
    steps = GuardedSteps(collisions.with_margin(collisions.margin + _ABOVE), approach=1.0)
    damping, failures = 1.0, 0
    levels, is_free = rows(q), collisions.is_free(q)
    for _ in range(_MOST_STEPS):
        if clock.is_over(deadline) or failures > _FAILURES:
            break
        bounds = (np.clip(space.lower - q, -_LONGEST, 0.0),
                  np.clip(space.upper - q, 0.0, _LONGEST))
        step = steps.step(q, None, levels, *bounds, damping)
        there = rows(q + step)
        gain, stays_free = _gain(levels, there), collisions.is_free(q + step)
        if is_free and (gain <= 0.0 or not stays_free):
            damping, failures = _CAREFUL * damping, failures + 1
            continue
        q, levels, failures = q + step, there, 0
        damping = max(_BOLDER * damping, _BOLDEST)
        if is_free and (gain < _SETTLED or np.abs(step).max() < _AT_REST):
            break
        is_free = stays_free
    return q


def goal_rows(chain: Chain, goal: Goal, q: np.ndarray) -> list[LevelRows]:
    """Return what a goal asks of an arm at q (n,), rad or m."""
    e, J = task_rows(chain, goal, q)
    return [LevelRows(J, e, np.zeros(len(e), bool), float(e @ e), False)]


def _gain(levels: Sequence[LevelRows], there: Sequence[LevelRows]) -> float:
    """Return the part of what is missed that is less there, of the first level that differs."""
    for own, other in zip(levels, there):
        part = (own.cost - other.cost) / max(own.cost, other.cost, 1e-16)
        if abs(part) > 1e-9:
            return part
    return 0.0

"""Plans: the closed form for a chain and a kind of goal, and its redundancy parameters."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.recognition.nominal import COSTS, GENERAL, PLANAR, PLANAR_FREE, SWIVEL
from ik_node.solvers.analytic.recognition.recognise import Recognised, recognise
from ik_node.solvers.analytic.refinement.solutions import Solutions
from ik_node.solvers.analytic.selection.selection import Selection, Selector
from ik_node.solvers.driver import share
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy
from ik_node.solvers.kernel.settings import Settings
from ik_node.spatial import quaternion_from_matrix
from ik_node.spatial.conversions import heading_axis
from ik_node.support import clock
from ik_node.support.arguments import floats
from ik_node.support.exceptions import InputError, UnsupportedError

_REFINED = 4.0   # times as much where branches are refined, or have virtual joints; at p95
_COST_OF_AXES = 100.0  # time to find what axes a goal constrains in the plane of an arm
_TRIED = 12      # parameters that are tried where a closed form is searched
_ANYWHERE = 1e6  # slack with which every branch has a nearest configuration for any goal
_SAMPLES = 48    # values of the redundancy parameters for a pose of a path, at density 1
_AT_ONCE = 256   # of these, of some goals, in one call
# Poses by which convergence is measured, and what part of branches must converge: to save the time
# of the general 6R, and of refined branches with their twins.
_TRIALS, _MOST, _NEARLY_ALL = 20, 0.5, 0.9
_SHARES = 16     # tasks of a core of a long path

NOTHING = np.zeros(0)


class Plan:
    """A closed form for a chain and for goals that constrain the same axes.

    - `structure`: the nominal arm; `family`: its closed form.
    - `loose`: the nominal arm, whose every branch is the nearest to a goal, in reach or not.
    - `solutions`: lists the branches; `selector`: selects the preferred one.
    - `lower`, `upper`: (p,) bounds of the redundancy parameters, rad or m.
    - `searched`: whether these are to be chosen.
    - `swivels`: whether the parameter is the swivel angle of an elbow.
    - `guide`: the plan by which solutions are sought where no parameters are given: that of the
      nearest arm with a swivel angle, where its branches lead to the true arm, else this one.
    - `cost`: time of the preferred solution, usually, in iterations of dls.
    - `complete`: whether the absence of branches proves that there is no solution.
    """

    def __init__(self, chain: Chain, settings: Settings, select: Callable[['Plan'], Selection],
                 recognised: Recognised, tip_angle_fixed: bool = False) -> None:
        """Prepare.

        select: returns a new selection of the preferred solution for a plan. tip_angle_fixed:
        whether goals constrain the tip's angle of a planar arm.
        """
        structure = recognised.structure
        self.structure, self.family = structure, structure.closed_form()
        self.loose = structure._replace(slack=_ANYWHERE).closed_form()
        columns = list(recognised.locked)
        own = structure.parameters - len(columns)
        self.lower = np.array([*chain.lower[columns], *[-math.pi] * own])
        self.upper = np.array([*chain.upper[columns], *[math.pi] * own])
        self._bounded = bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())
        self.searched = structure.parameters > 0 and not tip_angle_fixed
        self.swivels = structure.family == SWIVEL and not structure.may_be_off
        self.cost = COSTS[structure.family]
        if structure.family != GENERAL and (structure.may_be_off or (structure.column < 0).any()):
            self.cost *= _REFINED
        if self.searched and structure.family not in (SWIVEL, PLANAR_FREE):
            self.cost *= _TRIED
        self.complete = not structure.may_be_off and (not self.searched or self.swivels)
        self._neutral = chain.neutral()
        self.solutions = Solutions(
            chain.record, settings, self.family, self._neutral,
            None if recognised.general is None else recognised.general.closed_form())
        self.selector = Selector(lambda: select(self))
        self.guide = self
        if recognised.guesses is not None:
            guide = Plan(chain, settings, select, recognised._replace(
                structure=recognised.guesses, locked=(), guesses=None, general=None))
            if guide._convergence(chain) > (_MOST if structure.family == GENERAL else _NEARLY_ALL):
                self.guide, self.cost = guide, guide.cost

    def _convergence(self, chain: Chain) -> float:
        """Return the part of the branches that refinement brings onto the true arm."""
        found, tried = 0, 0
        for q in np.random.default_rng(0).uniform(-math.pi, math.pi, (_TRIALS, chain.n_joints)):
            pose, own = chain.forward(q), self.family.parameters_at(q)
            found += len(self.branches(Goal.from_pose(pose), own, False))
            tried += len(self.family.branches(pose[None], own, q))
        return found / max(tried, 1)

    def range_near(self, q0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (lower, upper), (p,) each: half a turn about q0 (n,) where they are infinite."""
        if self._bounded:
            return self.lower, self.upper
        own = self.family.parameters_at(q0)
        lower, upper = np.minimum(own, self.upper) - math.pi, np.maximum(own, self.lower) + math.pi
        return (np.where(np.isfinite(self.lower), self.lower, lower),
                np.where(np.isfinite(self.upper), self.upper, upper))

    def checked_parameters(self, redundancy: Any) -> np.ndarray:
        """Return redundancy as parameters (p,). Raises InputError for invalid ones."""
        spare = len(self.lower)
        if not spare:
            raise InputError('redundancy is for redundant arms; this arm has no redundant joint')
        parameters = floats(redundancy, 'redundancy')
        if spare == 1 and parameters.ndim == 0:
            parameters = parameters.reshape(1)
        if parameters.shape != (spare,):
            raise InputError(f'redundancy must have the shape ({spare},), not {parameters.shape}')
        return parameters

    def branches(self, goal: Goal, parameters: np.ndarray, within: bool) -> np.ndarray:
        """Return every branch (k, n) for parameters (p,), or several (r, p), one by one.

        within: inside the limits.
        """
        sets = parameters if parameters.ndim == 2 else parameters[None]
        out = np.empty((1, len(sets) * self.solutions.most, len(self._neutral)))
        counts = np.empty(len(sets), dtype=np.int64)
        self.solutions.of_batch(goal.pose[None], goal.weights, sets, self._neutral, within, out,
                                counts, math.inf)
        return out[0, :counts.sum()]

    def candidates(self, goals: Sequence[Goal], q0: np.ndarray, density: int, seed: int,
                   deadline: float) -> list[np.ndarray]:
        """Return the branches (k, n) inside the limits for each goal of all six axes, rad or m.

        q0 (n,): reference for whole turns. density: multiple of the usual number of parameters.
        deadline: by time.perf_counter, s; the goals that are left then, but for the first one, have
        no branch.
        """
        parameters = np.zeros((1, len(self.lower)))
        if self.searched:
            lower, upper = self.range_near(q0)
            count = density * _SAMPLES
            spread = (low_discrepancy(count, len(lower), seed) if len(lower) > 1
                      else (np.arange(count)[:, None] + 0.5) / count)
            parameters = lower + spread * (upper - lower)
        count = len(parameters)
        at_once = max(_AT_ONCE // count, 1)
        found = [np.empty((0, len(q0)))] * len(goals)

        def solve(part: slice) -> None:
            last = min(part.stop, len(goals))
            for first in range(part.start, last, at_once):
                if first > 0 and clock.is_over(deadline):
                    return
                some = slice(first, min(first + at_once, last))
                poses = np.repeat([goal.pose for goal in goals[some]], count, axis=0)
                out = np.empty((1, len(poses) * self.solutions.most, len(q0)))
                counts = np.zeros(len(poses), dtype=np.int64)
                self.solutions.of_batch(
                    poses, ALL_AXES, np.tile(parameters, (len(poses) // count, 1)), q0, True, out,
                    counts, deadline)
                ends = counts.cumsum()
                found[some] = np.split(out[0, :ends[-1]], ends[count - 1:-1:count])

        share(solve, len(goals), size=max(at_once, len(goals) // _SHARES))
        return found


class Plans:
    """The plans of an arm: one for every set of constrained axes.

    - `whole`: for goals that constrain all six axes.
    - `planar`: whether the arm is planar, or a SCARA.
    """

    def __init__(self, chain: Chain, settings: Settings, select: Callable[[Plan], Selection],
                 whole: Recognised) -> None:
        """Prepare; whole: the arm for goals of all six axes. The others: see `Plan`."""
        self._chain = chain
        self._make = functools.partial(Plan, chain, settings, select)
        self.whole = self._make(whole)
        self.planar = whole.structure.family == PLANAR
        if self.planar:
            free = whole._replace(structure=whole.structure._replace(family=PLANAR_FREE))
            self._free, self._fixed_angle = self._make(free), self._make(free, True)
        self._others: dict[tuple[bool, ...], Plan | UnsupportedError] = {}

    def plan_for(self, goal: Goal) -> tuple[Plan, np.ndarray | None]:
        """Return the plan for a goal, and its parameters where the goal determines them.

        Raises UnsupportedError for a goal without a closed form.
        """
        if goal.weights is ALL_AXES:
            return self.whole, None
        constrained, oriented = goal.weights > 0.0, goal.orientation is not None
        if self.planar and oriented:
            return self._planar_plan_for(goal)
        if constrained.all():
            return self.whole, None
        key = (*constrained.tolist(), oriented)
        if key not in self._others:
            try:
                self._others[key] = (
                    self._planar_plan_for(goal)[0] if self.planar
                    else self._make(recognise(self._chain, constrained, oriented)))
            except UnsupportedError as error:  # which takes a thousand times as long as a goal
                self._others[key] = error
        plan = self._others[key]
        if isinstance(plan, UnsupportedError):
            raise UnsupportedError(str(plan), plan.found)
        return plan, None

    def cost_for(self, goal: Goal) -> float:
        """Return the cost of the plan for a goal, that of finding it included; see `Plan`.

        It depends only on which axes the goal constrains; infinite without a closed form.
        """
        if self.planar and goal.orientation is not None and goal.weights is not ALL_AXES:
            return _COST_OF_AXES
        try:
            return self.plan_for(goal)[0].cost
        except UnsupportedError:
            return math.inf

    def _planar_plan_for(self, goal: Goal) -> tuple[Plan, np.ndarray | None]:
        """Return `plan_for` of a planar arm, by the axes that a goal constrains in its plane."""
        structure = self.whole.structure
        normal = structure.axes[structure.kind == 0][0]
        axes = np.eye(3) if goal.orientation is None else goal.orientation
        constrained = axes * (goal.weights[:3] > 0.0)
        within = constrained - np.outer(normal, normal @ constrained)
        if np.linalg.matrix_rank(within, tol=1e-3) < 2:
            raise UnsupportedError('analytic on a planar arm needs a goal that constrains the '
                                   'position in the arm\'s plane; this one leaves it free')
        if (structure.column[(structure.kind == 0) & (structure.locked < 0)] < 0).any():
            return self.whole, None  # no joint for the angle of the tip
        axis = heading_axis(goal.weights)
        if axis is not None and goal.orientation is not None:
            angle = self._angle_of(goal.orientation, axis, normal)
            if math.isnan(angle) or len(self._fixed_angle.lower) > 1:
                return self._free, None
            return self._fixed_angle, np.array([angle])
        if goal.orientation is not None:
            along = np.abs(goal.orientation.T @ normal)
            if (along * (goal.weights[3:] > 0.0)).max() > 0.5:
                # The rotation of the tip about the normal, from zero.
                x, y, z, w = quaternion_from_matrix(goal.orientation @ structure.T_tip_base[:3, :3])
                angle = 2.0 * math.atan2(normal @ (x, y, z), w)
                if len(self._fixed_angle.lower) == 1:
                    return self._fixed_angle, np.array([angle])
                return self.whole, None
        return self._free, None

    def _angle_of(self, R_goal: np.ndarray, axis: int, normal: np.ndarray) -> float:
        """Return the rotation of the tip about a planar arm's normal (3,), from zero, to a heading.

        About an axis of a goal, rad; NaN without a single one. With (a, b, c) the tip's next axis
        along the goal's at the angle φ, c = u + v cos φ + w sin φ is to be zero, and b positive.
        """
        order = [axis, (axis + 1) % 3, (axis + 2) % 3]
        tip = self.whole.structure.T_tip_base[order[1], :3]
        constant = normal * (normal @ tip)
        turned = np.array([constant, tip - constant, np.cross(normal, tip)]) @ R_goal[:, order[1:]]
        (_, u), (_, v), (_, w) = turned.tolist()
        most = math.hypot(v, w)
        if not most > abs(u):
            return math.nan
        half, middle = math.acos(-u / most), math.atan2(w, v)
        found = [angle for angle in (middle + half, middle - half)
                 if turned[:, 0] @ (1.0, math.cos(angle), math.sin(angle)) > 0.0]
        return found[0] if len(found) == 1 else math.nan

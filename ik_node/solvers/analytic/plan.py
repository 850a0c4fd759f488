"""How a kind of goal is solved for a chain: the closed form, and what it wants given."""

import math
from typing import Any

import numpy as np

from ik_node._arrays import vector
from ik_node.exceptions import InputError, UnsupportedError
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.branches import branches
from ik_node.solvers.analytic.closed_loop import FORM_SCRATCH, MOST_BRANCHES
from ik_node.solvers.analytic.desk import MOST_ANSWERS
from ik_node.solvers.analytic.form import (
    EXACT_SLACK,
    FLAT,
    FLAT_FREE,
    GENERAL,
    SWIVEL,
    pack_form,
    parameters_of,
)
from ik_node.solvers.analytic.recognition import Recognised, recognise
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.spatial import quaternion_from_matrix

_ANYWHERE = 1e6  # slack with which every branch has a nearest posture, however far the goal is


class Plan:
    """A closed form for a chain and for goals that ask for the same axes.

    - `form`: the ideal arm; `codes`, `numbers`: of `form.pack_form`.
    - `lower`, `upper`: (p,) between which its parameters are looked for, rad or m.
    - `most`: how many answers there is room for.
    - `swivels`: whether its parameter is the swivel angle of an elbow.
    - `complete`: whether no answer is a proof that there is none.
    """

    def __init__(self, recognised: Recognised, chain: Chain, angle_given: bool = False) -> None:
        """Lay out a form; angle_given: whether a planar arm's goals say how its tip is turned."""
        form = recognised.form
        self.form = form
        self.codes, self.numbers = pack_form(form)
        self._loose = self.numbers.copy()
        self._loose[1] = _ANYWHERE
        columns = list(recognised.locked)
        own = form.parameters - len(columns)
        self.lower = np.array([*chain.lower[columns], *[-math.pi] * own])
        self.upper = np.array([*chain.upper[columns], *[math.pi] * own])
        self._bounded = bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())
        self.searched = form.parameters > 0 and not angle_given
        exact = form.slack <= EXACT_SLACK and form.family != GENERAL
        # Eight at the most where the arm is exact, but rounding can make two of one.
        self.most = 16 if exact else MOST_ANSWERS
        self.swivels = form.family == SWIVEL
        self.complete = exact and (not self.searched or self.swivels)

    def range_near(self, q0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (lower, upper), (p,) each: half a turn about q0 (n,) where they are infinite."""
        if self._bounded:
            return self.lower, self.upper
        own = self.parameters_at(q0)
        lower, upper = np.minimum(own, self.upper) - math.pi, np.maximum(own, self.lower) + math.pi
        return (np.where(np.isfinite(self.lower), self.lower, lower),
                np.where(np.isfinite(self.upper), self.upper, upper))

    def parameters_at(self, q: np.ndarray) -> np.ndarray:
        """Return the parameters (p,) that a posture q (n,) has, rad or m."""
        given = np.zeros(len(self.lower))
        parameters_of(self.codes, self.numbers, q, given)
        return given

    def given(self, redundancy: Any) -> np.ndarray:
        """Return the parameters (p,) a caller gives. Raises InputError for what they cannot be."""
        spare = len(self.lower)
        if not spare:
            raise InputError('redundancy is for an arm with a joint to spare; this one has none')
        if spare == 1 and np.ndim(redundancy) == 0:
            number = isinstance(redundancy, (int, float, np.integer, np.floating))
            if not (number and np.isfinite(redundancy)):
                raise InputError(f'redundancy must be a finite number, not {redundancy!r}')
            return np.array([float(redundancy)])
        return vector(redundancy, spare, 'redundancy')

    def nearest_postures(self, goal: Goal, given: np.ndarray, q0: np.ndarray) -> np.ndarray:
        """Return what the branches (k, n) are as near as the ideal arm gets to a goal."""
        out = np.zeros((MOST_BRANCHES, len(q0)))
        count = branches(self.codes, self._loose, goal.pose, given, q0, np.zeros(FORM_SCRATCH), out)
        found = out[:count]
        return found[np.isfinite(found).all(axis=1)]


class FlatPlans:
    """The plans of a planar arm or a SCARA, which depend on what a goal asks for within its plane.

    - `plan`: for goals that ask for all axes.
    """

    def __init__(self, recognised: Recognised, chain: Chain) -> None:
        """Prepare for a form of the family FLAT."""
        form = recognised.form
        self.plan = Plan(recognised, chain)
        turns = form.column[(form.kind == 0) & (form.locked < 0)]
        self._has_tip_joint = bool((turns >= 0).all())
        free = recognised._replace(form=form._replace(family=FLAT_FREE))
        self._free = Plan(free, chain)
        self._given = Plan(free, chain, angle_given=True)
        self._normal = form.axes[form.kind == 0][0]
        self._R_tip_base = form.T_tip_base[:3, :3]

    def plan_for(self, goal: Goal) -> tuple[Plan, np.ndarray | None]:
        """Return the plan for a goal, and the parameters where the goal says what they are.

        Raises UnsupportedError for a goal that leaves the position in the plane free.
        """
        axes = np.eye(3) if goal.orientation is None else goal.orientation
        asked = axes * (goal.weights[:3] > 0.0)
        within = asked - np.outer(self._normal, self._normal @ asked)
        if np.linalg.matrix_rank(within, tol=1e-3) < 2:
            raise UnsupportedError('analytic on a planar arm needs a goal that asks for the '
                                   'position in the arm\'s plane; this one leaves it free')
        if not self._has_tip_joint:
            return self.plan, None
        if goal.orientation is not None:
            along = np.abs(goal.orientation.T @ self._normal)
            if (along * (goal.weights[3:] > 0.0)).max() > 0.5:
                # The part of the tip's rotation from zero that is about the normal.
                x, y, z, w = quaternion_from_matrix(goal.orientation @ self._R_tip_base)
                angle = 2.0 * math.atan2(self._normal @ (x, y, z), w)
                if len(self._given.lower) == 1:
                    return self._given, np.array([angle])
                return self.plan, None
        return self._free, None


class Plans:
    """The plans of an arm: one for every choice of axes that its goals ask for.

    - `whole`: for goals that ask for all six axes; `words`: what arm that is.
    - `locked`: the entries of q that it wants given.
    - `flat`: whether the arm is planar, or a SCARA.
    """

    def __init__(self, chain: Chain) -> None:
        """Recognise the arm. Raises UnsupportedError for one that has no closed form here."""
        found = recognise(chain, np.ones(6, dtype=bool), along_goal=True)
        self._chain = chain
        self.words, self.locked = found.words, found.locked
        self.flat = found.form.family == FLAT
        self._flat = FlatPlans(found, chain) if self.flat else None
        self.whole = self._flat.plan if self._flat else Plan(found, chain)
        self._others: dict[tuple[bool, ...], Plan] = {}

    def plan_for(self, goal: Goal) -> tuple[Plan, np.ndarray | None]:
        """Return the plan for a goal, and its parameters where the goal says what they are.

        Raises UnsupportedError for a goal that has no closed form.
        """
        if goal.weights is ALL_AXES:
            return self.whole, None
        if self._flat is not None:
            return self._flat.plan_for(goal)
        asked = goal.weights > 0.0
        if asked.all():
            return self.whole, None
        key = (*asked.tolist(), goal.orientation is not None)
        if key not in self._others:
            self._others[key] = Plan(recognise(self._chain, asked, key[-1]), self._chain)
        return self._others[key], None

"""Plans: the closed form for a chain and a kind of goal, and its redundancy parameters."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.closed_families import closed_family
from ik_node.solvers.analytic.families.nominal_arm import NominalArm
from ik_node.solvers.analytic.recognition.description import Recognised
from ik_node.solvers.analytic.recognition.recognise import recognise
from ik_node.solvers.analytic.refinement.solutions import Solutions
from ik_node.solvers.analytic.selection.selection import Selection
from ik_node.solvers.analytic.selection.selector import Selector
from ik_node.solvers.analytic.structure import (
    EXACT_SLACK,
    GENERAL,
    PLANAR,
    PLANAR_FREE,
    SWIVEL,
)
from ik_node.solvers.analytic.subproblems.sizes import MOST_SOLUTIONS
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.settings import Settings
from ik_node.spatial import quaternion_from_matrix
from ik_node.support.arguments import floats
from ik_node.support.exceptions import InputError, UnsupportedError

_ANYWHERE = 1e6  # slack with which every branch has a nearest configuration for any goal


class Tools(NamedTuple):
    """What the plans of a solver share."""

    chain: ChainRecord
    settings: Settings
    start: np.ndarray
    """(n,) the configuration that whole turns of all branches are nearest to."""
    select: Callable[['Plan'], Selection]
    """Returns a new selection of the preferred solution for a plan."""


class Plan:
    """A closed form for a chain and for goals that constrain the same axes.

    - `structure`: the nominal arm; `family`: its closed form.
    - `loose`: the nominal arm, whose every branch is the nearest to a goal, in reach or not.
    - `solutions`: lists the branches; `selector`: selects the preferred one.
    - `lower`, `upper`: (p,) bounds of the redundancy parameters, rad or m.
    - `most`: maximum number of solutions.
    - `swivels`: whether the parameter is the swivel angle of an elbow.
    - `complete`: whether the absence of branches proves that there is no solution.
    """

    def __init__(self, recognised: Recognised, chain: Chain, tools: Tools,
                 tip_angle_fixed: bool = False) -> None:
        """Prepare; tip_angle_fixed: whether goals constrain the tip's angle of a planar arm."""
        structure = recognised.structure
        self.structure = structure
        self.family = closed_family(structure)
        self._nominal = NominalArm(self.family)
        self.loose = NominalArm(closed_family(structure._replace(slack=_ANYWHERE)))
        columns = list(recognised.locked)
        own = structure.parameters - len(columns)
        self.lower = np.array([*chain.lower[columns], *[-math.pi] * own])
        self.upper = np.array([*chain.upper[columns], *[math.pi] * own])
        self._bounded = bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())
        self.searched = structure.parameters > 0 and not tip_angle_fixed
        exact = structure.slack <= EXACT_SLACK and structure.family != GENERAL
        # At most eight where the arm is exact, but rounding can split one into two.
        self.most = 16 if exact else MOST_SOLUTIONS
        self.swivels = structure.family == SWIVEL
        self.complete = exact and (not self.searched or self.swivels)
        self.solutions = Solutions(tools.chain, tools.settings, self.family, tools.start,
                                   self.most)
        self.selector = Selector(lambda: tools.select(self))

    def range_near(self, q0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (lower, upper), (p,) each: half a turn about q0 (n,) where they are infinite."""
        if self._bounded:
            return self.lower, self.upper
        own = self.parameters_at(q0)
        lower, upper = np.minimum(own, self.upper) - math.pi, np.maximum(own, self.lower) + math.pi
        return (np.where(np.isfinite(self.lower), self.lower, lower),
                np.where(np.isfinite(self.upper), self.upper, upper))

    def parameters_at(self, q: np.ndarray) -> np.ndarray:
        """Return the redundancy parameters (p,) of a configuration q (n,), rad or m."""
        parameters: np.ndarray = self._nominal.parameters_at(q)
        return parameters

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


class PlanarPlans:
    """The plans of a planar arm or a SCARA, by the axes that a goal constrains in its plane.

    - `plan`: for goals that constrain all axes.
    """

    def __init__(self, recognised: Recognised, chain: Chain, tools: Tools) -> None:
        """Prepare for a structure of the family PLANAR."""
        structure = recognised.structure
        self.plan = Plan(recognised, chain, tools)
        revolute = structure.column[(structure.kind == 0) & (structure.locked < 0)]
        self._has_tip_joint = bool((revolute >= 0).all())
        free = recognised._replace(structure=structure._replace(family=PLANAR_FREE))
        self._free = Plan(free, chain, tools)
        self._fixed_angle = Plan(free, chain, tools, tip_angle_fixed=True)
        self._normal = structure.axes[structure.kind == 0][0]
        self._R_tip_base = structure.T_tip_base[:3, :3]

    def plan_for(self, goal: Goal) -> tuple[Plan, np.ndarray | None]:
        """Return the plan for a goal, and the parameters where the goal determines them.

        Raises UnsupportedError for a goal that leaves the position in the plane free.
        """
        axes = np.eye(3) if goal.orientation is None else goal.orientation
        constrained = axes * (goal.weights[:3] > 0.0)
        within = constrained - np.outer(self._normal, self._normal @ constrained)
        if np.linalg.matrix_rank(within, tol=1e-3) < 2:
            raise UnsupportedError('analytic on a planar arm needs a goal that constrains the '
                                   'position in the arm\'s plane; this one leaves it free')
        if not self._has_tip_joint:
            return self.plan, None
        if goal.orientation is not None:
            along = np.abs(goal.orientation.T @ self._normal)
            if (along * (goal.weights[3:] > 0.0)).max() > 0.5:
                # The rotation of the tip about the normal, from zero.
                x, y, z, w = quaternion_from_matrix(goal.orientation @ self._R_tip_base)
                angle = 2.0 * math.atan2(self._normal @ (x, y, z), w)
                if len(self._fixed_angle.lower) == 1:
                    return self._fixed_angle, np.array([angle])
                return self.plan, None
        return self._free, None


def recognised_whole(chain: Chain) -> Recognised:
    """Return a chain's arm for goals of all six axes.

    Raises UnsupportedError for one without a closed form.
    """
    return recognise(chain, np.ones(6, dtype=bool), along_goal=True)


class Plans:
    """The plans of an arm: one for every set of constrained axes.

    - `whole`: for goals that constrain all six axes; `words`: the description of the arm.
    - `locked`: the entries of q of its locked joints.
    - `planar`: whether the arm is planar, or a SCARA.
    """

    def __init__(self, chain: Chain, whole: Recognised, tools: Tools) -> None:
        """Prepare; whole: the arm as `recognised_whole` returns it."""
        self._chain, self._tools = chain, tools
        self.words, self.locked = whole.words, whole.locked
        self.planar = whole.structure.family == PLANAR
        self._planar = PlanarPlans(whole, chain, tools) if self.planar else None
        self.whole = self._planar.plan if self._planar else Plan(whole, chain, tools)
        self._others: dict[tuple[bool, ...], Plan] = {}

    def plan_for(self, goal: Goal) -> tuple[Plan, np.ndarray | None]:
        """Return the plan for a goal, and its parameters where the goal determines them.

        Raises UnsupportedError for a goal without a closed form.
        """
        if goal.weights is ALL_AXES:
            return self.whole, None
        if self._planar is not None:
            return self._planar.plan_for(goal)
        constrained = goal.weights > 0.0
        if constrained.all():
            return self.whole, None
        key = (*constrained.tolist(), goal.orientation is not None)
        if key not in self._others:
            self._others[key] = Plan(recognise(self._chain, constrained, key[-1]), self._chain,
                                     self._tools)
        return self._others[key], None

"""Inverse kinematics by example [Rose, Sloan & Cohen 2001; Grochow et al. 2004]."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.base import Solver
from ik_node.solvers.example import models
from ik_node.solvers.example.examples import Examples, Features, features_of, gap, read_examples
from ik_node.solvers.example.options import ExampleOptions
from ik_node.solvers.found import Found
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.jacobian.solver import DlsSolver
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.optimization.goal_rows import GoalRows
from ik_node.support.exceptions import UnsupportedError

_TURN = 2.0 * np.pi


class ExampleSolver(DlsSolver):
    """Configurations like those of examples: interpolated, then led to the goal by dls.

    The interpolated configuration takes q0's place: dls begins there, is drawn towards it in the
    null space of the goal, and prefers what is near it, at its turn; at q0's turn of joints without
    limits. `Result.method` says how far the goal is from the nearest example.
    """

    name = 'example'
    Options: ClassVar[type[ExampleOptions]] = ExampleOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Read the examples and fit the model; see `Solver`.

        Raises UnsupportedError without examples, and IkError for those that cannot be used.
        """
        super().__init__(chain, **options)
        source = self.options.examples
        if source is None:
            raise UnsupportedError('example needs the option examples: a file, or in Python an '
                                   'array (k, n) of joint values')
        self._examples = Examples(
            self.chain, read_examples(source, self.chain) if isinstance(source, str) else source,
            self.settings.length)
        self._rows_of = GoalRows(self.chain.record, self.settings)
        self._models: dict[Features, tuple[models.Neighbours, models.Model]] = {}
        self._at(Features(True, True))

    def distance(self, goal: Any) -> str:
        """Return how far a goal, as of `solve`, is from the nearest example, in m and rad."""
        goal = as_goal(goal)
        features = features_of(goal)
        return self._gap(goal, features, self._examples.points(features, goal.pose[None])[0])

    def _start(self, q0: Any) -> np.ndarray:
        return Solver._start(self, q0)

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        features = features_of(goal)
        _, model = self._at(features)
        point = self._examples.points(features, goal.pose[None])[0]
        guess = np.clip(model.configuration(goal, point, q0), self.chain.lower, self.chain.upper)
        free = self._examples.free
        guess[free] += _TURN * np.round((q0[free] - guess[free]) / _TURN)
        found = self._led_to(goal, guess)
        away = self._gap(goal, features, point)
        return Found(*found[:-1], f'{self.options.model}, {away} from the nearest example')

    def _gap(self, goal: Goal, features: Features, point: np.ndarray) -> str:
        """Return how far a goal with the point (d,) is from the nearest example."""
        neighbours, _ = self._at(features)
        return gap(features, goal.pose, self._examples.poses[neighbours.nearest(point)])

    def _led_to(self, goal: Goal, guess: np.ndarray) -> Found:
        """Return the result of dls from a configuration (n,), drawn towards it."""
        if self.options.bias_target is not None:
            return self._solve_with(goal, guess, self._entry)
        method = DampedLeastSquares(replace(self.options, bias_target=guess), self.chain)
        return self._solve_with(goal, guess, self._entry.with_method(method))

    def _at(self, features: Features) -> tuple[models.Neighbours, models.Model]:
        """Return the model of goals that constrain some axes; it is fitted on first use."""
        if features not in self._models:
            options, own = self.options, self._examples
            neighbours = models.Neighbours(own, features, options.neighbours)
            model: models.Model = neighbours
            if options.model == 'rbf':
                model = models.RadialBasisFunctions(own, features, options)
            elif options.model == 'gaussian':
                model = models.GaussianMixture(own, options, neighbours,
                                        (self.chain.lower, self.chain.upper), self._rows)
            self._models[features] = neighbours, model
        return self._models[features]

    def _rows(self, goal: Goal, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weighted error (6,) of a goal at q (n,) and its Jacobian (6, n)."""
        V, J = np.empty(6), np.empty((6, len(q)))
        weights = (goal.weights > 0.0).astype(float)
        weights[:3] /= self.settings.length
        self._rows_of.rows(goal.pose, weights, q, V, J)
        return V, J

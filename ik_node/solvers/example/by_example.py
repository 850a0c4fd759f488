"""Inverse kinematics by example [Rose, Sloan & Cohen 2001; Grochow et al. 2004]."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.example import models
from ik_node.solvers.example.examples import Examples, Features, features_of, read_examples
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solvers import DlsOptions, DlsSolver
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.kernel.arm_kernel import Search
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Found
from ik_node.support.arguments import floats, instance
from ik_node.support.exceptions import OptionError, UnsupportedError
from ik_node.support.options import Spec, option

MODELS = ('rbf', 'nearest', 'gaussian')
_TURN = 2.0 * np.pi


def _array(name: str, examples: Any, spec: Spec, n_joints: int | None) -> Any:
    """Return examples as a read-only array (k, n); a path as text, and None for a text."""
    if isinstance(examples, (str, PathLike)):
        return None if isinstance(examples, str) else str(examples)
    instance(examples, (list, tuple, np.ndarray),
             f'{name} must be a file or an array (k, n) of joint values', OptionError)
    array = floats(examples, name)
    n = 'n' if n_joints is None else n_joints
    if array.ndim != 2 or len(array) == 0 or n not in ('n', array.shape[1]):
        raise OptionError(f'{name} must have the shape (k, {n}), k at least 1, not {array.shape}')
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class ExampleOptions(DlsOptions):
    """Options of `example`."""

    examples: Any = option(
        None, 'file of joint values: a CSV file with joint names in its first line, a library of '
        'poses in YAML, or an Acclaim motion of the skeleton; in Python an array (k, n), too; '
        'required', kind=str, optional=True, python=_array)
    model: str = option(
        'rbf', 'how joint values follow from the examples: radial basis functions on a linear '
        'part, the nearest example, or the most likely configuration of a Gaussian mixture',
        kind=str, choices=MODELS)
    neighbours: int = option(
        64, 'examples next to the goal that rbf interpolates, and among which nearest chooses the '
        'one nearest to the initial guess if they are as near', kind=int, low=1, high=1000)
    smoothing: float = option(
        1e-6, 'smoothing of rbf: 0 passes through every example, more averages noisy ones',
        low=0.0)
    pseudo_examples: int = option(
        0, 'configurations halfway between examples that rbf adds where it misses their poses most',
        kind=int, low=0, high=1000)
    components: int | None = option(
        None, 'principal components of the joint values that gaussian keeps; none: as many as '
        'make up 99 % of the variance', kind=int, low=1, high=100, optional=True)
    clusters: int = option(
        4, 'normal distributions in the mixture of gaussian', kind=int, low=1, high=50)
    bias_target: Any = option(
        None, 'joint values that attract a redundant arm; none: those that follow from the '
        'examples', 'rad or m', optional=True, per_joint=True)
    bias_gain: Any = option(
        0.25, 'gain towards bias_target in the null space of the task', low=0.0, per_joint=True)


class ExampleSolver(DlsSolver):
    """Configurations like those of examples: interpolated, then led to the goal by dls.

    The interpolated configuration takes q0's place: dls begins there, is drawn towards it in the
    null space of the goal, and prefers what is near it, at its turn; at q0's turn of joints without
    limits. `Result.method` says how far the goal is from the nearest example.
    """

    name = 'example'
    _copies_starts = False
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
        self._models: dict[Features, tuple[models.Neighbours, models.Model]] = {}
        self._at(Features(True, True))

    def _solve(self, goal: Goal, q0: np.ndarray, search: Search | None = None) -> Found:
        features = features_of(goal)
        neighbours, model = self._at(features)
        point = self._examples.points(features, goal.pose[None])[0]
        guess = np.clip(model.configuration(goal, point, q0), self.chain.lower, self.chain.upper)
        free = self._examples.free
        guess[free] += _TURN * np.round((q0[free] - guess[free]) / _TURN)
        chain = self._chain_about(q0)
        guess = np.clip(guess, chain.lower, chain.upper)
        search = search or self._search_about(q0, self._entry)
        if self.options.bias_target is None:  # drawn towards the guess
            search = search.altered(DampedLeastSquares(
                replace(self.options, bias_target=guess), self.chain))
        found = super()._solve(goal, guess, search)
        if not found.success and self.options.consistency_limits is not None:
            found = super()._solve(goal, q0)  # examples lead away
        own = self._examples.q[neighbours.nearest(point)]
        _, *errors = self._verifier.errors(goal.pose, goal.weights, own)
        away = ' and '.join(f'{error:.3g} {unit}' for error, unit, is_compared in zip(
            errors, ('m', 'rad'), features) if is_compared)
        return Found(*found[:-1], f'{self.options.model}, {away} from the nearest example')

    def _avoiding(self, goal: Goal, q0: np.ndarray,
                  is_free: Callable[[np.ndarray], bool]) -> Found:
        found = self._solve_verified(goal, q0)
        if found.reason is not StopReason.COLLISION:
            return found
        return super()._solve(goal, q0)  # examples lead to what is blocked

    def _rows_of(self, goal: Goal, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the error (6,) at q (n,) in rad and lengths, all its axes alike, and J (6, n)."""
        weights = (goal.weights > 0.0).astype(float)
        weights[:3] /= self.settings.length
        V, J, *_ = self._verifier.rows(goal.pose, weights, q)
        return V, J

    def _at(self, features: Features) -> tuple[models.Neighbours, models.Model]:
        """Return the model of goals that constrain some axes; it is fitted on first use."""
        if features not in self._models:
            options, own = self.options, self._examples
            neighbours = models.Neighbours(own, features, options.neighbours)
            model: models.Model = neighbours
            if options.model == 'rbf':
                model = models.RadialBasisFunctions(own, features, options)
            elif options.model == 'gaussian':
                model = models.GaussianMixture(
                    own, options, neighbours, (self.chain.lower, self.chain.upper),
                    self._rows_of)
            self._models[features] = neighbours, model
        return self._models[features]

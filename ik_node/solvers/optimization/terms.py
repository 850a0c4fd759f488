"""Terms of the objective besides the pose: each a function of q with a gradient.

They have no units, so that a weight means the same for every arm.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.nullspace import Manipulability
from ik_node.solvers.optimization.space import Space
from ik_node.support.exceptions import IkError, shown

WEIGHT = 0.01  # of a term, by default
_APART = 1e-6  # rad or m: step of the central differences of a function without gradient


class Term(NamedTuple):
    """A function of q (n,), its gradient (n,) and its weight."""

    value: Callable[[np.ndarray], float]
    gradient: Callable[[np.ndarray], np.ndarray]
    weight: float


class TermSum:
    """Σ weight · term, with its gradient."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = tuple(terms)

    def value(self, q: np.ndarray) -> float:
        """Return the sum at q (n,). Raises IkError where a term returns no finite number."""
        return sum(one.weight * _number(one.value(q.copy())) for one in self._terms)

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """Return the gradient (n,) at q (n,). Raises IkError where a term returns another."""
        total = np.zeros(len(q))
        for one in self._terms:
            total += one.weight * _slope(one.gradient(q.copy()), len(q))
        return total


def terms_of(options: Any, space: Space, q0: np.ndarray,
             others: Mapping[str, Callable[[float], Term]]) -> list[Term]:
    """Return the terms of `MinimizerOptions`.

    space: with the limits of the joints, and their units. q0 (n,): the reference, where the options
    have none. others: what makes further terms with a name, of their weight.
    """
    def term(which: Any, weight: float) -> Term:
        if which == 'reference':
            reference = q0 if options.reference is None else options.reference
            return mean_square(reference, 1.0 / space.unit, len(q0), weight)
        if which == 'limits':
            return distance_from_limits(space.lower, space.upper, weight)
        return others[which](weight) if isinstance(which, str) else custom(which, weight)
    named, weights = options.terms or (), options.term_weights
    return [term(*pair) for pair in zip(named, np.full(len(named), WEIGHT).tolist()
                                        if weights is None else map(float, weights))]


def mean_square(centre: np.ndarray, inverse: np.ndarray, count: int, weight: float) -> Term:
    """Return Σ ((q − centre) · inverse)² / count; all (n,), rad or m, and their inverses."""
    return Term(lambda q: float((((q - centre) * inverse) ** 2).sum() / count),
                lambda q: 2.0 / count * (q - centre) * inverse ** 2, weight)


def distance_from_limits(lower: np.ndarray, upper: np.ndarray, weight: float) -> Term:
    """Return the mean of ((q − middle)/half range)² over limited joints [Liégeois 1977]."""
    limited = np.isfinite(upper - lower) & (lower < upper)
    middle, inverse = np.zeros(len(lower)), np.zeros(len(lower))
    middle[limited] = 0.5 * (lower[limited] + upper[limited])
    inverse[limited] = 2.0 / (upper[limited] - lower[limited])
    return mean_square(middle, inverse, max(int(limited.sum()), 1), weight)


def high_manipulability(measure: Manipulability, goal: Goal, weight: float) -> Term:
    """Return −√det(J Jᵀ) of the rows that a goal constrains as a term [Yoshikawa 1985]."""
    constrained = (goal.weights > 0.0).astype(float)
    return Term(lambda q: -measure.at(goal.pose, constrained, q)[0],
                lambda q: -measure.at(goal.pose, constrained, q)[1], weight)


def custom(function: Any, weight: float) -> Term:
    """Return a term of a user: a function of q, or a pair of a function and its gradient."""
    if isinstance(function, tuple):
        return Term(function[0], function[1], weight)

    def differences(q: np.ndarray) -> np.ndarray:
        return np.array([_number(function(q + step)) - _number(function(q - step))
                         for step in _APART * np.eye(len(q))]) / (2.0 * _APART)
    return Term(function, differences, weight)


def _number(value: Any) -> float:
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in 'biuf' or not np.isfinite(array).all():
        raise IkError(f'a term must return a finite number, not {shown(value)}')
    return float(array.reshape(-1)[0])


def _slope(value: Any, n: int) -> np.ndarray:
    array = np.asarray(value)
    if array.shape != (n,) or array.dtype.kind not in 'biuf' or not np.isfinite(array).all():
        raise IkError(f'the gradient of a term must be {n} finite numbers, not {shown(value)}')
    return array.astype(float)

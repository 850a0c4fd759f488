"""Options of the solver `optimization`, among them functions, which only Python can give."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.solvers.optimization.minimizers import CONSTRAINED, MINIMIZERS
from ik_node.solvers.options import BodyOptions, SolverOptions
from ik_node.support.arguments import floats
from ik_node.support.exceptions import OptionError, names, shown
from ik_node.support.immutable import frozen_copy
from ik_node.support.options import Options, Spec, option

TERMS = ('reference', 'limits', 'manipulability')


def _function(name: str, value: Any, spec: Spec, n_joints: int | None) -> Any:
    return value if callable(value) else None


def _terms(name: str, terms: Any, spec: Spec, n_joints: int | None) -> tuple[Any, ...] | None:
    if not isinstance(terms, (list, tuple)) or all(isinstance(one, str) for one in terms):
        return None
    return tuple(_term(f'{name}[{i}]', one, spec.choices) for i, one in enumerate(terms))


def _term(name: str, term: Any, choices: Sequence[str]) -> Any:
    pair = isinstance(term, (list, tuple)) and len(term) == 2 and all(map(callable, term))
    if pair or callable(term):
        return tuple(term) if pair else term
    if isinstance(term, str) and term in choices:
        return term
    raise OptionError(f'{name} must be one of {names(choices)}, a function of q, or a pair of a '
                      f'function and its gradient, not {shown(term)}')


def _rows(name: str, triple: Any, spec: Spec, n_joints: int | None) -> np.ndarray | None:
    """Return (A, lower, upper) as one list, see `linear_constraints` of the options."""
    if not isinstance(triple, (list, tuple)) or len(triple) != 3 or np.ndim(triple[0]) != 2:
        return None
    matrix, bounds = floats(triple[0], f'{name}[0]'), []
    for k, bound in enumerate(triple[1:], start=1):
        try:
            values = np.broadcast_to(np.asarray(bound, dtype=float), len(matrix))
        except (TypeError, ValueError) as error:
            raise OptionError(f'{name}[{k}] must be a number or {len(matrix)} of them, not '
                              f'{shown(bound)}') from error
        if np.isnan(values).any():
            raise OptionError(f'{name}[{k}] must not be NaN')
        bounds.append(np.clip(values, -sys.float_info.max, sys.float_info.max)[:, None])
    return frozen_copy(np.hstack([matrix, *bounds]).ravel(), float)


@dataclass(frozen=True)
class MinimizerOptions(Options):
    """Options of `optimization`, for arms and for bodies."""

    max_iterations: int = option(
        200, 'gradients that one attempt may evaluate', kind=int, low=1, high=10**9)
    minimizer: Any = option(
        'slsqp', 'minimizer of scipy, or of nlopt where that is installed; in Python a function '
        'f(objective, gradient, q0, lower, upper) that returns q, too', kind=str,
        choices=tuple(MINIMIZERS), python=_function)
    terms: Any = option(
        None, 'what the null space of the goal serves: nearness to a reference configuration, '
        'distance from the limits, manipulability; in Python functions of q, or pairs of a '
        'function and its gradient, too; none: nothing', kind=str, choices=TERMS, listed=True,
        optional=True, python=_terms)
    term_weights: Any = option(
        None, 'weight of each of the terms, against a squared error of 1 rad²; none: 0.01 each',
        low=0.0, listed=True, optional=True)
    reference: Any = option(
        None, 'joint values of the term reference; none: the initial guess', 'rad or m',
        optional=True, per_joint=True)
    linear_constraints: Any = option(
        None, 'bounds of weighted sums of joint values, as one list: for each sum the weight of '
        'every joint, the lower and the upper bound (1e300: none); in Python (A, lower, upper) '
        'with A of shape (k, n), too; none: no such bounds', 'rad or m', listed=True,
        optional=True, python=_rows)

    @classmethod
    def read(cls, values: Mapping[str, Any], n_joints: int | None = None,
             owner: str = '') -> Any:
        options = super().read(values, n_joints, owner)
        _check_together(options, f'{owner}.' if owner else '', n_joints)
        return options


@dataclass(frozen=True)
class OptimizationOptions(MinimizerOptions, SolverOptions):
    """Options of `optimization` for an arm."""


@dataclass(frozen=True)
class BodyMinimizerOptions(MinimizerOptions, BodyOptions):
    """Options of `optimization` for a body."""

    terms: Any = option(
        None, 'what the null space of the tasks serves: nearness to a reference configuration, '
        'distance from the limits; in Python functions of q, or pairs of a function and its '
        'gradient, too; none: nothing', kind=str, choices=('reference', 'limits'), listed=True,
        optional=True, python=_terms)


def _check_together(options: Any, prefix: str, n_joints: int | None) -> None:
    terms, weights = options.terms or (), options.term_weights
    if weights is not None and len(weights) != len(terms):
        raise OptionError(f'{prefix}term_weights must have {len(terms)} entries, one for each of '
                          f'the terms, not {len(weights)}')
    if options.linear_constraints is None:
        return
    if options.minimizer not in CONSTRAINED:
        own = shown(options.minimizer)
        raise OptionError(f'{prefix}linear_constraints needs one of the minimizers '
                          f'{names(CONSTRAINED)}, not {own}, which cannot keep them')
    if options.closest:
        raise OptionError(f'{prefix}closest ignores linear_constraints: use one of them only')
    if n_joints is not None:
        constraint_rows(options.linear_constraints, n_joints, prefix)


def constraint_rows(numbers: Sequence[float] | np.ndarray | None, n: int,
                    prefix: str = '') -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return linear constraints as A (k, n), lower (k,) and upper (k,).

    Raises OptionError where the list does not have n + 2 numbers for each of k sums, or where a
    lower bound is greater than the upper one.
    """
    if numbers is None:
        return np.empty((0, n)), np.empty(0), np.empty(0)
    if len(numbers) == 0 or len(numbers) % (n + 2):
        raise OptionError(f'{prefix}linear_constraints must have {n} weights, a lower and an upper '
                          f'bound for each sum, so a multiple of {n + 2} numbers, not '
                          f'{len(numbers)}')
    rows = np.reshape(np.asarray(numbers, dtype=float), (-1, n + 2))
    lower = np.where(rows[:, n] <= -1e300, -math.inf, rows[:, n])
    upper = np.where(rows[:, n + 1] >= 1e300, math.inf, rows[:, n + 1])
    if (lower > upper).any():
        k = int(np.argmax(lower > upper))
        raise OptionError(f'{prefix}linear_constraints: the lower bound {lower[k]:g} of sum {k} is '
                          f'greater than the upper bound {upper[k]:g}')
    return rows[:, :n], lower, upper

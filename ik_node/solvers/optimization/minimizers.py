"""Minimizers by name: those of scipy, and of nlopt where it is installed.

All get the objective in units in which joints count alike, and tolerances so small that they go on
until the goal is met or nothing is gained: with those of scipy they would stop at errors of
1e-4 rad.
"""

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.solvers.optimization.objective import ExhaustedError, MetError, Objective
from ik_node.solvers.optimization.space import Variables
from ik_node.solvers.result import StopReason
from ik_node.support.exceptions import IkError, OptionError, shown

_SMALLEST = 1e-15  # relative tolerances of the least-squares minimizer: rounding
_LEAST = 1e-20     # rad²: below it errors are below 1e-10
_GAINED = 1e-8     # of the objective: a smaller reduction is the last
_MOST = 10**9      # iterations: the objective ends the minimizer

Minimizer = Callable[[Objective, np.ndarray], np.ndarray]
"""Minimises an objective from q (n,), and returns q (n,)."""


def scipy_minimizer(method: str, is_relative: bool = False, keeps_constraints: bool = True,
                    **options: Any) -> Minimizer:
    """Return a method of scipy.optimize.minimize.

    is_relative: whether its tolerance is relative for values above 1 and absolute below. It then
    gets the objective in units of its value at the tolerances of the goal.
    """
    def minimize(objective: Objective, start: np.ndarray) -> np.ndarray:
        from scipy import optimize  # late: a quarter of a node's start
        x, unit = Variables(objective.space, start), objective.unit if is_relative else 1.0
        constraints: Any = objective.constraints(x) if keeps_constraints else []
        if len(x.A):
            constraints.append(optimize.LinearConstraint(x.A, x.a_lower, x.a_upper))
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # of steps outside the limits, which are clipped
            fit = optimize.minimize(
                lambda values: objective.objective(x.joint_values(values)) / unit, x.of(start),
                jac=lambda values: x.slope(objective.gradient(x.joint_values(values))) / unit,
                method=method, bounds=optimize.Bounds(x.lower, x.upper), constraints=constraints,
                options=options)
        return x.joint_values(fit.x)
    return minimize


def least_squares(objective: Objective, start: np.ndarray) -> np.ndarray:
    """Minimise E by scipy's trust-region reflective least squares; terms have no part in it."""
    from scipy import optimize  # late: see above
    x = Variables(objective.space, start)
    fit = optimize.least_squares(
        lambda values: objective.rows(x.joint_values(values)), x.of(start),
        jac=lambda values: x.slope(objective.row_jacobian(x.joint_values(values))),
        bounds=(x.lower, x.upper), ftol=_GAINED, xtol=_SMALLEST, gtol=_SMALLEST, max_nfev=_MOST)
    return x.joint_values(fit.x)


def nlopt_minimizer(algorithm: str) -> Minimizer:
    """Return an algorithm of nlopt. It raises OptionError where nlopt is not installed."""
    def minimize(objective: Objective, start: np.ndarray) -> np.ndarray:
        nlopt = nlopt_module()
        x, raised = Variables(objective.space, start), []

        def value(values: np.ndarray, slope: np.ndarray) -> float:
            try:
                q = x.joint_values(values)
                if slope.size:
                    slope[:] = x.slope(objective.gradient(q))
                return objective.objective(q)
            except Exception as error:  # nlopt replaces it by one of its own
                raised.append(error)
                raise

        A, bounds = np.vstack([-x.A, x.A]), np.concatenate([-x.a_lower, x.a_upper])
        A, bounds = A[np.isfinite(bounds)], bounds[np.isfinite(bounds)]

        def beyond(result: np.ndarray, values: np.ndarray, slope: np.ndarray) -> None:
            if slope.size:
                slope[:] = A
            result[:] = A @ values - bounds
        problem = nlopt.opt(getattr(nlopt, algorithm), len(x.lower))
        problem.set_min_objective(value)
        problem.set_lower_bounds(x.lower)
        problem.set_upper_bounds(x.upper)
        problem.set_xtol_rel(_SMALLEST)
        problem.set_stopval(-np.inf)
        if len(A):
            problem.add_inequality_mconstraint(beyond, np.zeros(len(bounds)))
        try:
            return x.joint_values(problem.optimize(x.of(start)))
        except Exception as error:
            if raised:
                raise raised[0] from error
            if isinstance(error, (TypeError, ValueError)):
                raise
            return objective.q  # of nlopt's own classes: rounding, it gains nothing any more
    return minimize


def check_minimizer(minimizer: Any) -> None:
    """Import what a minimizer needs, since the first solve may have little time.

    Raises OptionError without nlopt for one of its minimizers.
    """
    importlib.import_module('scipy.optimize')
    if isinstance(minimizer, str) and minimizer.startswith('nlopt-'):
        nlopt_module()


def nlopt_module() -> Any:
    """Return the module nlopt. Raises OptionError, with a hint, where it is not installed."""
    try:
        return importlib.import_module('nlopt')
    except ImportError as error:
        raise OptionError('the minimizers nlopt-… need the module nlopt, which is not installed: '
                          'pip install nlopt') from error


MINIMIZERS: dict[str, Minimizer] = {
    'l-bfgs-b': scipy_minimizer('L-BFGS-B', True, False, ftol=_GAINED, gtol=0.0, maxiter=_MOST,
                                maxfun=_MOST),
    'slsqp': scipy_minimizer('SLSQP', ftol=_LEAST, maxiter=10**6),
    'trust-constr': scipy_minimizer('trust-constr', gtol=1e-12, xtol=1e-10, maxiter=500),
    'least-squares': least_squares,
    'nlopt-slsqp': nlopt_minimizer('LD_SLSQP'),
    'nlopt-lbfgs': nlopt_minimizer('LD_LBFGS'),
    'nlopt-tnewton': nlopt_minimizer('LD_TNEWTON_PRECOND_RESTART'),
    'nlopt-var2': nlopt_minimizer('LD_VAR2')}

CONSTRAINED = ('slsqp', 'trust-constr', 'nlopt-slsqp')  # minimizers that keep linear constraints


def run(minimizer: str | Callable[..., Any], objective: Objective, start: np.ndarray) -> StopReason:
    """Minimise an objective, by name or by a user's function, from q (n,); return why it ended.

    The result is in the objective. Raises IkError where a function does not return q (n,).
    """
    try:
        objective.move_to(start)  # which the minimizer gets in units, with their rounding
        minimize = _own_minimizer(minimizer) if callable(minimizer) else MINIMIZERS[minimizer]
        objective.objective(minimize(objective, start))
    except MetError:
        return StopReason.CONVERGED
    except ExhaustedError:
        return StopReason.ITERATIONS
    return StopReason.STALLED


def _own_minimizer(minimizer: Callable[..., Any]) -> Minimizer:
    def minimize(objective: Objective, start: np.ndarray) -> np.ndarray:
        lower, upper = objective.space.lower, objective.space.upper
        q = minimizer(objective.objective, objective.gradient, start.copy(), lower.copy(),
                      upper.copy())
        array = np.asarray(q)
        if array.shape != start.shape or array.dtype.kind not in 'iuf' or not np.isfinite(
                array).all():
            raise IkError(f'the minimizer must return {len(start)} finite joint values, not '
                          f'{shown(q)}')
        return np.clip(array.astype(float), lower, upper)
    return minimize

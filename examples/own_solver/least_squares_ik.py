"""A solver of one's own: inverse kinematics as bounded least squares, by scipy.

Once this package is installed, beside ik_node, the solver is there by its name:

    pip install --no-deps examples/own_solver
    python -m ik_node.commands.demo --solver least_squares --headless
"""

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import least_squares

from ik_node.plugins import (
    Found,
    Goal,
    Solver,
    SolverOptions,
    StopReason,
    is_over,
    nearest_turn,
    option,
    pose_error,
)

_SMALLEST = 1e-15  # of scipy's own tolerances: it goes on until ours are met or nothing is gained


@dataclass(frozen=True)
class LeastSquaresOptions(SolverOptions):
    """What every solver takes, and one option besides. Each becomes a parameter of the node."""

    length: float = option(
        1.0, 'the error that counts as much as one radian', 'm', low=0.0, positive=True)


class LeastSquaresSolver(Solver):
    """Minimises Σ (wᵢ eᵢ)² within the limits, from q0 and then from random configurations."""

    name = 'least_squares'
    Options: ClassVar[type[SolverOptions]] = LeastSquaresOptions

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        """Return the first solution that meets the goal, else the best of all attempts."""
        options, rng = self.options, np.random.default_rng(self.options.seed)
        deadline = math.inf if options.timeout is None else time.perf_counter() + options.timeout
        best = self._found(goal, q0, StopReason.STALLED, 0)
        if best.success:
            return best
        for attempt in range(1 + options.max_restarts):
            start = self._random_configuration(q0, rng) if attempt > 0 else q0
            found = self._attempt(goal, q0, start)
            if found.success:
                return found._replace(restarts=attempt)
            best = min(found, best, key=_distance)._replace(restarts=attempt)
            if is_over(deadline):  # also where a node has cancelled it for a newer goal
                return best._replace(reason=StopReason.TIMEOUT)
        return best

    def _attempt(self, goal: Goal, q0: np.ndarray, start: np.ndarray) -> Found:
        """Minimise from an initial guess (n,); return the solution by whole turns nearest q0."""
        lower, upper = self.options.limits_about(q0, self.chain.lower, self.chain.upper)
        q, free = np.clip(start, lower, upper), lower < upper
        weights = goal.weights.copy()
        weights[:3] /= self.options.length

        def residual(values: np.ndarray) -> np.ndarray:
            q[free] = values
            return weights * pose_error(self.chain, goal, q)

        fit = least_squares(
            residual, start[free], bounds=(lower[free], upper[free]),
            max_nfev=self.options.max_iterations, ftol=_SMALLEST, xtol=_SMALLEST, gtol=_SMALLEST)
        q[free] = fit.x
        q = nearest_turn(self.chain, q0, q)
        failure = StopReason.ITERATIONS if fit.status == 0 else StopReason.STALLED
        return self._found(goal, np.clip(q, lower, upper), failure, fit.nfev)

    def _found(self, goal: Goal, q: np.ndarray, failure: StopReason, iterations: int) -> Found:
        """Return joint values (n,) with what forward kinematics says of them."""
        active, e = goal.weights > 0.0, pose_error(self.chain, goal, q)
        position = float(np.linalg.norm(e[:3][active[:3]]))
        orientation = float(np.linalg.norm(e[3:][active[3:]]))
        met = (position <= self.options.position_tolerance
               and orientation <= self.options.orientation_tolerance)
        return Found(q, met, StopReason.CONVERGED if met else failure, position, orientation,
                     iterations, restarts=0)

    def _random_configuration(self, q0: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return random values (n,) inside the limits; without limits within q0 ± π."""
        lower = np.where(np.isfinite(self.chain.lower), self.chain.lower, q0 - np.pi)
        upper = np.where(np.isfinite(self.chain.upper), self.chain.upper, q0 + np.pi)
        return rng.uniform(lower, upper)


def _distance(found: Found) -> float:
    """Return how far a configuration is from its goal, metres and radians alike."""
    return found.position_error + found.orientation_error

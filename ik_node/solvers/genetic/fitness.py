"""The least fitness, a function in Python, among the configurations that meet a goal."""

import math
from collections.abc import Callable

import numpy as np

from ik_node.kinematics.joint_limits import JointLimits
from ik_node.solvers.genetic.options import EvolutionOptions
from ik_node.solvers.genetic.python_fitness import FitnessEvolution
from ik_node.solvers.low_discrepancy import Ranges
from ik_node.support.exceptions import InputError, shown

Fitness = Callable[[np.ndarray], float]


def least_fitness(fitness: Fitness, meet: Callable[[np.ndarray], np.ndarray | None],
                  q: np.ndarray, ranges: Ranges, options: EvolutionOptions,
                  deadline: float) -> np.ndarray:
    """Return the configuration (n,) of the least fitness that the evolution finds.

    meet: returns the configuration that local steps from another lead to, None where it misses the
    goal. q: (n,) one that meets it. options: of the evolution. deadline: by
    time.perf_counter, s. Raises InputError where the fitness is not a finite number.
    """
    found: np.ndarray = FitnessEvolution(
        options, JointLimits(ranges), meet, lambda at: _checked(fitness, at)).fittest(q, deadline)
    return found


def _checked(fitness: Fitness, q: np.ndarray) -> float:
    """Return the fitness at q (n,), which gets a copy."""
    cost = fitness(q.copy())
    try:
        number = float(cost)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f'genetic.fitness must return a finite number, not {shown(cost)}')
    return number

"""The least fitness, a function in Python, among the configurations that meet a goal."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ik_node.exceptions import InputError, shown
from ik_node.kinematics.joint_limits import JointLimits
from ik_node.model.joint_space import JointSpace
from ik_node.solvers.genetic.options import EvolutionOptions
from ik_node.solvers.genetic.python_fitness import FitnessEvolution

Fitness = Callable[[np.ndarray], float]


class Ranges(NamedTuple):
    """What a population is spread over, and stays inside; (n,) each."""

    lower: np.ndarray
    """rad or m."""
    upper: np.ndarray
    """rad or m."""
    turns: np.ndarray
    """None of the joints turns round."""


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


def spread_ranges(space: JointSpace, q0: np.ndarray, length: float) -> Ranges:
    """Return the limits, and q0 (n,) ± π, or lengths, where there are none."""
    half = math.pi * np.where(space.prismatic, length, 1.0)
    return Ranges(np.where(np.isfinite(space.lower), space.lower, q0 - half),
                  np.where(np.isfinite(space.upper), space.upper, q0 + half),
                  np.zeros(len(q0)))


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

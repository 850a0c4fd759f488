"""Evolution by a fitness in Python, among the configurations that meet a goal or tasks."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.kinematics.joint_limits import JointLimits
from ik_node.solvers.kernel.evolution import Evolution, Population
from ik_node.support.arrays import Vector
from ik_node.support.exceptions import InputError, shown

INF = math.inf

Fitness = Callable[[np.ndarray], float]


class FitnessEvolution(Evolution):
    """Individuals are brought to the goal, and judged by a function of q; for one thread."""

    def __init__(self, options: Any, limits: JointLimits,
                 meet: Callable[[np.ndarray], np.ndarray | None], fitness: Fitness) -> None:
        """Take options, see `Evolution`, and finite limits, over which individuals are spread.

        meet: returns the configuration that local steps from another lead to, None where it misses
        the goal. fitness: returns a finite number.
        """
        super().__init__(options, np.ones(limits.n), np.zeros(limits.n), 1.0)
        self.limits, self.meet, self.fitness = limits, meet, fitness
        self.look, self.judged = 1, 0

    def fittest(self, q: np.ndarray, deadline: float) -> np.ndarray:
        """Return the configuration (n,) of the least fitness; q (n,) is one that meets the goal.

        deadline: by `clock`, s.
        """
        n = self.limits.n
        if q.shape[0] != n:
            raise ValueError(f'q must have the shape ({n},)')
        population = Population(n, self.elite)
        population.state, population.deadline, self.judged = self.generator, deadline, 0
        for k in range(n):
            population.start[k] = q[k]
        self.evolve(self.limits, population, True, population.start)
        return np.array([population.start[k] for k in range(n)])

    def judge(self, population: Population) -> bool:
        """Write the fitness where local steps from the child lead to, which replaces the child."""
        return self.call(population.n, population.z, population.child)

    def call(self, n: int, z: Vector, child: Vector) -> bool:
        """Call both functions; compiled, this holds the GIL."""
        here = np.array([z[k] for k in range(n)])
        met = self.meet(here) if self.judged else here
        self.judged += 1
        child[0] = INF
        if met is not None:
            child[0] = checked(self.fitness, met)
            for k in range(n):
                child[1 + k] = met[k]
        return False


def least_fitness(fitness: Fitness, meet: Callable[[np.ndarray], np.ndarray | None],
                  q: np.ndarray, ranges: Any, options: Any, deadline: float) -> np.ndarray:
    """Return the configuration (n,) of the least fitness that the evolution finds.

    meet: see `FitnessEvolution`. q: (n,) one that meets the goal. ranges: see `spread_ranges`.
    options: `EvolutionOptions`. deadline: by time.perf_counter, s. Raises InputError where the
    fitness is not a finite number.
    """
    found: np.ndarray = FitnessEvolution(options, JointLimits(ranges), meet, fitness).fittest(
        q, deadline)
    return found


def checked(fitness: Fitness, q: np.ndarray) -> float:
    """Return the fitness at q (n,), which gets a copy."""
    cost = fitness(q.copy())
    try:
        number = float(cost)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f'genetic.fitness must return a finite number, not {shown(cost)}')
    return number

"""Evolution by a fitness in Python, among the configurations that meet a goal."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.exceptions import InputError, shown
from ik_node.model.joint_space import JointSpace

Fitness = Callable[[np.ndarray], float]

_SCALES = 16  # sizes of mutations, as in `evolution`


def least_fitness(fitness: Fitness, meet: Callable[[np.ndarray], np.ndarray | None],
                  q: np.ndarray, ranges: tuple[np.ndarray, np.ndarray], own: Any, seed: int,
                  deadline: float) -> np.ndarray:
    """Return the configuration (n,) of the least fitness that the evolution finds.

    meet: returns the configuration that local steps from another lead to, None where it misses the
    goal. q: (n,) one that meets it. ranges: `spread_ranges`. own: the settings of the evolution,
    `Evolution`. deadline: by time.perf_counter, s. The first generation is spread over the ranges,
    the others are mutations of the best. Raises InputError where the fitness is not a finite
    number.
    """
    rng = np.random.default_rng(seed)
    lower, upper = ranges
    parents = [(_checked(fitness, q), q)]
    for generation in range(own.generations):
        children = []
        for _ in range(own.population):
            if time.perf_counter() >= deadline:
                break
            if generation == 0:
                start = rng.uniform(lower, upper)
            else:
                first, second = rng.integers(len(parents), size=2)
                crossed = rng.random(len(q)) < own.crossover
                start = np.where(crossed, parents[second][1], parents[first][1])
                scale = own.mutation * 0.5 ** rng.integers(_SCALES)
                start = start + rng.standard_normal(len(q)) * scale * (upper - lower)
            met = meet(start)
            if met is not None:
                children.append((_checked(fitness, met), met))
        parents = sorted(parents + children, key=lambda one: one[0])[:own.elite]
        if time.perf_counter() >= deadline:
            break
    return parents[0][1]


def spread_ranges(space: JointSpace, q0: np.ndarray,
                  length: float) -> tuple[np.ndarray, np.ndarray]:
    """Return what a population is spread over, (n,) each: the limits, else q0 ± π, or lengths."""
    half = math.pi * np.where(space.prismatic, length, 1.0)
    return (np.where(np.isfinite(space.lower), space.lower, q0 - half),
            np.where(np.isfinite(space.upper), space.upper, q0 + half))


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

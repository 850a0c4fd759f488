"""Generations of joint values: mutation, crossover, momentum and selection.

After bio_ik [Ruppel et al. 2018]: a gene of a child is

    gene = parent + N(0, 1) · 2^−k · mutation · span + m · momentum of the parent

with k from 0 to 15 and m from 0 to 2. Steps of every size are tried in every generation, so that no
step size has to be adapted.
"""

import math
from collections.abc import Callable
from typing import Any

import cython
import numpy as np

from ik_node.kinematics import joint_limits
from ik_node.kinematics.joint_limits import JointLimits
from ik_node.solvers import codes
from ik_node.solvers.kernel import restarts
from ik_node.support import arrays, clock
from ik_node.support.arrays import InVector, Long, Matrix, Memory, Vector

INF, _TURN = math.inf, 2.0 * math.pi
GENERATIONS = {True: 5, False: 2000}  # of an attempt, with and without local search
SCALES = 16       # sizes of mutations, each half the one before
CHILDREN = 64     # from one look at the clock to the next
PROGRESS = 0.9    # ratio of the least cost to an earlier one that counts as progress
MODULUS = 2147483647  # 2³¹ − 1
MULTIPLIER = 48271
ROOT_3 = 1.7320508075688772


class Judge:
    """Judges individuals for one thread; `look`: so many from one look at the clock to the next."""

    def __init__(self, look: int = CHILDREN) -> None:
        self.look = look

    def cost(self, z: Vector, child: Vector) -> bool:
        """Write the cost of the genes z into the first entry of a child; tell whether they solve.

        It may change the genes of the child, too. What it raises ends the evolution.
        """
        return False


class PythonJudge(Judge):
    """A function of the genes (n,): it returns their cost, and the genes of the child, or None."""

    def __init__(self, function: Callable[[np.ndarray], tuple[float, np.ndarray | None]],
                 n: int) -> None:
        super().__init__(1)
        self.function, self.n = function, n

    def cost(self, z: Vector, child: Vector) -> bool:
        return self.call(z, child)

    def call(self, z: Vector, child: Vector) -> bool:
        """Call the function; compiled, this holds the GIL."""
        cost, genes = self.function(np.array([z[k] for k in range(self.n)]))
        child[0] = cost
        if genes is not None:
            for k in range(self.n):
                child[1 + k] = genes[k]
        return False


class Population:
    """Individuals of n genes, the values of joints: what one thread evolves.

    An individual is a row (2n + 1,): its cost, n genes, n of momentum.
    """

    def __init__(self, n: int, elite: int, judge: Judge) -> None:
        self.memory, self.n, self.judge = Memory(), n, judge
        self.parents = self.memory.matrix(elite, 2 * n + 1)    # by their cost, the least first
        self.survivors = self.memory.matrix(elite, 2 * n + 1)  # parents of the next generation
        self.child = self.memory.zeros(2 * n + 1)
        self.z = self.memory.zeros(n)        # genes that are judged
        self.unit = self.memory.zeros(n)     # prismatic: the length of a radian, m; else 1
        self.start = self.memory.zeros(n)    # about which joints without limits are spread
        self.best = self.memory.zeros(n)     # the result of a run
        self.samples = self.memory.zeros(n)  # random numbers
        self.state, self.deadline, self.generations = 1, 0.0, 0  # of the generator; of `clock`


class Evolution:
    """Evolves populations of joint configurations."""

    def __init__(self, options: Any, scale: Any, span: Any, length: float) -> None:
        """Copy options, see `EvolutionOptions`, and what mutations are measured by.

        - scale: (n,) 1/√weight of each joint, at most 1.
        - span: (n,) m, how far a prismatic joint can travel; 0 of the others.
        - length: m, what counts as a radian for these.
        """
        self.memory = Memory()
        self.children, self.elite = options.population, options.elite
        self.generations = (GENERATIONS[options.local_search] if options.generations is None
                            else options.generations)
        self.mutation, self.crossover = options.mutation, options.crossover
        self.momentum, self.wipeout = options.momentum, options.wipeout
        self.generator = first_state(options.seed)
        self.scale, self.span = self.memory.vector(scale), self.memory.vector(span)
        self.length = length

    def run(self, limits: JointLimits, judge: Judge, start: InVector, q: InVector, state: Long,
            deadline: float) -> tuple:
        """Evolve a population from q (n,) and others, which are spread about start (n,).

        state: of the generator, at first; deadline: by `clock`, s. Returns the best (n,), how it
        ended, and the number of generations.
        """
        population = Population(limits.n, self.elite, judge)
        if q.shape[0] != limits.n or start.shape[0] != limits.n:
            raise ValueError(f'joint values must have the shape ({limits.n},)')
        population.state, population.deadline = state, deadline
        for k in range(limits.n):
            population.start[k], population.best[k] = start[k], q[k]
        with cython.nogil:
            end = self.evolve(limits, population, True, population.best)
        best = np.array([population.best[k] for k in range(limits.n)])
        return best, end, population.generations

    def evolve(self, limits: JointLimits, population: Population, swing: bool, q: Vector) -> int:
        """Evolve a population, the first individual q (n,); the best replaces it.

        Return how it ended; population.generations are how many it took. swing: whether the others
        are spread over the limits, about population.start; otherwise they begin at q, too.
        """
        best, since, parents, end = INF, 0, population.parents, codes.EXHAUSTED
        population.generations = 0
        met = self.begin(limits, population, swing, q)
        while not met and population.generations < self.generations:
            population.generations += 1
            met = self.breed(limits, population)
            if met or population.generations == self.generations:
                break
            if clock.is_over(population.deadline):
                end = codes.TIMED_OUT
                break
            since += 1
            if parents[0][0] < PROGRESS * best:
                best, since = parents[0][0], 0
            elif since >= self.wipeout:
                end = codes.STALLED
                break
        if met:
            end = codes.CONVERGED
        for k in range(population.n):
            q[k] = parents[0][1 + k]
        return end

    def begin(self, limits: JointLimits, population: Population, swing: bool, q: Vector) -> bool:
        """Make the first parents, q (n,) among them; return whether the last is a solution.

        It is then the first.
        """
        n, child, z = population.n, population.child, population.z
        for k in range(n):
            population.unit[k] = self.length if self.span[k] > 0.0 else 1.0
            z[k] = q[k]
        for i in range(self.elite):
            if i > 0 and swing:
                for k in range(n):
                    population.samples[k] = uniform(population)
                restarts.spread(limits, population.unit, population.start, population.samples, 0, z)
            for k in range(n):
                child[1 + k], child[1 + n + k] = z[k], 0.0
            met = population.judge.cost(z, child)
            keep(population.parents, i, self.elite, child, 2 * n + 1)
            if met:
                return True
        return False

    def breed(self, limits: JointLimits, population: Population) -> bool:
        """Replace the parents by the best of them and of their children.

        Return whether the first of them is a solution. When the deadline is over, the children left
        are not made.
        """
        parents, survivors, child = population.parents, population.survivors, population.child
        size, count, look = 2 * population.n + 1, 0, population.judge.look
        for i in range(self.elite):
            count = keep(survivors, count, self.elite, parents[i], size)
        for i in range(self.children):
            self.mutate(limits, population, i % 3)
            for k in range(population.n):
                population.z[k] = child[1 + k]
            if population.judge.cost(population.z, child):
                arrays.copy_to(parents[0], child, size)
                return True
            count = keep(survivors, count, self.elite, child, size)
            if i % look == look - 1 and clock.is_over(population.deadline):
                break
        for i in range(self.elite):
            arrays.copy_to(parents[i], survivors[i], size)
        return False

    def mutate(self, limits: JointLimits, population: Population, pushes: int) -> None:
        """Make population.child from two parents, its momentum `pushes` times that of the first."""
        n, parents, child = population.n, population.parents, population.child
        one, other = uniform(population), uniform(population)
        first: int = int(self.elite * min(one, other))  # of two, the better: they are in order
        second: int = int(self.elite * uniform(population))
        halvings: int = int(SCALES * uniform(population))
        size = self.mutation * 0.5 ** halvings
        for k in range(n):
            parent = second if uniform(population) < self.crossover else first
            before, momentum = parents[parent][1 + k], parents[parent][1 + n + k]
            reach = min(limits.upper[k] - limits.lower[k], _TURN * population.unit[k])
            value = (before + normal(population) * size * reach * self.scale[k]
                     + pushes * momentum)
            value = joint_limits.turned_inside(limits, k, value)
            value = min(max(value, limits.lower[k]), limits.upper[k])
            child[1 + k] = value
            child[1 + n + k] = (1.0 - self.momentum) * momentum + self.momentum * (value - before)


def first_state(seed: int) -> int:
    """Return the state that the generator begins with, from 1 to 2³¹ − 2."""
    return 1 + (seed * 1664525 + 1013904223) % (MODULUS - 1)


def uniform(population: Population) -> float:
    """Return a number in (0, 1), and advance the generator [Park & Miller 1988, "MINSTD"]."""
    population.state = population.state * MULTIPLIER % MODULUS
    return float(population.state) / MODULUS


def normal(population: Population) -> float:
    """Return a number of mean 0 and variance 1, close to a normal distribution.

    The sum of four uniform numbers: no logarithm, and no outliers beyond 3.5.
    """
    total = uniform(population)
    for _ in range(3):
        total += uniform(population)
    return (total - 2.0) * ROOT_3


def keep(rows: Matrix, count: int, most: int, one: Vector, size: int) -> int:
    """Insert an individual, one (size,), among the best `most`; return how many there are.

    rows holds `count`, by their cost.
    """
    if count == most:
        if not one[0] < rows[most - 1][0]:
            return count
    else:
        count += 1
    i = count - 1
    while i > 0 and one[0] < rows[i - 1][0]:
        arrays.copy_to(rows[i], rows[i - 1], size)
        i -= 1
    arrays.copy_to(rows[i], one, size)
    return count

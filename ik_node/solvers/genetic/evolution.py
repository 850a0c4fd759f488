"""Generations of joint values: mutation, crossover, momentum and selection.

After bio_ik [Ruppel et al. 2018]: a gene of a child is

    gene = parent + N(0, 1) · 2^−k · mutation · span + m · momentum of the parent

with k from 0 to 15 and m from 0 to 2. Steps of every size are tried in every generation, so that no
step size has to be adapted.
"""

import math
from typing import Any

from ik_node.kinematics import joint_limits
from ik_node.kinematics.joint_limits import JointLimits
from ik_node.solvers import codes, restarts
from ik_node.solvers.genetic import population
from ik_node.solvers.genetic.population import Population
from ik_node.support import clock
from ik_node.support.arrays import Memory, Vector

INF, _TURN = math.inf, 2.0 * math.pi
GENERATIONS = {True: 5, False: 2000}  # of an attempt, with and without local search
SCALES = 16       # sizes of mutations, each half the one before
CHILDREN = 64     # from one look at the clock to the next
PROGRESS = 0.9    # ratio of the least cost to an earlier one that counts as progress


class Evolution:
    """An evolution; subclasses override `judge`, and may call Python there."""

    children: int
    """Population of a generation."""
    generations: int
    elite: int
    """Individuals that survive a generation: the parents of the next."""
    mutation: float
    """Largest scale of a mutation, of the range of a joint."""
    crossover: float
    """Probability of a gene to come from a second parent."""
    momentum: float
    """Share of the last change in the momentum of a gene."""
    wipeout: int
    """Generations without progress that end the evolution."""
    generator: int
    """First state of the generator."""
    look: int
    """Children from one look at the clock to the next."""
    scale: Vector
    """(n,) 1/√weight of each joint, at most 1."""
    span: Vector
    """(n,) m, how far a prismatic joint can travel; 0 of the others."""
    length: float
    """m, what counts as a radian for these."""

    def __init__(self, options: Any, scale: Any, span: Any, length: float) -> None:
        """Copy options, see `EvolutionOptions`, and what mutations are measured by."""
        self.memory = Memory()
        self.children, self.elite = options.population, options.elite
        self.generations = (GENERATIONS[options.local_search] if options.generations is None
                            else options.generations)
        self.mutation, self.crossover = options.mutation, options.crossover
        self.momentum, self.wipeout = options.momentum, options.wipeout
        self.generator = population.first_state(options.seed)
        self.scale, self.span = self.memory.vector(scale), self.memory.vector(span)
        self.length, self.look = length, CHILDREN

    def judge(self, people: Population) -> bool:
        """Write the cost of people.child into its first entry; return whether it is a solution.

        It may change the genes, which are in people.z, too. What it raises ends the evolution.
        """
        return False

    def evolve(self, limits: JointLimits, people: Population, swing: bool, q: Vector) -> int:
        """Evolve a population, the first individual q (n,); the best replaces it.

        Return how it ended; people.generations are how many it took. swing: whether the other
        individuals are spread over the limits, about people.start; otherwise they begin at q, too.
        """
        best, since, parents = INF, 0, people.parents
        people.generations = 0
        end = codes.EXHAUSTED
        if self.begin(limits, people, swing, q):
            end = codes.CONVERGED
        else:
            while people.generations < self.generations:
                people.generations += 1
                if self.breed(limits, people):
                    end = codes.CONVERGED
                    break
                if people.generations == self.generations:
                    break
                if clock.is_over(people.deadline):
                    end = codes.TIMED_OUT
                    break
                if parents[0][0] < PROGRESS * best:
                    best, since = parents[0][0], 0
                else:
                    since += 1
                    if since >= self.wipeout:
                        end = codes.STALLED
                        break
        for k in range(people.n):
            q[k] = parents[0][1 + k]
        return end

    def begin(self, limits: JointLimits, people: Population, swing: bool, q: Vector) -> bool:
        """Make the first parents, q (n,) among them; return whether the last is a solution.

        It is then the first.
        """
        n, child, z = people.n, people.child, people.z
        for k in range(n):
            people.unit[k] = self.length if self.span[k] > 0.0 else 1.0
            z[k] = q[k]
        for i in range(self.elite):
            if i > 0 and swing:
                for k in range(n):
                    people.samples[k] = population.uniform(people)
                restarts.spread(limits, people.unit, people.start, people.samples, 0, z)
            for k in range(n):
                child[1 + k], child[1 + n + k] = z[k], 0.0
            met = self.judge(people)
            population.keep(people.parents, i, self.elite, child, 2 * n + 1)
            if met:
                return True
        return False

    def breed(self, limits: JointLimits, people: Population) -> bool:
        """Replace the parents by the best of them and of their children.

        Return whether the first of them is a solution. When the deadline is over, the children left
        are not made.
        """
        parents, survivors, child = people.parents, people.survivors, people.child
        size, count = 2 * people.n + 1, 0
        for i in range(self.elite):
            count = population.keep(survivors, count, self.elite, parents[i], size)
        for i in range(self.children):
            self.mutate(limits, people, i % 3)
            for k in range(people.n):
                people.z[k] = child[1 + k]
            if self.judge(people):
                for k in range(size):
                    parents[0][k] = child[k]
                return True
            count = population.keep(survivors, count, self.elite, child, size)
            if i % self.look == self.look - 1 and clock.is_over(people.deadline):
                break
        for i in range(self.elite):
            for k in range(size):
                parents[i][k] = survivors[i][k]
        return False

    def mutate(self, limits: JointLimits, people: Population, pushes: int) -> None:
        """Make people.child from two parents, its momentum `pushes` times that of the first."""
        n, parents, child = people.n, people.parents, people.child
        one, other = population.uniform(people), population.uniform(people)
        first = int(self.elite * min(one, other))  # of two, the better: they are in order
        second = int(self.elite * population.uniform(people))
        halvings = int(SCALES * population.uniform(people))
        size = self.mutation * 0.5 ** halvings
        for k in range(n):
            parent = second if population.uniform(people) < self.crossover else first
            before, momentum = parents[parent][1 + k], parents[parent][1 + n + k]
            reach = min(limits.upper[k] - limits.lower[k], _TURN * people.unit[k])
            value = (before + population.normal(people) * size * reach * self.scale[k]
                     + pushes * momentum)
            value = joint_limits.turned_inside(limits, k, value)
            value = min(max(value, limits.lower[k]), limits.upper[k])
            child[1 + k] = value
            child[1 + n + k] = (1.0 - self.momentum) * momentum + self.momentum * (value - before)

"""Memetic search of one arm: evolution, then local steps on the best."""

import cython

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.jacobian import loop
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel.evolution import Evolution, Judge, Population
from ik_node.solvers.kernel.method import Method
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support.arrays import Vector


class PoseJudge(Judge):
    """Judges joint values by the error energy of the goal `work.plain`, whether it is met."""

    def __init__(self, chain: ChainRecord, settings: Settings, work: ArmData) -> None:
        super().__init__()
        self.chain, self.settings, self.work = chain, settings, work

    def cost(self, z: Vector, child: Vector) -> bool:
        _, position, orientation = search.residual(self.chain, self.work.plain, self.work, z)
        child[0] = loop.task_energy(self.settings, self.work.V)
        return (position <= self.settings.position_tolerance
                and orientation <= self.settings.orientation_tolerance)


class GeneticData(ArmData):
    """Scratch of a search with a population."""

    def __init__(self, chain: ChainRecord, settings: Settings, elite: int) -> None:
        super().__init__(chain.m, chain.n)
        self.population = Population(chain.n, elite, PoseJudge(chain, settings, self))


class Genetic(Method):
    """Evolution, then damped least squares from the best."""

    def __init__(self, chain: ChainRecord, settings: Settings, evolution: Evolution,
                 local: DampedLeastSquares, local_search: bool) -> None:
        """Take the evolution, and the local steps; local_search: whether these are taken."""
        self.chain, self.settings, self.evolution = chain, settings, evolution
        self.local, self.local_search = local, local_search

    def make_data(self, m: int, n: int) -> ArmData:
        return GeneticData(self.chain, self.settings, self.evolution.elite)

    def attempt(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                swing: bool, q: Vector) -> int:
        """Improve q (n,) in place; see `Method`.

        With a local search the first attempt takes steps only, since its solution is the nearest to
        the initial guess.
        """
        generations = 0
        if not swing:
            cython.cast(GeneticData, work).population.state = self.evolution.generator
        if swing or not self.local_search:
            prepare(cython.cast(GeneticData, work).population, task, work)
            end = self.evolution.evolve(chain, cython.cast(GeneticData, work).population, swing, q)
            generations = cython.cast(GeneticData, work).population.generations
            if end == codes.CONVERGED or end == codes.TIMED_OUT or not self.local_search:
                work.iterations = generations
                return end
        end = self.local.attempt(chain, task, settings, work, swing, q)
        work.iterations += generations
        return end

    def bare_step(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                  q: Vector, dq: Vector) -> int:
        """Write the change from q to the best after one generation into dq (n,). Return 0."""
        cython.cast(GeneticData, work).population.state = self.evolution.generator
        prepare(cython.cast(GeneticData, work).population, task, work)
        if not self.evolution.begin(chain, cython.cast(GeneticData, work).population, False, q):
            self.evolution.breed(chain, cython.cast(GeneticData, work).population)
        for k in range(chain.n):
            dq[k] = cython.cast(GeneticData, work).population.parents[0][1 + k] - q[k]
        return 0


def prepare(population: Population, task: TipTask, work: ArmData) -> None:
    """Give a population the goal, the initial guess and the deadline of an attempt."""
    for i in range(3):
        for j in range(4):
            work.plain.T[i][j] = task.T[i][j]
    for i in range(6):
        work.plain.weights[i] = task.weights[i]
    work.plain.prepare()
    for k in range(population.n):
        population.start[k] = work.start[k]
    population.deadline = work.deadline

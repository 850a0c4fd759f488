"""Evolution of a body's joint values, judged by tasks."""

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.solvers.kernel.body import descent as descents
from ik_node.solvers.kernel.body.descent import Descent, DescentWork
from ik_node.solvers.kernel.evolution import Evolution, Population
from ik_node.support.arrays import InputVector


class BodyPopulation(Population):
    """A population of a body, and what its individuals are judged with."""

    def __init__(self, descent: Descent, work: DescentWork, n: int, elite: int) -> None:
        super().__init__(n, elite)
        self.descent, self.work = descent, work


class BodyEvolution(Evolution):
    """Individuals are judged by the cost of the tasks of a level."""

    def run(self, descent: Descent, start: InputVector, q: InputVector, state: int,
            deadline: float) -> tuple[np.ndarray, int, int]:
        """Evolve joint values for the tasks of a level; q (n,) is one of the first.

        Return the best (n,), how it ended, and the number of generations. start: (n,) about which
        joints without limits are spread. state: first state of the generator. deadline: by
        `clock`, s.
        """
        work, n = descent.begin(q), descent.tree.n
        people = BodyPopulation(descent, work, n, self.elite)
        people.state, people.deadline = state, deadline
        descent.take_start(work, start)
        for k in range(n):
            people.start[k] = work.start[k]
        with cython.nogil:
            end = self.evolve(descent.limits, people, True, work.q)
        best = descent.joint_values(work)
        descent.idle.append(work)
        return best, end, people.generations

    def judge(self, people: Population) -> bool:
        return self.judge_tasks(cython.cast(BodyPopulation, people))

    def judge_tasks(self, people: BodyPopulation) -> bool:
        """Write the cost of the tasks at people.z; return whether all necessary ones are met."""
        descents.rows_at(people.descent, people.work, people.z)
        people.child[0] = people.work.found.cost
        return people.work.found.met

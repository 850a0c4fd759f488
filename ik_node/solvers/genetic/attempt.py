"""One attempt of the memetic search: evolution, then local steps on the best."""

from typing import Any

from ik_node._jit import Vector, njit, rare, specialise
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.genetic.evolution import begin, breed, evolve
from ik_node.solvers.jacobian.loop import attempt
from ik_node.solvers.jacobian.packed_search import damped_step
from ik_node.solvers.settings import CONVERGED, TIMED_OUT, Settings
from ik_node.solvers.task import Task

_local_steps = specialise(attempt, 'local_steps_genetic', method_step=damped_step)


@njit
def genetic_attempt(chain: ChainArrays, task: Task, settings: Settings, work: Any, swing: bool,
                    q: Vector) -> tuple[int, int]:
    """Improve q (n,) in place; return (how it ended, generations and local steps).

    swing: False for the first attempt. With a local search that takes steps only, since its
    solution is the nearest to the initial guess.
    """
    own, generations = settings.method, 0
    if not swing:
        work.state[0] = own.generator
    if swing or not own.local_search:
        end, generations = evolve(chain, task, settings, work, swing, q)
        if end in (CONVERGED, TIMED_OUT) or not own.local_search:
            return end, generations
    end, steps = _local_steps(chain, task, settings, work, swing, q)
    return end, generations + steps


@rare
def genetic_bare_step(chain: ChainArrays, task: Task, settings: Settings, work: Any, q: Vector,
                      dq: Vector) -> None:
    """Write the change from q to the best after one generation into dq (n,)."""
    work.state[0] = settings.method.generator
    if not begin(chain, task, settings, work, False, q):
        breed(chain, task, settings, work)
    for k in range(q.shape[0]):
        dq[k] = work.parents[0, 1 + k] - q[k]

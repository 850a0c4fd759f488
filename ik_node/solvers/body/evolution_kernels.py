"""Generations of a body's joint values: the kernels of `genetic.evolution`, judged by tasks."""

from typing import Annotated, Any, NamedTuple

from ik_node._jit import Integers, Layout, Shape, Vector, entry, joined, njit, specialise
from ik_node.solvers.body.level_kernels import level_rows
from ik_node.solvers.body.packing import (
    Problem,
    SearchSettings,
    SearchWork,
    unpack_problem,
    unpack_work,
)
from ik_node.solvers.genetic.evolution import begin, breed, take
from ik_node.solvers.genetic.settings import Evolution, Population
from ik_node.tasks.kernels import TaskWork


class BodyEvolution(NamedTuple):
    """Settings of the evolution, by the names of those of an arm."""

    scale: Annotated[Vector, Shape('n')]
    """(n,) 1/√weight of each joint, at most 1."""
    span: Annotated[Vector, Shape('n')]
    """(n,) 1 for entries in metres without limits, else 0."""
    length: float
    """m: how far these are spread is π of it, to both sides."""
    method: Any
    """`Evolution`."""


class Spread(NamedTuple):
    """What the first generation is made with, (n,) each."""

    unit: Annotated[Vector, Shape('n')]
    z: Annotated[Vector, Shape('n')]
    dq: Annotated[Vector, Shape('n')]
    start: Annotated[Vector, Shape('n')]
    """About which entries without limits are spread."""
    deadline: Annotated[Vector, Shape(1)]
    """Of `clock`, s: a generation ends when it is over."""


Memory: Any = joined('Memory', Spread, Population)
"""What is kept from one generation to the next."""


class Judged(NamedTuple):
    """What a child is judged by."""

    problem: Problem
    level: Any
    """Integers of a level; see `PackedTasks.level`."""
    work: TaskWork
    search: SearchWork


EVOLUTION, BODY_EVOLUTION, MEMORY = Layout(Evolution), Layout(BodyEvolution), Layout(Memory)
_unpack_evolution, _end_of_evolution = EVOLUTION.unpack, EVOLUTION.end
_unpack_body, _unpack_memory = BODY_EVOLUTION.unpack, MEMORY.unpack


@njit
def unpack_generation(codes: Integers, own: Vector, memory: Vector,
                      n: int) -> tuple[BodyEvolution, Any]:
    """Return the settings, `Evolution` and `BodyEvolution` in own, and the memory, as views."""
    method = _unpack_evolution(codes, 0, own, 0, 0, n)
    _, x = _end_of_evolution(0, 0, 0, n)
    return (_unpack_body(codes, 0, own, x, 0, n, method),
            _unpack_memory(codes, 0, memory, 0, 0, n))


@njit
def judge_tasks(limits: SearchSettings, judged: Judged, settings: BodyEvolution, work: Any) -> bool:
    """Write the cost of work.child; return whether every necessary task is met."""
    for k in range(work.z.shape[0]):
        work.z[k] = work.child[0, 1 + k]
    rows = level_rows(judged.problem, judged.level, judged.work, work.z, judged.search.A,
                      judged.search.e)
    work.child[0, 0] = rows.cost
    return rows.met


_begin = specialise(begin, 'begin_body', judge=judge_tasks)
_breed = specialise(breed, 'breed_body', judge=judge_tasks)


@entry
def next_generation(codes: Integers, numbers: Vector, level: Integers, own: Vector,
                    scratch: Vector, memory: Vector, begins: bool, q: Vector) -> bool:
    """Replace the parents in memory by the next generation, or make the first, q (n,) in it.

    Return whether the best of them, which replaces q, meets every necessary task.
    own: `Evolution` and `BodyEvolution`. begins: whether parents are spread over the limits.
    """
    problem = unpack_problem(codes, numbers)
    n = codes[1]
    task_work, search = unpack_work(scratch, codes[0], n, codes[3])
    settings, work = unpack_generation(codes, own, memory, n)
    judged = Judged(problem, level, task_work, search)
    if begins:
        met = _begin(problem.settings, judged, settings, work, True, q)
    else:
        met = _breed(problem.settings, judged, settings, work)
    take(work.parents, q)
    return met

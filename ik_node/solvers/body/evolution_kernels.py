"""Generations of a body's joint values: the kernels of `genetic.evolution`, judged by tasks."""

from typing import Annotated, Any, NamedTuple

from ik_node._jit import Integers, Layout, Shape, Vector, joined, njit
from ik_node.solvers.genetic.settings import Evolution, Population


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

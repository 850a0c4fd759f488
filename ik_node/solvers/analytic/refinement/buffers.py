"""Scratch arrays of the kernels that refine and select branches."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from ik_node._jit import Integers, Layout, Matrix, Shape, Vector, inline
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.analytic.families.closed_loop import CLOSED_FORM_SCRATCH, MOST_BRANCHES
from ik_node.solvers.analytic.structure import has_wrist, locked_columns
from ik_node.solvers.packing import unpack_chain, unpack_settings
from ik_node.solvers.settings import Settings, make_scratch, make_work

MOST_SOLUTIONS = 2 * MOST_BRANCHES  # including twins across a singularity


class Buffers(NamedTuple):
    """Scratch arrays, views of one."""

    work: Any
    """Of the iterative solvers."""
    closed_form: Annotated[Vector, Shape(CLOSED_FORM_SCRATCH)]
    """Scratch of the closed form."""
    branches: Annotated[Matrix, Shape(MOST_BRANCHES, 'n')]
    errors: Annotated[Vector, Shape(MOST_SOLUTIONS)]
    """Squared errors, or costs."""
    held: Annotated[Vector, Shape('n')]
    """1 for locked joints."""
    trial: Annotated[Vector, Shape('n')]
    chosen: Annotated[Vector, Shape('n')]
    """Parameters, or a configuration."""
    frames_q: Annotated[Vector, Shape('n')]
    """Configuration of work.frames; NaN where they are invalid."""
    arm_regular: Annotated[Vector, Shape(1)]
    """1 or 0: see `newton.is_arm_regular`, of work.frames; below 0 where it is not known."""
    wrist: Any
    """See `structure.has_wrist`."""


_BUFFERS = Layout(Buffers)
_unpack_buffers, _end_of_buffers = _BUFFERS.unpack, _BUFFERS.end


def make_solution_scratch(n_articulations: int, n: int) -> np.ndarray:
    """Return the scratch array for a chain of `n_articulations` moving joints and n columns."""
    return np.zeros(_BUFFERS.size(0, n)[1] + len(make_scratch(n_articulations, n)))


@inline
def lay_out(structure_codes: Integers, codes: Integers, numbers: Vector, scratch: Vector,
            n: int) -> tuple[ChainArrays, Settings, Buffers]:
    """Return (chain, settings, buffers) from a structure, the arrays of `packing.pack`, and n."""
    chain = unpack_chain(codes, numbers)
    return (chain, unpack_settings(codes, numbers, 0),
            _make_buffers(scratch, structure_codes, chain.column.shape[0], n))


@inline
def _make_buffers(scratch: Vector, structure_codes: Integers, n_articulations: int,
                  n: int) -> Buffers:
    """Return the scratch arrays, with `held` set for the locked joints."""
    _, x = _end_of_buffers(0, 0, 0, n)
    buffers = _unpack_buffers(0, 0, scratch, 0, 0, n, make_work(scratch[x:], n_articulations, n),
                              has_wrist(structure_codes))
    locked_columns(structure_codes, buffers.held)
    return buffers


@inline
def copy_to(target: Vector, source: Vector) -> None:
    """Copy a vector."""
    for k in range(target.shape[0]):
        target[k] = source[k]

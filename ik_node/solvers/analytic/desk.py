"""What the kernels that make answers of branches have at hand."""

from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import inline
from ik_node.solvers.analytic.closed_loop import FORM_SCRATCH, MOST_BRANCHES
from ik_node.solvers.analytic.form import given_columns, has_wrist
from ik_node.solvers.packing import unpack_chain, unpack_settings
from ik_node.solvers.settings import make_scratch, make_work

MOST_ANSWERS = 2 * MOST_BRANCHES  # with their twins


class Desk(NamedTuple):
    """Scratch arrays, views of one."""

    work: Any              # the solvers' own
    form: np.ndarray       # what branches works in
    found: np.ndarray      # (MOST_BRANCHES, n) branches
    errors: np.ndarray     # (MOST_ANSWERS,) squared, or costs
    held: np.ndarray       # (n,) 1 for joints whose value is given
    trial: np.ndarray      # (n,)
    chosen: np.ndarray     # (n,) parameters, or a posture
    known: np.ndarray      # (n,) whose frames are in `work`, NaN where they are of none
    wrist: bool            # whether the arm is six joints that turn, the last three in one point


def make_answer_scratch(arcs: int, n: int) -> np.ndarray:
    """Return what the kernels here work in, for a chain of `arcs` moving arcs and n joints."""
    return np.zeros(len(make_scratch(arcs, n)) + FORM_SCRATCH + (MOST_BRANCHES + 4) * n
                    + MOST_ANSWERS)


@inline
def lay_out(form_codes, codes, numbers, scratch, n):
    """Return (chain, settings, desk) for a form, what `packing.pack` packed, and n joints."""
    chain = unpack_chain(codes, numbers)
    return (chain, unpack_settings(codes, numbers, 0),
            _make_desk(scratch, form_codes, chain.column.shape[0], n))


@inline
def _make_desk(scratch, form_codes, arcs, n):
    """Return the scratch arrays, with the joints held that a form wants given."""
    a = scratch.shape[0] - FORM_SCRATCH
    b = a - MOST_BRANCHES * n
    c = b - MOST_ANSWERS
    desk = Desk(make_work(scratch, arcs, n), scratch[a:], scratch[b:a].reshape((MOST_BRANCHES, n)),
                scratch[c:b], scratch[c - n:c], scratch[c - 2 * n:c - n],
                scratch[c - 3 * n:c - 2 * n], scratch[c - 4 * n:c - 3 * n], has_wrist(form_codes))
    given_columns(form_codes, desk.held)
    return desk


@inline
def copy_to(target, source):
    """Copy a vector."""
    for k in range(target.shape[0]):
        target[k] = source[k]

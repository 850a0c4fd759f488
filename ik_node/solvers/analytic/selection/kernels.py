"""The kernels of each family of closed forms: an arm compiles those of its own family only."""

from typing import NamedTuple

from ik_node._jit import Kernel, entry, rare, specialise, together
from ik_node.solvers.analytic.families.branches import BRANCHES
from ik_node.solvers.analytic.selection.all_solutions import (
    all_solutions,
    solutions,
    solutions_of_pose,
)
from ik_node.solvers.analytic.selection.arm_preference import arm_cost
from ik_node.solvers.analytic.selection.arm_selection import (
    best_arm,
    best_of_intervals,
    sample_circle,
)
from ik_node.solvers.analytic.selection.best_solution import preferred_solution
from ik_node.solvers.analytic.selection.redundancy import best_redundant, brent_minimum, least_cost
from ik_node.solvers.analytic.selection.swivel_selection import (
    best_swivel,
    best_within,
    nearest_within,
)
from ik_node.solvers.analytic.structure import (
    GENERAL,
    PARALLEL,
    PLANAR,
    PLANAR_FREE,
    SPHERICAL,
    SWIVEL,
)


class FamilyKernels(NamedTuple):
    """The entries of a family."""

    solutions: Kernel
    """See `all_solutions.solutions`."""
    of_pose: Kernel
    """See `all_solutions.solutions_of_pose`."""
    best: Kernel
    """For redundant arms: `redundancy.best_redundant`, or `swivel_selection.best_swivel`."""


def _kernels(name: str, family: int) -> FamilyKernels:
    """Return the entries of a family, made from the templates."""
    own = {'branches': BRANCHES[family]}
    own['preferred_solution'] = specialise(preferred_solution, f'preferred_solution_{name}', **own)
    every = specialise(all_solutions, f'all_solutions_{name}', **own)
    own['least_cost'] = specialise(least_cost, f'least_cost_{name}', rare, **own)
    own['brent_minimum'] = specialise(brent_minimum, f'brent_minimum_{name}', rare, **own)
    if family == SWIVEL:
        own['best_redundant'] = specialise(best_redundant, f'best_redundant_{name}', rare, **own)
        best = specialise(
            best_swivel, f'best_{name}', entry,
            best_within=specialise(best_within, f'best_within_{name}', rare, **own),
            nearest_within=specialise(nearest_within, f'nearest_within_{name}', rare, **own), **own)
    else:
        best = entry(specialise(best_redundant, f'best_{name}', rare, **own))
    found = specialise(solutions, f'solutions_{name}', entry, all_solutions=every, **own)
    of_pose = specialise(solutions_of_pose, f'solutions_of_pose_{name}', entry,
                         all_solutions=every, **own)
    together(found, of_pose, best)
    return FamilyKernels(found, of_pose, best)


_PLANAR_KERNELS = _kernels('planar', PLANAR)

FAMILIES = {
    SPHERICAL: _kernels('spherical', SPHERICAL),
    PARALLEL: _kernels('parallel', PARALLEL),
    PLANAR: _PLANAR_KERNELS,
    PLANAR_FREE: _PLANAR_KERNELS,
    SWIVEL: _kernels('swivel', SWIVEL),
    GENERAL: _kernels('general', GENERAL)}


def _arm_kernel() -> Kernel:
    """Return the entry for a human-like arm, made from the templates of `arm_selection`."""
    own = {'branches': BRANCHES[SWIVEL], 'branch_cost': arm_cost}
    for template in (preferred_solution, least_cost, brent_minimum, best_of_intervals,
                     sample_circle):
        name = template.__name__
        own[name] = specialise(template, f'{name}_arm', rare, **own)
    return specialise(best_arm, 'best_arm', entry, **own)


BEST_ARM = _arm_kernel()
"""See `arm_selection.best_arm`."""

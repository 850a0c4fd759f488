"""The solvers by name."""

from typing import Any

from ik_node.exceptions import InputError, OptionError, unknown
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.auto import AutoSolver
from ik_node.solvers.base import Solver
from ik_node.solvers.ccd.solver import CcdSolver
from ik_node.solvers.jacobian.dls import DlsSolver
from ik_node.solvers.jacobian.pseudoinverse import PseudoinverseSolver
from ik_node.solvers.jacobian.transpose import TransposeSolver

_SOLVERS: dict[str, type[Solver]] = {
    solver.name: solver for solver in (
        AnalyticSolver, AutoSolver, CcdSolver, DlsSolver, PseudoinverseSolver,
        TransposeSolver)}


def solver_names() -> tuple[str, ...]:
    """Return the names `make_solver` takes, in alphabetical order."""
    return tuple(sorted(_SOLVERS))


def solver_class(name: str) -> type[Solver]:
    """Return a solver's class. Raises OptionError for an unknown name, with the list."""
    if not isinstance(name, str) or name not in _SOLVERS:
        raise OptionError(unknown('solver', name, solver_names()))
    return _SOLVERS[name]


def make_solver(name: str, chain: Chain, **options: Any) -> Solver:
    """Return the named solver for a chain.

    Raises OptionError for an unknown name or option and for values out of range, and
    UnsupportedError where the method has nothing to offer for the arm. Raises InputError for what
    is no chain.
    """
    if not isinstance(chain, Chain):
        raise InputError(f'a solver is made for a chain, tree.chain(…), not for a '
                         f'{type(chain).__name__}')
    return solver_class(name)(chain, **options)

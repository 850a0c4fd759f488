"""The solvers by name: those of this package, and plug-ins of others."""

import textwrap
import threading
import warnings
from importlib.metadata import entry_points
from typing import Any

from ik_node.model.chain import Chain, check_chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.auto import AutoSolver
from ik_node.solvers.base import Solver
from ik_node.solvers.ccd.solver import CcdSolver
from ik_node.solvers.example.solver import ExampleSolver
from ik_node.solvers.genetic.solver import GeneticSolver
from ik_node.solvers.jacobian.solver import DlsSolver, PseudoinverseSolver, TransposeSolver
from ik_node.solvers.optimization.solver import OptimizationSolver
from ik_node.solvers.plugins import GROUP, Refused, load
from ik_node.support.exceptions import OptionError, unknown

_BUILT_IN: dict[str, type[Solver]] = {
    solver.name: solver for solver in (
        AnalyticSolver, AutoSolver, CcdSolver, DlsSolver, ExampleSolver, GeneticSolver,
        OptimizationSolver, PseudoinverseSolver, TransposeSolver)}


class _Plugins:
    """Solvers of other packages, imported on first use."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._loaded = False
        self._found: dict[str, type[Solver]] = {}
        self._refused: tuple[Refused, ...] = ()

    def get(self) -> tuple[dict[str, type[Solver]], tuple[Refused, ...]]:
        """Return the classes by name, and refused plug-ins; warn of the latter once.

        A plug-in that calls this during its own import gets none.
        """
        with self._lock:
            if not self._loaded:
                self._loaded = True
                self._found, refused = load(entry_points(group=GROUP), _BUILT_IN)
                self._refused = tuple(refused)
                for one in refused:
                    warnings.warn(str(one), RuntimeWarning, stacklevel=3)
            return self._found, self._refused


_PLUGINS = _Plugins()


def built_in_names() -> tuple[str, ...]:
    """Return the names of the solvers of this package, in alphabetical order."""
    return tuple(sorted(_BUILT_IN))


def solver_names() -> tuple[str, ...]:
    """Return the names `make_solver` takes, plug-ins among them, in alphabetical order."""
    return tuple(sorted({*_BUILT_IN, *_PLUGINS.get()[0]}))


def refused_plugins() -> tuple[Refused, ...]:
    """Return the plug-ins that cannot be used, each with the reason."""
    return _PLUGINS.get()[1]


def solver_class(name: str) -> type[Solver]:
    """Return a solver's class.

    Raises OptionError for an unknown name, with the list, and for a plug-in that cannot be used,
    with the reason.
    """
    if isinstance(name, str):
        if name in _BUILT_IN:
            return _BUILT_IN[name]
        found, refused = _PLUGINS.get()
        if name in found:
            return found[name]
        for one in refused:
            if one.name == name:
                raise OptionError(str(one))
    raise OptionError(unknown('solver', name, solver_names()))


def make_solver(name: str, chain: Chain, **options: Any) -> Solver:
    """Return the named solver for a chain.

    Raises OptionError for an unknown name or option and for values out of range, and
    UnsupportedError where the method does not support the arm. Raises InputError for anything but
    a chain.
    """
    check_chain(chain)
    return solver_class(name)(chain, **options)


def _help() -> str:
    """Return the solvers of this package and their options, a paragraph each."""
    common = set.intersection(*(set(solver.Options.specs()) for solver in _BUILT_IN.values()))
    parts = [('every solver:', sorted(common))]
    for name in built_in_names():
        solver = _BUILT_IN[name]
        what = (solver.__doc__ or '').partition('\n')[0]
        parts.append((f'{name}: {what}', [key for key in solver.Options.specs()
                                          if key not in common]))
    return '\n\n'.join(
        textwrap.fill(f'- {what} Options: {", ".join(options)}.', 96, initial_indent='    ',
                      subsequent_indent='      ') for what, options in parts if options)


make_solver.__doc__ = f"""{make_solver.__doc__}
{_help()}

    docs/solvers has the meaning of each, `Options.specs()` of a solver's class its range and unit.
    """

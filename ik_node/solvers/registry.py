"""The solvers of arms and bodies by name: those of this package, and plug-ins of others.

A package declares a plug-in as an entry point in its pyproject.toml; ik_node needs no change:

    [project.entry-points."ik_node.solvers"]
    least_squares = "least_squares_ik:LeastSquaresSolver"
"""

import dataclasses
import inspect
import re
import textwrap
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from ik_node.collision.obstacles import Obstacle
from ik_node.model.body import Body
from ik_node.model.chain import Chain, check_chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.auto import AutoSolver
from ik_node.solvers.body.base import BodySolver, HierarchySolver, LeastSquaresSolver
from ik_node.solvers.body.lagrange import LagrangeSolver
from ik_node.solvers.ccd.coordinate_descent import CcdSolver
from ik_node.solvers.collision.avoidance import avoiding
from ik_node.solvers.example.by_example import ExampleSolver
from ik_node.solvers.genetic.solvers import BodyGeneticSolver, GeneticSolver
from ik_node.solvers.jacobian.solvers import DlsSolver, PseudoinverseSolver, TransposeSolver
from ik_node.solvers.optimization.solvers import BodyOptimizationSolver, OptimizationSolver
from ik_node.solvers.options import SolverOptions
from ik_node.support.arguments import one_of
from ik_node.support.exceptions import OptionError, shown, unknown
from ik_node.tasks.base import Task

_GROUP = 'ik_node.solvers'  # of entry points
_BODY: dict[str, type[BodySolver]] = {
    solver.name: solver for solver in (
        BodyGeneticSolver, BodyOptimizationSolver, HierarchySolver, LagrangeSolver,
        LeastSquaresSolver)}
_BUILT_IN: dict[str, type[Solver]] = {
    solver.name: solver for solver in (
        AnalyticSolver, AutoSolver, CcdSolver, DlsSolver, ExampleSolver, GeneticSolver,
        OptimizationSolver, PseudoinverseSolver, TransposeSolver)}


class Refused(NamedTuple):
    """A plug-in that cannot be used."""

    name: str
    distribution: str
    reason: str

    def __str__(self) -> str:
        return (f'the solver {self.name!r} of {self.distribution} cannot be used: '
                f'{self.reason}')


class _UnfitError(Exception):
    """The reason why a plug-in is refused."""


class _Plugins:
    """Solvers of other packages, imported on first use."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._loaded = False
        self._found: dict[str, type[Solver]] = {}
        self._refused: tuple[Refused, ...] = ()

    def get(self) -> tuple[dict[str, type[Solver]], tuple[Refused, ...]]:
        """Return the classes by name, and refused plug-ins; warn of the latter once.

        Of two plug-ins with the same name the first is used. A plug-in that calls this during its
        own import gets none.
        """
        with self._lock:
            if not self._loaded:
                self._loaded = True
                found: dict[str, type[Solver]] = {}
                refused = []
                for point in entry_points(group=_GROUP):
                    try:
                        found[point.name] = _load(point, {*_BUILT_IN, *found})
                    except _UnfitError as error:
                        dist = getattr(point, 'dist', None)
                        brought = 'a package' if dist is None else f'{dist.name} {dist.version}'
                        refused.append(Refused(point.name, brought, str(error)))
                self._found, self._refused = found, tuple(refused)
                for one in refused:
                    warnings.warn(str(one), RuntimeWarning, stacklevel=3)
            return self._found, self._refused


def _load(point: EntryPoint, taken: set[str]) -> type[Solver]:
    """Return the class of an entry point. Raises _UnfitError, whatever the plug-in raises."""
    if not re.fullmatch('[a-z][a-z0-9_]*', point.name):
        raise _UnfitError('a name must consist of lower-case letters, digits and underscores, '
                          'beginning with a letter')
    if point.name in taken:
        raise _UnfitError('the name is taken already')
    try:
        solver = point.load()
    except (Exception, SystemExit) as error:  # a foreign module may raise anything
        raise _UnfitError(f'{point.value} cannot be imported: {type(error).__name__}: '
                          f'{error}') from error
    if not (inspect.isclass(solver) and issubclass(solver, Solver)):
        raise _UnfitError(f'{point.value} is no subclass of ik_node.solvers.arm.base.Solver')
    if inspect.isabstract(solver):
        raise _UnfitError(f'{point.value} does not define '
                          f'{", ".join(sorted(solver.__abstractmethods__))}')
    if getattr(solver, 'name', None) != point.name:
        raise _UnfitError(f'{point.value} has the name {shown(getattr(solver, "name", None))}, not '
                          'that of its entry point')
    _check_options(solver.Options)
    return solver


def _check_options(options: Any) -> None:
    if not (inspect.isclass(options) and issubclass(options, SolverOptions)):
        raise _UnfitError(f'its Options, {shown(options)}, are no subclass of '
                          'ik_node.solvers.options.SolverOptions')
    for field in dataclasses.fields(options):
        if 'spec' not in field.metadata:
            raise _UnfitError(f'its option {field.name!r} is not declared by '
                              'ik_node.support.options.option')
    try:
        options.read(options.defaults())
    except OptionError as error:
        raise _UnfitError(f'a default is not allowed: {error}') from error


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


def body_solver_names() -> tuple[str, ...]:
    """Return the names `make_body_solver` takes, in alphabetical order."""
    return tuple(sorted(_BODY))


def body_solver_class(name: str) -> type[BodySolver]:
    """Return a body solver's class. Raises OptionError for an unknown name, with the list."""
    return _BODY[one_of(name, body_solver_names(), 'body solver', OptionError)]


def make_solver(name: str, chain: Chain, avoid_collisions: bool = False,
                obstacles: Iterable[Obstacle] = (), margin: float = 0.0,
                others: Mapping[str, float] | None = None,
                disabled: Iterable[tuple[str, str]] = (), **options: Any) -> Solver:
    """Return the named solver for a chain.

    avoid_collisions: whether a solution must keep the margin, m, from the robot itself and from
    obstacles, which `solver.obstacles` replaces at any time. others: {joint: value} of the joints
    of the robot that are not in q, rad or m, zero by default. disabled: pairs of links that may
    touch, see `read_disabled_collisions` for those of an SRDF. They need avoid_collisions.
    Raises OptionError for an unknown name or option and for values out of range, and
    UnsupportedError where the method does not support the arm. Raises InputError for anything but
    a chain.
    """
    solver = solver_class(name)(check_chain(chain), **options)
    avoiding(solver, chain, avoid_collisions, obstacles, margin, others, disabled)
    return solver


def make_body_solver(name: str, body: Body, tasks: Sequence[Task], avoid_collisions: bool = False,
                     obstacles: Iterable[Obstacle] = (), margin: float = 0.0,
                     disabled: Iterable[tuple[str, str]] = (), **options: Any) -> BodySolver:
    """Return the named solver for several tasks on a body.

    avoid_collisions, obstacles, margin, disabled: as for `make_solver`, obstacles in the world.
    Raises OptionError for an unknown name or option and for values out of range, ModelError for a
    link that the body does not have, and InputError for what is no body or no task.
    """
    solver = body_solver_class(name)(body, tasks, **options)
    avoiding(solver, body, avoid_collisions, obstacles, margin, None, disabled)
    return solver


def _help() -> str:
    common = set.intersection(*(set(solver.Options.specs()) for solver in _BUILT_IN.values()))
    parts = [('every solver:', sorted(common))]
    for name, solver in sorted(_BUILT_IN.items()):
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

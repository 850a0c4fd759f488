"""Solvers of other packages, by entry points of the group `ik_node.solvers`.

A package declares its class in its pyproject.toml; ik_node needs no change:

    [project.entry-points."ik_node.solvers"]
    least_squares = "least_squares_ik:LeastSquaresSolver"
"""

import dataclasses
import inspect
import re
from collections.abc import Collection, Iterable
from importlib.metadata import EntryPoint
from typing import Any, NamedTuple

from ik_node.solvers.base import Solver
from ik_node.solvers.options import SolverOptions
from ik_node.support.exceptions import OptionError, shown

GROUP = 'ik_node.solvers'


class Refused(NamedTuple):
    """A plug-in that cannot be used."""

    name: str
    distribution: str
    reason: str

    def __str__(self) -> str:
        """Return the name, the distribution and the reason."""
        return (f'the solver {self.name!r} of {self.distribution} cannot be used: '
                f'{self.reason}')


class _UnfitError(Exception):
    """The reason why a plug-in is refused."""


def load(points: Iterable[EntryPoint],
         taken: Collection[str]) -> tuple[dict[str, type[Solver]], list[Refused]]:
    """Import the classes of entry points; return them by name, and the refused ones.

    taken: names in use. Of two plug-ins with the same name the first is used. Exceptions of a
    plug-in are caught.
    """
    found: dict[str, type[Solver]] = {}
    refused = []
    for point in points:
        try:
            found[point.name] = _load_one(point, {*taken, *found})
        except _UnfitError as error:
            refused.append(Refused(point.name, _distribution(point), str(error)))
    return found, refused


def _distribution(point: EntryPoint) -> str:
    """Return the name and version of the package that an entry point belongs to."""
    brought = getattr(point, 'dist', None)
    return f'{brought.name} {brought.version}' if brought is not None else 'a package'


def _load_one(point: EntryPoint, taken: Collection[str]) -> type[Solver]:
    """Return the class of an entry point. Raises _UnfitError."""
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
        raise _UnfitError(f'{point.value} is no subclass of ik_node.solvers.base.Solver')
    if inspect.isabstract(solver):
        raise _UnfitError(f'{point.value} does not define '
                          f'{", ".join(sorted(solver.__abstractmethods__))}')
    if getattr(solver, 'name', None) != point.name:
        raise _UnfitError(f'{point.value} has the name {shown(getattr(solver, "name", None))}, not '
                          'that of its entry point')
    _check_options(solver.Options)
    return solver


def _check_options(options: Any) -> None:
    """Raise _UnfitError for options that cannot become parameters."""
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

"""The body solvers by name."""

from collections.abc import Iterable, Sequence
from typing import Any

from ik_node.collision.obstacles import Obstacle
from ik_node.model.body import Body
from ik_node.solvers.body.base import BodySolver, HierarchySolver, LeastSquaresSolver
from ik_node.solvers.body.genetic import BodyGeneticSolver
from ik_node.solvers.body.lagrange import LagrangeSolver
from ik_node.solvers.body.optimization import BodyOptimizationSolver
from ik_node.solvers.collision.avoidance import avoiding
from ik_node.support.exceptions import OptionError, unknown
from ik_node.tasks.base import Task

_SOLVERS: dict[str, type[BodySolver]] = {
    solver.name: solver for solver in (
        BodyGeneticSolver, BodyOptimizationSolver, HierarchySolver, LagrangeSolver,
        LeastSquaresSolver)}


def body_solver_names() -> tuple[str, ...]:
    """Return the names `make_body_solver` takes, in alphabetical order."""
    return tuple(sorted(_SOLVERS))


def body_solver_class(name: str) -> type[BodySolver]:
    """Return a body solver's class. Raises OptionError for an unknown name, with the list."""
    if not isinstance(name, str) or name not in _SOLVERS:
        raise OptionError(unknown('body solver', name, body_solver_names()))
    return _SOLVERS[name]


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

"""Copies of the arms' solvers with a shorter timeout."""

from typing import NamedTuple

from ik_node.control.arm import Arm
from ik_node.solvers.base import Solver
from ik_node.solvers.registry import make_solver


class _Twin(NamedTuple):
    """A copy of an arm's solver with another timeout, s."""

    arm: Arm
    timeout: float
    solver: Solver


class BoundedSolvers:
    """Creates the copies on demand, and keeps them for requests with the same timeout."""

    def __init__(self) -> None:
        """Begin without copies."""
        self._twins: dict[str, _Twin] = {}

    def solver(self, arm: Arm, timeout: float) -> Solver:
        """Return the solver of an arm with a timeout, s, checked every few iterations.

        0 means none; a shorter timeout of the arm's own solver is kept.
        """
        own = arm.solver.options.timeout
        if timeout == 0.0 or (own is not None and own <= timeout):
            return arm.solver
        twin = self._twins.get(arm.name)
        if twin is None or twin.arm is not arm or twin.timeout != timeout:
            arm_options = arm.solver.options
            options = {name: getattr(arm_options, name) for name in arm_options.specs()}
            twin = _Twin(arm, timeout, make_solver(arm.solver.name, arm.chain,
                                                   **{**options, 'timeout': timeout}))
            self._twins[arm.name] = twin
        return twin.solver

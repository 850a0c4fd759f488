"""Solvers as the arms have them, with less time than their own."""

import threading
from typing import NamedTuple

from ik_node.exceptions import UnsupportedError
from ik_node.ros.robot import Arm
from ik_node.solvers.base import Solver
from ik_node.solvers.registry import make_solver

COMPILING = 'the solvers are being compiled, once after installing; try again'


class _Twin(NamedTuple):
    """An arm's solver, but for its time, s."""

    arm: Arm
    timeout: float
    solver: Solver


class BoundedSolvers:
    """Makes them when they are asked for first; whoever asks again with the same time waits less.

    A bound on the time takes kernels of its own. They are compiled beside, so that nothing is
    blocked.
    """

    def __init__(self) -> None:
        """Make none yet."""
        self._twins: dict[str, _Twin] = {}
        self._warm: set[str] = set()  # names of those that need not be on disk: they have run
        self._compiler: threading.Thread | None = None

    def solver(self, arm: Arm, timeout: float) -> Solver:
        """Return the solver of an arm with a bound on its time, s, looked at between attempts.

        0 stands for none; the arm's own holds where it is less. Raises UnsupportedError while the
        solver is compiled.
        """
        own = arm.solver.options.timeout
        if timeout == 0.0 or (own is not None and own <= timeout):
            return arm.solver
        twin = self._twins.get(arm.name)
        if twin is None or twin.arm is not arm or twin.timeout != timeout:
            given = arm.solver.options
            options = {name: getattr(given, name) for name in given.specs()}
            twin = _Twin(arm, timeout, make_solver(arm.solver.name, arm.chain,
                                                   **{**options, 'timeout': timeout}))
            self._twins[arm.name] = twin
        if not self._ready(twin):
            raise UnsupportedError(COMPILING)
        return twin.solver

    def _ready(self, twin: _Twin) -> bool:
        """Tell whether a solver need not be compiled; else begin with it, one at a time."""
        if self._compiler is not None and self._compiler.is_alive():
            return False
        name = twin.solver.name
        if name in self._warm or twin.solver.compiled():
            return True

        def compile_it() -> None:
            twin.solver.warm_up(twin.arm.start)
            self._warm.add(name)

        self._compiler = threading.Thread(target=compile_it, daemon=True)
        self._compiler.start()
        return False

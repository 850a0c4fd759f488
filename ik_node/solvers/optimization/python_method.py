"""A method written in Python, whose attempts the search makes as those of any other."""

from collections.abc import Callable

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.method import Method
from ik_node.solvers.settings import Settings, Scratch
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Vector


class PythonMethod(Method):
    """Attempts by a function of the initial guess; the goal is the function's own affair."""

    def __init__(self, minimise: Callable[[np.ndarray], tuple[np.ndarray, int, int]],
                 turns_spoil: bool) -> None:
        """Take the function.

        It returns, for a guess (n,) inside the limits, the joint values (n,), how the attempt ended
        and its iterations. turns_spoil: see `keeps_turns`.
        """
        self.minimise, self.turns_spoil = minimise, turns_spoil

    def keeps_turns(self) -> bool:
        """Tell whether a whole turn of a joint may spoil a result; see `Method`."""
        return self.turns_spoil

    def attempt(self, chain: ChainRecord, task: TipTask, settings: Settings, work: Scratch, swing: bool,
                q: Vector) -> int:
        """Call the function; see `Method`."""
        return self.call(chain.n, work, q)

    def call(self, n: int, work: Scratch, q: Vector) -> int:
        """Call the function; compiled, this holds the GIL."""
        found, end, work.iterations = self.minimise(np.array([q[k] for k in range(n)]))
        for k in range(n):
            q[k] = found[k]
        return end

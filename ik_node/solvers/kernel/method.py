"""Methods: what makes attempts from one initial guess."""

from collections.abc import Callable

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support.arrays import Vector


class Method:
    """A method of iteration, with its own settings; subclasses override its functions.

    What these raise, where they call Python, ends the search and reaches its caller.
    """

    def make_data(self, m: int, n: int) -> ArmData:
        """Return scratch, of a subclass too, for a chain of m articulations and n joint values."""
        return ArmData(m, n)

    def attempt(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                swing: bool, q: Vector) -> int:
        """Iterate from q (n,), in place and inside the limits; return how it ended.

        The number of iterations is written into work.iterations. When work.deadline is over, the
        attempt ends as TIMED_OUT after a few iterations. swing: whether a joint may pass a limit by
        appearing a whole turn further, inside the limits.
        """
        return 0

    def keeps_turns(self) -> bool:
        """Tell whether a whole turn of a joint may spoil the result of an attempt."""
        return False

    def bare_step(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                  q: Vector, dq: Vector) -> int:
        """Write one step of the method from q into dq (n,): no limits, no line search. Return 0."""
        return 0


class PythonMethod(Method):
    """Attempts by a function of the limits and the initial guess, which knows the goal."""

    def __init__(self, minimise: Callable[[ChainRecord, np.ndarray], tuple[np.ndarray, int, int]],
                 turns_spoil: bool) -> None:
        """Take a function of a chain and a guess (n,): it returns q (n,), its end, iterations.

        The chain has the limits of the attempt. turns_spoil: see `keeps_turns`.
        """
        self.minimise, self.turns_spoil = minimise, turns_spoil

    def keeps_turns(self) -> bool:
        return self.turns_spoil

    def attempt(self, chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                swing: bool, q: Vector) -> int:
        return self.call(chain, work, q)

    def call(self, chain: ChainRecord, work: ArmData, q: Vector) -> int:
        """Call the function; compiled, this holds the GIL."""
        found, end, work.iterations = self.minimise(chain, np.array(
            [q[k] for k in range(chain.n)]))
        for k in range(chain.n):
            q[k] = found[k]
        return end

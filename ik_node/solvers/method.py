"""What a method is to the search: attempts from one initial guess."""

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.settings import Settings, Scratch
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Vector


class Method:
    """A method of iteration, with its own settings; subclasses override its functions.

    What `attempt` and `bare_step` raise, where they call functions written in Python, ends the
    search and reaches its caller.
    """

    def make_work(self, m: int, n: int) -> Scratch:
        """Return scratch for a chain of m articulations and n joint values.

        A method that needs more than a `Scratch` returns an instance of its own subclass.
        """
        return Scratch(m, n)

    def attempt(self, chain: ChainRecord, task: TipTask, settings: Settings, work: Scratch, swing: bool,
                q: Vector) -> int:
        """Iterate from q (n,), in place and inside the limits; return how it ended.

        The number of iterations is written into work.iterations. An attempt looks at the clock
        every few iterations, and ends as TIMED_OUT when work.deadline is over.
        swing: whether a joint may pass a limit by appearing a whole turn further, inside the
        limits.
        """
        return 0

    def keeps_turns(self) -> bool:
        """Tell whether a whole turn of a joint may spoil the result of an attempt."""
        return False

    def bare_step(self, chain: ChainRecord, task: TipTask, settings: Settings, work: Scratch, q: Vector,
                  dq: Vector) -> int:
        """Write one step of the method from q into dq (n,): no limits, no line search. Return 0."""
        return 0

"""The options that every solver of a body takes."""

from dataclasses import dataclass

from ik_node.options import option
from ik_node.solvers.options import DriverOptions


@dataclass(frozen=True)
class BodyOptions(DriverOptions):
    """Options of every solver of a body: fewer restarts, and more looks at the clock."""

    max_restarts: int = option(
        30, 'restarts from other initial guesses after the attempt from q0 fails', kind=int, low=0,
        high=10**6)
    timeout: float | None = option(
        None, 'time limit of one solve, checked every few iterations; none: no limit', 's',
        low=0.0, optional=True)
    max_step: float = option(
        1.0, 'largest change of a revolute joint in one iteration', 'rad', low=0.0, positive=True)

"""The options that every body solver takes."""

from dataclasses import dataclass
from typing import Any

from ik_node.options import Options, option


@dataclass(frozen=True)
class BodyOptions(Options):
    """What every body solver takes."""

    position_tolerance: float = option(
        1e-6, 'largest error in metres of a task that is met', 'm', low=0.0, positive=True)
    orientation_tolerance: float = option(
        1e-6, 'largest error in radians of a task that is met', 'rad', low=0.0, positive=True)
    max_iterations: int = option(
        100, 'iterations of one attempt', kind=int, low=1, high=10**9)
    max_restarts: int = option(
        30, 'attempts from other starts after the first, from q0, failed', kind=int, low=0,
        high=10**6)
    timeout: float | None = option(
        None, 'time for one solve, looked at every few iterations; none: no bound', 's', low=0.0,
        optional=True)
    seed: int = option(
        0, 'of the random starts: the same seed, the same result', kind=int, low=0,
        high=2**31 - 1)
    max_step: float = option(
        1.0, 'largest change of a revolute joint in one iteration', 'rad', low=0.0, positive=True)
    closest: bool = option(
        False, 'whether to search for the closest configuration where the tasks are not met, which '
        'takes longer; otherwise the best one of the search is returned', kind=bool)
    joint_weights: Any = option(
        None, 'one weight per joint: a heavier one moves less; none: all alike', low=0.0,
        positive=True, optional=True, per_joint=True)

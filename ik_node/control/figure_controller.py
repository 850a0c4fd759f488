"""The controller of a figure: solves its tasks together when a target moves."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ik_node.control.figure import Figure
from ik_node.control.mover import MotionSink, Mover
from ik_node.control.robot import Robot
from ik_node.control.searches import search
from ik_node.solvers.body.result import BodyResult


class Aim(NamedTuple):
    """A goal of a task."""

    task: str
    """Its name."""
    target: Any
    """As the task takes it."""
    weights: np.ndarray | None
    """(6,) of a Pose; None: unchanged."""
    header: Any
    """Of its message, which the controller does not read."""


class FigureOutcome(NamedTuple):
    """The outcome of goals of tasks that were solved together."""

    aims: tuple[Aim, ...]
    result: BodyResult
    accepted: bool
    """Whether the figure moves: the tasks are met, or the closest configuration was accepted."""
    duration: float | None
    """Of the motion, s; None where joints jump."""


class FigureController(Mover):
    """Solves all tasks of a figure from its present joint values.

    Where the tasks are not met together and the closest configuration is not accepted, the former
    targets stand.

    Attributes, besides those of a mover:
    - `figure`: with tasks, solver and limits.
    """

    def __init__(self, figure: Figure, clock: Callable[[], float], sink: MotionSink) -> None:
        """Begin without a goal. clock: returns the time of motions, s."""
        super().__init__(clock, sink)
        self.figure = figure

    @property
    def group(self) -> Figure:
        """The figure."""
        return self.figure

    def drop_waypoints(self) -> None:
        """Do nothing: a figure follows no path."""

    def take_up(self, robot: Robot, figure: Figure) -> None:
        """Use a changed figure of a robot; a motion continues where it is valid."""
        self._stop_for(robot, figure.body)
        self.figure = figure

    def begin_at_present(self, robot: Robot) -> None:
        """Set targets without a value in the parameters to what the tasks meet at present."""
        if not self.has_moved:
            self.figure.reset_targets(robot.joint_configuration(self.figure))

    def go_to(self, robot: Robot, q: np.ndarray) -> float | None:
        """Move to q (n,), see `Mover.go_to`; targets are then as after a reset to it."""
        duration = super().go_to(robot, q)
        self.figure.reset_targets(q)
        return duration

    async def go(self, robot: Robot, aims: Sequence[Aim]) -> FigureOutcome:
        """Solve all tasks, some with other targets, and move there, or hold.

        Raises IkError for a target that its task does not take, and where there is no motion; the
        former targets then stand.
        """
        figure = self.figure
        targets = {aim.task: (aim.target, aim.weights) for aim in aims}
        figure.aim(targets)
        q0, solver = robot.joint_configuration(figure), figure.solver
        result = await search(lambda: solver.solve(q0))
        if not result.success and self.accept_closest:
            result = await search(lambda: solver.closest(q0))
        accepted = result.success or self.accept_closest
        duration = None
        if accepted:
            duration = self._move_to(robot, result.q)
            figure.accept(targets)
            self.has_moved = True
        return FigureOutcome(tuple(aims), result, accepted, duration)

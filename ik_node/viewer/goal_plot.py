"""A plot of a quantity of the last goals."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import viser
from viser import uplot

from ik_node.viewer.robot_view import RobotView

_COLORS = ('#2f6fb0', '#c0392b', '#2c8f4f', '#8e44ad', '#b7791f', '#17808a')
_SHOWN = 200  # goals


class _Quantity(NamedTuple):
    key: str
    """Of the status."""
    factor: float
    """To the unit of the plot."""
    least: float
    """The least that is drawn, as the axis is logarithmic."""


_QUANTITIES = {
    'solve time, ms': _Quantity('solve_time', 1e3, 1e-3),
    'position error, mm': _Quantity('position_error', 1e3, 1e-9),
    'orientation error, °': _Quantity('orientation_error', np.degrees(1.0), 1e-9),
    'steps': _Quantity('iterations', 1.0, 0.1),
    'restarts': _Quantity('restarts', 1.0, 0.1),
    'σ_min': _Quantity('smallest_singular_value', 1.0, 1e-9)}


class GoalPlot:
    """A plot of one quantity of the last goals, which the user chooses, a line for each node."""

    def __init__(self, server: viser.ViserServer, robot_views: Sequence[RobotView]) -> None:
        """Make the widgets; the plot is empty."""
        self._server, self._robot_views = server, robot_views
        self._counts: list[tuple[int, int]] = []
        self._chosen: Any = server.gui.add_dropdown(
            'quantity', tuple(_QUANTITIES), hint='of the last goals, on a logarithmic axis')
        self._chosen.on_update(lambda _: self._counts.clear())
        self._plot: Any = server.gui.add_uplot(
            (np.zeros(1), *(np.ones(1) for _ in robot_views)),
            (uplot.Series(label='goal'), *(uplot.Series(
                label=robot_view.name, stroke=_COLORS[i % len(_COLORS)], width=1.5)
                for i, robot_view in enumerate(robot_views))),
            height=160,
            scales={'x': uplot.Scale(time=False), 'y': uplot.Scale(auto=True, distr=3, log=10)})

    def update(self) -> None:
        """Show new goals."""
        counts = [(robot_view.count, len(robot_view.reports)) for robot_view in self._robot_views]
        if counts == self._counts:
            return
        self._counts = counts
        quantity = _QUANTITIES[self._chosen.value]
        newest = max(count for count, _ in counts)
        length = max(1, min((min(shown, _SHOWN) for _, shown in counts if shown), default=1))
        numbers = np.arange(newest - length + 1, newest + 1, dtype=float)
        self._plot.data = (numbers, *(
            _values(robot_view, quantity, length) for robot_view in self._robot_views))


def _values(robot_view: RobotView, quantity: _Quantity, length: int) -> np.ndarray:
    """Return a quantity of the last goals (length,); the least where nothing was solved."""
    texts = [report.values.get(quantity.key) for report in list(robot_view.reports)][-length:]
    values = np.full(length, quantity.least)  # a plot does not take NaN
    values[length - len(texts):] = [
        quantity.factor * float(text) if text else quantity.least for text in texts]
    return np.maximum(values, quantity.least)

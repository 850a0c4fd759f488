"""A table of the state of each node and its last goal, and a plot of solve times."""

import html
from collections.abc import Sequence

import numpy as np
import viser
from viser import uplot

from ik_node.viewer.robot_view import RobotView

_COLORS = ('#2f6fb0', '#c0392b', '#2c8f4f', '#8e44ad', '#b7791f', '#17808a')
_SHOWN = 200  # goals in the plot


class Readout:
    """A table with the state of each node."""

    def __init__(self, server: viser.ViserServer, robot_views: Sequence[RobotView]) -> None:
        """Make the table."""
        self._robot_views = robot_views
        self._table = server.gui.add_html(_table(robot_views))

    def show(self, visible: bool) -> None:
        """Show the table, or hide it."""
        self._table.visible = visible

    def update(self) -> None:
        """Show the current states."""
        table = _table(self._robot_views)
        if table != self._table.content:
            self._table.content = table


class TimePlot:
    """A plot of the last solve times, one line per node."""

    def __init__(self, server: viser.ViserServer, robot_views: Sequence[RobotView]) -> None:
        """Make the plot, empty."""
        self._robot_views = robot_views
        self._counts = [(0, 0)] * len(robot_views)
        empty = np.zeros(1)
        self._plot = server.gui.add_uplot(
            (empty, *(empty for _ in robot_views)),
            (uplot.Series(label='goal'), *(uplot.Series(
                label=f'{robot_view.name}, ms', stroke=_COLORS[i % len(_COLORS)], width=1.5)
                for i, robot_view in enumerate(robot_views))),
            title='solve time, ms', height=160,
            scales={'x': uplot.Scale(time=False), 'y': uplot.Scale(auto=True)})

    def update(self) -> None:
        """Show new reports."""
        counts = [(robot_view.count, len(robot_view.reports)) for robot_view in self._robot_views]
        if counts == self._counts:
            return
        self._counts = counts
        newest = max(count for count, _ in counts)
        length = max(1, min((min(shown, _SHOWN) for _, shown in counts if shown), default=1))
        numbers = np.arange(newest - length + 1, newest + 1, dtype=float)
        self._plot.data = (numbers, *(_times(view, length) for view in self._robot_views))


_TABLE = """<table style="width:94%;margin:0.5em 3%;font-size:0.85em;border-spacing:0 0.2em">
<tr><th align="left">solver</th><th align="right">mm</th><th align="right">mrad</th>
<th align="right">σ<sub>min</sub></th><th align="right">steps</th><th align="right">ms</th></tr>
{rows}</table>"""


def _table(robot_views: Sequence[RobotView]) -> str:
    return _TABLE.format(rows=''.join(_row(robot_view) for robot_view in robot_views))


def _row(robot_view: RobotView) -> str:
    """Return two rows of the table: the figures of the last goal, and the state in words."""
    report, (color, text) = robot_view.state.report, robot_view.state.line
    values = report.values if report else {}
    solver = values.get('solver') or robot_view.parameters.option('solver') or robot_view.name
    cells = [_number(values.get('position_error'), 1e3), _number(
        values.get('orientation_error'), 1e3), _number(values.get('smallest_singular_value')),
        values.get('iterations') or '–', _number(values.get('solve_time'), 1e3)]
    return (f'<tr><td style="white-space:nowrap"><span style="color:{color}">●</span> '
            f'{html.escape(str(solver))}</td>'
            + ''.join(f'<td align="right">{cell}</td>' for cell in cells)
            + f'</tr><tr><td colspan="6" style="color:{color}">{html.escape(text)}'
            '</td></tr>')


def _number(text: str | None, scale: float = 1.0) -> str:
    if not text:
        return '–'
    value = scale * float(text)
    return f'{value:.2g}' if abs(value) < 99.5 else f'{value:.0f}'


def _times(robot_view: RobotView, length: int) -> np.ndarray:
    """Return the last solve times (length,), ms; zero where nothing was solved."""
    texts = [report.values.get('solve_time') for report in list(robot_view.reports)][-length:]
    times = np.zeros(length)  # a plot does not take NaN
    times[length - len(texts):] = [1e3 * float(text) if text else 0.0 for text in texts]
    return times

"""A table of the state of each node and its last goal, and a plot of solve times."""

import html
from collections.abc import Sequence

import numpy as np
import viser
from viser import uplot

from ik_node.viewer.quantities import angle_text, length_text, time_text, value_text
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.state import AMBER, compiling_text

_COLORS = ('#2f6fb0', '#c0392b', '#2c8f4f', '#8e44ad', '#b7791f', '#17808a')
_SHOWN = 200  # goals in the plot
_LEAST = 1e-3  # ms, in the plot, whose axis is logarithmic


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
        self._plot = server.gui.add_uplot(
            (np.zeros(1), *(np.full(1, _LEAST) for _ in robot_views)),
            (uplot.Series(label='goal'), *(uplot.Series(
                label=f'{robot_view.name}, ms', stroke=_COLORS[i % len(_COLORS)], width=1.5)
                for i, robot_view in enumerate(robot_views))),
            title='solve time, ms', height=160,
            scales={'x': uplot.Scale(time=False), 'y': uplot.Scale(auto=True, distr=3, log=10)})

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
<tr><th align="left">solver</th><th align="right">position</th><th align="right">angle</th>
<th align="right">σ<sub>min</sub></th><th align="right">steps</th><th align="right">time</th></tr>
{rows}</table>"""


def _table(robot_views: Sequence[RobotView]) -> str:
    return _TABLE.format(rows=''.join(_row(robot_view) for robot_view in robot_views))


def _row(robot_view: RobotView) -> str:
    """Return rows of the table: the figures of the last goal, and the state in words."""
    report, (color, text) = robot_view.state.report, robot_view.state.line
    compiling = compiling_text(robot_view.state.compiling)
    values = report.values if report else {}
    solver = values.get('solver') or robot_view.parameters.option('solver') or robot_view.name
    cells = [value_text(values.get('position_error'), length_text),
             value_text(values.get('orientation_error'), angle_text),
             value_text(values.get('smallest_singular_value'), '{:.2g}'.format),
             values.get('iterations') or '–', value_text(values.get('solve_time'), time_text)]
    return (f'<tr><td style="white-space:nowrap"><span style="color:{color}">●</span> '
            f'{html.escape(str(solver))}</td>'
            + ''.join(f'<td align="right" style="white-space:nowrap">{html.escape(cell)}</td>'
                      for cell in cells)
            + '</tr>' + _text_row(color, text)
            + (_text_row(AMBER, compiling) if compiling else ''))


def _text_row(color: str, text: str) -> str:
    return f'<tr><td colspan="6" style="color:{color}">{html.escape(text)}</td></tr>'


def _times(robot_view: RobotView, length: int) -> np.ndarray:
    """Return the last solve times (length,), ms; the least shown where nothing was solved."""
    texts = [report.values.get('solve_time') for report in list(robot_view.reports)][-length:]
    times = np.full(length, _LEAST)  # a plot does not take NaN
    times[length - len(texts):] = [1e3 * float(text) if text else _LEAST for text in texts]
    return np.maximum(times, _LEAST)

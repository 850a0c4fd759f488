"""What the page tells of the goals: the last answer in figures, and the time they took."""

import html
from collections.abc import Sequence

import numpy as np
import viser
from viser import uplot

from ik_node.ros.link import Report
from ik_node.viewer.station import Station

_LEVELS = (('#2c9c4b', 'met'), ('#d98a00', 'closest'), ('#d0342c', 'not met'))
_COLORS = ('#2f6fb0', '#c0392b', '#2c8f4f', '#8e44ad', '#b7791f', '#17808a')
_SHOWN = 200  # goals in the plot
_PAUSED = '<p style="margin:0.5em 1em">no goal yet</p>'


class Readout:
    """A table of the last answers, one row for each station, and a plot of solve times."""

    def __init__(self, server: viser.ViserServer, stations: Sequence[Station]) -> None:
        """Make the widgets, empty."""
        self._stations = stations
        self._counts = [-1] * len(stations)
        self._table = server.gui.add_html(_PAUSED)
        empty = np.zeros(1)
        self._plot = server.gui.add_uplot(
            (empty, *(empty for _ in stations)),
            (uplot.Series(label='goal'), *(uplot.Series(
                label=f'{station.name}, ms', stroke=_COLORS[i % len(_COLORS)], width=1.5)
                for i, station in enumerate(stations))),
            title='solve time, ms', height=160,
            scales={'x': uplot.Scale(time=False), 'y': uplot.Scale(auto=True)})

    def update(self) -> None:
        """Show what has come since."""
        counts = [station.count for station in self._stations]
        if counts == self._counts or not any(counts):
            return
        self._counts = counts
        answered = [station for station in self._stations if station.reports]
        self._table.content = _TABLE.format(rows=''.join(
            _row(station.name, station.reports[-1]) for station in answered))
        newest = max(counts)
        length = min(newest, _SHOWN, *(len(station.reports) for station in answered))
        numbers = np.arange(newest - length + 1, newest + 1, dtype=float)
        self._plot.data = (numbers, *(_times(station, length) for station in self._stations))


_TABLE = """<table style="width:94%;margin:0.5em 3%;font-size:0.85em;border-spacing:0 0.2em">
<tr><th align="left">solver</th><th align="right">mm</th><th align="right">mrad</th>
<th align="right">σ<sub>min</sub></th><th align="right">steps</th><th align="right">ms</th></tr>
{rows}</table>"""


def _row(name: str, report: Report) -> str:
    """Return two rows of the table: the figures, and in words what became of the goal."""
    values = report.values
    color, word = _LEVELS[min(report.level, 2)]
    cells = [_number(values.get('position_error'), 1e3), _number(
        values.get('orientation_error'), 1e3), _number(values.get('smallest_singular_value')),
        values.get('iterations') or '–', _number(values.get('solve_time'), 1e3)]
    return (f'<tr><td><span style="color:{color}" title="{word}">●</span> '
            f'{html.escape(values.get("solver") or name)}</td>'
            + ''.join(f'<td align="right">{cell}</td>' for cell in cells)
            + f'</tr><tr><td colspan="6" style="color:{color}">{html.escape(report.message)}'
            '</td></tr>')


def _number(text: str | None, scale: float = 1.0) -> str:
    return f'{scale * float(text):.2g}' if text else '–'


def _times(station: Station, length: int) -> np.ndarray:
    """Return the last solve times (length,), ms; zero where nothing was solved."""
    texts = [report.values.get('solve_time') for report in station.reports][-length:]
    times = np.zeros(length)  # a plot does not take NaN
    times[length - len(texts):] = [1e3 * float(text) if text else 0.0 for text in texts]
    return times

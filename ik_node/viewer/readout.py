"""A table of the state of each node and its last goal."""

import html
from collections.abc import Sequence

import viser

from ik_node.viewer.quantities import angle_text, length_text, time_text, value_text
from ik_node.viewer.robot_view import RobotView


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


_TABLE = """<table style="width:94%;margin:0.5em 3%;font-size:0.85em;border-spacing:0 0.2em">
<tr><th align="left">solver</th><th align="right">position</th><th align="right">angle</th>
<th align="right">σ<sub>min</sub></th><th align="right">steps</th><th align="right">time</th></tr>
{rows}</table>"""


def _table(robot_views: Sequence[RobotView]) -> str:
    return _TABLE.format(rows=''.join(_row(robot_view) for robot_view in robot_views))


def _row(robot_view: RobotView) -> str:
    """Return rows of the table: the figures of the last goal, and the state in words."""
    report, (color, text) = robot_view.state.report, robot_view.state.line
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
            + '</tr>' + _text_row(color, text))


def _text_row(color: str, text: str) -> str:
    return f'<tr><td colspan="6" style="color:{color}">{html.escape(text)}</td></tr>'

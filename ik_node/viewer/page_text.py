"""Texts of the page: quantities with units in which they are easy to read, tables, lines."""

import html
import os
import shlex
from collections.abc import Iterable, Sequence

import numpy as np

_VARIABLES = 'ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE'  # that decide who hears whom


def environment_text() -> str:
    """Return the variables that a command in another terminal needs, as a shell takes them."""
    return ' '.join(f'{name}={shlex.quote(os.environ[name])}' for name in _VARIABLES
                    if os.environ.get(name))


def length_text(value: float) -> str:
    """Return a length, m, as text: 1.25 m, 140 mm, 0.004 mm."""
    return f'{value:.3g} m' if abs(value) >= 0.9995 else f'{_digits(1e3 * value)} mm'


def angle_text(value: float) -> str:
    """Return an angle, rad, as text in degrees."""
    return f'{_digits(float(np.degrees(value)))}°'


def joint_text(value: float, is_prismatic: bool) -> str:
    """Return a joint value, m or rad, as text."""
    return (length_text if is_prismatic else angle_text)(float(value))


def time_text(value: float) -> str:
    """Return a time, s, as text: 85 µs, 1.2 ms, 2.5 s."""
    size = abs(value)
    if size < 0.9995e-3:
        return f'{1e6 * value:.0f} µs'
    return f'{1e3 * value:.3g} ms' if size < 0.9995 else f'{value:.3g} s'


def _digits(value: float) -> str:
    """Return a number with at most three decimals; what would be zero is less than a thousandth."""
    size = abs(value)
    if size < 5e-4:
        return '< 0.001' if size else '0'
    decimals = sum(size < bound for bound in (99.5, 9.95, 0.995))
    return f'{value:.{decimals}f}'


def html_line(text: str) -> str:
    """Return a line of text as HTML."""
    return f'<div style="margin:0 3%;font-size:0.85em">{html.escape(text)}</div>'


def html_command(text: str, command: str) -> str:
    """Return a text, and a command with a button that copies it, as HTML."""
    return (f'{html_line(text)}<div class="ik-command"><code>{html.escape(command)}</code>'
            '<button onclick="ikCopy(this)">Copy</button></div>')


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], bold: int | None = None) -> str:
    """Return a table of HTML cells.

    bold: the number of a row, -1 for none; a row presses the button of its folder that has the text
    of its first cell then.
    """
    lines = [f'<tr><th>{"</th><th>".join(head)}</th></tr>']
    for k, row in enumerate(rows):
        style = '' if bold is None else ' onclick="ikPress(this)"'
        style += ' style="font-weight:bold"' if k == bold else ''
        lines.append(f'<tr{style}><td>{"</td><td>".join(row)}</td></tr>')
    return f'<div class="ik-table"><table>{"".join(lines)}</table></div>'

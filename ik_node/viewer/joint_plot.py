"""A plot of the joints between their limits over the last seconds."""

import colorsys
import time
from collections import deque
from typing import Any

import numpy as np
import viser
from viser import uplot

from ik_node.model.chain import Chain
from ik_node.ros.publishing.markers.limit_bars import nearness
from ik_node.viewer.robot_view import RobotView

_SHOWN = 30.0   # s
_SAMPLES = 300  # at most, one at each update


class JointPlot:
    """A line for each joint with two limits: 0 % at its lower one, 100 % at its upper one."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 folder: viser.GuiFolderHandle) -> None:
        """Make the checkbox; the plot appears with it, at the end of a folder."""
        self._server, self._robot_view, self._folder = server, robot_view, folder
        self._chain: Chain | None = None
        self._samples: deque[tuple[float, np.ndarray]] = deque(maxlen=_SAMPLES)
        self._plot: Any = None
        self._shown: Any = server.gui.add_checkbox(
            'joints between their limits', False,
            hint=f'0 % is the lower limit, 100 % the upper; the last {_SHOWN:.0f} s')

    def update(self) -> None:
        """Add the present joint values."""
        chain, values = self._robot_view.chain, self._robot_view.values
        if chain is None or not self._shown.value:
            self._clear()
            return
        if chain is not self._chain:
            self._clear()
            self._chain = chain
        if any(name not in values for name in chain.joint_names):
            return
        bounded, places, _ = nearness(
            chain, np.array([values[name] for name in chain.joint_names]))
        if not len(bounded):
            return
        now = time.monotonic()
        self._samples.append((now, 100.0 * places))
        while self._samples[0][0] < now - _SHOWN:
            self._samples.popleft()
        data = (np.array([at - now for at, _ in self._samples]),
                *np.array([places for _, places in self._samples]).T.copy())
        if self._plot is None:
            self._make([chain.joint_names[k] for k in bounded], data)
        else:
            self._plot.data = data

    def _make(self, names: list[str], data: tuple[np.ndarray, ...]) -> None:
        with self._folder:
            self._plot = self._server.gui.add_uplot(
                data, (uplot.Series(label='s'), *(uplot.Series(
                    label=name, stroke='#{:02x}{:02x}{:02x}'.format(*color), width=1.5)
                    for name, color in zip(names, joint_colors(len(names))))), height=200,
                scales={'x': uplot.Scale(time=False, range=(-_SHOWN, 0.0)),
                        'y': uplot.Scale(range=(0.0, 100.0))})

    def _clear(self) -> None:
        self._samples.clear()
        self._chain = None
        if self._plot is not None:
            self._plot.remove()
            self._plot = None


def joint_colors(count: int) -> list[tuple[int, int, int]]:
    """Return a colour for each joint, red, green and blue, 0 to 255; all are different."""
    colors = (colorsys.hsv_to_rgb(k / count, 0.75, 0.75) for k in range(count))
    return [(round(255 * r), round(255 * g), round(255 * b)) for r, g, b in colors]

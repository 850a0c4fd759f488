"""Plots of quantities of the arm over the last seconds."""

import colorsys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import viser
from viser import uplot

from ik_node.model.chain import Chain
from ik_node.ros.publishing.markers.limit_panel import nearness
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import manipulability, task_singular_values
from ik_node.support.exceptions import IkError
from ik_node.viewer.robot_view import RobotView

_SHOWN = 30.0   # s
_SAMPLES = 300  # at most, one at each update


class TimePlot:
    """A checkbox, and a plot of what the arm does, with a line for each quantity."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 folder: viser.GuiFolderHandle, name: str, hint: str,
                 measure: Callable[[RobotView, Chain, np.ndarray], Mapping[str, float]],
                 scale: uplot.Scale) -> None:
        """Make the checkbox; the plot appears with it, at the end of a folder.

        measure: returns the quantities of a robot at q (n,) of its chain, always the same ones.
        scale: of the vertical axis.
        """
        self._server, self._robot_view, self._folder = server, robot_view, folder
        self._measure, self._scale = measure, scale
        self._chain: Chain | None = None
        self._samples: deque[tuple[float, Mapping[str, float]]] = deque(maxlen=_SAMPLES)
        self._plot: Any = None
        self._shown: Any = server.gui.add_checkbox(name, False, hint=f'{hint}; the last '
                                                   f'{_SHOWN:.0f} s')

    def update(self) -> None:
        """Add the present values."""
        chain, values = self._robot_view.chain, self._robot_view.values
        if chain is None or not self._shown.value:
            self._clear()
            return
        if chain is not self._chain:
            self._clear()
            self._chain = chain
        if any(name not in values for name in chain.joint_names):
            return
        quantities = self._measure(self._robot_view, chain, np.array(
            [values[name] for name in chain.joint_names]))
        if not quantities:
            return
        now = time.monotonic()
        self._samples.append((now, quantities))
        while self._samples[0][0] < now - _SHOWN:
            self._samples.popleft()
        data = (np.array([at - now for at, _ in self._samples]),
                *(np.array([sample[name] for _, sample in self._samples]) for name in quantities))
        if self._plot is None:
            self._make(list(quantities), data)
        else:
            self._plot.data = data

    def _make(self, names: list[str], data: tuple[np.ndarray, ...]) -> None:
        with self._folder:
            self._plot = self._server.gui.add_uplot(
                data, (uplot.Series(label='s'), *(uplot.Series(
                    label=name, stroke='#{:02x}{:02x}{:02x}'.format(*color), width=1.5)
                    for name, color in zip(names, distinct_colors(len(names))))), height=200,
                scales={'x': uplot.Scale(time=False, range=(-_SHOWN, 0.0)), 'y': self._scale})

    def _clear(self) -> None:
        self._samples.clear()
        self._chain = None
        if self._plot is not None:
            self._plot.remove()
            self._plot = None


def time_plots(server: viser.ViserServer, robot_view: RobotView,
               folder: viser.GuiFolderHandle) -> list[TimePlot]:
    """Make the plots of an arm in a folder."""
    return [TimePlot(server, robot_view, folder, 'joints between their limits',
                     '0 % is the lower limit, 100 % the upper', _places,
                     uplot.Scale(range=(0.0, 100.0))),
            TimePlot(server, robot_view, folder, 'manipulability',
                     '√det(J Jᵀ) of the axes that goals ask for, in m and rad', _manipulability,
                     uplot.Scale(auto=True))]


def distinct_colors(count: int) -> list[tuple[int, int, int]]:
    """Return as many colours, red, green and blue, 0 to 255; all are different."""
    colors = (colorsys.hsv_to_rgb(k / count, 0.75, 0.75) for k in range(count))
    return [(round(255 * r), round(255 * g), round(255 * b)) for r, g, b in colors]


def _places(_: RobotView, chain: Chain, q: np.ndarray) -> dict[str, float]:
    """Return where each joint with two limits is between them, %."""
    bounded, places, _near = nearness(chain, q)
    return {chain.joint_names[k]: 100.0 * float(place) for k, place in zip(bounded, places)}


def _manipulability(robot_view: RobotView, chain: Chain, q: np.ndarray) -> dict[str, float]:
    """Return the manipulability [Yoshikawa 1985] for goals as the node takes them."""
    try:
        goal = Goal.from_pose(chain.forward(q), robot_view.parameters.task_weights(chain))
    except IkError:  # the node itself reports a wrong parameter
        return {}
    return {'manipulability': manipulability(
        task_singular_values(chain, goal, q), int((goal.weights > 0.0).sum()))}

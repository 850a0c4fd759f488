"""Charts: of the last goals, a line for each node, and of what the arm does over time."""

import functools
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import viser
from viser import uplot

from ik_node.model.chain import Chain
from ik_node.ros.publishing.markers.limit_panel import nearness
from ik_node.solvers.goal import Goal, task_singular_values
from ik_node.solvers.result import manipulability
from ik_node.support.exceptions import IkError
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import COLORS, RobotView
from ik_node.viewer.scene_nodes import distinct_colors, rgb_bytes

_GOALS = 200    # that are shown
_SECONDS = 30.0
_SAMPLES = 300  # in these seconds at most, one at each update
_AXIS = 78      # pixels: the numbers of the vertical axis
_ERROR = 'position error'
# Of the status: the key, the units with their factors, and the least on a logarithmic axis, which
# has no more than three decimals.
_QUANTITIES: dict[str, tuple[str, Mapping[str, float], float]] = {
    'solve time': ('solve_time', {'µs': 1e6, 'ms': 1e3, 's': 1.0}, 1e-3),
    _ERROR: ('position_error', {'µm': 1e6, 'mm': 1e3, 'm': 1.0}, 1e-3),
    'orientation error': ('orientation_error', {'°': np.degrees(1.0)}, 1e-3),
    'steps': ('iterations', {'': 1.0}, 0.1),
    'restarts': ('restarts', {'': 1.0}, 0.1),
    'σ_min': ('smallest_singular_value', {'': 1.0}, 1e-3)}
_FITS = 1000.0  # of a unit: larger values have the next one


def logarithmic(lines: Iterable[np.ndarray]) -> uplot.Scale:
    """Return the axis of whole decades around lines of values (k,), all above 0."""
    ends = np.log10([end(line) for line in lines for end in (np.min, np.max)])
    low = float(np.floor(ends.min()))
    high = max(low + 1.0, float(np.ceil(ends.max())))
    return uplot.Scale(auto=False, distr=3, log=10, range=(10.0**low, 10.0**high))


def add_chart(gui: viser.GuiApi, data: Sequence[np.ndarray], names: Sequence[str],
              colors: Iterable[Sequence[int]], *, height: int = 160, title: str | None = None,
              x: tuple[float, float] | None = None, y: uplot.Scale | None = None,
              dashes: Sequence[Sequence[float]] = ()) -> Any:
    """Add a chart with a legend.

    data: the values along the horizontal axis, and those of each line. names: of the horizontal
    axis and of the lines. colors: of the lines, as bytes. x: the ends of the horizontal axis, by
    default those of the data. y: the vertical axis. dashes: lengths of the lines' dashes.
    """
    lines = [uplot.Series(label=name, stroke='#' + bytes([*color]).hex(), width=1.5)
             for name, color in zip(names[1:], colors)]
    for line, dash in zip(lines, dashes):
        line['dash'] = tuple(dash)
    across = uplot.Scale(time=False) if x is None else uplot.Scale(time=False, range=x)
    return gui.add_uplot(tuple(data), (uplot.Series(label=names[0]), *lines), title=title,
                         padding=(12, 16, 0, 0), height=height,
                         axes=(uplot.Axis(), uplot.Axis(size=_AXIS, ticks={'show': False})),
                         scales={'x': across, 'y': y or uplot.Scale(auto=True)})


class PlotPanel(Panel):
    """A plot of one quantity of the last goals, a line for each node, and plots over time."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        compares = len(page.robot_views) > 1
        super().__init__(page, 'Comparison' if compares else 'Plot', is_expanded=compares)
        self._counts: list[tuple[int, int]] = []
        names = [robot_view.name for robot_view in page.robot_views]
        with self._folder:
            self._chosen: Any = self._gui.add_dropdown(
                'quantity', tuple(_QUANTITIES), initial_value=_ERROR if compares else None,
                hint='of the last goals, on a logarithmic axis')
            self._plot: Any = add_chart(
                self._gui, (np.zeros(1), *(np.ones(1) for _ in names)), ['goal', *names],
                [rgb_bytes(robot_view.color or COLORS[0]) for robot_view in page.robot_views],
                y=logarithmic([np.ones(1)]))
            make = functools.partial(_TimePlot, page, self._folder)
            self._time_plots = [
                make('joints between their limits', '0 % is the lower limit, 100 % the upper',
                     _limit_shares, uplot.Scale(range=(0.0, 100.0))),
                make('manipulability', '√det(J Jᵀ) of the axes that goals ask for, in m and rad',
                     _manipulability, uplot.Scale(auto=True))]
        self._chosen.on_update(lambda _: self._counts.clear())

    def _refresh(self, visible: bool) -> None:
        for plot in self._time_plots:
            plot.update()
        robot_views = self._page.robot_views
        counts = [(robot_view.count, len(robot_view.reports)) for robot_view in robot_views]
        if counts == self._counts:
            return
        self._counts = counts
        newest = max(count for count, _ in counts)
        length = max(1, min((min(shown, _GOALS) for _, shown in counts if shown), default=1))
        quantity = str(self._chosen.value)
        key, units, least = _QUANTITIES[quantity]
        lines = [_values(robot_view, key, length) for robot_view in robot_views]
        largest = max(float(line.max()) for line in lines)
        unit = next((unit for unit in units if units[unit] * largest < _FITS), [*units][-1])
        lines = [np.maximum(units[unit] * line, least) for line in lines]
        title, scale = f'{quantity}, {unit}'.removesuffix(', '), logarithmic(lines)
        if self._plot.scales['y'] != scale or self._plot.title != title:  # makes the plot anew
            self._plot.scales, self._plot.title = {**self._plot.scales, 'y': scale}, title
        self._plot.data = np.arange(newest - length + 1, newest + 1, dtype=float), *lines


def _values(robot_view: RobotView, key: str, length: int) -> np.ndarray:
    """Return a value of the status of the last goals (length,), 0 where nothing was solved."""
    texts = [report.values.get(key) for report in list(robot_view.reports)][-length:]
    values = np.zeros(length)  # a plot does not take NaN
    values[length - len(texts):] = [float(text) if text else 0.0 for text in texts]
    return values


class _TimePlot:
    """A checkbox, and a plot of what the arm does, with a line for each quantity."""

    def __init__(self, page: Page, folder: viser.GuiFolderHandle, name: str, hint: str,
                 measure: Callable[[Page, Chain, np.ndarray], Mapping[str, float]],
                 scale: uplot.Scale) -> None:
        """Make the checkbox; the plot appears with it, at the end of a folder.

        measure: returns the quantities of an arm at q (n,) of its chain, always the same ones.
        scale: of the vertical axis.
        """
        self._page, self._folder, gui = page, folder, page.server.gui
        self._measure, self._scale = measure, scale
        self._chain: Chain | None = None
        self._samples: deque[tuple[float, Mapping[str, float]]] = deque(maxlen=_SAMPLES)
        self._plot: Any = None
        self._shown: Any = gui.add_checkbox(name, False, hint=f'{hint}; the last {_SECONDS:.0f} s')

    def update(self) -> None:
        """Add the present values."""
        chain, arm = self._page.robot_view.chain, self._page.robot_view.arm_values
        if chain is None or not self._shown.value or chain is not self._chain:
            self._chain = chain
            self._samples.clear()
            if self._plot is not None:
                self._plot.remove()
                self._plot = None
        if arm is None or not self._shown.value:
            return
        quantities = self._measure(self._page, *arm)
        if not quantities:
            return
        now = time.monotonic()
        self._samples.append((now, quantities))
        while self._samples[0][0] < now - _SECONDS:
            self._samples.popleft()
        data = (np.array([at - now for at, _ in self._samples]),
                *(np.array([sample[name] for _, sample in self._samples]) for name in quantities))
        if self._plot is None:
            with self._folder:
                self._plot = add_chart(
                    self._page.server.gui, data, ['s', *quantities],
                    distinct_colors(len(quantities)), height=200, x=(-_SECONDS, 0.0), y=self._scale)
        else:
            self._plot.data = data


def _limit_shares(_: Page, chain: Chain, q: np.ndarray) -> dict[str, float]:
    """Return where each joint with two limits is between them, %."""
    bounded, places, _near = nearness(chain, q)
    return {chain.joint_names[k]: 100.0 * float(place) for k, place in zip(bounded, places)}


def _manipulability(page: Page, chain: Chain, q: np.ndarray) -> dict[str, float]:
    """Return the manipulability [Yoshikawa 1985] for goals as the page sends them."""
    try:
        goal = Goal.from_pose(chain.forward(q), page.goal_weights(chain))
    except IkError:  # the node itself reports a wrong parameter
        return {}
    return {'manipulability': manipulability(
        task_singular_values(chain, goal, q), int((goal.weights > 0.0).sum()))}

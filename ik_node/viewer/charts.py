"""Charts: of the last goals, a line for each node, and of what the arm does over time."""

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
# has no more than three decimals; 0: the axis is not logarithmic, for counts.
_QUANTITIES: dict[str, tuple[str, Mapping[str, float], float]] = {
    'solve time': ('solve_time', {'µs': 1e6, 'ms': 1e3, 's': 1.0}, 1e-3),
    _ERROR: ('position_error', {'µm': 1e6, 'mm': 1e3, 'm': 1.0}, 1e-3),
    'orientation error': ('orientation_error', {'°': np.degrees(1.0)}, 1e-3),
    'steps': ('iterations', {'': 1.0}, 0.0),
    'restarts': ('restarts', {'': 1.0}, 0.0),
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
                         axes=(uplot.Axis(), uplot.Axis(
                             size=_AXIS, ticks={'show': False},  # of decades: too many lines
                             grid={'show': not is_logarithmic(y)})),
                         scales={'x': across, 'y': y or uplot.Scale(auto=True)})


def is_logarithmic(y: uplot.Scale | None) -> bool:
    """Return whether an axis is as `logarithmic` returns it."""
    return y is not None and 'distr' in y


class PlotPanel(Panel):
    """A plot of one quantity: of the last goals, a line for each node, or of the arm over time."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        compares = len(page.robot_views) > 1
        super().__init__(page, 'Comparison' if compares else 'Plot', is_expanded=compares)
        self._plot: Any = None
        self._look: tuple[Any, ...] = ()  # the names of its lines, and the kind of its axis
        self._sampled: object = None  # the quantity over time, and the chain, of the samples
        self._samples: deque[tuple[float, Mapping[str, float]]] = deque(maxlen=_SAMPLES)
        with self._folder:
            self._chosen: Any = self._gui.add_dropdown(
                'quantity', (*_QUANTITIES, *_OVER_TIME), initial_value=_ERROR if compares else None,
                hint='of the last goals, on a logarithmic axis, or of the arm in the last '
                f'{_SECONDS:.0f} s')

    def _refresh(self, visible: bool) -> None:
        quantity = str(self._chosen.value)
        if quantity in _OVER_TIME:
            self._plot_arm(quantity)
        else:
            self._plot_goals(quantity)

    def _plot_goals(self, quantity: str) -> None:
        views = self._page.robot_views
        newest = max(view.count for view in views)
        length = max(1, min((min(len(view.reports), _GOALS) for view in views if view.reports),
                            default=1))
        key, units, least = _QUANTITIES[quantity]
        lines = [_values(view, key, length) for view in views]
        largest = max(float(line.max()) for line in lines)
        unit = next((unit for unit in units if units[unit] * largest < _FITS), [*units][-1])
        lines = [np.maximum(units[unit] * line, least) for line in lines]
        self._draw((np.arange(newest - length + 1, newest + 1, dtype=float), *lines),
                   ['goal', *(view.name for view in views)],
                   [rgb_bytes(view.color or COLORS[0]) for view in views],
                   f'{quantity}, {unit}'.removesuffix(', '), logarithmic(lines) if least else
                   uplot.Scale(auto=False, range=(0.0, max(1.0, largest))))

    def _plot_arm(self, quantity: str) -> None:
        arm, now = self._robot_view.arm_values, time.monotonic()
        measure, scale = _OVER_TIME[quantity]
        sampled = quantity, self._robot_view.chain
        if sampled != self._sampled:
            self._sampled = sampled
            self._samples.clear()
        if arm is None or not (values := measure(self._page, *arm)):
            return
        self._samples.append((now, values))
        while self._samples[0][0] < now - _SECONDS:
            self._samples.popleft()
        self._draw((np.array([at - now for at, _ in self._samples]),
                    *(np.array([sample[name] for _, sample in self._samples]) for name in values)),
                   ['s', *values], distinct_colors(len(values)), quantity, scale, (-_SECONDS, 0.0))

    def _draw(self, data: Sequence[np.ndarray], names: list[str], colors: Iterable[Sequence[int]],
              title: str, y: uplot.Scale, x: tuple[float, float] | None = None) -> None:
        """Draw what has changed, see `add_chart`."""
        if (look := (names, is_logarithmic(y))) != self._look:
            self._look = look
            if self._plot is not None:
                self._plot.remove()
            with self._folder:
                self._plot = add_chart(self._gui, data, names, colors, title=title, x=x, y=y)
        if self._plot.scales['y'] != y or self._plot.title != title:  # makes the plot anew
            self._plot.scales, self._plot.title = {**self._plot.scales, 'y': y}, title
        if not all(map(np.array_equal, data, self._plot.data)):
            self._plot.data = data


def _values(robot_view: RobotView, key: str, length: int) -> np.ndarray:
    """Return a value of the status of the last goals (length,), 0 where nothing was solved."""
    texts = [report.values.get(key) for report in list(robot_view.reports)][-length:]
    values = np.zeros(length)  # a plot does not take NaN
    values[length - len(texts):] = [float(text) if text else 0.0 for text in texts]
    return values


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


# With how they are measured, and the vertical axis.
_OVER_TIME: dict[str, tuple[Callable[[Page, Chain, np.ndarray], Mapping[str, float]],
                            uplot.Scale]] = {
    'joints between their limits, %': (_limit_shares, uplot.Scale(range=(0.0, 100.0))),
    'manipulability': (_manipulability, uplot.Scale(auto=True))}

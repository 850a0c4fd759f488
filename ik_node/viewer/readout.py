"""The outcome of the last goals and the joints over time: a table and plots."""

import functools
import html
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import viser
from viser import uplot

from ik_node.model.chain import Chain
from ik_node.ros.publishing.markers.limit_panel import nearness
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import manipulability, task_singular_values
from ik_node.support.exceptions import IkError
from ik_node.viewer.node_state import GREY
from ik_node.viewer.page_text import angle_text, length_text, time_text, value_text
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_nodes import distinct_colors, rgb_bytes

_FIGURES = 'position error', 'orientation error', 'steps of the solver', 'solve time'
_PROBLEMS = 5   # of a robot that are told
_NONE = '–'
_COLORS = ('#2f6fb0', '#c0392b', '#2c8f4f', '#8e44ad', '#b7791f', '#17808a')
_GOALS = 200    # that are shown
_SECONDS = 30.0
_SAMPLES = 300  # in these seconds at most, one at each update
# Of the status: the key, the factor to the unit of the plot, and the least on its logarithmic axis.
_QUANTITIES = {
    'solve time, ms': ('solve_time', 1e3, 1e-3),
    'position error, mm': ('position_error', 1e3, 1e-9),
    'orientation error, °': ('orientation_error', np.degrees(1.0), 1e-9),
    'steps': ('iterations', 1.0, 0.1),
    'restarts': ('restarts', 1.0, 0.1),
    'σ_min': ('smallest_singular_value', 1.0, 1e-9)}


def readout(robot_views: Iterable[RobotView], without_node: str = '') -> str:
    """Return the state of each node and the figures of its last goal, as HTML.

    without_node: a line in place of a state where a player moves the robot, not a node.
    """
    blocks = [_block(robot_view, without_node) for robot_view in robot_views]
    return f'<div id="ik-status">{"".join(blocks)}</div>'


def _block(robot_view: RobotView, without_node: str) -> str:
    """Return the state, with its reason or the robot below, and the figures of the last goal."""
    color, text, why = robot_view.status
    if without_node:
        color, text = GREY, without_node
    report, gap = robot_view.state.report, robot_view.gap
    values = report.values if report else {}
    solver = values.get('solver') or robot_view.parameters.option('solver') or ''
    own = ''
    if robot_view.color is not None:  # one of several
        solver, own = robot_view.name, f' style="color:rgb{rgb_bytes(robot_view.color)}"'
    off = [value_text(values.get('position_error'), length_text),
           value_text(values.get('orientation_error'), angle_text)]
    if gap is not None and report is not None and report.level:
        off = [length_text(gap[2].position), angle_text(gap[2].orientation)]
    steps = values.get('iterations')
    figures = zip(_FIGURES, (
        *off, _NONE if not steps else f'{steps} step{"s" * (steps != "1")}',
        value_text(values.get('solve_time'), time_text)))
    problems = ''.join(f'<div>⚠ {html.escape(line)}</div>'
                       for line in robot_view.problems[:_PROBLEMS])
    return (f'<div class="ik-state"><b style="color:{color}">● {html.escape(text)}</b>'
            f'<span{own}>{html.escape(str(solver))}</span></div><div class="ik-figures">'
            + ''.join(f'<span title="{hint}">{html.escape(figure)}</span>'
                      for hint, figure in figures)
            + f'</div><div class="ik-why">{html.escape(why or robot_view.description)}</div>'
            + problems)


def _lines(first: str, names: Sequence[str], colors: Sequence[str]) -> tuple[uplot.Series, ...]:
    """Return the series of a plot: the horizontal axis, and a line for each name."""
    return (uplot.Series(label=first), *(uplot.Series(label=name, stroke=color, width=1.5)
                                         for name, color in zip(names, colors)))


class PlotPanel(Panel):
    """A plot of one quantity of the last goals, a line for each node, and plots over time."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Plot')
        self._counts: list[tuple[int, int]] = []
        names = [robot_view.name for robot_view in page.robot_views]
        with self._folder:
            self._chosen: Any = self._gui.add_dropdown(
                'quantity', tuple(_QUANTITIES), hint='of the last goals, on a logarithmic axis')
            self._plot: Any = self._gui.add_uplot(
                (np.zeros(1), *(np.ones(1) for _ in names)),
                _lines('goal', names, [_COLORS[i % len(_COLORS)] for i in range(len(names))]),
                height=160, scales={'x': uplot.Scale(time=False),
                                    'y': uplot.Scale(auto=True, distr=3, log=10)})
            make = functools.partial(_TimePlot, self._gui, page.robot_view, self._folder)
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
        self._plot.data = (np.arange(newest - length + 1, newest + 1, dtype=float), *(
            _values(robot_view, str(self._chosen.value), length) for robot_view in robot_views))


def _values(robot_view: RobotView, quantity: str, length: int) -> np.ndarray:
    """Return a quantity of the last goals (length,); the least where nothing was solved."""
    key, factor, least = _QUANTITIES[quantity]
    texts = [report.values.get(key) for report in list(robot_view.reports)][-length:]
    values = np.full(length, least)  # a plot does not take NaN
    values[length - len(texts):] = [factor * float(text) if text else least for text in texts]
    return np.maximum(values, least)


class _TimePlot:
    """A checkbox, and a plot of what the arm does, with a line for each quantity."""

    def __init__(self, gui: viser.GuiApi, robot_view: RobotView, folder: viser.GuiFolderHandle,
                 name: str, hint: str,
                 measure: Callable[[RobotView, Chain, np.ndarray], Mapping[str, float]],
                 scale: uplot.Scale) -> None:
        """Make the checkbox; the plot appears with it, at the end of a folder.

        measure: returns the quantities of a robot at q (n,) of its chain, always the same ones.
        scale: of the vertical axis.
        """
        self._gui, self._robot_view, self._folder = gui, robot_view, folder
        self._measure, self._scale = measure, scale
        self._chain: Chain | None = None
        self._samples: deque[tuple[float, Mapping[str, float]]] = deque(maxlen=_SAMPLES)
        self._plot: Any = None
        self._shown: Any = gui.add_checkbox(name, False, hint=f'{hint}; the last {_SECONDS:.0f} s')

    def update(self) -> None:
        """Add the present values."""
        chain, arm = self._robot_view.chain, self._robot_view.arm_values
        if chain is None or not self._shown.value or chain is not self._chain:
            self._clear()
            self._chain = chain
        if arm is None or not self._shown.value:
            return
        quantities = self._measure(self._robot_view, *arm)
        if not quantities:
            return
        now = time.monotonic()
        self._samples.append((now, quantities))
        while self._samples[0][0] < now - _SECONDS:
            self._samples.popleft()
        data = (np.array([at - now for at, _ in self._samples]),
                *(np.array([sample[name] for _, sample in self._samples]) for name in quantities))
        if self._plot is None:
            colors = ['#' + bytes(color).hex() for color in distinct_colors(len(quantities))]
            with self._folder:
                self._plot = self._gui.add_uplot(
                    data, _lines('s', list(quantities), colors), height=200,
                    scales={'x': uplot.Scale(time=False, range=(-_SECONDS, 0.0)), 'y': self._scale})
        else:
            self._plot.data = data

    def _clear(self) -> None:
        self._samples.clear()
        if self._plot is not None:
            self._plot.remove()
            self._plot = None


def _limit_shares(_: RobotView, chain: Chain, q: np.ndarray) -> dict[str, float]:
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

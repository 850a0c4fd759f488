"""Lessons: the textbook's figures [Parent, 5.20 to 5.25] on arms of their own, with charts."""

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.commands.figures_textbook import FIGURES, FRAMES, ROBOT, Run, ends, run
from ik_node.model.meshes import Meshes
from ik_node.model.readers import read_model
from ik_node.model.tree import KinematicTree
from ik_node.support.resources import robot_file
from ik_node.viewer.charts import add_chart
from ik_node.viewer.draft import PlayButton, on_user_change
from ik_node.viewer.drawn_robot import DrawnRobot
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import COLORS
from ik_node.viewer.scene_nodes import add_line, box_corners, new_name, rgb_bytes

_NONE = 'choose …'
_FIGURES = {f'{number}: {figure.title}': figure for number, figure in FIGURES.items()}
_FROM = np.array([0.0, -0.3, 1.0])  # to the camera, which looks down on the plane of the arms
_PERIOD = 0.4      # s between two frames when they are played
_GOAL, _TIP = (200, 60, 60), (60, 110, 190)
_BALL = 0.02       # of the size of the picture: the goal of a frame
_WIDTH = 0.004     # … the lines of the goal and of the tip
_BETWEEN = 0.1     # … the space between the arms
_DASHES = [(), (6.0, 3.0), (2.0, 3.0)]  # of the lines of a run: those of three joints
_CHARTS: dict[str, Callable[[Run], np.ndarray]] = {  # (frames, lines)
    'distance of the tip from its goal': lambda one: one.distances[:, None],
    'longest step of a joint, rad': lambda one: np.append(0.0, one.steps)[:, None],
    'joint angles, °': lambda one: one.degrees}


class _DrawnRun:
    """An arm that follows a run, with the path of its goal in red and that of its tip in blue."""

    def __init__(self, page: Page, tree: KinematicTree, shown: Run, part: str,
                 x: float) -> None:
        """Draw frame 0; x: m, of the base in the scene. part: "a" or "b"."""
        color, chain = COLORS['ab'.index(part)], tree.chain()
        self.run, self._names, scene = shown, chain.joint_names, page.server.scene
        low, high = ends([shown])
        size = float(np.max(high - low))
        self._frame = scene.add_frame(new_name(page.server, f'/lesson/{part}'), show_axes=False,
                                      position=(x, 0.0, 0.0))
        self._robot = DrawnRobot(page.server, f'{self._frame.name}/robot', color)
        self._robot.draw(tree, Meshes())
        height = chain.forward(shown.q[0])[2, 3]
        self._goals, self._tips = (np.column_stack([points, np.full(len(points), height)])
                                   for points in (shown.goals, shown.tips))
        add_line(page.server, f'{self._frame.name}/goals', self._goals, _GOAL, _WIDTH * size)
        self._tip = add_line(page.server, f'{self._frame.name}/tip', self._tips, _TIP,
                             _WIDTH * size)
        self._goal = scene.add_icosphere(f'{self._frame.name}/goal', color=_GOAL,
                                         radius=_BALL * size)
        scene.add_label(f'{self._frame.name}/label', f'({part}) {shown.method.label}',
                        position=(*(0.5 * (low + high))[:1], high[1], height),
                        anchor='bottom-center')
        self.show(0)

    def show(self, frame: int) -> None:
        """Draw a frame, and the path of the tip until then."""
        self._robot.move(dict(zip(self._names, self.run.q[frame])), np.eye(4))
        self._goal.position = self._goals[frame]
        passed = self._tips[np.minimum(np.arange(len(self._tips)), frame)]
        self._tip.points = np.stack([passed[:-1], passed[1:]], axis=1).astype(np.float32)

    def remove(self) -> None:
        """Remove it from the scene."""
        self._frame.remove()


class LessonPanel(Panel):
    """A figure of the textbook: its methods side by side, frame by frame, with charts."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Lessons', is_expanded=True)
        self._charts: list[tuple[Any, list[np.ndarray]]] = []
        gui = self._gui
        with self._folder:
            self._choice: Any = gui.add_dropdown(
                'figure', (_NONE, *_FIGURES), hint='of the textbook, with arms of its own; your '
                'robot is hidden meanwhile')
            self._slider: Any = gui.add_slider('frame', 0, FRAMES, 1, 0)
            self._button = gui.add_button('Play', color='blue')
            self._player = PlayButton(self._button, 'Pause', self._play, self._work)
            self._leave = gui.add_button('End the lesson', hint='back to your robot')
            self._text = gui.add_markdown('')
        self._show_widgets(False)
        on_user_change(self._choice, self._choose)
        on_user_change(self._slider, self._on_slider)
        self._leave.on_click(lambda _: self._choose(_NONE))

    def _on_slider(self, frame: float) -> None:
        self.stop()
        self._work.give(functools.partial(self._show, int(frame)))

    def _choose(self, name: str) -> None:
        self.stop()
        self._choice.value = name
        self._work.give(self._begin)

    def _begin(self) -> None:
        """Show the chosen figure at its start, or the robots again."""
        figure = _FIGURES.get(str(self._choice.value))
        self._remove_drawn()
        for chart, _ in self._charts:
            chart.remove()
        self._charts = []
        self._show_widgets(figure is not None)
        if figure is None:
            self._page.stage(None)
            return
        tree = read_model(robot_file(ROBOT))
        runs = [run(tree.chain(), method, figure.goal) for method in figure.methods]
        low, high = ends(runs)
        step = np.array([high[0] - low[0] + _BETWEEN * np.max(high - low), 0.0])
        self._drawn = [_DrawnRun(self._page, tree, one, part, k * step[0])
                       for k, (part, one) in enumerate(zip('ab', runs))]
        last = (len(runs) - 1) * step
        self._page.stage((np.column_stack([box_corners(low, high + last), np.zeros(4)]), _FROM))
        self._text.content = (
            f'**Figure {figure.number}**: {figure.title}.  \nOne step per frame towards the red '
            'goal, which moves on a straight line. The path of the tip is blue.\n\n'
            + figure.remark.format(**dict(zip('ab', runs))))
        self._charts = [self._chart(runs, name, measure) for name, measure in _CHARTS.items()]
        self._show(0)

    def _chart(self, runs: Sequence[Run], title: str,
               measure: Callable[[Run], np.ndarray]) -> tuple[Any, list[np.ndarray]]:
        """Add a chart of a measure (frames, k) of each run; return it, and all of its data."""
        columns = [measure(one).T for one in runs]
        count, data = len(columns[0]), [np.arange(FRAMES + 1.0), *np.concatenate(columns)]
        names = [f'({part})' if count == 1 else f'{k + 1} ({part})'
                 for part in 'ab'[:len(runs)] for k in range(count)]
        with self._folder:
            return add_chart(
                self._gui, [line[:1] for line in data], ['frame', *names],
                [rgb_bytes(color) for color in COLORS[:len(runs)] for _ in range(count)],
                title=title, x=(0.0, float(FRAMES)), dashes=_DASHES[:count] * len(runs),
                height=150), data

    def _play(self, stopped: threading.Event) -> None:
        """Show the frames one after the other from the present one, or from the first."""
        first = int(self._slider.value)
        for frame in range(first if first < FRAMES else 0, FRAMES + 1):
            self._show(frame)
            if stopped.wait(_PERIOD):
                return

    def _show(self, frame: int) -> None:
        self._slider.value = frame
        with self._server.atomic():
            for drawn in self._drawn:
                drawn.show(frame)
        for chart, data in self._charts:
            chart.data = tuple(line[:frame + 1] for line in data)

    def _show_widgets(self, shown: bool) -> None:
        for widget in (self._text, self._slider, self._button, self._leave):
            widget.visible = shown

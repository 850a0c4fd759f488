"""Lessons: the textbook's figures [Parent, 5.20 to 5.25] and others, on arms to play with."""

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import viser

from ik_node.commands.figures_textbook import (
    FIGURES,
    FRAMES,
    LESSONS,
    ROBOT,
    Run,
    TextbookFigure,
    ends,
    run,
)
from ik_node.model.meshes import Meshes
from ik_node.model.readers import read_model
from ik_node.model.tree import KinematicTree
from ik_node.support.resources import robot_file
from ik_node.viewer.charts import add_chart
from ik_node.viewer.draft import PlayButton, on_user_change
from ik_node.viewer.drawn_robot import DrawnRobot
from ik_node.viewer.latest_value import LatestValue
from ik_node.viewer.page_text import angle_text, html_table
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import COLORS
from ik_node.viewer.scene_nodes import add_line, box_corners, new_name, rgb_bytes

_NONE = 'choose …'
_FIGURES = {f'{number}: {figure.title}': figure for number, figure in FIGURES.items()} | LESSONS
_ABOVE = np.array([0.0, -1e-3, 1.0])  # to the camera, which looks down on the plane of the arms
_PERIOD = 0.4      # s between two frames when they are played
_GOAL, _TIP = (200, 60, 60), (60, 110, 190)
_BALL = 0.02       # of the size of the picture: the goal of a frame
_WIDTH = 0.004     # … the lines of the goal and of the tip
_BETWEEN = 0.15    # … the space between the arms
_HANDLE = 70.0     # pixels: of the last goal
_PARTS = 'abcd'
_LAMBDA = 5.0      # at first
_DASHES = [(), (6.0, 3.0), (2.0, 3.0)]  # of the lines of a run: those of three joints
_CHARTS: dict[str, Callable[[Run], np.ndarray]] = {  # (frames, lines)
    'distance of the tip from its goal': lambda one: one.distances[:, None],
    'longest step of a joint, rad': lambda one: np.append(0.0, one.steps)[:, None],
    'joint angles, °': lambda one: one.degrees}


class _DrawnRun:
    """An arm that follows a run, with the path of its goal in red and that of its tip in blue."""

    def __init__(self, page: Page, tree: KinematicTree, shown: Run, part: str, place: np.ndarray,
                 size: float) -> None:
        """Draw frame 0; place: x and y, m, of the base in the scene. size: m, of the picture."""
        color, scene, chain = COLORS[_PARTS.index(part)], page.server.scene, tree.chain()
        self._names, self.frame = chain.joint_names, scene.add_frame(
            new_name(page.server, f'/lesson/{part}'), show_axes=False, position=(*place, 0.0))
        self._robot = DrawnRobot(page.server, f'{self.frame.name}/robot', color)
        self._robot.draw(tree, Meshes())
        self.height = float(chain.forward(shown.q[0])[2, 3])
        self._goals, self._tip = (
            add_line(page.server, f'{self.frame.name}/{name}', np.zeros((FRAMES + 1, 3)), ink,
                     _WIDTH * size) for name, ink in (('goals', _GOAL), ('tip', _TIP)))
        self._goal = scene.add_icosphere(f'{self.frame.name}/goal', color=_GOAL,
                                         radius=_BALL * size)
        self._part, self._label = part, scene.add_label(
            f'{self.frame.name}/label', '', position=(0.0, -_BALL * size, 0.0),
            anchor='top-center')

    def show(self, shown: Run, frame: int) -> None:
        """Draw a frame of a run, and the path of the tip until then."""
        self._robot.move(dict(zip(self._names, shown.q[frame])), np.eye(4))
        self._label.text = f'({self._part}) {shown.method.label}'
        goals, tips = (np.column_stack([points, np.full(len(points), self.height)])
                       for points in (shown.goals, shown.tips))
        self._goal.position = goals[frame]
        for line, points in (self._goals, goals), (
                self._tip, tips[np.minimum(np.arange(len(tips)), frame)]):
            line.points = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)

    def remove(self) -> None:
        """Remove it from the scene."""
        self.frame.remove()


class LessonPanel(Panel):
    """A lesson: its methods side by side, frame by frame, with charts, after a goal to drag."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Lessons', is_expanded=True)
        self._charts: list[tuple[Any, Callable[[Run], np.ndarray]]] = []
        self._runs: list[Run] = []
        self._drawing = threading.RLock()  # goals are dragged while frames are played
        self._tree = read_model(robot_file(ROBOT))
        self._goal: tuple[float, float] | None = None  # where the user has dragged it, x and y
        self._changed: LatestValue[Any] = self._worker(lambda _: self._run_again())
        gui = self._gui
        with self._folder:
            self._choice: Any = gui.add_dropdown(
                'lesson', (_NONE, *_FIGURES), hint='with arms of its own, and a goal that can be '
                'dragged; your robot is hidden meanwhile')
            self._widgets_of_lesson = gui.add_folder(None, visible=False)
        with self._widgets_of_lesson:
            play = gui.add_button('Play', color='blue', icon=viser.Icon.PLAYER_PLAY)
            self._player = PlayButton(play, 'Pause', self._play, self._work)
            step = gui.add_button('Step', icon=viser.Icon.PLAYER_SKIP_FORWARD, hint='one frame on')
            self._slider: Any = gui.add_slider('frame', 0, FRAMES, 1, 0)
            self._damping: Any = gui.add_slider('λ', 0.1, 20.0, 0.1, _LAMBDA,
                                                hint='of damped least squares')
            self._share: Any = gui.add_slider('step', 0.05, 1.0, 0.05, 1.0,
                                              hint='the part of each step that is taken')
            self._text = gui.add_markdown('')
            self._place = gui.add_folder(None)  # of the charts
            self._table = gui.add_html('')
            leave = gui.add_button('End the lesson', hint='back to your robot')
        on_user_change(self._choice, self._choose)
        on_user_change(self._slider, self._on_slider)
        for slider in self._damping, self._share:
            on_user_change(slider, self._changed.give)
        step.on_click(lambda _: self._on_slider(int(self._slider.value) + 1))
        leave.on_click(lambda _: self._choose(_NONE))

    def _on_slider(self, frame: float) -> None:
        self.stop()
        self._work.give(functools.partial(self._show, int(frame) % (FRAMES + 1)))

    def _choose(self, name: str) -> None:
        self.stop()
        self._choice.value = name
        self._work.give(self._begin)

    def _find_runs(self, figure: TextbookFigure) -> list[Run]:
        """Return the runs of a lesson with its goal and the methods as the user has set them."""
        damping = float(self._damping.value)
        chain = self._tree.chain()
        return [run(chain, method if damping == _LAMBDA or 'damping' not in method.options
                    else replace(method, label=f'damped least squares, λ = {damping:g}',
                                 options={**method.options, 'damping': damping}),
                    self._goal or figure.goal, share=float(self._share.value), limit=figure.limit)
                for method in figure.methods]

    def _begin(self) -> None:
        """Show the chosen lesson at its start, or the robots again."""
        with self._drawing:
            self._draw(_FIGURES.get(str(self._choice.value)))

    def _draw(self, figure: TextbookFigure | None) -> None:
        self._remove_drawn()
        for chart, _ in self._charts:
            chart.remove()
        self._charts, self._goal = [], None
        self._damping.value, self._share.value = _LAMBDA, 1.0
        self._widgets_of_lesson.visible = figure is not None
        if figure is None:
            self._page.stage(None)
            return
        self._damping.visible = any('damping' in method.options for method in figure.methods)
        self._runs = runs = self._find_runs(figure)
        low, high = ends(runs)
        size, columns = float(np.max(high - low)), 2 if len(runs) > 2 else 1
        step = high - low + _BETWEEN * size  # rows are below each other: the arms are large then
        places = [np.array([k % columns, -(k // columns)]) * step for k in range(len(runs))]
        arms = [_DrawnRun(self._page, self._tree, one, part, place, size)
                for part, one, place in zip(_PARTS, runs, places)]
        self._drawn = [*arms, self._handle(runs[0], arms[0].height)]
        points = np.concatenate([box_corners(low, high) + place for place in places])
        self._page.stage((np.column_stack([points, np.zeros(len(points))]), _ABOVE))
        name = f'Figure {figure.number}: {figure.title}'.removeprefix('Figure : ')
        self._text.content = (
            f'**{name}**.  \nOne step per frame towards the red goal, which moves on a straight '
            'line to its end: drag that. The path of the tip is blue.\n\n'
            + figure.remark.format(**dict(zip(_PARTS, runs))))
        self._charts = [(self._chart(runs, title, measure), measure)
                        for title, measure in _CHARTS.items()]
        self._show(0)

    def _handle(self, shown: Run, height: float) -> Any:
        """Return the handle of the last goal, at the first arm."""
        handle = self._server.scene.add_transform_controls(
            new_name(self._server, '/lesson/handle'), scale=_HANDLE, fixed=True, line_width=4.0,
            depth_test=False, active_axes=(True, True, False), disable_rotations=True,
            position=(*shown.goals[-1], height))

        async def on_update(_: Any) -> None:
            self._goal = float(handle.position[0]), float(handle.position[1])
            self._changed.give(None)
        handle.on_update(on_update)
        return handle

    def _run_again(self) -> None:
        with self._drawing:
            figure = _FIGURES.get(str(self._choice.value))
            if figure is not None and self._drawn:
                self._runs = self._find_runs(figure)
                self._show(int(self._slider.value) or FRAMES)

    def _chart(self, runs: Sequence[Run], title: str, measure: Callable[[Run], np.ndarray]) -> Any:
        """Add a chart of a measure (frames, k) of each run."""
        count = measure(runs[0]).shape[1]
        names = [f'({part})' if count == 1 else f'{k + 1} ({part})'
                 for part in _PARTS[:len(runs)] for k in range(count)]
        with self._place:
            return add_chart(
                self._gui, [np.zeros(1)] * (1 + len(names)), ['frame', *names],
                [rgb_bytes(color) for color in COLORS[:len(runs)] for _ in range(count)],
                title=title, x=(0.0, float(FRAMES)), dashes=_DASHES[:count] * len(runs),
                height=150)

    def _play(self, stopped: threading.Event) -> None:
        """Show the frames one after the other from the present one, or from the first."""
        first = int(self._slider.value)
        for frame in range(first if first < FRAMES else 0, FRAMES + 1):
            self._show(frame)
            if stopped.wait(_PERIOD):
                return

    def _show(self, frame: int) -> None:
        with self._drawing:
            self._slider.value, runs = frame, self._runs
            with self._server.atomic():
                for arm, shown in zip(self._drawn, runs):
                    arm.show(shown, frame)
            for chart, measure in self._charts:
                chart.data = tuple(line[:frame + 1] for line in (
                    np.arange(FRAMES + 1.0), *np.concatenate([measure(one).T for one in runs])))
        self._table.content = html_table(('method', 'largest distance', 'at the end', 'step'), [
            [f'({part}) {one.method.solver}', f'{one.largest:.2f}', f'{one.distances[-1]:.2f}',
             angle_text(one.longest)] for part, one in zip(_PARTS, runs)])

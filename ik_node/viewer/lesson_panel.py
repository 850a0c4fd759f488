"""Lessons: the textbook's figures [Parent, 5.20 to 5.25] with the arm on the page."""

import functools
import threading
import time
from typing import Any

import numpy as np

from ik_node.commands.figures_textbook import FIGURES, FRAMES, ROBOT, Run, run
from ik_node.model.chain import Chain
from ik_node.support.exceptions import IkError
from ik_node.viewer.gallery import robots
from ik_node.viewer.panel import Page, Panel, on_user_change, run_work
from ik_node.viewer.scene_nodes import add_line, new_name

_NONE = 'choose …'
_FIGURES = {f'{number}: {figure.title}': figure for number, figure in FIGURES.items()}
_FROM = np.array([0.0, -0.3, 1.0])  # to the camera
_PERIOD = 0.4      # s between two frames when they are played
_DRAWN = 20.0      # s until the arm of the figures is drawn, at most
_GOAL, _TIP = (200, 60, 60), (60, 110, 190)
_BALL = 0.02       # of the reach: the goal of a frame
_WIDTH = 0.004     # of the reach: the lines of the goal and of the tip


class LessonPanel(Panel):
    """A figure of the textbook: its arm, its goal and each of its methods, frame by frame."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Lessons', is_expanded=True)
        self._run: Run | None = None
        self._plays = False
        self._stopped = threading.Event()
        self._work = self._worker(run_work)
        gui = self._gui
        with self._folder:
            self._choice: Any = gui.add_dropdown(
                'figure', (_NONE, *_FIGURES), hint='of the textbook, with its planar arm')
            self._method: Any = gui.add_dropdown('method', (_NONE,), visible=False)
            self._text = gui.add_markdown('', visible=False)
            self._slider: Any = gui.add_slider('frame', 0, FRAMES, 1, 0, visible=False)
            self._play = gui.add_button('Play the frames', visible=False, color='blue')
        on_user_change(self._choice, lambda _: self._work.give(self._choose))
        on_user_change(self._method, lambda _: self._work.give(self._set_up))
        on_user_change(self._slider, lambda frame: self._work.give(
            functools.partial(self._show, int(frame))))
        self._play.on_click(lambda _: self._work.give(self._play_all))

    def close(self) -> None:
        """End what is played, and the thread."""
        self._stopped.set()
        super().close()

    def _refresh(self, visible: bool) -> None:
        if self._run is not None and not self._work.busy and not (self._has_arm() and visible):
            self._choice.value = _NONE
            self._end()

    def _choose(self) -> None:
        """Show the chosen figure, and begin with its first method."""
        figure = _FIGURES.get(str(self._choice.value))
        if figure is None:
            self._end()
            return
        self._method.options = tuple(method.label for method in figure.methods)
        self._method.value = self._method.options[0]
        self._set_up()

    def _set_up(self) -> None:
        """Bring the arm of the figures to the start of a run of the chosen method."""
        figure, chain = _FIGURES.get(str(self._choice.value)), self._load_arm()
        if figure is None:
            return
        runs = [run(chain, method, figure.goal) for method in figure.methods]
        self._run = shown = next((one for one in runs if one.method.label == self._method.value),
                                 runs[0])
        options = ', '.join(f'{name} {value}' for name, value in shown.method.options.items())
        self._text.content = (
            f'**Figure {figure.number}**: {figure.title}.  \n`{shown.method.solver}`'
            f'{f", {options}" if options else ""}: one step per frame towards the red goal, '
            'which moves on a straight line. The path of the tip is blue.\n\n'
            + figure.remark.format(**dict(zip('ab', runs))))
        self._show_widgets(True)
        self._show(0)
        # The cameras look down on the plane of the arm.
        places = np.concatenate([part for one in runs for part in (one.goals, *one.joints)])
        self._page.camera.show(np.column_stack([places, np.zeros(len(places))]), _FROM)

    def _load_arm(self) -> Chain:
        """Return the arm of the figures, which the node has then. Raises IkError."""
        robot_view = self._robot_view

        if not self._has_arm():
            robot_view.load(robots()[ROBOT])
            self._page.on_robot()
            deadline = time.monotonic() + _DRAWN
            while not (self._has_arm() and robot_view.is_placed) and time.monotonic() < deadline:
                self._stopped.wait(0.05)
        chain = robot_view.chain
        if chain is None:
            raise IkError('the arm of the figures is not drawn')
        return chain

    def _has_arm(self) -> bool:
        tree = self._robot_view.tree
        return tree is not None and tree.name == ROBOT and self._robot_view.chain is not None

    def _play_all(self) -> None:
        self._plays = True
        for frame in range(FRAMES + 1):
            self._show(frame)
            if self._stopped.wait(_PERIOD) or self._run is None or not self._plays:
                return

    def stop(self) -> None:
        """Play no further frame."""
        self._plays = False

    def _show(self, frame: int) -> None:
        """Move the arm to a frame, and draw the paths of goal and tip until then."""
        if self._run is not None:
            self._slider.value = frame
            self._robot_view.go_to(self._run.q[frame])
            self._draw(self._run, frame)

    def _draw(self, figure_run: Run, frame: int) -> None:
        chain, before = self._robot_view.chain, self._drawn
        if chain is None:
            return
        T, reach = self._robot_view.pose(chain.base_link), self._robot_view.reach
        height = chain.forward(figure_run.q[0])[2, 3]

        def placed(points: np.ndarray) -> np.ndarray:
            return np.column_stack([points, np.full(len(points), height)]) @ T[:3, :3].T + T[:3, 3]
        goals, tips = placed(figure_run.goals), placed(figure_run.tips[:frame + 1])
        self._drawn = [
            self._server.scene.add_icosphere(
                new_name(self._server, '/lesson/goal'), color=_GOAL, radius=_BALL * reach,
                position=goals[frame]),
            *(add_line(self._server, name, points, color, _WIDTH * reach)
              for name, points, color in (('/lesson/goals', goals, _GOAL),
                                          ('/lesson/tip', tips, _TIP)) if len(points) > 1)]
        for node in before:
            node.remove()

    def _end(self) -> None:
        self._run = None
        self._remove_drawn()
        self._show_widgets(False)

    def _show_widgets(self, shown: bool) -> None:
        for widget in (self._method, self._text, self._slider, self._play):
            widget.visible = shown

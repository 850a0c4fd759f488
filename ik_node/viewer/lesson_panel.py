"""Lessons: the textbook's figures [Parent, 5.20 to 5.25] with the arm on the page."""

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.commands.figures_textbook import FIGURES, FRAMES, ROBOT, Run, run
from ik_node.model.chain import Chain
from ik_node.support.exceptions import IkError
from ik_node.viewer.gallery import robots
from ik_node.viewer.panel import Page, Panel, on_user_change, run_work
from ik_node.viewer.scene_nodes import add_line, new_name

_NONE = 'choose …'
_NAMES = {f'{number}: {figure.title}': number for number, figure in FIGURES.items()}
_FROM = np.array([0.0, -0.3, 1.0])  # to the camera
_PERIOD = 0.4      # s between two frames when they are played
_DRAWN = 20.0      # s until the arm of the figures is drawn, at most
_GOAL, _TIP = (200, 60, 60), (60, 110, 190)
_BALL = 0.02       # of the reach: the goal of a frame
_WIDTH = 0.004     # of the reach: the lines of the goal and of the tip


class LessonPanel(Panel):
    """A figure of the textbook: its arm, its goal and each of its methods, frame by frame."""

    def __init__(self, page: Page) -> None:
        """Make the widgets."""
        super().__init__(page, 'Lessons')
        self._run: Run | None = None
        self._stopped = threading.Event()
        self._work = self._worker(run_work)
        gui = self._gui
        with self._folder:
            self._choice: Any = gui.add_dropdown(
                'figure', (_NONE, *_NAMES), hint='of the textbook, with its planar arm')
            self._method: Any = gui.add_dropdown('method of it', (_NONE,), visible=False)
            self._text = gui.add_markdown('', visible=False)
            self._slider: Any = gui.add_slider('frame', 0, FRAMES, 1, 0, visible=False)
            self._play = gui.add_button('Play the frames', visible=False)
        for widget, work in ((self._choice, self._choose), (self._method, self._set_up)):
            on_user_change(widget, functools.partial(self._give, work))
        on_user_change(self._slider, lambda frame: self._work.give(
            functools.partial(self._show, int(frame))))
        self._play.on_click(lambda _: self._work.give(self._play_all))

    def close(self) -> None:
        """End what is played, and the thread."""
        self._stopped.set()
        super().close()

    def _give(self, work: Callable[[], None], _: object) -> None:
        self._work.give(work)

    def _refresh(self, visible: bool) -> None:
        tree = self._robot_view.tree
        if self._run is not None and not self._work.busy and (
                tree is None or tree.name != ROBOT or not visible):
            self._choice.value = _NONE
            self._end()

    def _choose(self) -> None:
        """Show the chosen figure, and begin with its first method."""
        number = _NAMES.get(str(self._choice.value))
        if number is None:
            self._end()
            return
        methods = [method.label for method in FIGURES[number].methods]
        self._method.options = tuple(methods)
        self._method.value = methods[0]
        self._set_up()

    def _set_up(self) -> None:
        """Bring the arm of the figures to the start of a run of the chosen method."""
        number, chain = _NAMES.get(str(self._choice.value)), self._load_arm()
        if number is None:
            return
        figure = FIGURES[number]
        runs = [run(chain, method, figure.goal) for method in figure.methods]
        self._run = next((one for one in runs if one.method.label == self._method.value), runs[0])
        self._text.content = _description(number, runs, self._run)
        self._show_widgets(True)
        self._show(0)
        # The cameras look down on the plane of the arm.
        places = np.concatenate([part for one in runs for part in (one.goals, *one.joints)])
        self._page.camera.show(np.column_stack([places, np.zeros(len(places))]), _FROM)

    def _load_arm(self) -> Chain:
        """Return the arm of the figures, which the node has then. Raises IkError."""
        robot_view = self._robot_view

        def is_there() -> bool:
            return (robot_view.tree is not None and robot_view.tree.name == ROBOT
                    and robot_view.chain is not None)
        if not is_there():
            robot_view.load(robots()[ROBOT])
            self._page.on_robot()
            for _ in range(round(_DRAWN / 0.05)):
                if is_there() and robot_view.is_placed:
                    break
                self._stopped.wait(0.05)
        if robot_view.chain is None:
            raise IkError('the arm of the figures is not drawn')
        return robot_view.chain

    def _play_all(self) -> None:
        for frame in range(FRAMES + 1):
            self._show(frame)
            if self._stopped.wait(_PERIOD) or self._run is None:
                return

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


def _description(number: str, runs: list[Run], shown: Run) -> str:
    """Return what there is to see in a figure, and which of its runs is shown."""
    figure = FIGURES[number]
    remark = figure.remark.format(**dict(zip('ab', runs)))
    options = ', '.join(f'{name} {value}' for name, value in shown.method.options.items())
    return (f'**Figure {figure.number}**: {figure.title}.  \n`{shown.method.solver}`'
            f'{f", {options}" if options else ""}: one step per frame towards the red goal, '
            f'which moves on a straight line. The path of the tip is blue.\n\n{remark}')

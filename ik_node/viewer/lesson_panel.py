"""Lessons: the textbook's figures [Parent, 5.20 to 5.25] with the arm on the page."""

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.commands.figures_textbook import (
    FIGURES,
    FRAMES,
    ROBOT,
    Run,
    TextbookFigure,
    Variant,
    run,
)
from ik_node.model.chain import Chain
from ik_node.support.exceptions import IkError
from ik_node.viewer.camera import Camera
from ik_node.viewer.gallery import robots
from ik_node.viewer.newest import Newest
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_names import new_name

_NONE = 'choose …'
_NAMES = {f'{number}: {figure.title}': figure for number, figure in FIGURES.items()}
_FROM = np.array([0.0, -0.3, 1.0])  # to the camera
_PERIOD = 0.4      # s between two frames when they are played
_DRAWN = 20.0      # s until the arm of the figures is drawn, at most
_GOAL, _TIP = (200, 60, 60), (60, 110, 190)
_BALL = 0.02       # of the reach: the goal of a frame
_WIDTH = 0.004     # of the reach: the lines of the goal and of the tip


class LessonPanel:
    """A figure of the textbook: its arm, its goal and each of its methods, frame by frame."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView, camera: Camera,
                 notify: Callable[[str], None], on_robot: Callable[[], None]) -> None:
        """Make the widgets.

        notify: called with the reason where the node refuses. on_robot: called when the arm of the
        figures has replaced another one.
        """
        self._server, self._robot_view, self._camera = server, robot_view, camera
        self._notify, self._on_robot = notify, on_robot
        self._run: Run | None = None
        self._frame = 0
        self._drawn: list[Any] = []
        self._stopped = threading.Event()
        self._work: Newest[Callable[[], None]] = Newest(self._do, self._notify)
        gui = server.gui
        self._folder = gui.add_folder('Lessons', expand_by_default=False, visible=False)
        with self._folder:
            self._choice: Any = gui.add_dropdown(
                'figure', (_NONE, *_NAMES), hint='of the textbook, with its planar arm')
            self._method: Any = gui.add_dropdown('method of it', (_NONE,), visible=False)
            self._text = gui.add_markdown('', visible=False)
            self._slider: Any = gui.add_slider('frame', 0, FRAMES, 1, 0, visible=False)
            self._play = gui.add_button('Play the frames', visible=False)
        self._choice.on_update(lambda event: self._give(event, self._choose))
        self._method.on_update(lambda event: self._give(event, self._set_up))
        self._slider.on_update(lambda event: self._give(event, functools.partial(
            self._show, int(event.target.value))))
        self._play.on_click(lambda _: self._work.give(self._play_all))

    def close(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._work.close()

    def update(self, visible: bool) -> None:
        """Show the panel where there is an arm; another arm ends the lesson."""
        if self._folder.visible != visible:
            self._folder.visible = visible
        tree = self._robot_view.tree
        if self._run is not None and not self._work.busy and (
                tree is None or tree.name != ROBOT or not visible):
            self._choice.value = _NONE
            self._end()

    def _give(self, event: Any, work: Callable[[], None]) -> None:
        """Let the thread work, where the user has changed a widget."""
        if event.client is not None:
            self._work.give(work)

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except IkError as error:
            self._notify(str(error))

    def _choose(self) -> None:
        """Show the chosen figure, and begin with its first method."""
        figure = self._figure
        if figure is None:
            self._end()
            return
        self._method.options = tuple(method.label for method in figure.methods)
        self._method.value = figure.methods[0].label
        self._set_up()

    @property
    def _figure(self) -> TextbookFigure | None:
        return _NAMES.get(str(self._choice.value))

    def _set_up(self) -> None:
        """Bring the arm of the figures to the start of a run of the chosen method."""
        figure, chain = self._figure, self._arm()
        if figure is None:
            return
        runs = [run(chain, method, figure.goal) for method in figure.methods]
        number = next((k for k, method in enumerate(figure.methods)
                       if method.label == self._method.value), 0)
        self._run = runs[number]
        self._text.content = _words(figure, runs, figure.methods[number])
        for widget in (self._method, self._text, self._slider, self._play):
            widget.visible = True
        self._show(0)
        self._look(runs)

    def _look(self, runs: list[Run]) -> None:
        """Let the cameras look down on the plane of the arm."""
        places = np.concatenate([one for each in runs for one in (each.goals, *each.joints)])
        self._camera.show(np.column_stack([places, np.zeros(len(places))]), _FROM)

    def _arm(self) -> Chain:
        """Return the arm of the figures, which the node has then. Raises IkError."""
        robot_view = self._robot_view
        if robot_view.tree is None or robot_view.tree.name != ROBOT or robot_view.chain is None:
            robot_view.take(robots()[ROBOT])
            self._on_robot()
            for _ in range(round(_DRAWN / 0.05)):
                if (robot_view.tree is not None and robot_view.tree.name == ROBOT
                        and robot_view.chain is not None and robot_view.is_placed):
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
        if self._run is None:
            return
        self._frame = frame
        if self._slider.value != frame:
            self._slider.value = frame
        self._robot_view.go_to(self._run.q[frame].tolist())
        self._draw(self._run, frame)

    def _draw(self, figure_run: Run, frame: int) -> None:
        chain, before = self._robot_view.chain, self._drawn
        if chain is None:
            return
        T, reach = self._robot_view.pose(chain.base_link), self._robot_view.reach
        height = chain.forward(figure_run.q[0])[2, 3]

        def placed(points: np.ndarray) -> np.ndarray:
            return np.column_stack([points, np.full(len(points), height)]) @ T[:3, :3].T + T[:3, 3]
        scene = self._server.scene
        goals, tips = placed(figure_run.goals), placed(figure_run.tips[:frame + 1])
        self._drawn = [scene.add_icosphere(new_name(self._server, '/lesson/goal'), color=_GOAL,
                                           radius=_BALL * reach, position=goals[frame]),
                       self._line('/lesson/goals', goals, _GOAL)]
        if frame:
            self._drawn.append(self._line('/lesson/tip', tips, _TIP))
        for one in before:
            one.remove()

    def _line(self, name: str, points: np.ndarray, color: tuple[int, int, int]) -> Any:
        return self._server.scene.add_line_segments(
            new_name(self._server, name), np.stack([points[:-1], points[1:]], axis=1),
            np.array(color), thickness=_WIDTH * self._robot_view.reach)

    def _end(self) -> None:
        """Remove what was drawn."""
        self._run = None
        for one in self._drawn:
            one.remove()
        self._drawn = []
        for widget in (self._method, self._text, self._slider, self._play):
            widget.visible = False


def _words(figure: TextbookFigure, runs: list[Run], method: Variant) -> str:
    """Return what there is to see in a figure."""
    letters = dict(zip('ab', runs))
    remark = figure.remark.format(**letters)
    options = ', '.join(f'{name} {value}' for name, value in method.options.items())
    return (f'**Figure {figure.number}**: {figure.title}.  \n`{method.solver}`'
            f'{f", {options}" if options else ""}: one step per frame towards the red goal, '
            f'which moves on a straight line. The path of the tip is blue.\n\n{remark}')

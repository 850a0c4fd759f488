"""The page that panels are on, and what all panels have in common."""

import functools
import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
import viser

from ik_node.model.chain import Chain
from ik_node.support.exceptions import InputError
from ik_node.viewer.camera import Camera
from ik_node.viewer.draft import Draft, NodeWidget
from ik_node.viewer.ground import GroundPlane
from ik_node.viewer.history import UndoHistory
from ik_node.viewer.latest_value import LatestValue
from ik_node.viewer.node_parameters import Target
from ik_node.viewer.node_state import GREEN, StateLine
from ik_node.viewer.page_server import PageServer
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.target_handles import TargetHandles

ROW = 1.1  # in reaches: distance between the robots of a comparison
_NEWS = 8.0  # s that news are shown
_Value = TypeVar('_Value')


class Page:
    """What the panels share: the server, the nodes, the handles of their goals, the camera.

    - `robot_view`: the first of `robot_views`, which a panel is about unless it says otherwise.
    - `panels`: all, in the order in which they are made.
    - `waypoints`: poses (4, 4), m, of the path.
    - `placed`: functions that return lists of points (k, 3), m, seen beside the robots.
    - `obstacle_changes`: how often obstacles of the page have been sent.
    - `position_only`: whether goals of the arm have no orientation.
    - `ground`: with the light.
    - `painting`: held while robots are drawn and handles follow them.
    """

    def __init__(self, server: PageServer, robot_views: list[RobotView],
                 on_drag: Callable[[Target, np.ndarray], None]) -> None:
        """Begin without panels; on_drag: see `TargetHandles`."""
        self.server, self.robot_views, self.robot_view = server, robot_views, robot_views[0]
        self.history = UndoHistory()
        self.handles = TargetHandles(server, self.robot_view, on_drag, self.notify, self.snapshot,
                                     self.history)
        self.painting = threading.Lock()
        self.panels: list[Panel] = []
        self.waypoints: list[np.ndarray] = []
        self.placed: list[Callable[[], list[np.ndarray]]] = []
        self.obstacle_changes = 0
        self.camera = Camera(server, robot_views, lambda: np.concatenate([
            *(T[None, :3, 3] for T in (*self.waypoints, *self.handles.dragged().values())),
            *(points for placed in self.placed for points in placed()), np.zeros((0, 3))]))
        self.ground = GroundPlane(server.scene)
        self._shaded = np.zeros((0, 3))  # corners of boxes whose shadow is shown
        self._settings: list[tuple[Any, ...]] = [() for _ in robot_views]
        self._messages: list[viser.NotificationHandle] = []  # of the last line, in each browser
        self.history.on_step = self.end_message
        self.position_only = False

    @property
    def handle_pose(self) -> np.ndarray | None:
        """The pose (4, 4), m, of the handle of the arm's goal; None where there is none."""
        gizmo = self.handles.named('')
        return None if gizmo is None else gizmo.T

    @property
    def is_staged(self) -> bool:
        """Whether something else is shown in place of the robots."""
        return self.camera.subject is not None

    def stage(self, subject: tuple[np.ndarray, np.ndarray] | None) -> None:
        """Show a subject of the camera in place of the robots; None shows them, and handles."""
        for robot_view in self.robot_views:
            robot_view.frame.visible = subject is None
        self.camera.show(subject)

    @property
    def ground_height(self) -> float:
        """The z of the ground, m: 0, or the feet of a robot that is fixed above it."""
        view = self.robot_view
        return 0.0 if view.parameters.moves_root else min(view.bottom, 0.0)

    def check_shown(self) -> None:
        """Raise InputError where something else is shown: nobody sees the robots move."""
        if self.is_staged:
            raise InputError('the lesson hides the robot; end it first')

    def fit_ground(self) -> None:
        """Fit the ground to what is shown."""
        if self.camera.subject is not None:
            self.ground.fit(float(np.ptp(self.camera.subject[0], axis=0).max()))
        else:
            reach = self.robot_view.reach
            self.ground.fit(reach, ROW * reach * (len(self.robot_views) - 1), self.ground_height)

    def shade(self) -> None:
        """Let the robots as they are drawn have a shadow."""
        boxes = np.concatenate([view.corners(of_shapes=True) + view.frame.position
                                for view in self.robot_views]) * (not self.is_staged)
        if not np.array_equal(boxes, self._shaded):
            self._shaded = boxes
            self.ground.shade(boxes.reshape(-1, 8, 3))

    def set_dark(self, dark: bool) -> None:
        """Show the page in dark or in light colours."""
        self.server.set_dark(dark)
        self.ground.set_dark(dark)

    def setting(self, view: RobotView) -> tuple[Any, ...]:
        """Return what goals of a node are solved with; empty before it responds to requests."""
        values = view.parameters.setting if view.state.lifecycle else ()
        return values and (*values, self.position_only,
                           view.parameters.avoids and self.obstacle_changes)

    def note_settings(self) -> list[RobotView]:
        """Note what goals are solved with; return the nodes where that is another than before.

        What comes before a node responds to requests counts from then on: it may have restarted.
        """
        before = self._settings
        self._settings = now = [self.setting(view) or old
                                for view, old in zip(self.robot_views, before)]
        return [view for view, old, new in zip(self.robot_views, before, now)
                if old and new != old]

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores joints, roots and dragged handles as they are now."""
        places = [functools.partial(view.go_to, {
            name: values[name] for name in space.joint_names if name in values},
            view.state.without_goal, view.T_world_root) for view in self.robot_views
            if (space := view.space) is not None and (values := view.values)]
        line = self.robot_view.state.without_goal  # it may have left its goal, by a step
        # Handles may not have followed the frames yet in which they are.
        goals = [(target.name, self.robot_view.target_frame(target), T_frame_goal)
                 for target, T_frame_goal in self.handles.goals()]

        def restore() -> None:
            self.release()
            for go in places:
                go()
            for name, T_frame, T_frame_goal in goals:
                self.handles.drag_to(T_frame @ T_frame_goal, name, T_frame, sends=line is None)
        return restore

    def restrict(self, position_only: bool) -> None:
        """Let goals of the arm have no orientation, or have one again."""
        self.position_only = position_only
        self.handles.show_rotations(not position_only)

    def goal_weights(self, chain: Chain) -> np.ndarray:
        """Return the weights (6,) of goals of the arm. Raises OptionError for invalid ones."""
        weights = self.robot_view.parameters.task_weights(chain)
        return np.r_[weights[:3], np.zeros(3)] if self.position_only else weights

    def release(self) -> None:
        """Let handles follow their targets again, before the robot leaves its goal.

        The painter has sent a goal before this, or sends none: not once the robot is elsewhere.
        """
        with self.painting:
            self.handles.release()

    def step(self, do: Callable[[], object], key: str = '') -> None:
        """Do something to joints and goals, as a step of the user's where it succeeds.

        Raises InputError where the robot is stopped.
        """
        self.robot_view.state.check_goals()
        undo = self.snapshot()
        do()
        self.history.record(undo, do, key)

    def move_arm(self, chain: Chain, q: np.ndarray, text: str, color: str = GREEN,
                 key: str = '') -> None:
        """Move the arm to q (n,) of its chain, as a step of the user's; text: the state there."""
        self.step(functools.partial(
            self.robot_view.go_to, dict(zip(chain.joint_names, q.tolist())),
            StateLine(color, text)), key)

    def set_parameters(self, robot_view: RobotView, values: Mapping[str, Any]) -> None:
        """Set parameters of a node, as a step of the user's. Raises SilentError for a refusal."""
        before = {name: robot_view.parameters[name] for name in values
                  if name in robot_view.parameters}
        self.history.make(robot_view.set_parameters, (before,), (values,))

    def notify(self, line: str, color: Literal['red', 'blue'] = 'red') -> None:
        """Show a line in every browser in place of the last: an error in red, news in blue.

        An error stays until a later step of the user's succeeds.
        """
        self.end_message()
        self._messages = [client.add_notification(
            'ik_node', line, auto_close_seconds=None if color == 'red' else _NEWS, color=color)
            for client in self.server.get_clients().values()]

    def end_message(self) -> None:
        """Show the last line no longer."""
        messages, self._messages = self._messages, []
        for message in messages:
            message.remove()


class Panel:
    """A folder of widgets, shown while it is of use, with threads for what takes long.

    - `_work`: a thread that calls the functions that it is given.
    """

    needs: ClassVar[str] = 'arm'  # what it is of use for: "arm", "node" or "page"

    def __init__(self, page: Page, title: str, is_expanded: bool = False) -> None:
        self._page, self._server, self._gui = page, page.server, page.server.gui
        self._robot_view, self._notify = page.robot_view, page.notify
        self._drawn: list[Any] = []  # nodes of the scene
        self._workers: list[LatestValue[Any]] = []
        self._work: LatestValue[Callable[[], object]] = self._worker(lambda work: work())
        self._widgets: dict[str, NodeWidget] = {}  # those that show values of the node
        self._draft: Any = None
        self._player: Any = None  # a PlayButton that `stop` and `close` stop
        page.panels.append(self)
        self._folder = self._gui.add_folder(title, expand_by_default=is_expanded, visible=False)

    def _worker(self, handle: Callable[[_Value], object]) -> LatestValue[_Value]:
        """Return a thread that handles values, and shows the errors in that."""
        worker = LatestValue(handle, self._notify)
        self._workers.append(worker)
        return worker

    def _node_widget(self, name: str, widget: Any, read: Callable[[], Any],
                     write: Callable[[Any], object], subject: str = '') -> Any:
        """Let a widget show a value of the node and set it, see `NodeWidget`; return the widget."""
        self._widgets[name] = NodeWidget(widget, read, write, self._notify, subject)
        return widget

    def _parameter(self, widget: Any, name: Callable[[RobotView], str], subject: str = '') -> None:
        """Let a widget show and set a parameter of all nodes; name: returns what a node calls it.

        subject: of errors.
        """
        def write(value: Any) -> None:
            for robot_view in self._page.robot_views:
                robot_view.set_parameters({name(robot_view): value})
        self._node_widget(widget.label, widget, lambda: self._robot_view.parameters.get(
            name(self._robot_view)), write, subject)

    def _draft_of(self, commit: Callable[[Mapping[str, str]], object]) -> Draft:
        """Return the form of the panel, whose texts are handled in a thread; the last one goes."""
        self._remove_draft()
        self._draft = Draft(self._gui, commit, self._notify)
        return self._draft

    def _remove_draft(self) -> None:
        if self._draft is not None:
            self._draft.remove()
            self._draft = None

    def update(self, has_node: bool) -> None:
        """Show the panel where it is of use, and what has changed."""
        self._folder.visible = visible = (
            self.needs == 'page' or (has_node and not self._page.is_staged)) and self._is_useful()
        for widget in list(self._widgets.values()):
            widget.refresh()
        if (draft := self._draft) is not None:  # another thread may make another one
            draft.refresh()
        self._refresh(visible)

    def _is_useful(self) -> bool:
        """Return whether there is something to do with the panel."""
        return self.needs != 'arm' or self._robot_view.follows_paths

    def _refresh(self, visible: bool) -> None:
        """Show what has changed, beside widgets of the node."""

    def _remove_drawn(self) -> None:
        drawn, self._drawn = self._drawn, []
        for node in drawn:
            node.remove()

    def stop(self) -> None:
        """End what moves the robot, and forget what is typed and not committed."""
        if self._player is not None:
            self._player.stop()
        if (draft := self._draft) is not None:
            draft.discard()

    def close(self) -> None:
        """End the threads, without waiting for them: they may wait for the painter."""
        if self._player is not None:
            self._player.stop()
        for worker in (*self._workers, *([self._draft.worker] if self._draft else ())):
            worker.close()

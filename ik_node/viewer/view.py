"""The page: one or several nodes, the handles of their goals, and the panels."""

import html
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import viser

from ik_node.ros.clients.player_link import PlayerLink
from ik_node.support.threads import reported, start_thread
from ik_node.viewer.arm_panels import BranchPanel, ChainPanel
from ik_node.viewer.demo_panel import DemoPanel
from ik_node.viewer.goal_panel import GoalPanel, JointPanel
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.lesson_panel import LessonPanel
from ik_node.viewer.node_state import Target
from ik_node.viewer.null_space_panel import NullSpacePanel
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.path_panel import PathPanel
from ik_node.viewer.playback_panel import PlaybackPanel
from ik_node.viewer.readout import PlotPanel, readout
from ik_node.viewer.robot_panel import OPEN, RobotPanel
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_nodes import GroundPlane, add_light
from ik_node.viewer.scene_panel import LayerPanel, ScenePanel
from ik_node.viewer.solver_panel import SolverPanel
from ik_node.viewer.step_panel import StepPanel
from ik_node.viewer.task_panel import TaskPanel
from ik_node.viewer.workspace_panel import WorkspacePanel

_RATE = 60.0       # Hz, highest rate at which the scene is drawn
_TABLES = 0.1      # s between two updates of figures and sliders
_APART = 1.6       # in reaches: distance between the robots of a comparison
_PROBLEMS = 5      # of a robot that are told
_STOP, _CONTINUE = 'Stop', 'Continue'
_ICON = ("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path "
         "fill='none' stroke='%232f6fb0' stroke-width='2' d='M3 14V8l5-5 5 4'/></svg>")
# Scripts in the HTML of a panel are not run, but handlers of pictures are.
_SCRIPT = f'''<img alt="" style="display: none"
src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" onload="{
html.escape(Path(__file__).with_name("page.js").read_text().replace(
    "ICON", json.dumps(_ICON)).replace("OPEN", OPEN))}">'''


class View:
    """Draws nodes on a `page` and sends them goals, until it is closed."""

    def __init__(self, server: viser.ViserServer, robot_views: list[RobotView],
                 news: threading.Event, player: str = 'ik_play') -> None:
        """Show nodes side by side; goals are dragged at the first and sent to all.

        news: set when there is something to draw. player: the name of a node that plays motions, in
        the namespace of the first.
        """
        self._server, self._robot_views, self._player = server, robot_views, player
        self._news, self._closed = news, threading.Event()
        self.page = page = Page(server, robot_views, self._on_drag)
        robot_views[0].drop_goals = page.handles.drop
        self._fetching: set[str] = set()  # names of nodes whose parameters are being fetched
        self._notified: set[str] = set()  # lines about defects of the painter
        add_light(server.scene)
        self._ground = GroundPlane(server.scene)
        server.gui.main_panel.dock_right()
        server.gui.add_html(_SCRIPT)
        self._note = server.gui.add_markdown('Waiting for the node …')
        self._stop_button = server.gui.add_button(
            _STOP, color='red', hint='stops the robot at once; goals are refused until Continue')
        self._stop_button.on_click(lambda _: self._on_stop(self._stop_button.label == _STOP))
        steps = server.gui.add_button_group('', ('Undo', 'Redo'))
        steps.on_click(lambda _: self._in_history(
            page.history.undo if steps.value == 'Undo' else page.history.redo))
        server.gui.add_command('Undo', hotkey='Z', modifier='cmd/ctrl').on_trigger(
            lambda _: self._in_history(page.history.undo))
        server.gui.add_command('Redo', hotkey='Z', modifier='cmd/ctrl+shift').on_trigger(
            lambda _: self._in_history(page.history.redo))
        self._playback = PlaybackPanel(
            page, PlayerLink(robot_views[0].connection, player, news.set))
        self._readout = server.gui.add_html('')
        first = [RobotPanel(page), GoalPanel(page, lambda: self._home()), PlotPanel(page),
                 LayerPanel(page)]
        self._solvers = [SolverPanel(page, robot_view) for robot_view in robot_views]
        arm = [ChainPanel(page), TaskPanel(page), BranchPanel(page)]
        self._path = PathPanel(page)
        self._joints = JointPanel(page)
        self._panels: list[Panel] = [
            self._playback, *first, *self._solvers, *arm, self._path, self._joints,
            WorkspacePanel(page), StepPanel(page), NullSpacePanel(page), LessonPanel(page),
            DemoPanel(page), ScenePanel(page)]

    def close(self) -> None:
        """Stop drawing, and leave the graph."""
        self._closed.set()
        self._news.set()
        for panel in self._panels:
            panel.close()
        for robot_view in self._robot_views:
            robot_view.close()

    def run(self) -> None:
        """Draw until closed; an error in one picture is reported and does not stop the next."""
        last_tables = 0.0
        while not self._closed.is_set():
            self._news.wait(_TABLES)
            self._news.clear()
            began = time.monotonic()
            with reported('painter', self._notify_once), errors_shown(self.page.notify):
                self._paint()
                if began - last_tables > _TABLES:
                    last_tables = began
                    self._update_tables()
            self._closed.wait(max(0.0, began + 1.0 / _RATE - time.monotonic()))

    def _paint(self) -> None:
        for i, robot_view in enumerate(self._robot_views):
            if robot_view.paint():
                robot_view.frame.position = (0.0, _APART * robot_view.reach * i, 0.0)
                self._ground.fit(robot_view.reach,
                                 _APART * robot_view.reach * (len(self._robot_views) - 1))
                if i == 0:
                    self.page.handles.clear()
                    self._path.clear()
                    self.page.history.clear()
        self._server.flush()  # now, not when the server next looks

    def _update_tables(self) -> None:
        # A motion may be played without any node, be it awaited: panels about it are hidden then.
        has_node = (self._robot_views[0].state.responds is not None
                    or not self._playback.has_player)
        self._robot_views[0].is_only_played = not has_node
        lines = []
        for i, robot_view in enumerate(self._robot_views):
            restarts = robot_view.restarts
            if robot_view.check_node():
                self.page.notify(f'{robot_view.name} responds again')
            if i == 0 and robot_view.restarts > restarts:
                self.page.handles.release()
                self._stop_button.label = _STOP
            if robot_view.parameters.outdated or self._solvers[i].lacks_widgets:
                self._fetch_parameters(robot_view, self._solvers[i])
            name = robot_view.name if has_node else self._player
            lines.append(f'**{name}**: {robot_view.description}')
            lines += [f'⚠ {problem}' for problem in robot_view.problems[:_PROBLEMS]]
        self._note.content = '  \n'.join(lines)
        self._readout.content = readout(self._robot_views)
        self._readout.visible = has_node
        for panel in self._panels:
            panel.update(has_node)
        self.page.handles.update()
        self.page.camera.update()

    def _fetch_parameters(self, robot_view: RobotView, panel: SolverPanel) -> None:
        """Fetch a node's parameters in a thread; show its solver."""
        if robot_view.name in self._fetching or not robot_view.connection.is_there:
            return
        self._fetching.add(robot_view.name)

        def fetch() -> None:
            try:
                with errors_shown(self.page.notify):
                    robot_view.fetch_parameters()
                    if panel.lacks_widgets:
                        panel.make_widgets()
            finally:
                self._fetching.discard(robot_view.name)
        start_thread(fetch, f'fetch {robot_view.name}', self.page.notify)

    def _on_drag(self, target: Target, T_frame_goal: np.ndarray) -> None:
        if self._path.draws:
            self._path.draw()
            return
        for robot_view in self._robot_views:
            robot_view.send_goal(target, T_frame_goal, self.page.position_only)

    def _in_history(self, work: Callable[[], None]) -> None:
        with errors_shown(self.page.notify):
            work()

    def _on_stop(self, stops: bool) -> None:
        """Stop the robots, which refuse goals then, or let them go on."""
        if stops:
            self.page.handles.drop()
            for panel in self._panels:
                panel.stop()
        for robot_view in self._robot_views:
            with errors_shown(self.page.notify):
                robot_view.enable(not stops)
                self._stop_button.label = _CONTINUE if stops else _STOP

    def _home(self) -> None:
        self._joints.stop()
        for robot_view in self._robot_views:
            with errors_shown(self.page.notify):
                robot_view.go_home()
                self.page.handles.release()

    def _notify_once(self, line: str) -> None:
        """Show a line about the painter, which may come with every picture, once."""
        if line not in self._notified:
            self._notified.add(line)
            self.page.notify(line)

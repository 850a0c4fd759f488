"""The page: one or several nodes, the handles of their goals, and the panels."""

import functools
import html
import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from ik_node.ros.clients.player_link import PlayerLink
from ik_node.support.processes import reported, start_thread
from ik_node.viewer.arm_panels import BranchPanel, ChainPanel
from ik_node.viewer.camera import VIEWS
from ik_node.viewer.charts import PlotPanel
from ik_node.viewer.demo_panel import DemoPanel
from ik_node.viewer.goal_panel import GoalPanel, JointPanel
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.lesson_panel import LessonPanel
from ik_node.viewer.node_parameters import Target
from ik_node.viewer.null_space_panel import NullSpacePanel
from ik_node.viewer.obstacle_panel import ObstaclePanel
from ik_node.viewer.page_server import ALIVE, PageServer
from ik_node.viewer.panel import ROW, Page
from ik_node.viewer.path_panel import PathPanel
from ik_node.viewer.placement_panel import PlacementPanel
from ik_node.viewer.playback_panel import PlaybackPanel
from ik_node.viewer.readout import readout
from ik_node.viewer.robot_panel import OPEN, RobotPanel
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_panel import LayerPanel, ScenePanel
from ik_node.viewer.solver_panel import SolverPanel
from ik_node.viewer.step_panel import StepPanel
from ik_node.viewer.task_panel import TaskPanel
from ik_node.viewer.workspace_panel import WorkspacePanel

_RATE = 60.0       # Hz, highest rate at which the scene is drawn
_TABLES = 0.25     # s between two updates of figures and sliders, which a browser without a
                   # graphics card takes as long for as for a third of a picture
_PANEL = 380       # pixels, width of the panel
_STOP, _CONTINUE = 'Stop', 'Continue'
_KEYS: dict[str, Any] = {'Undo': 'cmd/ctrl', 'Redo': 'cmd/ctrl+shift'}  # with Z
_TABS: dict[str, tuple[type[Any], ...]] = {  # with panels that need only the page
    'Tasks': (TaskPanel,), 'Learn': (LessonPanel, StepPanel, NullSpacePanel),
    'Robot': (RobotPanel, ChainPanel, WorkspacePanel, PlacementPanel)}
_ICON = ("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path "
         "fill='none' stroke='%232f6fb0' stroke-width='2' d='M3 14V8l5-5 5 4'/></svg>")
# Scripts in the HTML of a panel are not run, but handlers of pictures are.
_SCRIPT = f'''<style>{Path(__file__).with_name("page.css").read_text()}</style>
<img alt="" style="display: none"
src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" onload="{
html.escape(Path(__file__).with_name("page.js").read_text().replace(
    "ICON", json.dumps(_ICON)).replace("OPEN", OPEN).replace("ALIVE", ALIVE))}">'''


class View:
    """Draws nodes on a `page` and sends them goals, until it is closed."""

    def __init__(self, server: PageServer, robot_views: list[RobotView],
                 news: threading.Event, player: str = 'ik_play', starts: bool = False) -> None:
        """Show nodes side by side; goals are dragged at the first and sent to all.

        news: set when there is something to draw. player: the name of a node that plays motions, in
        the namespace of the first; starts: whether it plays once a browser shows the page.
        """
        self._server, self._robot_views, self._player = server, robot_views, player
        self._news, self._closed = news, threading.Event()
        self.page = page = Page(server, robot_views, self._on_drag)
        robot_views[0].drop_goals = page.handles.drop
        # Lines about defects of the painter may come with every picture, and are shown once.
        self._notify_once = functools.cache(page.notify)
        compared = len(robot_views) > 1
        for robot_view in robot_views if compared else ():
            server.scene.add_label(f'{robot_view.frame.name}/name', robot_view.name,
                                   anchor='top-center')
        server.gui.main_panel.dock_right()
        server.gui.main_panel.set_width(_PANEL)
        server.gui.add_html(_SCRIPT)
        with server.gui.add_form(None):  # what page.css keeps in view
            self._readout = server.gui.add_html('')
            self._stop_button = server.gui.add_button(
                _STOP, color='red',
                hint='stops the robot at once; goals are refused until Continue')
            self._steps = steps = server.gui.add_button_group('', tuple(_KEYS))
            views = server.gui.add_button_group('', tuple(VIEWS))
        self._stop_button.on_click(lambda _: self._on_stop(self._stop_button.label == _STOP))
        steps.on_click(lambda _: self._on_step(steps.value))
        views.on_click(lambda event: page.camera.fit(event.client, views.value))
        for name, modifier in _KEYS.items():
            server.gui.add_command(name, hotkey='Z', modifier=modifier).on_trigger(
                functools.partial(self._on_step, name))
        tabs = server.gui.add_tab_group()
        with tabs.add_tab('Move'):
            self._link = PlayerLink(robot_views[0].connection, player, news.set)
            PlaybackPanel(page, self._link, starts)
            if compared:
                PlotPanel(page)
            GoalPanel(page, lambda: self._home())
            self._joints, self._path = JointPanel(page), PathPanel(page)
            DemoPanel(page, lambda: self._home())
        with tabs.add_tab('Solver'):
            for robot_view in robot_views:
                SolverPanel(page, robot_view)
            BranchPanel(page)
            if not compared:
                PlotPanel(page)
        for tab, kinds in _TABS.items():
            with tabs.add_tab(tab):
                for kind in kinds:
                    kind(page)
        with tabs.add_tab('Scene'):
            obstacles = ObstaclePanel(page)
            LayerPanel(page)
            ScenePanel(page, obstacles, self._path)
        self._panels = page.panels

    def close(self) -> None:
        """Stop drawing, and leave the graph."""
        self._closed.set()
        self._news.set()
        with self.page.painting:  # what is painted last still needs them
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
                has_tables = began - last_tables > _TABLES
                last_tables = began if has_tables else last_tables
                self._draw(has_tables)
            self._closed.wait(max(0.0, began + 1.0 / _RATE - time.monotonic()))

    def _draw(self, has_tables: bool) -> None:
        """Draw once; has_tables: figures, too."""
        with self.page.painting:
            if self._closed.is_set():
                return
            # Changes that come while the robot is painted are for the next time: with another base
            # the handles of the present one are gone then.
            changed = self.page.note_settings() if has_tables else []
            if any(robot_view.is_changing for robot_view in self._robot_views):
                self._show_states()
                self._server.flush()  # before it takes long
            self._paint()
            for robot_view in changed:  # what is dragged is solved again
                for target, T_frame_goal in (
                        () if robot_view.state.is_stopped else self.page.handles.goals()):
                    robot_view.send_goal(target, T_frame_goal, self.page.position_only)
            if has_tables:
                self._update_tables()
            self.page.handles.update()
            self.page.camera.update()
            self._server.flush()  # now, not when the server next looks

    def _paint(self) -> None:
        for i, robot_view in enumerate(self._robot_views):
            tree, restarts = robot_view.tree, robot_view.restarts
            if robot_view.check_node():  # before any goal of another process is drawn
                self.page.notify(f'{robot_view.name} responds again', 'blue')
            if i == 0 and robot_view.restarts > restarts:
                self.page.handles.release()
            if robot_view.paint():
                robot_view.frame.position = (0.0, ROW * robot_view.reach * i, 0.0)
                if i == 0:
                    self.page.handles.clear(keeps=robot_view.tree is tree)
                    self._path.clear()
                    self.page.history.clear()

    def _show_states(self) -> None:
        view = self._robot_views[0]
        view.is_only_played = view.state.responds is None and self._link.playback is not None
        self._readout.content = readout(
            self._robot_views, self._player if view.is_only_played else '',
            'the lesson hides the robot until it ends' if self.page.is_staged else '')

    def _update_tables(self) -> None:
        has_node = self._robot_views[0].state.responds is not None  # else it is awaited
        self.page.fit_ground()
        self.page.shade()
        self._show_states()
        self._stop_button.visible = self._steps.visible = has_node
        self._stop_button.label = _CONTINUE if self._robot_views[0].state.is_stopped else _STOP
        for panel in self._panels:
            panel.update(has_node)

    def _on_drag(self, target: Target, T_frame_goal: np.ndarray) -> None:
        if self._path.draws:
            self._path.draw()
            return
        if self._robot_views[0].state.is_stopped:
            self.page.handles.release()  # there is no goal where it has been dragged to
            return
        for robot_view in self._robot_views:
            robot_view.send_goal(target, T_frame_goal, self.page.position_only)

    def _on_step(self, name: str, _: Any = None) -> None:
        with errors_shown(self.page.notify):
            self._robot_views[0].state.check_goals()
            self.page.check_shown()
            if not getattr(self.page.history, name.lower())():
                self.page.notify(f'There is nothing to {name.lower()}.', 'blue')

    def _on_stop(self, stops: bool) -> None:
        def enable(robot_view: RobotView) -> None:
            with errors_shown(self.page.notify):
                robot_view.enable(not stops)
        self.page.end_message()
        # None waits for another: a node refuses what is still on its way, and may be silent.
        sent = [start_thread(functools.partial(enable, robot_view), 'stop', self.page.notify)
                for robot_view in self._robot_views]
        if stops:
            for panel in self._panels:
                panel.stop()
            self.page.handles.drop()
        for thread in sent:
            thread.join()
        self.page.handles.release()

    def _home(self) -> None:
        self._joints.stop()
        self.page.release()
        for robot_view in self._robot_views:
            with errors_shown(self.page.notify):
                robot_view.go_home()

"""The page: one or several nodes, the handles of their goals, and the panels."""

import itertools
import threading
import time
from typing import Any

import numpy as np
import viser

from ik_node.ros.clients.connection import SilentError
from ik_node.ros.clients.player_link import PlayerLink
from ik_node.support.exceptions import IkError
from ik_node.support.threads import reported, start_thread
from ik_node.viewer.branch_panel import BranchPanel
from ik_node.viewer.camera import Camera
from ik_node.viewer.chain_panel import ChainPanel
from ik_node.viewer.demo_panel import DemoPanel
from ik_node.viewer.film import FilmPanel
from ik_node.viewer.gallery import mesh_folders, robots
from ik_node.viewer.gizmo import Gizmo
from ik_node.viewer.goal_panel import GoalPanel
from ik_node.viewer.goal_plot import GoalPlot
from ik_node.viewer.ground import Ground
from ik_node.viewer.handles import Handles
from ik_node.viewer.joint_panel import JointPanel
from ik_node.viewer.layer_panel import LayerPanel
from ik_node.viewer.lesson_panel import LessonPanel
from ik_node.viewer.null_space_panel import NullSpacePanel
from ik_node.viewer.open_panel import OpenPanel
from ik_node.viewer.path_panel import PathPanel
from ik_node.viewer.playback_panel import PlaybackPanel
from ik_node.viewer.readout import Readout
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_panel import ScenePanel
from ik_node.viewer.solver_panel import SolverPanel
from ik_node.viewer.step_panel import StepPanel
from ik_node.viewer.targets import Target
from ik_node.viewer.task_panel import TaskPanel
from ik_node.viewer.time_plot import time_plots
from ik_node.viewer.workspace_panel import WorkspacePanel

_SKY, _GROUND = (255, 255, 255), (150, 150, 160)  # colours of the light from above and below
_RATE = 60.0       # Hz, highest rate at which the scene is drawn
_TABLES = 0.1      # s between two updates of figures and sliders
_AS_IT_IS = 'as it is'
_APART = 1.6       # in reaches: distance between the robots of a comparison


def _prepare(scene: viser.SceneApi) -> None:
    """Set the direction up and the light.

    Shadows and reflections, as viser has them, take two thirds of the time of a picture where the
    processor renders.
    """
    scene.set_up_direction('+z')
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(hdri=None)
    scene.add_light_hemisphere('/light/sky', sky_color=_SKY, ground_color=_GROUND, intensity=2.2)
    scene.add_light_directional('/light/sun', intensity=1.8, position=(0.5, -0.6, 1.0))


class View:
    """Draws nodes on a page and sends them goals, until it is closed."""

    def __init__(self, server: viser.ViserServer, robot_views: list[RobotView],
                 news: threading.Event, player: str = 'ik_play') -> None:
        """Show nodes side by side; goals are dragged at the first and sent to all.

        news: set when there is something to draw. player: the name of a node that plays motions, in
        the namespace of the first.
        """
        self._server, self._robot_views, self._player = server, robot_views, player
        self._news, self._closed = news, threading.Event()
        self._handles = Handles(server, robot_views[0], self._on_drag, self._notify)
        robot_views[0].drop_goals = self._handles.drop
        self._camera = Camera(server, robot_views, lambda: [
            self._place(i, robot_view) for i, robot_view in enumerate(robot_views)])
        self._fetching: set[str] = set()  # names of nodes whose parameters are being fetched
        self._notified: set[str] = set()  # lines about defects of the painter
        _prepare(server.scene)
        self._ground = Ground(server.scene)
        gui = server.gui
        gui.main_panel.dock_right()
        self._note = gui.add_markdown('Waiting for the node …')
        self._playback = PlaybackPanel(
            server, PlayerLink(robot_views[0].connection, player, news.set), self._notify)
        self._readout = Readout(server, robot_views)
        self._gallery = robots()
        for robot_view, folder in itertools.product(robot_views, mesh_folders()):
            robot_view.places.add(folder)
        self._robot: Any = gui.add_dropdown('robot', (_AS_IT_IS, *self._gallery),
                                       hint='load another robot into the node')
        self._robot.on_update(lambda event: self._choose_robot(event))
        self._open = OpenPanel(server, robot_views, self._notify, self._forget_choice)
        self._goal_folder = gui.add_folder('Goal')
        with self._goal_folder:
            self._only = gui.add_checkbox('position only', False)
            self._only.on_update(lambda _: self._handles.show_rotations(not self._only.value))
            gui.add_button('Home', hint='go to the start pose').on_click(lambda _: self._home())
            self._goal_panel = GoalPanel(
                server, robot_views[0], self._handle_pose, self.drag_to, self._handles.release)
        with gui.add_folder('Plot', expand_by_default=False) as plots:
            self._plot = GoalPlot(server, robot_views)
            self._time_plots = time_plots(server, robot_views[0], plots)
        with gui.add_folder('Layers', expand_by_default=False):
            self._layers = LayerPanel(server, robot_views)
        alone = len(robot_views) == 1
        self._solver_folders = [gui.add_folder(
            'Solver' if alone else f'Solver: {robot_view.name}', expand_by_default=alone)
            for robot_view in robot_views]
        self._chain = ChainPanel(server, robot_views[0], self._notify)
        self._tasks = TaskPanel(server, robot_views[0], self._notify)
        self._branches = BranchPanel(server, robot_views[0], self._notify)
        self._solvers: list[SolverPanel | None] = [None] * len(robot_views)
        self._path_folder = gui.add_folder('Path', expand_by_default=False)
        with self._path_folder:
            self._path = PathPanel(server, robot_views, self._goal, self._notify)
        self._joint_folder = gui.add_folder('Joints', expand_by_default=False)
        self._joints: JointPanel | None = None
        self._workspace_folder = gui.add_folder('Workspace', expand_by_default=False)
        self._workspace: WorkspacePanel | None = None
        self._steps = StepPanel(server, robot_views[0], self._handle_pose, self._notify)
        self._null_space = NullSpacePanel(server, robot_views[0], lambda: bool(self._only.value),
                                          self._notify)
        self._lessons = LessonPanel(server, robot_views[0], self._camera, self._notify,
                                    self._forget_choice)
        self._demo = DemoPanel(server, robot_views[0], self._handles, self.drag_to, self._notify)
        with gui.add_folder('Scene', expand_by_default=False):
            self._scene = ScenePanel(server, robot_views[0], self._handles, self._camera,
                                     self.drag_to, self._notify, self._forget_choice)
            self._film = FilmPanel(server, self._notify)

    def close(self) -> None:
        """Stop drawing, and leave the graph."""
        self._closed.set()
        self._news.set()
        self._playback.close()
        self._open.close()
        self._chain.close()
        self._tasks.close()
        self._branches.close()
        self._steps.close()
        self._null_space.close()
        self._lessons.close()
        self._demo.stop()
        self._film.close()
        for robot_view in self._robot_views:
            robot_view.close()

    def run(self) -> None:
        """Draw until closed; an error in one picture is reported and does not stop the next."""
        last_tables = 0.0
        while not self._closed.is_set():
            self._news.wait(_TABLES)
            self._news.clear()
            began = time.monotonic()
            with reported('painter', self._notify_once):
                try:
                    self._paint()
                    if began - last_tables > _TABLES:
                        last_tables = began
                        self._update_tables()
                except IkError as error:
                    self._notify(str(error))
            self._closed.wait(max(0.0, began + 1.0 / _RATE - time.monotonic()))

    def _paint(self) -> None:
        for i, robot_view in enumerate(self._robot_views):
            if robot_view.paint():
                robot_view.move_to(self._place(i, robot_view))
                self._ground.fit(robot_view.reach, self._place(
                    len(self._robot_views) - 1, robot_view))
                if i == 0:
                    self._new_robot()
        self._server.flush()  # now, not when the server next looks

    def _update_tables(self) -> None:
        lines = []
        for i, robot_view in enumerate(self._robot_views):
            restarts = robot_view.restarts
            if robot_view.check_node():
                self._notify(f'{robot_view.name} responds again')
            if i == 0 and robot_view.restarts > restarts:
                self._handles.release()
            if robot_view.parameters.outdated or self._lacks_solver(i):
                self._fetch_parameters(i, robot_view)
            panel = self._solvers[i]
            if panel is not None:
                panel.update()
            name = robot_view.name if self._has_node else self._player
            lines.append(f'**{name}**: {robot_view.words}')
            lines += [f'⚠ {problem}' for problem in robot_view.problems[:5]]
        text = '  \n'.join(lines)
        if text != self._note.content:
            self._note.content = text
        self._readout.update()
        self._plot.update()
        for plot in self._time_plots:
            plot.update()
        self._update_panels()
        self._handles.update()
        self._playback.update()
        self._goal_panel.update()
        self._camera.update()

    def _place(self, i: int, robot_view: RobotView) -> float:
        """Return y, m, of a robot in the scene."""
        return _APART * robot_view.reach * i

    @property
    def _has_node(self) -> bool:
        """Whether the page is about a node, be it awaited, and not only about a player."""
        return self._robot_views[0].state.responds is not None or not self._playback.visible

    @property
    def _gizmo(self) -> Gizmo | None:
        """The handle of the arm's goal; None where there is none."""
        return self._handles.named('')

    def _update_panels(self) -> None:
        """Make the panels of other joints or another arm, and hide those without use.

        Where a motion is played without any node, that is all of them but the playback.
        """
        first = self._robot_views[0]
        has_node = self._has_node
        first.is_only_played = not has_node
        if has_node != self._goal_folder.visible:
            self._readout.show(has_node)
            for widget in (self._robot, self._open, self._goal_folder, *self._solver_folders,
                           self._path_folder, self._joint_folder, self._workspace_folder):
                widget.visible = has_node
        if first.tree is None:
            return
        if self._joints is None or self._joints.is_outdated:
            if self._joints is not None:
                self._joints.close()
            with self._joint_folder:
                self._joints = JointPanel(self._server, first, self._notify, self._handles.release)
        if self._workspace is None or self._workspace.is_outdated:
            if self._workspace is not None:
                self._workspace.close()
            with self._workspace_folder:
                self._workspace = WorkspacePanel(self._server, first, self._notify)
        self._joints.update()
        self._only.visible = has_node and first.chain is not None
        self._workspace_folder.visible = self._only.visible
        self._chain.update(has_node and not first.tasks)
        self._tasks.update(has_node and not first.arm and len(self._robot_views) == 1)
        self._branches.update(has_node and first.follows_paths)
        self._steps.update(has_node and first.follows_paths)
        self._null_space.update(has_node and first.follows_paths)
        self._lessons.update(has_node and first.follows_paths)
        self._demo.update(has_node and bool(first.targets))
        self._path_folder.visible = has_node and first.follows_paths
        self._path.update()

    def _fetch_parameters(self, i: int, robot_view: RobotView) -> None:
        """Fetch a node's parameters in a thread; show its solver."""
        if robot_view.name in self._fetching or not robot_view.connection.is_there:
            return
        self._fetching.add(robot_view.name)

        def fetch() -> None:
            try:
                robot_view.fetch_parameters()
                if self._lacks_solver(i):
                    with self._solver_folders[i]:
                        self._solvers[i] = SolverPanel(self._server, robot_view, self._notify)
            except SilentError as error:
                self._notify(str(error))
            finally:
                self._fetching.discard(robot_view.name)
        start_thread(fetch, f'fetch {robot_view.name}', self._notify)

    def _lacks_solver(self, i: int) -> bool:
        """Return whether the widgets of a node's solver have to be made; another arm has none."""
        return self._solvers[i] is None and not self._robot_views[i].parameters.other_arms

    def _new_robot(self) -> None:
        """Remove the widgets of the last robot."""
        self._handles.clear()
        self._path.clear()
        for panel in (self._joints, self._workspace):
            if panel is not None:
                panel.close()
        self._joints = self._workspace = None

    def _handle_pose(self) -> np.ndarray | None:
        """Return the pose (4, 4), m, of the handle of the arm's goal; None where there is none."""
        return None if self._gizmo is None else self._gizmo.T

    def _goal(self) -> np.ndarray:
        return np.eye(4) if self._gizmo is None else self._gizmo.T

    def drag_to(self, T_scene_goal: np.ndarray, task: str = '') -> bool:
        """Act as if a handle was dragged, see `Handles.drag_to`: the arm's, or that of a task."""
        return self._handles.drag_to(T_scene_goal, task)

    def _on_drag(self, target: Target, T_frame_goal: np.ndarray) -> None:
        if self._path.draws:
            self._path.draw(self._goal())
            return
        for robot_view in self._robot_views:
            robot_view.send_goal(target, T_frame_goal, bool(self._only.value))

    def _home(self) -> None:
        if self._joints is not None:
            self._joints.drop()
        for robot_view in self._robot_views:
            try:
                robot_view.go_home()
                self._handles.release()
            except SilentError as error:
                self._notify(str(error))

    def _choose_robot(self, event: Any) -> None:
        wanted = self._gallery.get(self._robot.value)
        if event.client is None or wanted is None:
            return
        for robot_view in self._robot_views:
            try:
                robot_view.take(wanted)
            except SilentError as error:
                self._robot.value = _AS_IT_IS
                self._notify(f'{robot_view.name}: {error}')

    def _forget_choice(self) -> None:
        """Show no robot of the gallery as chosen."""
        self._robot.value = _AS_IT_IS

    def _notify_once(self, line: str) -> None:
        """Show a line about the painter, which may come with every picture, once."""
        if line not in self._notified:
            self._notified.add(line)
            self._notify(line)

    def _notify(self, line: str) -> None:
        for client in self._server.get_clients().values():
            client.add_notification('ik_node', line, auto_close_seconds=8.0)

"""The page: one or several nodes, one goal to drag, and what can be asked of them."""

import threading
import time
from typing import Any

import numpy as np
import viser

from ik_node.exceptions import IkError
from ik_node.ros.link import SilentError
from ik_node.viewer.extras import PathPanel, WorkspacePanel, add_screenshot_button
from ik_node.viewer.gallery import robots
from ik_node.viewer.gizmo import Gizmo
from ik_node.viewer.joint_panel import JointPanel
from ik_node.viewer.readout import Readout
from ik_node.viewer.solver_panel import SolverPanel
from ik_node.viewer.station import Station

_RATE = 60.0       # Hz at most, that the scene is drawn at
_TABLES = 0.1      # s between two updates of figures and sliders
_AT_REST = 1e-5    # m and parts of a matrix: the tip has not moved
_REST = 0.3        # s that it has to stay so
_APART = 1.6       # reaches between the robots of a comparison


class View:
    """Paints stations onto a page and sends them goals, until it is closed."""

    def __init__(self, server: viser.ViserServer, stations: list[Station],
                 news: threading.Event) -> None:
        """Show stations side by side; goals are dragged at the first, and go to all.

        news: set when there is something to paint.
        """
        self._server, self._stations = server, stations
        self._news, self._closed = news, threading.Event()
        self._gizmo: Gizmo | None = None
        self._returning, self._moved_at = False, 0.0
        self._arm_widgets: list[Any] = []
        self._asking: set[str] = set()  # stations that were, and answered
        server.scene.set_up_direction('+z')
        server.scene.add_grid('/grid', width=6.0, height=6.0, cell_size=0.1, section_size=1.0,
                              plane='xy', position=(0.0, 0.0, -0.001))
        gui = server.gui
        gui.main_panel.dock_right()
        self._note = gui.add_markdown('Waiting for the node …')
        self._gallery = robots()
        self._robot = gui.add_dropdown('robot', ('as it is', *self._gallery),
                                       hint='another robot for the node')
        self._robot.on_update(lambda event: self._choose_robot(event))
        with gui.add_folder('Goal'):
            self._only = gui.add_checkbox('position only', False)
            self._only.on_update(lambda _: self._show_rotations())
            gui.add_button('Home', hint='to the start pose').on_click(lambda _: self._home())
            self._readout = Readout(server, stations)
        alone = len(stations) == 1
        self._solver_folders = [gui.add_folder(
            'Solver' if alone else f'Solver: {station.name}', expand_by_default=alone)
            for station in stations]
        self._solvers: list[SolverPanel | None] = [None] * len(stations)
        with gui.add_folder('Path', expand_by_default=False):
            self._path = PathPanel(server, stations, self._goal)
        self._joint_folder = gui.add_folder('Joints', expand_by_default=False)
        self._joints: JointPanel | None = None
        self._workspace_folder = gui.add_folder('Workspace', expand_by_default=False)
        self._workspace: WorkspacePanel | None = None
        add_screenshot_button(server)

    def close(self) -> None:
        """Stop painting, and leave the graph."""
        self._closed.set()
        self._news.set()
        for station in self._stations:
            station.close()

    def run(self) -> None:
        """Paint until closed; a fault in one picture is told and does not end the next."""
        last_tables = 0.0
        while not self._closed.is_set():
            self._news.wait(_TABLES)
            self._news.clear()
            began = time.monotonic()
            try:
                self._paint()
                if began - last_tables > _TABLES:
                    last_tables = began
                    self._update_tables()
            except IkError as error:
                self._tell(str(error))
            self._closed.wait(max(0.0, began + 1.0 / _RATE - time.monotonic()))

    def _paint(self) -> None:
        for i, station in enumerate(self._stations):
            if station.paint():
                station.stand_at(_APART * station.reach * i)
                if i == 0:
                    self._new_arm(station)
        self._server.flush()  # now, not when the server next looks

    def _update_tables(self) -> None:
        lines = []
        for i, station in enumerate(self._stations):
            panel = self._solvers[i]
            if panel is None:
                self._ask(i, station)
            else:
                panel.update()
            chain = station.chain
            lines.append(f'**{station.name}**: ' + (
                'waiting for its robot …' if station.tree is None else
                station.tree.name if chain is None else
                f'{station.tree.name}, {chain.n_joints} joints from {chain.base_link} to '
                f'{chain.tip_link}') + ('' if station.parameters else ' (no node answers yet)'))
            lines += [f'⚠ {problem}' for problem in station.problems[:5]]
        text = '  \n'.join(lines)
        if text != self._note.content:
            self._note.content = text
        self._readout.update()
        if self._joints is not None:
            self._joints.update()
        first = self._stations[0]
        if self._gizmo is None and first.chain is not None and first.values:
            self._gizmo = Gizmo(self._server, '/goal', first.T_root_tip, 0.35 * first.reach,
                                self._on_drag)
            self._show_rotations()

        elif self._gizmo is not None and self._returning:
            self._return(self._gizmo, first.T_root_tip)

    def _return(self, gizmo: Gizmo, T_root_tip: np.ndarray) -> None:
        """Keep the goal at the tip until that has come to rest."""
        now = time.monotonic()
        if not np.allclose(T_root_tip, gizmo.T, atol=_AT_REST):
            gizmo.stand_at(T_root_tip)
            self._moved_at = now
        elif now - self._moved_at > _REST:
            self._returning = False

    def _show_rotations(self) -> None:
        if self._gizmo is not None:
            self._gizmo.show_rotations(not self._only.value)

    def _ask(self, i: int, station: Station) -> None:
        """Ask a node for its parameters until it answers, beside the painting; show its solver."""
        if station.name in self._asking or not station.link.is_there:
            return
        self._asking.add(station.name)

        def ask() -> None:
            try:
                station.ask()
                with self._solver_folders[i]:
                    self._solvers[i] = SolverPanel(self._server, station, self._tell)
            except SilentError as error:
                self._tell(str(error))
                self._asking.discard(station.name)
        threading.Thread(target=ask, name=f'ask {station.name}', daemon=True).start()

    def _new_arm(self, station: Station) -> None:
        """Make what belongs to one arm anew."""
        if self._gizmo is not None:
            self._gizmo.remove()
            self._gizmo = None
        self._path.clear()
        for panel in (self._joints, self._workspace):
            if panel is not None:
                panel.close()
        for folder in (self._joint_folder, self._workspace_folder):
            for widget in list(folder._children.values()):
                widget.remove()
        with self._joint_folder:
            self._joints = JointPanel(self._server, station, self._tell)
        with self._workspace_folder:
            self._workspace = WorkspacePanel(self._server, station, self._tell)
        self._look_at(station)

    def _look_at(self, station: Station) -> None:
        """Have the camera see all robots."""
        reach, count = station.reach, len(self._stations)
        middle = np.array([0.0, 0.5 * _APART * reach * (count - 1), 0.35 * reach])
        away = reach * (1.0 + 0.75 * (count - 1))
        camera = self._server.initial_camera
        aside = 0.5 if count == 1 else 0.0
        camera.position = tuple(middle + away * np.array([1.0, aside, 0.6 / count]))
        camera.look_at = tuple(middle)
        for client in self._server.get_clients().values():
            client.camera.position, client.camera.look_at = camera.position, camera.look_at

    def _goal(self) -> np.ndarray:
        return np.eye(4) if self._gizmo is None else self._gizmo.T

    def drag_to(self, T_root_goal: np.ndarray) -> None:
        """Do what dragging the goal to a pose (4, 4), m, in the root's frame does."""
        if self._gizmo is not None:
            self._gizmo.stand_at(T_root_goal)
        self._on_drag(T_root_goal)

    def _on_drag(self, T_root_goal: np.ndarray) -> None:
        self._returning = False
        if self._path.draws:
            self._path.draw(T_root_goal)
            return
        for station in self._stations:
            if station.chain is not None:
                station.send_goal(T_root_goal, bool(self._only.value))

    def _home(self) -> None:
        for station in self._stations:
            try:
                station.link.reset()
            except SilentError as error:
                self._tell(str(error))
        self._returning, self._moved_at = True, time.monotonic()

    def _choose_robot(self, event: Any) -> None:
        wanted = self._gallery.get(self._robot.value)
        if event.client is None or wanted is None:
            return
        for station in self._stations:
            station.forget()
            try:
                station.link.set_parameters(wanted)
                station.ask()
            except SilentError as error:
                self._tell(f'{station.name}: {error}')

    def _tell(self, line: str) -> None:
        for client in self._server.get_clients().values():
            client.add_notification('ik_node', line, auto_close_seconds=8.0)

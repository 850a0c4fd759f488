"""Saves and loads the scene of the page."""

import functools
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.support.exceptions import InputError
from ik_node.viewer.film import FilmButtons
from ik_node.viewer.gallery import text_parameters
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.saved_scene import SavedScene, kept_parameters, read_scene, scene_text

_FILE = 'ik_view_scene.json'
_PATIENCE = 10.0  # s until a robot is drawn, and has its handles
_PERIOD = 0.05    # s between two looks whether it is


class ScenePanel(Panel):
    """Buttons that save robot, solver, joint values, goals and view in a file, and load it."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        """Make the widgets."""
        super().__init__(page, 'Scene')
        self._loading = threading.Lock()
        with self._folder:
            self._gui.add_button(
                'Save the scene', hint='robot, solver, joint values, goals and view').on_click(
                    lambda event: self._save(event.client))
            self._gui.add_upload_button(
                'Load a scene …', hint='a file of Save the scene', mime_type='application/json'
            ).on_upload(lambda event: self._load(event.target.value, event.client))
            self._film = FilmButtons(page)

    def close(self) -> None:
        """Finish a film."""
        self._film.close()
        super().close()

    def _save(self, client: viser.ClientHandle | None) -> None:
        if client is not None:
            client.send_file_download(_FILE, scene_text(self._scene(client)).encode(),
                                      save_immediately=True)

    def _scene(self, client: viser.ClientHandle) -> SavedScene:
        """Return the present scene, as a browser sees it."""
        robot_view, values, camera = self._robot_view, self._robot_view.values, client.camera
        gizmos = {target.name: self._page.handles.named(target.name)
                  for target in robot_view.targets}
        names = () if robot_view.space is None else robot_view.space.joint_names
        return SavedScene(
            robot_view.text, robot_view.parameters.links, kept_parameters(robot_view.parameters),
            {name: values[name] for name in names if name in values},
            {name: gizmo.T for name, gizmo in gizmos.items()
             if gizmo is not None and gizmo.is_dragged},
            (tuple(map(float, camera.position)), tuple(map(float, camera.look_at))))

    def _load(self, file: viser.UploadedFile, client: viser.ClientHandle | None) -> None:
        with self._loading, errors_shown(self._notify, f'{file.name} is not loaded'):
            self._show(read_scene(file.content), client)

    def _show(self, scene: SavedScene, client: viser.ClientHandle | None) -> None:
        """Show a scene. Raises IkError with the reason of what cannot be shown."""
        robot_view = self._robot_view
        self._set(scene)
        _wait('its robot is not drawn', lambda: robot_view.text == scene.robot
              and robot_view.is_placed)
        space = robot_view.space
        if space is not None and scene.joints:
            lacking = [name for name in space.joint_names if name not in scene.joints]
            if lacking:
                raise InputError(f'it has no value of joint {lacking[0]!r}')
            if robot_view.parameters.moves_root:
                robot_view.go_home()  # the root, which a scene does not have
            robot_view.go_to([scene.joints[name] for name in space.joint_names])
        for name, T_scene_goal in scene.goals.items():
            _wait(f'there is no handle of {name or "the goal"!r}',
                  functools.partial(self._page.handles.drag_to, T_scene_goal, name))
        if client is not None and scene.camera is not None:
            self._page.camera.place(client, *map(np.array, scene.camera))

    def _set(self, scene: SavedScene) -> None:
        """Set robot and parameters; those of tasks exist once the tasks do."""
        robot_view = self._robot_view
        changed = self._changed(scene.parameters)
        if scene.robot != robot_view.text or scene.links != robot_view.parameters.links:
            robot_view.load({**changed, **text_parameters(scene.robot, *scene.links)})
            self._page.on_robot()
            changed = self._changed(scene.parameters)
        while changed:
            robot_view.connection.set_parameters(changed)
            robot_view.fetch_parameters()
            changed, before = self._changed(scene.parameters), changed
            if changed.keys() <= before.keys():
                break

    def _changed(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return those that the node has, with another value; lists of numbers in any type."""
        present = self._robot_view.parameters
        return {name: value for name, value in parameters.items() if name in present
                and not np.array_equal(np.asarray(value), np.asarray(present[name]))}


def _wait(otherwise: str, done: Callable[[], bool]) -> None:
    """Wait until something is drawn. Raises InputError where it never is."""
    deadline = time.monotonic() + _PATIENCE
    while not done():
        if time.monotonic() > deadline:
            raise InputError(otherwise)
        time.sleep(_PERIOD)

"""Saves and loads the scene of the page."""

import functools
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.support.exceptions import IkError, InputError
from ik_node.viewer.camera import Camera
from ik_node.viewer.gallery import text_parameters
from ik_node.viewer.handles import Handles
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_file import Scene, kept_parameters, read_scene, scene_text

_FILE = 'ik_view_scene.json'
_PATIENCE = 10.0  # s until a robot is drawn, and has its handles
_LOOK = 0.05      # s between two looks whether it is


class ScenePanel:
    """Buttons that save robot, solver, joint values, goals and view in a file, and load it."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView, handles: Handles,
                 camera: Camera, drag_to: Callable[[np.ndarray, str], bool],
                 notify: Callable[[str], None], on_loaded: Callable[[], None]) -> None:
        """Make the widgets.

        drag_to: called with a pose (4, 4), m, of the scene, and the name of a task, '' for the arm;
        returns whether it has a handle.
        notify: shows a line. on_loaded: called when another robot has been loaded.
        """
        self._robot_view, self._handles, self._camera = robot_view, handles, camera
        self._drag_to, self._notify, self._on_loaded = drag_to, notify, on_loaded
        self._loading = threading.Lock()
        server.gui.add_button(
            'Save the scene', hint='robot, solver, joint values, goals and view').on_click(
                lambda event: self._save(event.client))
        server.gui.add_upload_button(
            'Load a scene …', hint='a file of Save the scene', mime_type='application/json'
        ).on_upload(lambda event: self._load(event.target.value, event.client))

    def _save(self, client: viser.ClientHandle | None) -> None:
        if client is not None:
            client.send_file_download(_FILE, scene_text(self.scene(client)).encode(),
                                      save_immediately=True)

    def scene(self, client: viser.ClientHandle | None) -> Scene:
        """Return the present scene, as a browser sees it; None for without a view."""
        robot_view, values = self._robot_view, self._robot_view.values
        dragged = {target.name: gizmo for target in robot_view.targets
                   if (gizmo := self._handles.named(target.name)) is not None and gizmo.is_dragged}
        space = robot_view.space
        return Scene(
            robot_view.description, tuple(  # type: ignore[arg-type]
                robot_view.parameters.option(name) or '' for name in ('base_link', 'tip_link')),
            kept_parameters(robot_view.parameters),
            {} if space is None else {name: values[name] for name in space.joint_names
                                      if name in values},
            {name: gizmo.T for name, gizmo in dragged.items()},
            None if client is None else (tuple(map(float, client.camera.position)),
                                         tuple(map(float, client.camera.look_at))))

    def _load(self, file: viser.UploadedFile, client: viser.ClientHandle | None) -> None:
        with self._loading:
            try:
                self.load(read_scene(file.content), client)
            except IkError as error:
                self._notify(f'{file.name} is not loaded: {error}')

    def load(self, scene: Scene, client: viser.ClientHandle | None) -> None:
        """Show a scene. Raises IkError with the reason of what cannot be shown."""
        robot_view = self._robot_view
        self._set(scene)
        self._wait('its robot is not drawn', lambda: robot_view.description == scene.robot
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
            self._wait(f'there is no handle of {name or "the goal"!r}',
                       functools.partial(self._drag_to, T_scene_goal, name))
        if client is not None and scene.camera is not None:
            self._camera.place(client, *map(np.array, scene.camera))

    def _set(self, scene: Scene) -> None:
        """Set robot and parameters; those of tasks exist once the tasks do."""
        robot_view = self._robot_view
        links = tuple(robot_view.parameters.option(name) or '' for name in (
            'base_link', 'tip_link'))
        changed = self._changed(scene.parameters)
        if scene.robot != robot_view.description or scene.links != links:
            robot_view.take({**changed, **text_parameters(scene.robot, *scene.links)})
            self._on_loaded()
            changed = self._changed(scene.parameters)
        while changed:
            robot_view.connection.set_parameters(changed)
            robot_view.fetch_parameters()
            changed, before = self._changed(scene.parameters), changed
            if changed.keys() <= before.keys():
                break

    def _changed(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return those that the node has, with another value."""
        present = self._robot_view.parameters
        return {name: value for name, value in parameters.items()
                if name in present and not _same(value, present[name])}

    def _wait(self, otherwise: str, done: Callable[[], bool]) -> None:
        """Wait until something is drawn. Raises InputError where it never is."""
        deadline = time.monotonic() + _PATIENCE
        while not done():
            if time.monotonic() > deadline:
                raise InputError(otherwise)
            time.sleep(_LOOK)


def _same(value: Any, other: Any) -> bool:
    """Tell whether two values of a parameter are the same, lists of numbers in any type."""
    return bool(np.array_equal(np.asarray(value), np.asarray(other)))

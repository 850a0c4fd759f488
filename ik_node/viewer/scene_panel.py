"""The scene: which layers are shown, pictures and films of it, and files that keep it."""

import functools
import threading
import time
from collections.abc import Callable
from typing import Any

import imageio.v3 as iio
import numpy as np
import viser

from ik_node.control.options import model_path
from ik_node.spatial import inverse, pose_from_rpy, quaternion_from_matrix, rpy_from_matrix
from ik_node.support.exceptions import InputError
from ik_node.viewer.gallery import found_robot, robots, with_start
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.node_parameters import ARM_GOAL, Target, task_names
from ik_node.viewer.node_state import outcome_line
from ik_node.viewer.obstacle_panel import ObstaclePanel
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.path_panel import PathPanel
from ik_node.viewer.saved_scene import SavedScene, kept_parameters, read_scene, scene_text

# By layer, see `marker_scene.layer_of`: its name on the page, whether it is shown at first, a text.
_LAYERS = {
    'trail': ('trail', True, 'where the tip has been'),
    'labels': ('labels', False, 'the outcome of a goal beside it'),
    'branches': ('branches', True, 'every branch of the last goal, after ~/solve_all'),
    'manipulability': ('ellipsoid', False, 'velocities of the tip for joint velocities of norm 1'),
    'limits': ('limits', False, 'each joint between its limits, beside the robot'),
    'obstacles': ('obstacles', True, 'what the robot keeps away from; red: touched'),
    'distances': ('distances', True, 'the pairs that are nearest to contact')}
_PICTURE = 1200, 1600  # pixels, height and width
# What page.js does, since a film that the browser sends picture by picture is small and slow.
_FILM = ('<button class="ik-film" onclick="ikFilm()"><span>Record a film</span>'
         '<span>Finish the film</span></button>')
_PATIENCE = 60.0       # s until a large robot is drawn, and has its handles
_PERIOD = 0.05         # s between two looks whether it is


class LayerPanel(Panel):
    """A checkbox for each layer, and one for all triangles of the meshes."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Layers', is_expanded=True)
        with self._folder:
            self._shown = {layer: self._gui.add_checkbox(name, shown, hint=text)
                           for layer, (name, shown, text) in _LAYERS.items()}
            dark: Any = self._gui.add_checkbox('dark', False, hint='dark colours of the page')
            self._fine = self._gui.add_checkbox(
                'fine meshes', False, hint='all of their triangles, which are slow to draw without '
                'a graphics card')
        for widget in (*self._shown.values(), self._fine):
            widget.on_update(lambda _: self._apply())
        dark.on_update(lambda _: page.set_dark(bool(dark.value)))
        self._apply()

    def _refresh(self, visible: bool) -> None:
        self._shown['branches'].visible = any(
            'branches' in robot_view.markers.layers for robot_view in self._page.robot_views)

    def _apply(self) -> None:
        hidden = frozenset(layer for layer, widget in self._shown.items() if not widget.value)
        for robot_view in self._page.robot_views:
            robot_view.markers.hidden = hidden
            robot_view.is_fine = bool(self._fine.value)


def _save_picture(event: Any) -> None:
    event.client.send_file_download('ik_view.png', iio.imwrite(
        '<bytes>', event.client.get_render(*_PICTURE), extension='.png'), save_immediately=True)


class ScenePanel(Panel):
    """Buttons that save robot, solver, joints, goals, path, obstacles and view, and load them."""

    needs = 'page'

    def __init__(self, page: Page, obstacles: ObstaclePanel, path: PathPanel) -> None:
        super().__init__(page, 'Scene', is_expanded=True)
        self._obstacles, self._path = obstacles, path
        self._loading = threading.Lock()
        with self._folder:
            self._gui.add_button(
                'Save the scene', color='blue',
                hint='robot, solver, joint values, goals, path, obstacles and view').on_click(
                    lambda event: self._save(event.client))
            self._gui.add_upload_button(
                'Load a scene …', hint='a file of Save the scene', mime_type='application/json'
            ).on_upload(lambda event: self._load(event.target.value, event.client))
            self._gui.add_button('Save a picture').on_click(_save_picture)
            self._gui.add_html(_FILM)

    def _save(self, client: Any) -> None:
        with self._page.painting:  # handles are where the robot is
            scene = self._scene(client)
        client.send_file_download('ik_view_scene.json', scene_text(scene).encode(),
                                  save_immediately=True)

    def _scene(self, client: viser.ClientHandle) -> SavedScene:
        robot_view, values, camera = self._robot_view, self._robot_view.values, client.camera
        names = () if (space := robot_view.space) is None else space.joint_names
        parameters = kept_parameters(robot_view.parameters)
        if robot_view.parameters.moves_root:  # where it is, not where it was at the start
            T = robot_view.T_world_root
            parameters['root_pose'] = [*T[:3, 3].tolist(), *rpy_from_matrix(T[:3, :3])]
        # Those of tasks that nobody has dragged are what the tasks met at the start.
        parameters |= {f'{target.name}.target': _numbers(
            target, inverse(robot_view.target_frame(target)) @ T_target)
            for target in robot_view.targets
            if target.name and (all(target.freedom.axes) or target.kind == 'orientation')
            and (T_target := robot_view.target_pose(target)) is not None}
        return SavedScene(
            robot_view.text, robot_view.parameters.links, parameters,
            {name: values[name] for name in names if name in values},
            self._page.handles.dragged(),
            (tuple(map(float, camera.position)), tuple(map(float, camera.look_at))),
            dict(self._obstacles.obstacles), self._page.position_only,
            tuple(self._page.waypoints), next((name for name, one in robots().items() if one[
                'model_path'] == model_path(robot_view.parameters)), ''))

    def _load(self, file: viser.UploadedFile, client: Any) -> None:
        with errors_shown(self._notify, f'{file.name} is not loaded'):
            scene = read_scene(file.content)
            with self._page.painting:
                before = self._scene(client)
            self._put(scene, client)
            if before.robot:  # after the steps with another robot, which are forgotten
                self._page.history.record(functools.partial(self._put, before, client),
                                          functools.partial(self._put, scene, client))

    def _put(self, scene: SavedScene, client: Any) -> None:
        with self._loading:
            self._show(scene, client)

    def _show(self, scene: SavedScene, client: Any) -> None:
        """Show a scene. Raises IkError with the reason of what cannot be shown."""
        robot_view = self._robot_view
        robot_view.state.check_goals()
        self._page.check_shown()
        self._page.release()  # what is dragged is no goal of the robot in the scene
        self._page.restrict(scene.position_only)
        self._set(scene)
        _wait('its robot is not drawn', lambda: robot_view.text == scene.robot
              and robot_view.is_placed)
        self._obstacles.set_obstacles(scene.obstacles)
        _wait('its obstacles are not sent', lambda: not self._obstacles.busy)
        self._page.note_settings()  # nothing is solved again once the joints are where they were
        with self._page.painting:  # a new robot is drawn without those of the one before
            self._path.restore(list(scene.waypoints))
        space = robot_view.space
        names = space.joint_names if space is not None and scene.joints else ()
        if absent := set(names) - scene.joints.keys():
            raise InputError(f'it has no value of joint {min(absent)!r}')
        at = robot_view.parameters['root_pose']
        T_root = pose_from_rpy(at[:3], at[3:]) if robot_view.parameters.moves_root else np.eye(4)
        targets = {target.name: target for target in robot_view.targets}
        for name, T_scene_goal in scene.goals.items():
            count, T_frame = robot_view.count, robot_view.target_frame_at(
                targets.get(name, ARM_GOAL), scene.joints, T_root)
            _wait(f'there is no handle of {name or "the goal"!r}',
                  functools.partial(self._page.handles.drag_to, T_scene_goal, name, T_frame))
            _wait('the node does not solve its goals',
                  lambda count=count: robot_view.count > count)  # type: ignore[misc]
        if names:  # exactly, whatever the goals were solved to
            report = robot_view.state.report if scene.goals else None
            robot_view.go_to({name: scene.joints[name] for name in names},
                             report and outcome_line(report, np.inf), T_root)  # motion ends here
        if scene.camera is not None:
            self._page.camera.place(client, *map(np.array, scene.camera))

    def _set(self, scene: SavedScene) -> None:
        """Set robot and parameters; those of tasks exist once the tasks do."""
        robot_view = self._robot_view
        changed = self._changed(scene.parameters)
        if scene.robot != robot_view.text or scene.links != robot_view.parameters.links:
            robot = found_robot(scene.robot, scene.links, scene.gallery)
            has_arm = not task_names(scene.parameters) and not robot_view.parameters.moves_root
            robot_view.load({**(with_start(robot) if has_arm else robot), **changed})
            changed = self._changed(scene.parameters)
        while changed:
            robot_view.set_parameters(changed)
            robot_view.fetch_parameters()
            changed, before = self._changed(scene.parameters), changed
            if changed.keys() <= before.keys():
                break

    def _changed(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return those that the node has, with another value; lists of numbers in any type."""
        present = self._robot_view.parameters
        return {name: value for name, value in parameters.items() if name in present
                and not np.array_equal(np.asarray(value), np.asarray(present[name]))}


def _numbers(target: Target, T: np.ndarray) -> list[float]:
    """Return a target at a pose (4, 4), m, of its frame as the value of its parameter."""
    position = [] if target.kind == 'orientation' else T[:3, 3].tolist()
    return position + ([] if target.is_point else [*quaternion_from_matrix(T[:3, :3])])


def _wait(otherwise: str, done: Callable[[], bool]) -> None:
    """Wait until something is drawn. Raises InputError where it never is."""
    deadline = time.monotonic() + _PATIENCE
    while not done():
        if time.monotonic() > deadline:
            raise InputError(otherwise)
        time.sleep(_PERIOD)

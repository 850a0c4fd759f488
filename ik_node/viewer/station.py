"""One ik_node as the view shows it: its robot, its markers, its goals.

Messages come in the link's thread, which only keeps them; the painter's thread draws the newest.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import viser

from ik_node.exceptions import IkError
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.model.files import read_robot
from ik_node.model.tree import KinematicTree
from ik_node.ros.link import Link, Report
from ik_node.spatial import inverse
from ik_node.viewer.marker_scene import MarkerScene
from ik_node.viewer.meshes import Meshes
from ik_node.viewer.robot_scene import RobotScene

_REMEMBERED = 300  # reports


class Station:
    """A node seen: `link` to it, `tree` and `chain` once its robot is known.

    - `name`: what it is called on the page. `reports`: the last ones, the newest at the end.
    - `problems`: what of the robot cannot be shown. `values`: of its joints, rad or m.
    """

    def __init__(self, server: viser.ViserServer, name: str, changed: Callable[[], None], *,
                 namespace: str = '', target: str = 'ik_node', arm: str = '',
                 color: tuple[float, float, float] | None = None,
                 domain_id: int | None = None) -> None:
        """Listen to a node. changed: called, in any thread, when there is something to paint."""
        self.name, self.arm = name, arm
        self.tree: KinematicTree | None = None
        self.chain: Chain | None = None
        self.reports: deque[Report] = deque(maxlen=_REMEMBERED)
        self.count = 0  # of all reports
        self.problems: list[str] = []
        self.values: dict[str, float] = {}
        self.parameters: dict[str, Any] = {}
        self._server, self._changed, self._color = server, changed, color
        self._root = f'/{name}'
        self._place = server.scene.add_frame(self._root, show_axes=False)
        self._scene: RobotScene | None = None
        self._markers = MarkerScene(server, f'{self._root}/markers')
        self._lock = threading.Lock()
        self._text = self._new_text = ''
        self._new_values: Mapping[str, float] | None = None
        self._new_markers: dict[str, Any] = {}
        self._ends: dict[str, str] = {}
        self.link = Link(self, namespace, target, (arm,), domain_id)

    def close(self) -> None:
        """Leave the graph."""
        self.link.close()

    def on_description(self, text: str) -> None:
        """Take a robot as URDF text."""
        with self._lock:
            self._new_text = text
        self._changed()

    def on_joints(self, values: Mapping[str, float]) -> None:
        """Take joint values, rad or m: the newest count."""
        with self._lock:
            self._new_values = values
        self._changed()

    def on_report(self, report: Report) -> None:
        """Take what became of a goal."""
        if report.values.get('arm', '') == self.arm:
            self.reports.append(report)
            self.count += 1
            self._changed()

    def on_markers(self, message: Any) -> None:
        """Take markers."""
        with self._lock:
            self._new_markers['markers'] = message
        self._changed()

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        """Take parameters that have changed."""
        self.parameters.update(changed)
        self._changed()

    def forget(self) -> None:
        """Wait for another robot: the one there is will be replaced."""
        with self._lock:
            self._new_text = self._text = ''
            self.chain, self.values = None, {}

    def ask(self) -> None:
        """Ask the node for its parameters; where it tells no description, read its file.

        Raises SilentError where it does not answer.
        """
        self.parameters = {name: one.value for name, one in self.link.parameters().items()}
        if not self._text and not self._new_text:
            text = self._description_of_file()
            if text:
                self.on_description(text)

    def _description_of_file(self) -> str:
        """Return the robot of the node's own parameters, empty where they name none."""
        given = self.parameters
        if given.get('robot_description'):
            return str(given['robot_description'])
        file = given.get('urdf_path') or given.get('dh_path')
        if not file or not Path(file).is_file():
            return ''
        pairs = given.get('xacro_args')
        try:
            tree = read_robot(file, dict(pair.split(':=', 1) for pair in pairs)
                              if isinstance(pairs, list) else None)
        except IkError:
            return ''  # the node says itself what is wrong with it
        return tree.description

    def option(self, name: str) -> Any:
        """Return a parameter of the arm."""
        return self.parameters.get(self.option_name(name))

    def option_name(self, name: str) -> str:
        """Return what a parameter of the arm is called."""
        return f'{self.arm}.{name}' if self.arm else name

    def stand_at(self, y: float) -> None:
        """Move the whole station aside, m."""
        self._place.position = (0.0, y, 0.0)

    def paint(self) -> bool:
        """Draw what has come; return whether the robot, or its chain, is another one now."""
        with self._lock:
            text, values, self._new_values = self._new_text, self._new_values, None
            markers = self._new_markers.pop('markers', None)
        ends = {name: self.option(name) or '' for name in ('base_link', 'tip_link')}
        other = bool(text) and (text != self._text or ends != self._ends)
        if other:
            self._take_up(text, ends)
        if values is not None and self._text:
            self.values = dict(values)
        if self._scene is not None and (values is not None or other):
            self._scene.move(self.values)
        if markers is not None and self._scene is not None:
            prefix = self.parameters.get('frame_prefix') or ''
            self._markers.show(markers, {prefix + link: T for link, T in
                                         self._scene.T_root_link.items()})
        return other

    def _take_up(self, text: str, ends: dict[str, str]) -> None:
        """Draw another robot, or find another chain of it."""
        same, self._text, self._ends = text == self._text, text, ends
        try:
            if not same or self.tree is None:
                self._draw(KinematicTree.from_urdf(text))
            self.problems = list(self._scene.problems) if self._scene else []
            self.chain = self.tree.chain(  # type: ignore[union-attr]
                ends['base_link'] or None, ends['tip_link'] or None)
        except IkError as error:
            self.chain = None
            self.problems = [*self.problems, str(error)]

    def _draw(self, tree: KinematicTree) -> None:
        if self._scene is not None:
            self._scene.remove()
        self._markers.clear()
        self._scene = RobotScene(self._server, f'{self._root}/robot', tree, self._meshes(),
                                 self._color)
        self.tree, self.values = tree, {}

    def _meshes(self) -> Meshes:
        """Return a reader of meshes that looks near the robot's file."""
        meshes = Meshes()
        file = self.parameters.get('urdf_path')
        if file:
            meshes.look_near(Path(file))
        return meshes

    @property
    def reach(self) -> float:
        """How far the tip gets, m; 1 where that is not known, or without bounds."""
        far = reach(self.chain.arrays)[1] if self.chain is not None else 1.0
        return min(max(far, 0.05), 100.0) if np.isfinite(far) else 1.0

    @property
    def T_root_base(self) -> np.ndarray:
        """(4, 4), m, where the arm begins; of the posture that was drawn last."""
        return self._link_pose('base_link')

    @property
    def T_root_tip(self) -> np.ndarray:
        """(4, 4), m, where the tip is; of the posture that was drawn last."""
        return self._link_pose('tip_link')

    def _link_pose(self, end: str) -> np.ndarray:
        if self._scene is None or self.chain is None:
            return np.eye(4)
        return self._scene.T_root_link[getattr(self.chain, end)]

    def send_goal(self, T_root_goal: np.ndarray, position_only: bool) -> None:
        """Send a goal (4, 4), m, given in the root's frame."""
        self.link.send_goal(inverse(self.T_root_base) @ T_root_goal, self.arm, position_only)

    def send_path(self, waypoints: list[np.ndarray]) -> None:
        """Send waypoints, (4, 4) each, m, given in the root's frame."""
        T_base_root = inverse(self.T_root_base)
        self.link.send_path([T_base_root @ T for T in waypoints], self.arm)

    def go_to(self, posture: list[float] | str) -> None:
        """Send the arm to joint values, base to tip, rad or m, or to a pose by its name.

        The start pose is what it was before, afterwards. Raises SilentError.
        """
        name = self.option_name('start_pose')
        before = self.option('start_pose')
        self.link.set_parameters({name: posture})
        try:
            self.link.reset()
        finally:
            self.link.set_parameters({name: 'none' if before is None else before})

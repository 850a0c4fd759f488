"""The robot of a node in the scene: another one from time to time, and where its links are."""

import contextlib
from collections.abc import Mapping

import numpy as np
import viser

from ik_node.model.body import Body
from ik_node.model.tree import KinematicTree
from ik_node.support.exceptions import IkError
from ik_node.viewer.meshes import Meshes
from ik_node.viewer.robot_scene import RobotScene

_TRIANGLES = 30000  # of meshes: a processor without a graphics card draws them 10 times a second


class DrawnRobot:
    """A robot below a node of the scene, once there is one.

    Poses are in the world of its node: the frame of the root link where that is fixed.

    - `tree`; `body`: with all joints, None where none moves.
    - `values`: of its joints, rad or m. `size`: how far its links are apart at zero, m.
    """

    def __init__(self, server: viser.ViserServer, name: str,
                 color: tuple[float, float, float] | None) -> None:
        """Draw nothing yet; color: see `RobotScene`."""
        self._server, self._name, self._color = server, name, color
        self._scene: RobotScene | None = None
        self._received: dict[str, float] = {}  # joint values, of any robot
        self._is_new = False
        self._meshes, self._is_fine = Meshes(), False
        self.tree: KinematicTree | None = None
        self.body: Body | None = None
        self.values: dict[str, float] = {}
        self.size = 0.0

    def draw(self, tree: KinematicTree, meshes: Meshes) -> None:
        """Draw another robot in place of the present one."""
        self._meshes = meshes
        self._draw(tree)
        self.tree, self.body = tree, None
        self.size = float(np.ptp(_places(tree.forward()), axis=0).max())
        with contextlib.suppress(IkError):
            self.body = tree.body()

    def refine(self, is_fine: bool) -> None:
        """Draw meshes with all of their triangles, or with as many as are drawn quickly."""
        if is_fine != self._is_fine:
            self._is_fine = is_fine
            if self.tree is not None:
                self._draw(self.tree)

    def _draw(self, tree: KinematicTree) -> None:
        """Draw a tree in place of what there is."""
        if self._scene is not None:
            self._scene.remove()
        self._scene = RobotScene(self._server, self._name, tree, self._meshes, self._color,
                                 None if self._is_fine else _TRIANGLES)
        self._is_new = True

    def move(self, values: Mapping[str, float] | None, T_world_root: np.ndarray) -> None:
        """Set joint values, rad or m, None for no new ones, and the pose of the root (4, 4), m.

        Values that arrive before their robot count for it.
        """
        self._received.update(values or {})
        if self.tree is None or self._scene is None or not (
                self._is_new or values is not None
                or not np.array_equal(T_world_root, self._scene.T_world_root)):
            return
        # Each of several publishers may have some of the joints.
        self._received = {name: value for name, value in self._received.items()
                          if name in self.tree.joints or name in (values or ())}
        self.values = {name: value for name, value in self._received.items()
                       if name in self.tree.joints}
        self._scene.move(self.values, T_world_root)
        self._is_new = False

    @property
    def problems(self) -> tuple[str, ...]:
        """Messages about shapes that cannot be shown."""
        return () if self._scene is None else tuple(self._scene.problems)

    def poses(self) -> dict[str, np.ndarray]:
        """Return the pose (4, 4), m, of each link as it was drawn last."""
        scene = self._scene
        return {} if scene is None else {
            link: scene.T_world_root @ T for link, T in scene.T_root_link.items()}

    def pose(self, link: str) -> np.ndarray:
        """Return the pose (4, 4), m, of a link; the identity for an unknown one."""
        if self._scene is None or link not in self._scene.T_root_link:
            return np.eye(4)
        return self._scene.T_world_root @ self._scene.T_root_link[link]


def _places(poses: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the origins (k, 3), m, of links."""
    return np.array([T[:3, 3] for T in poses.values()])

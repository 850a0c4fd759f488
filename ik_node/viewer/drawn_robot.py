"""The robot of a node in the scene: a frame for every link, with the link's shapes."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import trimesh
import viser

from ik_node.model.body import Body
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere, Visual
from ik_node.model.stick_figure import stick_figure
from ik_node.model.tree import KinematicTree
from ik_node.spatial import inverse
from ik_node.support.exceptions import IkError
from ik_node.viewer.mesh_parts import MeshPart, is_coloured, most_each, parts_of, whole_of
from ik_node.viewer.meshes import MeshError, Meshes
from ik_node.viewer.scene_nodes import new_name, position_wxyz, rgb_bytes

_GREY = (0.72, 0.74, 0.78, 1.0)
_MOVED = 1e-7  # m and parts of a unit quaternion: less is not sent to the page
_TRIANGLES = 30000  # of meshes: a processor without a graphics card draws them 10 times a second


class RobotScene:
    """Draws a tree and moves it.

    - `problems`: messages about shapes that cannot be shown.
    - `T_root_link`: (4, 4), m, pose of each link; `T_world_root`: that of the root.
    """

    def __init__(self, server: viser.ViserServer, name: str, tree: KinematicTree, meshes: Meshes,
                 color: tuple[float, float, float] | None = None,
                 triangles: int | None = None) -> None:
        """Draw a tree below a node of the scene; color: 0 to 1, replaces that of all shapes.

        A tree without visual shapes gets simple ones along its links. Where all meshes have more
        triangles than this number, they are simplified, see `mesh_parts.simplified`.
        """
        self.tree, self.problems = tree, []  # type: tuple[KinematicTree, list[str]]
        self._server = server
        self._top = server.scene.add_frame(new_name(server, name), show_axes=False)
        self._parent = {joint.child: joint.parent for joint in tree.joints.values()}
        self._frames: dict[str, Any] = {}
        for link in tree.links:
            above = self._frames[self._parent[link]] if link in self._parent else self._top
            self._frames[link] = server.scene.add_frame(
                f'{above.name}/{link.replace("/", "|") or "|"}', show_axes=False)
        self._draw(meshes, color, triangles)
        self.T_root_link: dict[str, np.ndarray] = {}
        self.T_world_root = np.eye(4)
        self.move({})

    def _draw(self, meshes: Meshes, color: tuple[float, float, float] | None,
              triangles: int | None) -> None:
        """Draw the shapes of all links."""
        tree = self.tree
        visuals = tree.visuals or stick_figure(tree.links, tuple(tree.joints.values()))
        meshes.begin()
        shapes: list[tuple[str, Visual, list[MeshPart] | trimesh.Trimesh]] = []
        for link in tree.links:
            for i, visual in enumerate(visuals.get(link, ())):
                if color is not None:
                    visual = replace(visual, color=(*color, (visual.color or _GREY)[3]))
                try:
                    shapes.append((f'{self._frames[link].name}/visual_{i}', visual,
                                   _parts(visual, meshes)))
                except MeshError as error:
                    self.problems.append(f'{link}: {error}')
        counts = [len(part.faces) for _, _, parts in shapes if isinstance(parts, list)
                  for part in parts]
        most = max(counts, default=0) if triangles is None else most_each(counts, triangles)
        for name, visual, parts in shapes:
            try:
                if isinstance(parts, list):
                    parts = [meshes.simplified(part, most) for part in parts]
            except MeshError as error:
                assert isinstance(visual.shape, Mesh)  # nothing else has parts
                self.problems.append(f'{visual.shape.filename}: {error}')
            else:
                _draw(self._server.scene, name, visual, parts)

    def remove(self) -> None:
        """Remove the robot from the scene."""
        self._top.remove()

    def move(self, values: Mapping[str, float], T_world_root: np.ndarray | None = None) -> None:
        """Set joint values, {joint: rad or m}; unknown names are ignored.

        T_world_root: (4, 4), m, pose of the root; by default the identity.
        """
        self.T_world_root = np.eye(4) if T_world_root is None else T_world_root
        joints = self.tree.joints
        self.T_root_link = self.tree.forward({
            name: value for name, value in values.items() if name in joints and joints[name].moves})
        with self._server.atomic():
            for link, T in self.T_root_link.items():
                parent, frame = self._parent.get(link), self._frames[link]
                position, wxyz = position_wxyz((self.T_world_root if parent is None else inverse(
                    self.T_root_link[parent])) @ T)
                # Of a revolute joint's link only the orientation is sent.
                if np.abs(position - frame.position).max() > _MOVED:
                    frame.position = position
                if np.abs(wxyz - frame.wxyz).max() > _MOVED:
                    frame.wxyz = wxyz


def _parts(visual: Visual, meshes: Meshes) -> list[MeshPart] | trimesh.Trimesh:
    """Return the parts of a visual's mesh, none for other shapes; the mesh with a picture on it.

    Raises MeshError.
    """
    if not isinstance(visual.shape, Mesh):
        return []
    mesh = meshes.load(visual.shape)
    if visual.color is None and is_coloured(mesh):
        return parts_of(mesh) or mesh
    return [whole_of(mesh)]


def _draw(scene: viser.SceneApi, name: str, visual: Visual,
          parts: list[MeshPart] | trimesh.Trimesh) -> None:
    """Draw one shape."""
    place: dict[str, Any] = dict(zip(('position', 'wxyz'), position_wxyz(visual.placement)))
    look, shape = place | _look(visual.color or _GREY), visual.shape
    if isinstance(shape, Box):
        scene.add_box(name, dimensions=shape.size, **look)
    elif isinstance(shape, Cylinder):
        scene.add_cylinder(name, radius=shape.radius, height=shape.length, **look)
    elif isinstance(shape, Sphere):
        scene.add_icosphere(name, radius=shape.radius, **look)
    elif isinstance(shape, Capsule):
        _add_mesh(scene, name, trimesh.creation.capsule(shape.length, shape.radius, (24, 24)), look)
    elif isinstance(parts, trimesh.Trimesh):
        scene.add_mesh_trimesh(name, parts, **place)
    else:
        for i, part in enumerate(parts):
            _add_mesh(scene, f'{name}/part_{i}', part,
                      place | _look(part.color or visual.color or _GREY))


def _add_mesh(scene: viser.SceneApi, name: str, mesh: MeshPart | trimesh.Trimesh,
              look: dict[str, Any]) -> None:
    scene.add_mesh_simple(name, np.asarray(mesh.vertices, dtype=np.float32),
                          np.asarray(mesh.faces, dtype=np.uint32), **look)


def _look(rgba: Sequence[float]) -> dict[str, Any]:
    """Return a colour, 0 to 1 with its opacity, as arguments of viser's shapes."""
    *rgb, alpha = rgba
    return {'color': rgb_bytes(rgb), 'opacity': alpha if alpha < 1.0 else None}


class DrawnRobot:
    """A robot below a node of the scene, once there is one; another one from time to time.

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
        self._meshes, self.tree, self.body = meshes, tree, None
        self._draw()
        self.size = float(np.ptp([T[:3, 3] for T in tree.forward().values()], axis=0).max())
        with contextlib.suppress(IkError):
            self.body = tree.body()

    def refine(self, is_fine: bool) -> None:
        """Draw meshes with all of their triangles, or with as many as are drawn quickly."""
        if is_fine != self._is_fine:
            self._is_fine = is_fine
            self._draw()

    def _draw(self) -> None:
        """Draw the tree in place of what there is."""
        if self._scene is not None:
            self._scene.remove()
        if self.tree is not None:
            self._scene = RobotScene(self._server, self._name, self.tree, self._meshes,
                                     self._color, None if self._is_fine else _TRIANGLES)
            self._is_new = True

    def move(self, values: Mapping[str, float] | None, T_world_root: np.ndarray) -> None:
        """Set joint values, rad or m, None for no new ones, and the pose of the root (4, 4), m.

        Values that arrive before their robot count for it.
        """
        self._received.update(values or {})
        scene, tree = self._scene, self.tree
        if scene is None or tree is None or (values is None and not self._is_new and np.array_equal(
                T_world_root, scene.T_world_root)):
            return
        # Each of several publishers may have some of the joints.
        self._received = {name: value for name, value in self._received.items()
                          if name in tree.joints or name in (values or ())}
        self.values = {name: value for name, value in self._received.items()
                       if name in tree.joints}
        scene.move(self.values, T_world_root)
        self._is_new = False

    @property
    def problems(self) -> list[str]:
        """Messages about shapes that cannot be shown."""
        return [] if self._scene is None else self._scene.problems

    def poses(self) -> dict[str, np.ndarray]:
        """Return the pose (4, 4), m, of each link as it was drawn last."""
        scene = self._scene
        return {} if scene is None else {
            link: scene.T_world_root @ T for link, T in scene.T_root_link.items()}

    def pose(self, link: str) -> np.ndarray:
        """Return the pose (4, 4), m, of a link; the identity for an unknown one."""
        scene = self._scene
        if scene is None or link not in scene.T_root_link:
            return np.eye(4)
        return scene.T_world_root @ scene.T_root_link[link]

"""A robot in the scene: a frame for every link, with the link's shapes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import trimesh
import viser

from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere, Visual
from ik_node.model.substitutes import stick_figure
from ik_node.model.tree import KinematicTree
from ik_node.spatial import inverse
from ik_node.viewer.mesh_parts import Part, is_coloured, most_each, parts_of, whole_of
from ik_node.viewer.meshes import MeshError, Meshes
from ik_node.viewer.poses import position_wxyz
from ik_node.viewer.scene_names import new_name

_GREY = (0.72, 0.74, 0.78, 1.0)
_MOVED = 1e-7  # m and parts of a unit quaternion: less is not sent to the page


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
        name = self._top.name
        visuals = tree.visuals or stick_figure(tree.links, tuple(tree.joints.values()))
        self._parent = {joint.child: joint.parent for joint in tree.joints.values()}
        self._paths = {tree.root: f'{name}/{_clean(tree.root)}'}
        self._frames: dict[str, Any] = {}
        self._last: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for link in tree.links:
            if link in self._parent:
                self._paths[link] = f'{self._paths[self._parent[link]]}/{_clean(link)}'
            self._frames[link] = server.scene.add_frame(self._paths[link], show_axes=False)
        self._draw(visuals, meshes, color, triangles)
        self.T_root_link: dict[str, np.ndarray] = {}
        self.T_world_root = np.eye(4)
        self.move({})

    def _draw(self, visuals: Mapping[str, Sequence[Visual]], meshes: Meshes,
              color: tuple[float, float, float] | None, triangles: int | None) -> None:
        """Draw the shapes of all links."""
        meshes.begin()
        shapes: list[tuple[str, Visual, list[Part] | trimesh.Trimesh]] = []
        for link in self.tree.links:
            for i, visual in enumerate(visuals.get(link, ())):
                name = f'{self._paths[link]}/visual_{i}'
                if color is not None:
                    visual = replace(visual, color=(*color, (visual.color or _GREY)[3]))
                try:
                    shapes.append((name, visual, _parts(visual, meshes)))
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
                _draw(self._server, name, visual, parts)

    def remove(self) -> None:
        """Remove the robot from the scene."""
        self._top.remove()

    def move(self, values: Mapping[str, float], T_world_root: np.ndarray | None = None) -> None:
        """Set joint values, {joint: rad or m}; unknown names are ignored.

        T_world_root: (4, 4), m, pose of the root; by default the identity.
        """
        self.T_world_root = np.eye(4) if T_world_root is None else T_world_root
        moving = {name: value for name, value in values.items()
                  if name in self.tree.joints and self.tree.joints[name].moves}
        self.T_root_link = self.tree.forward(moving)
        with self._server.atomic():
            for link, T in self.T_root_link.items():
                parent = self._parent.get(link)
                self._place(link, (self.T_world_root if parent is None else inverse(
                    self.T_root_link[parent])) @ T)

    def _place(self, link: str, T_parent_link: np.ndarray) -> None:
        """Send what has changed: only the orientation of a revolute joint's link, for example."""
        position, wxyz = position_wxyz(T_parent_link)
        last = self._last.get(link)
        if last is None or np.abs(position - last[0]).max() > _MOVED:
            self._frames[link].position = position
        else:
            position = last[0]
        if last is None or np.abs(wxyz - last[1]).max() > _MOVED:
            self._frames[link].wxyz = wxyz
        else:
            wxyz = last[1]
        self._last[link] = position, wxyz


def _parts(visual: Visual, meshes: Meshes) -> list[Part] | trimesh.Trimesh:
    """Return the parts of a visual's mesh, none for other shapes; the mesh with a picture on it.

    Raises MeshError.
    """
    if not isinstance(visual.shape, Mesh):
        return []
    mesh = meshes.load(visual.shape)
    if visual.color is None and is_coloured(mesh):
        return parts_of(mesh) or mesh
    return [whole_of(mesh)]


def _draw(server: viser.ViserServer, name: str, visual: Visual,
          parts: list[Part] | trimesh.Trimesh) -> None:
    """Draw one shape."""
    position, wxyz = position_wxyz(visual.placement)
    place: dict[str, Any] = {'position': position, 'wxyz': wxyz}
    look = place | _look(visual.color or _GREY)
    shape = visual.shape
    if isinstance(shape, Box):
        server.scene.add_box(name, dimensions=shape.size, **look)
    elif isinstance(shape, Cylinder):
        server.scene.add_cylinder(name, radius=shape.radius, height=shape.length, **look)
    elif isinstance(shape, Sphere):
        server.scene.add_icosphere(name, radius=shape.radius, **look)
    elif isinstance(shape, Capsule):
        capsule = trimesh.creation.capsule(shape.length, shape.radius, count=(24, 24))
        server.scene.add_mesh_simple(name, np.asarray(capsule.vertices, dtype=np.float32),
                                     np.asarray(capsule.faces, dtype=np.uint32), **look)
    elif isinstance(parts, trimesh.Trimesh):
        server.scene.add_mesh_trimesh(name, parts, **place)
    else:
        for i, part in enumerate(parts):
            server.scene.add_mesh_simple(
                f'{name}/part_{i}', np.asarray(part.vertices, dtype=np.float32),
                np.asarray(part.faces, dtype=np.uint32),
                **place, **_look(part.color or visual.color or _GREY))


def _look(rgba: Sequence[float]) -> dict[str, Any]:
    """Return a colour, 0 to 1 with its opacity, as arguments of viser's shapes."""
    *rgb, alpha = rgba
    return {'color': _bytes(rgb), 'opacity': alpha if alpha < 1.0 else None}


def _bytes(color: Any) -> tuple[int, int, int]:
    red, green, blue = (round(255 * min(max(float(part), 0.0), 1.0)) for part in color)
    return red, green, blue


def _clean(link: str) -> str:
    """Return a link's name as one step in the scene's tree."""
    return link.replace('/', '|') or '|'

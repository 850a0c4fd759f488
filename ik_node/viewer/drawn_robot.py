"""The robot of a node in the scene: a frame for every link, with the link's shapes."""

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import trimesh
import viser

from ik_node.model import mesh_parts
from ik_node.model.body import Body
from ik_node.model.geometry import Box, Cylinder, Mesh, Sphere, Visual
from ik_node.model.mesh_parts import MeshPart, whole_of
from ik_node.model.meshes import MeshError, Meshes
from ik_node.model.substitutes import stick_figure
from ik_node.model.tree import KinematicTree
from ik_node.spatial import inverse
from ik_node.support.exceptions import IkError
from ik_node.viewer.scene_nodes import box_corners, new_name, position_wxyz, rgb_bytes

_GREY = (0.72, 0.74, 0.78, 1.0)
_MOVED = 1e-7  # m and parts of a unit quaternion: less is not sent to the page
_GLIDE = 0.3  # s that a robot at rest takes, as it is drawn, to joint values that are
_FAR = 0.1    # rad or m away, so that one sees how it gets there
_TRIANGLES = 15000  # of meshes: a processor without a graphics card draws them 10 times a second


class DrawnRobot:
    """A robot below a node of the scene, once there is one; another one from time to time.

    Poses are in the world of its node: the frame of the root link where that is fixed.

    - `color`: 0 to 1, in place of that of all shapes, None for theirs.
    - `tree`; `body`: with all joints, None where none moves.
    - `values`: of its joints, rad or m. `glides`: whether it is drawn on its path to them.
    - `size`, `bottom`: at zero, how far its links are apart, and the z of the lowest shape, m.
    - `mesh_errors`: messages about shapes that cannot be shown.
    """

    def __init__(self, server: viser.ViserServer, name: str,
                 color: tuple[float, float, float] | None = None,
                 triangles: int = _TRIANGLES) -> None:
        """Draw nothing yet; color: 0 to 1, replaces that of all shapes.

        triangles: where all meshes have more, they are simplified, see `mesh_parts.simplified`.
        """
        self._server, self._node, self.color, self._most = server, name, color, triangles
        self._top: Any = None
        self._frames: dict[str, Any] = {}
        self._parents: dict[str, str] = {}
        self._T_root_link: dict[str, np.ndarray] = {}
        self._corners: dict[str, np.ndarray] = {}  # around the shapes of a link, in its frame
        self._T_drawn_root = np.eye(4)  # in the world
        self._sticks: dict[str, tuple[Visual, ...]] = {}  # simple shapes along its links
        self._received: dict[str, float] = {}  # joint values, of any robot
        self._is_new = self._is_fine = False
        self._start: tuple[float, dict[str, float]] = 0.0, {}  # when it moved last, s, from where
        self.glides = False
        self._meshes = Meshes()
        self.tree: KinematicTree | None = None
        self.body: Body | None = None
        self.values: dict[str, float] = {}
        self.size = self.bottom = 0.0
        self.mesh_errors: list[str] = []

    def draw(self, tree: KinematicTree, meshes: Meshes) -> None:
        """Draw another robot in place of the present one, with all joints at zero.

        A tree without visual shapes gets simple ones along its links.
        """
        self._meshes, self.tree, self.body, self.glides = meshes, tree, None, False
        self._T_root_link, self._T_drawn_root = tree.forward(), np.eye(4)
        self._sticks = stick_figure(tree.links, tuple(tree.joints.values()))
        self._parents = {joint.child: joint.parent for joint in tree.joints.values()}
        origins = np.array([T[:3, 3] for T in self._T_root_link.values()])
        self.size = float(np.ptp(origins, axis=0).max())
        with contextlib.suppress(IkError):
            self.body = tree.body()
        self._draw(tree)
        self.bottom = float(self.corners()[:, 2].min())

    def refine(self, is_fine: bool) -> None:
        """Draw meshes with all of their triangles, or with as many as are drawn quickly."""
        if is_fine != self._is_fine:
            self._is_fine = is_fine
            if self.tree is not None:
                self._draw(self.tree)

    def remove(self) -> None:
        """Remove the robot from the scene."""
        if self._top is not None:
            self._top.remove()

    def _draw(self, tree: KinematicTree) -> None:
        """Draw a tree in place of what there is."""
        self.remove()
        scene = self._server.scene
        self._top = scene.add_frame(new_name(self._server, self._node), show_axes=False)
        self._frames, self.mesh_errors, self._is_new = {}, [], True
        for link in tree.links:
            above = self._frames[self._parents[link]] if link in self._parents else self._top
            self._frames[link] = scene.add_frame(
                f'{above.name}/{link.replace("/", "|") or "|"}', show_axes=False)
        self._draw_shapes(tree.visuals or self._sticks)
        self._place_links()

    def _draw_shapes(self, visuals: Mapping[str, Sequence[Visual]]) -> None:
        meshes, self._corners = self._meshes, {}
        meshes.begin()
        shapes: list[tuple[str, str, Visual, list[MeshPart] | trimesh.Trimesh]] = []
        for link, frame in self._frames.items():
            for i, visual in enumerate(visuals.get(link, ())):
                if self.color is not None:
                    visual = replace(visual, color=(*self.color, (visual.color or _GREY)[3]))
                try:
                    shapes.append((link, f'{frame.name}/visual_{i}', visual,
                                   _parts(visual, meshes)))
                except MeshError as error:
                    self.mesh_errors.append(f'{link}: {error}')
        counts = [len(part.faces) for *_, parts in shapes if isinstance(parts, list)
                  for part in parts]
        most = max(counts, default=0) if self._is_fine else mesh_parts.most_each(counts, self._most)
        for link, name, visual, parts in shapes:
            try:
                if isinstance(parts, list):
                    parts = [meshes.simplified(part, most) for part in parts]
            except MeshError as error:
                name = getattr(visual.shape, 'filename', link)
                self.mesh_errors.append(f'{name}: {error}')
            else:
                _draw(self._server.scene, name, visual, parts)
                self._corners[link] = np.concatenate([
                    self._corners.get(link, np.zeros((0, 3))), _corners(visual, parts)])
        lacking = visuals.keys() - {link for link, *_ in shapes}
        for link in lacking:  # a stand-in, so that the robot has no hole
            for i, visual in enumerate(self._sticks.get(link, ())):
                _draw(self._server.scene, f'{self._frames[link].name}/stand_in_{i}',
                      replace(visual, color=_GREY), _parts(visual, meshes))

    def move(self, values: Mapping[str, float] | None, T_world_root: np.ndarray,
             may_glide: bool = False) -> None:
        """Set joint values, rad or m, None for no new ones, and the pose of the root (4, 4), m.

        Values that arrive before their robot count for it; unknown names are ignored. may_glide:
        whether this is called again and again, so that the robot is drawn on its path.
        """
        self._received.update(values or {})
        at_root = np.array_equal(T_world_root, self._T_drawn_root)
        if self.tree is None or (values is None and not self._is_new and at_root):
            if self.glides:
                self._place_links()
            return
        joints = self.tree.joints
        # Each of several publishers may have some of the joints.
        self._received = {name: value for name, value in self._received.items()
                          if name in joints or name in (values or ())}
        before, now = self.values, time.monotonic()
        self.values = {name: value for name, value in self._received.items() if name in joints}
        if self.values != before:
            rests = at_root and not self._is_new and now - self._start[0] > _GLIDE
            self.glides = may_glide and rests and any(
                abs(value - before.get(name, value)) > _FAR for name, value in self.values.items())
            self._start = now, before
        self._T_drawn_root, self._is_new = T_world_root, False
        self._T_root_link = self._forward(self.tree, self.values)
        self._place_links()

    def _forward(self, tree: KinematicTree, values: Mapping[str, float]) -> dict[str, np.ndarray]:
        return tree.forward({name: value for name, value in values.items()
                             if tree.joints[name].moves and tree.joints[name].mimic is None})

    def _place_links(self) -> None:
        """Send what has changed: only the orientation of a revolute joint's link, for example."""
        poses, (began, start) = self._T_root_link, self._start
        share = (time.monotonic() - began) / _GLIDE
        self.glides &= share < 1.0
        if self.glides and self.tree is not None:
            share *= share * (3.0 - 2.0 * share)  # it starts and ends at rest
            poses = self._forward(self.tree, {
                name: value + (1.0 - share) * (start.get(name, value) - value)
                for name, value in self.values.items()})
        with self._server.atomic():
            for link, T in poses.items():
                parent, frame = self._parents.get(link), self._frames[link]
                position, wxyz = position_wxyz(
                    (self._T_drawn_root if parent is None else inverse(poses[parent])) @ T)
                if np.abs(position - frame.position).max() > _MOVED:
                    frame.position = position
                if np.abs(wxyz - frame.wxyz).max() > _MOVED:
                    frame.wxyz = wxyz

    def poses(self) -> dict[str, np.ndarray]:
        """Return the pose (4, 4), m, of each link as it was drawn last."""
        return {link: self._T_drawn_root @ T for link, T in self._T_root_link.items()}

    def corners(self, of_shapes: bool = False) -> np.ndarray:
        """Return points (k, 3), m, around the links as they were drawn last.

        of_shapes: only the corners of the boxes around shapes, 8 each.
        """
        return np.concatenate([
            self._corners.get(link, np.zeros((0 if of_shapes else 1, 3))) @ T[:3, :3].T + T[:3, 3]
            for link, T in self.poses().items()] or [np.zeros((0, 3))])

    def pose(self, link: str) -> np.ndarray:
        """Return the pose (4, 4), m, of a link; the identity for an unknown one."""
        T_root_link = self._T_root_link.get(link)
        return np.eye(4) if T_root_link is None else self._T_drawn_root @ T_root_link


def _parts(visual: Visual, meshes: Meshes) -> list[MeshPart] | trimesh.Trimesh:
    """Return the parts of a visual's shape; the mesh itself where it has a picture on it.

    Raises MeshError.
    """
    shape = visual.shape
    if isinstance(shape, Mesh):
        mesh = meshes.load(shape)
        if visual.color is not None:
            return [whole_of(mesh)]
        return mesh_parts.parts_of(mesh) or mesh  # the whole where it has no colour
    if isinstance(shape, Box):
        solid = trimesh.creation.box(shape.size)
    elif isinstance(shape, Sphere):
        solid = trimesh.creation.icosphere(subdivisions=2, radius=shape.radius)
    elif isinstance(shape, Cylinder):
        solid = trimesh.creation.cylinder(shape.radius, shape.length)
    else:
        solid = trimesh.creation.capsule(shape.length, shape.radius, (24, 24))
    return [whole_of(mesh_parts.with_edges(solid))]


def _corners(visual: Visual, parts: list[MeshPart] | trimesh.Trimesh) -> np.ndarray:
    """Return the corners (8, 3), m, of a box around a shape in the frame of its link."""
    points = np.concatenate([part.vertices for part in (
        parts if isinstance(parts, list) else [parts])])
    corners = box_corners(points.min(axis=0), points.max(axis=0))
    return corners @ visual.placement[:3, :3].T + visual.placement[:3, 3]


def _draw(scene: viser.SceneApi, name: str, visual: Visual,
          parts: list[MeshPart] | trimesh.Trimesh) -> None:
    position, wxyz = position_wxyz(visual.placement)
    if isinstance(parts, trimesh.Trimesh):
        scene.add_mesh_trimesh(name, parts, position=position, wxyz=wxyz)
        return
    for i, part in enumerate(parts):
        *rgb, alpha = part.color or visual.color or _GREY
        scene.add_mesh_simple(
            f'{name}_{i}', part.vertices.astype(np.float32), part.faces.astype(np.uint32),
            color=rgb_bytes(rgb), opacity=alpha if alpha < 1.0 else None, position=position,
            wxyz=wxyz)

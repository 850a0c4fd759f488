"""Draws the markers of a visualization_msgs/MarkerArray in the scene."""

import contextlib
import time
from collections.abc import Callable
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import trimesh
import viser
from visualization_msgs.msg import Marker

from ik_node.model.geometry import Mesh
from ik_node.model.mesh_parts import MeshPart
from ik_node.model.mesh_reader import MeshError
from ik_node.ros.publishing.markers.task_markers import OF_TARGET
from ik_node.viewer.scene_nodes import BOX, add_solids, matrix, position_wxyz, rgb_bytes

_SOLID = 500  # largest list whose members are drawn as solids; longer ones are drawn as points
_WITH_TEXT = 'limits', 'distances'  # layers whose texts are part of them
_LETTERS_A_LINE, _LINES = 60, 3  # of texts that are wrapped
_BALL = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
_LOOKS = [field for field in Marker.get_fields_and_field_types()
          if field not in ('header', 'pose', 'lifetime')]  # all but where a marker is, and when
_UPRIGHT, _TURNED = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)


def layer_of(marker: Marker) -> str:
    """Return the layer of a marker: the last part of its namespace; the texts of goals: labels.

    The text of the state, which the panel shows, too, is above the limits and belongs to them.
    """
    last = str(marker.ns).rsplit('/', 1)[-1]
    if last == 'status':
        return 'limits'
    return 'labels' if marker.type == Marker.TEXT_VIEW_FACING and last not in _WITH_TEXT else last


class _Shown(NamedTuple):
    handle: Any    # None in a hidden layer
    end: float     # of its lifetime, s
    marker: Marker
    T: np.ndarray  # (4, 4), m; viser does not take changes of a hundred-thousandth


class MarkerScene:
    """Draws markers below a node of the scene, each until it is deleted or its lifetime ends.

    - `hidden`: the layers that are not drawn, see `layer_of`.
    - `covered`: namespaces of goals whose targets are not drawn: handles are in their places.
    """

    def __init__(self, server: viser.ViserServer, name: str,
                 load: Callable[[Mesh], MeshPart]) -> None:
        """Draw nothing yet. name: the node, in which the frame of the markers is placed.

        load: reads a mesh, or raises MeshError.
        """
        self._server, self._name, self._load = server, name, load
        self._shown: dict[tuple[str, int], _Shown] = {}
        self._frames: dict[str, np.ndarray] = {}  # the last
        self.hidden: frozenset[str] = frozenset()
        self.covered: frozenset[str] = frozenset()
        self._left_out = self.hidden, self.covered  # when markers were drawn last

    def show(self, message: Any, frames: dict[str, np.ndarray]) -> None:
        """Apply a MarkerArray. frames: T_scene_frame (4, 4), m, by frame."""
        now, self._frames = time.monotonic(), frames
        self.refresh()
        for marker in message.markers:
            key = marker.ns, marker.id
            if marker.action == Marker.DELETEALL:
                self.clear()
            elif marker.action == Marker.DELETE:
                self._remove(key)
            elif marker.action == Marker.ADD and marker.header.frame_id in frames:
                seconds = marker.lifetime.sec + 1e-9 * marker.lifetime.nanosec
                self._add(key, marker, now + seconds if seconds > 0.0 else np.inf)
        for key in [key for key, shown in self._shown.items() if shown.end < now]:
            self._remove(key)

    def follow(self, frames: dict[str, np.ndarray]) -> None:
        """Let the markers that are locked to a frame be where that is now."""
        self._frames = frames
        for key, shown in list(self._shown.items()):
            if shown.marker.frame_locked and shown.marker.header.frame_id in frames:
                self._move(key, shown)

    def _move(self, key: tuple[str, int], shown: _Shown) -> None:
        """Let a marker be where its frame is now."""
        self._shown[key] = shown = shown._replace(T=self._T_scene(shown.marker))
        if shown.handle is not None:
            shown.handle.position, shown.handle.wxyz = position_wxyz(shown.T)

    def _T_scene(self, marker: Marker) -> np.ndarray:
        p, q = marker.pose.position, marker.pose.orientation
        return self._frames[marker.header.frame_id] @ matrix(
            (p.x, p.y, p.z), (q.w or 1e-12, q.x, q.y, q.z))

    def _add(self, key: tuple[str, int], marker: Marker, end: float) -> None:
        """Draw a marker of a layer that is shown, or move it if it looks as before."""
        shown, is_hidden = self._shown.get(key), self._is_hidden(marker)
        if shown is not None and (shown.marker is marker or all(
                getattr(shown.marker, field) == getattr(marker, field) for field in _LOOKS)):
            self._move(key, shown._replace(end=end, marker=marker))
            return
        T, handle = self._T_scene(marker), None
        if not is_hidden:
            handle = self._draw(f'{self._name}/{key[0]}_{key[1]}', marker, T)
            if handle is not None and (shown is None or shown.handle is None):
                self._send_pose(handle)
        if is_hidden or handle is not None:
            self._shown[key] = _Shown(handle, end, marker, T)

    def refresh(self) -> None:
        """Draw the markers of layers that are shown again, and remove those of hidden ones."""
        if (self.hidden, self.covered) == self._left_out:
            return
        self._left_out = self.hidden, self.covered
        for key, (handle, end, marker, _) in list(self._shown.items()):
            if self._is_hidden(marker) == (handle is not None) and (
                    marker.header.frame_id in self._frames):
                self._remove(key)
                self._add(key, marker, end)

    def pose(self, key: tuple[str, int]) -> np.ndarray | None:
        """Return the pose (4, 4), m, of a marker by its namespace and id; None for no such one."""
        shown = self._shown.get(key)
        return None if shown is None else shown.T.copy()

    def _is_hidden(self, marker: Marker) -> bool:
        hidden, covered = self._left_out
        return (layer := layer_of(marker)) in hidden or (
            layer == 'goal' and marker.ns in covered and marker.id < OF_TARGET)

    @property
    def layers(self) -> set[str]:
        """The layers of all markers, hidden ones as well."""
        return {layer_of(shown.marker) for shown in self._shown.values()}

    def clear(self) -> None:
        """Remove all markers from the scene."""
        for key in list(self._shown):
            self._remove(key)

    def _send_pose(self, handle: Any) -> None:
        """Send the pose of a node that may just have been removed; see `new_name`.

        viser sends only values that differ from the last, and of several the newest.
        """
        position, wxyz = handle.position.copy(), handle.wxyz.copy()
        other = np.array(_TURNED if abs(wxyz[0]) > abs(wxyz[1]) else _UPRIGHT)
        with self._server.atomic():
            handle.position, handle.wxyz = position + 1.0, other
            handle.position, handle.wxyz = position, wxyz

    def _remove(self, key: tuple[str, int]) -> None:
        shown = self._shown.pop(key, None)
        if shown is not None and shown.handle is not None:
            shown.handle.remove()

    def _draw(self, name: str, marker: Marker, T: np.ndarray) -> Any:
        """Draw a marker at a pose (4, 4), m; return its handle, None for a kind that nodes lack."""
        size = marker.scale
        sizes = size.x, size.y, size.z
        position, wxyz = position_wxyz(T)
        scene: Any = self._server.scene
        placed = {'position': position, 'wxyz': wxyz}
        color, alpha = _rgb(marker.color), marker.color.a
        look = {'color': color, 'opacity': alpha if alpha < 1.0 else None, **placed}
        points = np.array([(v.x, v.y, v.z) for v in marker.points]).reshape(-1, 3)
        colors: Any = np.array([_rgb(c) for c in marker.colors], dtype=np.uint8)
        if len(colors) != len(points):
            colors = color
        if marker.type == Marker.TEXT_VIEW_FACING:
            text, anchor = _wrapped(marker.text)
            return scene.add_label(name, text, position=position, anchor=anchor)
        if marker.type == Marker.MESH_RESOURCE:
            with contextlib.suppress(MeshError):
                mesh = self._load(Mesh(marker.mesh_resource, sizes))
                return scene.add_mesh_simple(
                    name, np.asarray(mesh.vertices), np.asarray(mesh.faces), **look)
            return None
        if marker.type == Marker.CUBE:
            return scene.add_box(name, dimensions=sizes, **look)
        if marker.type == Marker.SPHERE:
            return scene.add_icosphere(name, radius=0.5, scale=sizes, **look)
        if marker.type == Marker.CYLINDER:
            return scene.add_cylinder(name, radius=0.5, height=1.0, scale=sizes, **look)
        if marker.type == Marker.ARROW and len(points) == 2:
            return scene.add_arrows(name, points[None], np.array(color), shaft_radius=0.5 * size.x,
                                    head_radius=size.x, head_length=2.0 * size.x, **placed)
        if marker.type in (Marker.LINE_STRIP, Marker.LINE_LIST) and len(points) > 1:
            shades = np.array(color, np.uint8) if colors is color else _ends(marker, colors)
            return scene.add_line_segments(name, _ends(marker, points), shades, thickness=2.0,
                                           thickness_units='screen', **placed)
        if marker.type in (Marker.CUBE_LIST, Marker.SPHERE_LIST) and len(points):
            shape, dot = (BOX, 'square') if marker.type == Marker.CUBE_LIST else (_BALL, 'circle')
            return add_solids(self._server, name, shape, points, sizes, colors,
                              opacity=look['opacity'], **placed) if len(points) <= _SOLID else (
                scene.add_point_cloud(name, points, colors, point_size=size.x, point_shape=dot,
                                      **placed))
        return None


def _ends(marker: Marker, values: np.ndarray) -> np.ndarray:
    """Return the values (k, 3) of points at the ends of the lines of a marker (m, 2, 3)."""
    if marker.type == Marker.LINE_STRIP:
        return np.stack([values[:-1], values[1:]], axis=1)
    return values[:len(values) // 2 * 2].reshape(-1, 2, 3)


def _wrapped(text: str) -> tuple[str, str]:
    """Return a text with long lines wrapped, and limited in number, and the anchor of its label."""
    lines = [part for line in text.splitlines() for part in wrap(line, _LETTERS_A_LINE)]
    if len(lines) <= len(text.splitlines()):
        return text, 'top-left'
    return '\n'.join([*lines[:_LINES], *(['…'] if len(lines) > _LINES else [])]), 'bottom-left'


def _rgb(color: Any) -> tuple[int, int, int]:
    return rgb_bytes((color.r, color.g, color.b))

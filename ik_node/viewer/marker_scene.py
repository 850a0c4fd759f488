"""Draws the markers of a visualization_msgs/MarkerArray in the scene."""

import time
from textwrap import wrap
from typing import Any

import numpy as np
import trimesh
import viser

from ik_node.viewer.scene_nodes import matrix, position_wxyz

# visualization_msgs/Marker: its types and actions.
_ARROW, _CUBE, _SPHERE, _CYLINDER, _LINE_STRIP, _LINE_LIST = range(6)
_CUBE_LIST, _SPHERE_LIST, _POINTS, _TEXT = 6, 7, 8, 9
_TRIANGLE_LIST = 11
_ADD, _DELETE, _DELETE_ALL = 0, 2, 3

_SOLID = 500  # largest list whose members are drawn as solids; longer ones are drawn as points
_LETTERS_A_LINE, _LINES = 60, 3  # of texts that are wrapped
_BOX = trimesh.creation.box((1.0, 1.0, 1.0))
_BALL = trimesh.creation.icosphere(subdivisions=2, radius=0.5)


def layer_of(marker: Any) -> str:
    """Return the layer of a marker: the last part of its namespace; the texts of goals: labels.

    The text of the state, which the panel shows, too, is above the limits and belongs to them.
    """
    last = str(marker.ns).rsplit('/', 1)[-1]
    if last == 'status':
        return 'limits'
    return 'labels' if marker.type == _TEXT and last != 'limits' else last


class MarkerScene:
    """Draws markers below a node of the scene, each until it is deleted or its lifetime ends.

    - `hidden`: the layers that are not drawn, see `layer_of`.
    """

    def __init__(self, server: viser.ViserServer, name: str) -> None:
        """Draw nothing yet. name: the node, in which the frame of the markers is placed."""
        self._server, self._name = server, name
        # Handles, None in a hidden layer, ends of their lifetimes, and messages.
        self._shown: dict[tuple[str, int], tuple[Any, float, Any]] = {}
        self._frames: dict[str, np.ndarray] = {}  # the last
        self.hidden: frozenset[str] = frozenset()
        self._hidden = self.hidden  # when markers were drawn last

    def show(self, message: Any, frames: dict[str, np.ndarray]) -> None:
        """Apply a MarkerArray. frames: T_scene_frame (4, 4), m, by frame."""
        now, self._frames = time.monotonic(), frames
        self.refresh()
        for marker in message.markers:
            key = marker.ns, marker.id
            if marker.action == _DELETE_ALL:
                self.clear()
            elif marker.action == _DELETE:
                self._remove(key)
            elif marker.action == _ADD and marker.header.frame_id in frames:
                shown = self._shown.get(key)
                seconds = marker.lifetime.sec + 1e-9 * marker.lifetime.nanosec
                ends = now + seconds if seconds > 0.0 else np.inf
                if shown is not None and shown[2] == marker:  # the page has it already
                    self._shown[key] = shown[0], ends, marker
                    continue
                if layer_of(marker) in self._hidden:
                    self._shown[key] = None, ends, marker
                    continue
                handle = self._draw_as(key, marker)
                if handle is not None:
                    self._shown[key] = handle, ends, marker
        for key in [key for key, (_, ends, _) in self._shown.items() if ends < now]:
            self._remove(key)

    def refresh(self) -> None:
        """Draw the markers of layers that are shown again, and remove those of hidden ones."""
        if self.hidden == self._hidden:
            return
        self._hidden = self.hidden
        for key, (handle, ends, marker) in list(self._shown.items()):
            hidden = layer_of(marker) in self._hidden
            if hidden and handle is not None:
                handle.remove()
                self._shown[key] = None, ends, marker
            elif not hidden and handle is None and marker.header.frame_id in self._frames:
                self._shown[key] = self._draw_as(key, marker), ends, marker

    def _draw_as(self, key: tuple[str, int], marker: Any) -> Any:
        """Draw a marker, or draw it again; return its handle, None for a kind not drawn here."""
        before = self._shown.get(key)
        handle = self._draw(f'{self._name}/{key[0]}_{key[1]}', marker,
                            self._frames[marker.header.frame_id])
        if handle is not None and (before is None or before[0] is None):
            self._send_pose(handle)
        return handle

    def pose(self, key: tuple[str, int]) -> np.ndarray | None:
        """Return the pose (4, 4), m, of a marker by its namespace and id; None where not drawn."""
        handle = self._shown[key][0] if key in self._shown else None
        return None if handle is None else matrix(handle.position, handle.wxyz)

    def clear(self) -> None:
        """Remove all markers from the scene."""
        for key in list(self._shown):
            self._remove(key)

    def _send_pose(self, handle: Any) -> None:
        """Send the pose of a node that may just have been removed; see `new_name`.

        viser sends only values that differ from the last, and of several the newest.
        """
        position, wxyz = handle.position.copy(), handle.wxyz.copy()
        with self._server.atomic():
            handle.position, handle.wxyz = position + 1.0, _another(wxyz)
            handle.position, handle.wxyz = position, wxyz

    def _remove(self, key: tuple[str, int]) -> None:
        handle = self._shown.pop(key)[0] if key in self._shown else None
        if handle is not None:
            handle.remove()

    def _draw(self, name: str, marker: Any, T_scene_frame: np.ndarray) -> Any:
        """Draw one marker; return its handle, None for a kind that is not drawn here."""
        p, q, size = marker.pose.position, marker.pose.orientation, marker.scale
        T = T_scene_frame @ matrix((p.x, p.y, p.z), (q.w or 1e-12, q.x, q.y, q.z))
        position, wxyz = position_wxyz(T)
        scene: Any = self._server.scene
        placed = {'position': position, 'wxyz': wxyz}
        color, alpha = _rgb(marker.color), marker.color.a
        look = {'color': color, 'opacity': alpha if alpha < 1.0 else None}
        points = np.array([(v.x, v.y, v.z) for v in marker.points]).reshape(-1, 3)
        colors = np.array([_rgb(c) for c in marker.colors], dtype=np.uint8).reshape(-1, 3)
        if marker.type == _TEXT:
            text, anchor = _wrapped(marker.text)
            return scene.add_label(name, text, position=position, anchor=anchor)
        if marker.type == _CUBE:
            return scene.add_box(name, dimensions=(size.x, size.y, size.z), **look, **placed)
        if marker.type == _SPHERE:
            return scene.add_icosphere(name, radius=0.5, scale=(size.x, size.y, size.z), **look,
                                       **placed)
        if marker.type == _CYLINDER:
            return scene.add_cylinder(name, radius=0.5, height=1.0,
                                      scale=(size.x, size.y, size.z), **look, **placed)
        if marker.type == _ARROW:
            ends = points if len(points) == 2 else np.array([(0.0, 0.0, 0.0), (size.x, 0.0, 0.0)])
            width = size.x if len(points) == 2 else size.y
            # In the scene's own frame: the page draws arrows without regard to their pose.
            return scene.add_arrows(name, (ends @ T[:3, :3].T + position)[None], np.array(color),
                                    shaft_radius=0.5 * width, head_radius=width,
                                    head_length=2.0 * width)
        if marker.type in (_LINE_STRIP, _LINE_LIST) and len(points) > 1:
            return self._lines(name, marker, points, colors, color, placed)
        if marker.type in (_CUBE_LIST, _SPHERE_LIST) and 0 < len(points) <= _SOLID:
            shape = _BOX if marker.type == _CUBE_LIST else _BALL
            return scene.add_batched_meshes_simple(
                name, np.asarray(shape.vertices), np.asarray(shape.faces),
                batched_wxyzs=np.tile((1.0, 0.0, 0.0, 0.0), (len(points), 1)),
                batched_positions=points, batched_scales=np.tile(
                    (size.x, size.y, size.z), (len(points), 1)),
                batched_colors=colors if len(colors) == len(points) else color,
                opacity=look['opacity'], flat_shading=shape is _BOX, lod='off', **placed)
        if marker.type in (_CUBE_LIST, _SPHERE_LIST, _POINTS) and len(points):
            return scene.add_point_cloud(
                name, points, colors if len(colors) == len(points) else color,
                point_size=size.x, point_shape='square' if marker.type == _CUBE_LIST else 'circle',
                **placed)
        if marker.type == _TRIANGLE_LIST and len(points) > 2:
            return scene.add_mesh_simple(name, points, np.arange(len(points)).reshape(-1, 3),
                                         side='double', **look, **placed)
        return None

    def _lines(self, name: str, marker: Any, points: np.ndarray, colors: np.ndarray,
               color: tuple[int, int, int], placed: dict[str, Any]) -> Any:
        ends = (np.stack([points[:-1], points[1:]], axis=1) if marker.type == _LINE_STRIP
                else points[:len(points) // 2 * 2].reshape(-1, 2, 3))
        shades: Any = np.array(color, dtype=np.uint8)
        if len(colors) == len(points):
            shades = (np.stack([colors[:-1], colors[1:]], axis=1) if marker.type == _LINE_STRIP
                      else colors[:len(colors) // 2 * 2].reshape(-1, 2, 3))
        return self._server.scene.add_line_segments(name, ends, shades, thickness=2.0,
                                                    thickness_units='screen', **placed)


def _wrapped(text: str) -> tuple[str, str]:
    """Return a text with long lines wrapped, and limited in number, and the anchor of its label."""
    lines = [part for line in text.splitlines() for part in wrap(line, _LETTERS_A_LINE)]
    if len(lines) <= len(text.splitlines()):
        return text, 'top-left'
    return '\n'.join([*lines[:_LINES], *(['…'] if len(lines) > _LINES else [])]), 'bottom-left'


def _another(wxyz: np.ndarray) -> np.ndarray:
    """Return another unit quaternion."""
    return np.array((0.0, 1.0, 0.0, 0.0) if abs(wxyz[0]) > abs(wxyz[1]) else (1.0, 0.0, 0.0, 0.0))


def _rgb(color: Any) -> tuple[int, int, int]:
    red, green, blue = (round(255 * min(max(part, 0.0), 1.0))
                        for part in (color.r, color.g, color.b))
    return red, green, blue

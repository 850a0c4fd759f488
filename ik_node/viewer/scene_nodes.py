"""Nodes of the scene: names, poses, colours, lines, solids."""

import colorsys
import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import trimesh
import viser

from ik_node.spatial import pose_from_quaternion, quaternion_from_matrix

BOX = trimesh.creation.box((1.0, 1.0, 1.0))
_used: WeakKeyDictionary[viser.ViserServer, Counter[str]] = WeakKeyDictionary()


def new_name(server: viser.ViserServer, name: str) -> str:
    """Return a name that no node of the server's scene has had yet: name, name~2, name~3, ….

    viser merges a removal and an addition of the same name into one message where they are sent
    shortly after each other. The page then keeps the pose of the removed node, and gets no pose of
    the new one where that is the identity, the default of a new node. Nor does the page find a
    replaced node by its name, as labels do.
    """
    count = _used.setdefault(server, Counter())
    count[name] += 1
    return name if count[name] == 1 else f'{name}~{count[name]}'


def position_wxyz(T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the position (3,), m, and the quaternion (4,), w first, of a pose (4, 4)."""
    x, y, z, w = quaternion_from_matrix(T[:3, :3])
    return T[:3, 3].copy(), np.array((w, x, y, z))


def matrix(position: Any, wxyz: Any) -> np.ndarray:
    """Return the pose (4, 4) at a position (3,), m, turned by a quaternion (4,), w first."""
    w, x, y, z = np.asarray(wxyz, dtype=float) / np.linalg.norm(wxyz)
    return pose_from_quaternion(tuple(map(float, position)), (x, y, z, w))


def box_corners(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the corners (2**n, n) of a box between points (n,); the last entry runs first."""
    return np.array(list(itertools.product(*zip(low, high))))


def rgb_bytes(color: Iterable[float]) -> tuple[int, int, int]:
    """Return a colour, red, green and blue, 0 to 1, as bytes."""
    red, green, blue = (round(255 * min(max(float(part), 0.0), 1.0)) for part in color)
    return red, green, blue


def distinct_colors(count: int) -> list[tuple[int, int, int]]:
    """Return as many colours, as bytes; all are different."""
    return [rgb_bytes(colorsys.hsv_to_rgb(k / count, 0.75, 0.75)) for k in range(count)]


def add_line(server: viser.ViserServer, name: str, points: np.ndarray,
             color: tuple[int, int, int], width: float, **options: Any) -> Any:
    """Add a line through points (k, 3), m, to the scene; it may take the place of another one.

    width: m; options: of viser.
    """
    return server.scene.add_line_segments(
        name, np.stack([points[:-1], points[1:]], axis=1),
        np.array(color, dtype=np.uint8), thickness=width, **options)


def add_solids(server: viser.ViserServer, name: str, shape: trimesh.Trimesh, points: np.ndarray,
               size: Any, colors: Any, **options: Any) -> Any:
    """Add a solid at each point (k, 3), m, to the scene. size: of all, a factor or three.

    colors: (k, 3), or one, as bytes; options: of viser.
    """
    return server.scene.add_batched_meshes_simple(
        name, np.asarray(shape.vertices), np.asarray(shape.faces),
        np.tile((1.0, 0.0, 0.0, 0.0), (len(points), 1)), points,
        batched_scales=np.ones((len(points), 3)) * size, batched_colors=colors, lod='off',
        flat_shading=shape is BOX, **options)

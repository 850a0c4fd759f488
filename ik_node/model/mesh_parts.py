"""Meshes in parts of one colour, with fewer triangles where a page would draw them too slowly."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import fast_simplification
import numpy as np
import trimesh

_MOST_COLORS = 32  # of a mesh; with more of them it shows a picture
_SAME = 5          # decimals, in sizes of a part, in which vertices agree that are one
_AGGRESSION = 3    # of fast_simplification: the least error comes first, and 1e-3 is the largest
_SHARP = np.radians(30.0)  # between faces: an edge that is seen


class MeshPart(NamedTuple):
    """Triangles of one colour."""

    vertices: np.ndarray
    """(k, 3), m."""
    faces: np.ndarray
    """(f, 3), indices of vertices."""
    color: tuple[float, ...] | None
    """Red, green, blue, opacity, 0 to 1; None where the mesh has no colours."""


def parts_of(mesh: trimesh.Trimesh) -> list[MeshPart]:
    """Return a mesh's parts, one for each colour; [] for a mesh with a picture on it."""
    if mesh.visual is None or not (mesh.visual.kind == 'texture' or mesh.visual.defined):
        return [whole_of(mesh)]
    colors, kinds = np.unique(_face_colors(mesh).view(np.uint32), return_inverse=True)
    if len(colors) > _MOST_COLORS:
        return []
    parts = []
    for kind in range(len(colors)):
        kept, faces = np.unique(mesh.faces[kinds.ravel() == kind], return_inverse=True)
        parts.append(MeshPart(np.asarray(mesh.vertices)[kept], faces.reshape(-1, 3),
                              tuple((colors[kind:kind + 1].view(np.uint8) / 255.0).tolist())))
    return parts


def whole_of(mesh: trimesh.Trimesh) -> MeshPart:
    """Return a mesh as one part without any colour of its own."""
    return MeshPart(np.asarray(mesh.vertices), np.asarray(mesh.faces), None)


def most_each(counts: Sequence[int], total: int) -> int:
    """Return how many triangles each part may have for all of them to have a total at most.

    counts: of the parts as they are. Small parts stay whole, and large ones share the rest.
    """
    left = total
    for number, count in enumerate(sorted(counts)):
        share = left // (len(counts) - number)
        if count > share:
            return share
        left -= count
    return max(counts, default=0)


def simplified(part: MeshPart, most: int) -> MeshPart:
    """Return a part with at most so many triangles, or more where its shape would suffer.

    Edges are collapsed by their quadric error (Garland and Heckbert 1997), which is bounded so that
    the surface stays within about a hundredth of the part's size; its border is kept.
    """
    if len(part.faces) <= most:
        return part
    lowest, highest = part.vertices.min(axis=0), part.vertices.max(axis=0)
    size = float((highest - lowest).max()) or 1.0
    whole = trimesh.Trimesh((part.vertices - lowest) / size, part.faces, process=False)
    whole.merge_vertices(digits_vertex=_SAME)
    whole.update_faces(whole.nondegenerate_faces())
    if len(whole.faces) > most:
        vertices, faces = fast_simplification.simplify(  # trimesh's own may lose the border
            whole.vertices, whole.faces, target_count=most, agg=_AGGRESSION, preserve_border=True)
        whole = trimesh.Trimesh(vertices, faces, process=False)
    seen = with_edges(whole)
    return part._replace(vertices=size * np.asarray(seen.vertices) + lowest,
                         faces=np.asarray(seen.faces))


def with_edges(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return a mesh whose sharp edges are seen: faces there have vertices of their own."""
    return trimesh.graph.smooth_shade(mesh, angle=_SHARP, facet_minarea=None)


def _face_colors(mesh: trimesh.Trimesh) -> np.ndarray:
    """Return the colour of each face (f, 4), uint8: that of its first vertex where those differ."""
    look: Any = mesh.visual
    if look.kind == 'texture':
        look = look.to_color()
    if look.kind == 'face':
        rgba = look.face_colors
    else:
        rgba = np.atleast_2d(look.vertex_colors)  # of one material, a single one
        rgba = rgba[mesh.faces[:, 0]] if len(rgba) > 1 else rgba
    return np.ascontiguousarray(np.broadcast_to(rgba, (len(mesh.faces), 4)), dtype=np.uint8)

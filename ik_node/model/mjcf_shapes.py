"""The geoms of MJCF as visual and collision shapes of links."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Shape, Sphere, Visual
from ik_node.model.mjcf_compiler import CompiledMjcf
from ik_node.spatial import inverse, pose_from_quaternion
from ik_node.support.exceptions import names

_SEEN = 3  # groups of geoms below this one are drawn by MuJoCo's viewer
_GRAY = [0.5, 0.5, 0.5, 1.0]  # the default of a geom, for which its material counts
_KINDS = ('plane', 'hfield', 'sphere', 'capsule', 'ellipsoid', 'cylinder', 'box', 'mesh', 'sdf')
"""By the numbers of mjtGeom."""


def placed(position: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """Return the pose (4, 4) of a position (3,), m, and MuJoCo's quaternion w x y z (4,)."""
    return pose_from_quaternion(position, np.roll(quaternion, -1))


def read_shapes(source: CompiledMjcf, links: Mapping[int, str], warnings: list[str]) -> tuple[
        dict[str, list[Visual]], dict[str, list[Collision]]]:
    """Return the visual and the collision shapes of links; warn of those that cannot be shown.

    links: {id of a body: link}. Geoms of the groups 0 to 2 are visual; those that may touch
    others, by contype and conaffinity or by a pair, are for collisions; many are both.
    """
    model, geom_names = source.model, source.names('geom', source.model.ngeom)
    visuals, collisions = defaultdict(list), defaultdict(list)
    left_out: dict[str, list[str]] = defaultdict(list)
    touching = (model.geom_contype | model.geom_conaffinity) != 0
    touching[[*model.pair_geom1, *model.pair_geom2]] = True
    files = _mesh_files(source)
    bodies, groups = model.geom_bodyid.tolist(), model.geom_group.tolist()
    kinds, data = model.geom_type.tolist(), model.geom_dataid.tolist()
    for k, touches in enumerate(touching.tolist()):
        link = links.get(bodies[k])
        if link is None or not (touches or groups[k] < _SEEN):
            continue
        T, size = placed(model.geom_pos[k], model.geom_quat[k]), model.geom_size[k].tolist()
        shape: Shape | None = None
        kind = _KINDS[kinds[k]] if 0 <= kinds[k] < len(_KINDS) else 'other'
        if kind == 'mesh' and (file := files[data[k]]):
            shape = Mesh(file, tuple(model.mesh_scale[data[k]].tolist()))
            # MuJoCo moves the vertices to the mesh's principal axes of inertia.
            T = T @ inverse(placed(model.mesh_pos[data[k]], model.mesh_quat[data[k]]))
        elif kind == 'sphere':
            shape = Sphere(size[0])
        elif kind == 'box':
            shape = Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
        elif kind in ('capsule', 'cylinder'):
            shape = (Capsule if kind == 'capsule' else Cylinder)(size[0], 2.0 * size[1])
        if shape is None:
            left_out[kind].append(geom_names[k] or f'geom_{k}')
            continue
        if touches:
            collisions[link].append(Collision(shape, T))
        if groups[k] < _SEEN:
            visuals[link].append(Visual(shape, T, _color(source, k)))
    warnings += [f'geoms of the type {kind}' + ' without a file' * (kind == 'mesh')
                 + f' are left out: {names(geoms)}' for kind, geoms in left_out.items()]
    return visuals, collisions


def _mesh_files(source: CompiledMjcf) -> list[str]:
    """Return the file of each mesh, '' for none: as a URI, of text as it is written there."""
    model = source.model
    if not source.is_file:
        return [source.files.get(name, '') for name in source.names('mesh', model.nmesh)]
    paths = [model.paths[begin:model.paths.index(b'\0', begin)].decode(errors='replace')
             if begin >= 0 else '' for begin in model.mesh_pathadr.tolist()]
    return [Path(path).absolute().as_uri() if path else '' for path in paths]


def _color(source: CompiledMjcf, geom: int) -> tuple[float, float, float, float]:
    model = source.model
    material, color = int(model.geom_matid[geom]), model.geom_rgba[geom].tolist()
    if material >= 0 and color == _GRAY:
        color = model.mat_rgba[material].tolist()
    red, green, blue, opacity = color
    return red, green, blue, opacity

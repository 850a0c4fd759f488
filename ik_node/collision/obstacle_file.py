"""Reads obstacles from a YAML file."""

import inspect
import io
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ik_node.collision.obstacles import Ground, Obstacle, PointCloud
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from ik_node.model.yaml_file import load_yaml
from ik_node.spatial import pose_from_rotation, pose_from_rpy
from ik_node.spatial.rotations import as_rotation
from ik_node.support.arguments import keyed, sequence, vector
from ik_node.support.bounds import MAX_ENTRIES, MAX_MESH_BYTES, as_path, read_bytes, reading
from ik_node.support.exceptions import IkError, ModelError, names, shown

SHAPES: dict[str, type] = {
    'box': Box, 'sphere': Sphere, 'cylinder': Cylinder, 'capsule': Capsule, 'mesh': Mesh,
    'ground': Ground, 'point_cloud': PointCloud}
"""The shapes by their keys in a file."""
_KEYS = ('name', 'link', 'xyz', 'rpy', 'quat_xyzw')


def read_obstacles(path: str | PathLike[str]) -> tuple[Obstacle, ...]:
    """Return the obstacles of a YAML file, a list of mappings.

    Each has one of `SHAPES` with a mapping of its fields, m, and optionally `name`, `link`, `xyz`
    in m, and `rpy` in rad or `quat_xyzw`. Files that it names, of meshes and of points (.npy), are
    beside it. Raises ModelError, which names the obstacle, for anything else.
    """
    file = as_path(path, 'a file of obstacles')
    items = load_yaml(file, 'the obstacles')
    if not isinstance(items, list) or len(items) > MAX_ENTRIES:
        raise ModelError(f'the obstacles {str(file)!r} must be a list of at most {MAX_ENTRIES} '
                         f'obstacles, not {shown(items)}')
    found = []
    for number, item in enumerate(items, start=1):
        name = item.get('name') if isinstance(item, Mapping) else None
        what = f'obstacle {number}' if name is None else f'obstacle {shown(name)}'
        try:
            found.append(_obstacle(item, file.parent))
        except IkError as error:
            raise ModelError(f'{str(file)!r}: {what}: {error}') from error
    return tuple(found)


def _obstacle(item: Any, folder: Path) -> Obstacle:
    values = keyed(item, (*_KEYS, *SHAPES), 'it')
    kinds = [kind for kind in SHAPES if kind in values]
    if len(kinds) != 1:
        raise ModelError(f'it must have one shape of {names(SHAPES)}, not {names(kinds)}')
    return Obstacle(_shape(kinds[0], values[kinds[0]], folder), _pose(values), values.get('link'),
                    values.get('name'))


def _shape(kind: str, item: Any, folder: Path) -> Any:
    parameters = inspect.signature(SHAPES[kind]).parameters
    fields = keyed({} if item is None else item, [*parameters], kind)
    missing = [name for name, one in parameters.items()
               if one.default is one.empty and name not in fields]
    if missing:
        raise ModelError(f'{kind} must have {names(missing)}')
    if kind == 'point_cloud' and isinstance(fields['points'], str):
        fields['points'] = _points(folder / fields['points'])
    if kind == 'mesh' and isinstance(fields['filename'], str) and '://' not in fields['filename']:
        fields['filename'] = str((folder / fields['filename']).resolve())
    if kind in ('box', 'mesh'):
        fields.update({name: tuple(sequence(value, f'{name} of a {kind}'))
                       for name, value in fields.items() if name != 'filename'})
    return SHAPES[kind](**fields)


def _points(file: Path) -> np.ndarray:
    with reading(f'the points {str(file)!r}'):
        data = read_bytes(file, MAX_MESH_BYTES)
        if not data.startswith(b'\x93NUMPY'):
            raise ValueError('it is not a file of numpy.save')
        points: np.ndarray = np.load(io.BytesIO(data), allow_pickle=False)
    return points


def _pose(values: Mapping[str, Any]) -> np.ndarray:
    xyz = vector(values.get('xyz', (0.0, 0.0, 0.0)), 3, 'xyz')
    if 'quat_xyzw' not in values:
        return pose_from_rpy(xyz, vector(values.get('rpy', (0.0, 0.0, 0.0)), 3, 'rpy'))
    if 'rpy' in values:
        raise ModelError('it must have rpy or quat_xyzw, not both')
    return pose_from_rotation(as_rotation(vector(values['quat_xyzw'], 4, 'quat_xyzw'),
                                          'quat_xyzw'), xyz)

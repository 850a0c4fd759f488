"""Obstacles of the page, and a scene of it in a file: robot, solver, joint values, goals, view."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Vector3
from visualization_msgs.msg import Marker

from ik_node.control.options import MODEL_PATHS
from ik_node.ros.conversions import matrix_to_pose
from ik_node.spatial import pose_from_quaternion, quaternion_from_matrix
from ik_node.support.arguments import number, vector, whole
from ik_node.support.bounds import MAX_BYTES, MAX_NUMBER
from ik_node.support.exceptions import InputError, names, shown
from ik_node.viewer.scene_nodes import box_corners

_FORMAT = 'ik_view scene'
_VERSION = 1
# Parameters of the node that name files or topics, which belong to one machine, or are the robot's.
_LEFT_OUT = {*MODEL_PATHS, 'robot_description', 'xacro_args', 'poses', 'arms', 'autostart',
             'base_link', 'tip_link', 'start_pose', 'use_sim_time'}
_ENDS_LEFT_OUT = ('.examples', '_topic', 'output', 'command_joints')
# The kinds of obstacles, with the names of their sizes.
SIZES = {'box': ('size x', 'size y', 'size z'), 'sphere': ('radius',),
         'cylinder': ('radius', 'length'), 'ground': ()}
_TYPES = {'sphere': Marker.SPHERE, 'cylinder': Marker.CYLINDER}


class MadeObstacle(NamedTuple):
    """An obstacle of one of the kinds in `SIZES`; the upper side of a ground is its x-y plane."""

    kind: str
    sizes: tuple[float, ...]  # m
    T: np.ndarray  # (4, 4), m, in the scene

    def corners(self) -> np.ndarray:
        """Return the corners (8, 3), m, of a box around it in the scene; a ground is a point."""
        size = self.marker(0).scale
        half = 0.5 * np.nan_to_num([size.x, size.y, size.z], posinf=0.0)
        return box_corners(-half, half) @ self.T[:3, :3].T + self.T[:3, 3]

    def marker(self, number: int, action: int = Marker.ADD) -> Marker:
        """Return the marker of it, in the frame of the root link, or the world where that moves."""
        scale = self.sizes
        if self.kind == 'ground':
            scale = (np.inf,) * 3  # a half-space
        elif self.kind != 'box':
            scale = 2.0 * scale[0], 2.0 * scale[0], 2.0 * scale[0] if len(scale) == 1 else scale[1]
        x, y, z = scale
        return Marker(ns=f'page/{self.kind}', id=number, action=action, pose=matrix_to_pose(self.T),
                      type=_TYPES.get(self.kind, Marker.CUBE), scale=Vector3(x=x, y=y, z=z))


class SavedScene(NamedTuple):
    """What a file of a scene holds."""

    robot: str  # URDF text
    links: tuple[str, str]  # base and tip, '' for the default
    parameters: dict[str, Any]  # of the node
    joints: dict[str, float]  # rad or m
    goals: dict[str, np.ndarray]  # poses (4, 4), m, of the scene, of dragged handles, by task
    camera: tuple[tuple[float, ...], tuple[float, ...]] | None  # its position, what it looks at, m
    obstacles: dict[int, MadeObstacle] = {}  # noqa: RUF012 nobody changes it
    position_only: bool = False  # whether goals of the arm have no orientation
    waypoints: tuple[np.ndarray, ...] = ()  # poses (4, 4), m, of the scene
    gallery: str = ''  # the name of its robot there, whose files have its meshes


def kept_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a node's parameters that belong to a scene: plain ones, without files."""
    return {name: _plain(value) for name, value in values.items()
            if name not in _LEFT_OUT and not name.endswith(_ENDS_LEFT_OUT)
            and not name.startswith('qos_overrides') and value is not None}


def scene_text(scene: SavedScene) -> str:
    """Return the content of a file, as JSON."""
    goals = {name: _pose_entry(T) for name, T in scene.goals.items()}
    obstacles = [{'number': key, 'kind': one.kind, 'sizes': one.sizes, **_pose_entry(one.T)}
                 for key, one in scene.obstacles.items()]
    waypoints = [*map(_pose_entry, scene.waypoints)]
    return json.dumps({'format': _FORMAT, 'version': _VERSION, **scene._asdict(), 'goals': goals,
                       'obstacles': obstacles, 'waypoints': waypoints},
                      indent=1, ensure_ascii=False) + '\n'


def read_scene(content: bytes) -> SavedScene:
    """Return the scene of a file. Raises InputError with the reason for a malformed one."""
    if len(content) > MAX_BYTES:
        raise InputError(f'a scene must have at most {MAX_BYTES // 2**20} MiB, not '
                         f'{len(content) / 2**20:.0f}')
    try:
        values = json.loads(content.decode('utf-8-sig'))
    except (ValueError, RecursionError) as error:
        raise InputError(f'the file is no scene: it is not JSON: {error}') from error
    if not isinstance(values, dict) or values.get('format') != _FORMAT:
        raise InputError('the file is no scene: it has no "format": "ik_view scene"')
    if values.get('version') != _VERSION:
        raise InputError(f'the scene has the version {shown(values.get("version"))}; this page '
                         f'reads version {_VERSION}')
    try:
        base, tip = (_text(link) for link in values['links'])
        camera = values['camera']
        return SavedScene(
            _text(values['robot']), (base, tip),
            kept_parameters({_text(name): one for name, one in values['parameters'].items()}),
            {_text(name): number(one, f'joint {name}') for name, one in values['joints'].items()},
            {_text(name): _pose(one) for name, one in values['goals'].items()},
            None if camera is None else (
                _numbers(camera[0], 3, 'the camera'), _numbers(camera[1], 3, 'the camera')),
            dict(map(_obstacle, values.get('obstacles', ()))),  # older files have none,
            values.get('position_only', False) is True,  # nor these
            tuple(map(_pose, values.get('waypoints', ()))), _text(values.get('gallery', '')))
    except KeyError as error:
        raise InputError(f'the scene has no {error}') from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(f'the scene is malformed: {error}') from error


def _pose_entry(T: np.ndarray) -> dict[str, list[float]]:
    return {'position': T[:3, 3].tolist(), 'orientation': [*quaternion_from_matrix(T[:3, :3])]}


def _obstacle(item: Any) -> tuple[int, MadeObstacle]:
    kind = _text(item['kind'])
    if kind not in SIZES:
        raise ValueError(f'an obstacle must be one of {names(SIZES)}, not {shown(kind)}')
    sizes = _numbers(item['sizes'], len(SIZES[kind]), 'the sizes of an obstacle')
    if not all(0.0 < size <= MAX_NUMBER for size in sizes):
        raise ValueError(f'the sizes of an obstacle must be above 0 m, not {shown(sizes)}')
    key = whole(item['number'], 'the number of an obstacle', 1, 2**31 - 1)
    return key, MadeObstacle(kind, sizes, _pose(item))


def _plain(value: Any) -> Any:
    """Return the value of a parameter as JSON has it. Raises ValueError for any other."""
    if hasattr(value, 'tolist'):  # an array of numpy, or of a parameter
        value = value.tolist()
    items = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(item, (bool, int, float, str)) for item in items):
        raise ValueError(f'a parameter cannot be {shown(value)}')
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f'{shown(value)} is not text')
    return value


def _numbers(values: Any, count: int, name: str) -> tuple[float, ...]:
    return tuple(vector(values, count, name).tolist())


def _pose(goal: Any) -> np.ndarray:
    quaternion = vector(goal['orientation'], 4, 'the quaternion of a goal')
    length = float(np.linalg.norm(quaternion))
    if not length > 0.0:
        raise ValueError('the quaternion of a goal is zero')
    return pose_from_quaternion(vector(goal['position'], 3, 'a position'), quaternion / length)

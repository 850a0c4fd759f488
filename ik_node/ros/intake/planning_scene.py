"""Obstacles from MoveIt's messages: objects of planning scenes, where moveit_msgs is installed."""

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rclpy.node import Node

from ik_node.collision.obstacles import MAX_POINTS, Ground, Obstacle
from ik_node.model.geometry import Box, Cylinder, Mesh, Sphere
from ik_node.ros.conversions import point_to_array, pose_to_matrix
from ik_node.ros.intake.obstacle_messages import (
    Contents,
    Key,
    ObstacleEntry,
    Place,
    Shaped,
    frame_key,
)
from ik_node.spatial import inverse
from ik_node.support.exceptions import IkError, InputError
from ik_node.support.resources import MESSAGE_MESHES

TOPICS = {'CollisionObject': 'collision_object', 'PlanningScene': 'planning_scene',
          'AttachedCollisionObject': 'attached_collision_object'}
"""The topics, which are MoveIt's, by the types of their messages."""
_ADD, _REMOVE, _APPEND, _MOVE = range(4)
_BOX, _SPHERE, _CYLINDER, _CONE = range(1, 5)  # of shape_msgs/SolidPrimitive
_MOST_FILES = 1000


def message_types(node: Node) -> dict[str, Any]:
    """Return the types of `TOPICS` by topic; none, which is logged, without moveit_msgs."""
    try:
        from moveit_msgs import msg
    except ImportError as error:
        node.get_logger().info(f'there are no topics {", ".join(TOPICS.values())}: moveit_msgs is '
                               f'not installed ({error})', once=True)
        return {}
    return {topic: getattr(msg, kind) for kind, topic in TOPICS.items()}


class ObjectPart(NamedTuple):
    """A change of one object: in the world, or on a link."""

    message: Any  # CollisionObject
    link: str | None = None
    touches: tuple[str, ...] = ()

    @property
    def operation(self) -> int:
        """What is to be done with it."""
        value = self.message.operation  # of the type byte
        return value[0] if isinstance(value, bytes) else int(value)

    @property
    def place_key(self) -> tuple[Any, str | None]:
        """What decides where its frame is."""
        return frame_key(self.message.header), self.link

    @property
    def size(self) -> int:
        """How much there is to convert."""
        one = self.message
        return 1 + len(one.primitives) + len(one.planes) + sum(
            len(mesh.vertices) + len(mesh.triangles) for mesh in one.meshes)


class SceneChange(NamedTuple):
    """A change of objects; `replaces`: whether all others are removed."""

    parts: tuple[ObjectPart, ...]
    replaces: bool = False


def change_of(message: Any) -> SceneChange:
    """Return the change that any message of `TOPICS` asks for."""
    if hasattr(message, 'world'):
        return SceneChange((
            *map(ObjectPart, message.world.collision_objects),
            *map(_attached, message.robot_state.attached_collision_objects)), not message.is_diff)
    return SceneChange((
        _attached(message) if hasattr(message, 'touch_links') else ObjectPart(message),))


def _attached(message: Any) -> ObjectPart:
    return ObjectPart(message.object, message.link_name, tuple(message.touch_links))


class MeshFiles:
    """The meshes of messages in files, where shapes are read from; each content once."""

    def __init__(self) -> None:
        self._folder: Any = None
        self._files: dict[bytes, str] = {}

    def mesh(self, message: Any) -> Mesh:
        """Return a shape_msgs/Mesh. Raises InputError for too many, and for invalid ones."""
        if max(len(message.vertices), len(message.triangles)) > MAX_POINTS:
            raise InputError(f'a mesh has at most {MAX_POINTS} vertices and triangles')
        points = np.array([point_to_array(point) for point in message.vertices]).reshape(-1, 3)
        faces = np.array([one.vertex_indices for one in message.triangles], int).reshape(-1, 3)
        if not len(faces) or faces.max() >= len(points):
            raise InputError('a mesh must have triangles, of its own vertices')
        key = hashlib.sha256(points.tobytes() + faces.tobytes()).digest()
        if key not in self._files:
            if len(self._files) >= _MOST_FILES:
                raise InputError(f'{_MOST_FILES} different meshes have come already')
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix=MESSAGE_MESHES)
            lines = [f'OFF\n{len(points)} {len(faces)} 0', *(f'{x!r} {y!r} {z!r}' for x, y, z in
                     points.tolist()), *(f'3 {a} {b} {c}' for a, b, c in faces.tolist())]
            file = Path(self._folder.name) / f'{key.hex()[:16]}.off'
            file.write_text('\n'.join(lines) + '\n')
            self._files[key] = str(file)
        return Mesh(self._files[key])


def apply_change(contents: Contents, change: SceneChange, places: Mapping[Any, Place | IkError],
                 files: MeshFiles) -> None:
    """Apply a change of objects.

    places: by the keys of its parts, and by ('link', name) where links are in the world.
    """
    if change.replaces:
        for key in _keys(contents):
            contents.delete(key)
    for part in change.parts:
        name = part.message.id[:200] or 'an object'
        try:
            _apply(contents, part, name, places, files)
        except IkError as error:
            contents.problems.append(f'{name}: {error}')


def _apply(contents: Contents, part: ObjectPart, name: str, places: Mapping[Any, Place | IkError],
           files: MeshFiles) -> None:
    one, operation, key = part.message, part.operation, ('object', part.message.id)
    present = contents.entries.get(key)
    if operation == _REMOVE:
        for other in [key] if one.id else _keys(contents, part.link):
            _remove(contents, other, part, places)
        return
    if operation not in (_ADD, _APPEND, _MOVE):
        raise InputError(f'there is no operation {operation}')
    if not one.id:
        raise InputError('it has no id')
    has_shapes = bool(one.primitives or one.meshes or one.planes)
    if part.link is not None and present is not None and not has_shapes:  # it is grasped
        _found(places, part.place_key)  # there is that link
        T = inverse(_found(places, ('link', part.link)).T) @ _world(present, places)
        contents.put(key, name, lambda: _moved(present, T, part.link, part.touches))
        return
    place = _found(places, part.place_key)
    T = place.T @ pose_to_matrix(one.pose)
    if operation == _MOVE:
        if present is None or has_shapes or present.obstacles[0].link != part.link:
            raise InputError('MOVE is for an object that is there, without shapes')
        contents.put(key, name, lambda: _moved(present, T, part.link, part.touches))
        return
    if not has_shapes:
        raise InputError('it has no shapes')
    kept = present.obstacles if operation == _APPEND and present is not None and (
        present.obstacles[0].link == part.link) else ()
    contents.put(key, name, lambda: ObstacleEntry((*kept, *(
        Obstacle(shape, T @ T_shape, part.link, name, part.touches)
        for shape, T_shape in _shapes(one, files))), T=T))


def _keys(contents: Contents, link: str | None = '') -> list[Key]:
    """Return the keys of objects: on a link, with None in the world, by default all."""
    return [key for key, entry in contents.entries.items() if key[0] == 'object'
            and link in ('', entry.obstacles[0].link)]


def _remove(contents: Contents, key: Key, part: ObjectPart,
            places: Mapping[Any, Place | IkError]) -> None:
    """Delete an object; one that was attached is in the world then."""
    entry = contents.entries.get(key)
    if entry is None or (part.link is None) != (entry.obstacles[0].link is None):
        return
    if part.link is None:
        contents.delete(key)
        return
    T = _world(entry, places)
    contents.put(key, str(key[1]), lambda: _moved(entry, T, None, ()))


def _world(entry: ObstacleEntry, places: Mapping[Any, Place | IkError]) -> np.ndarray:
    """Return where an object is in the world, (4, 4), m."""
    link = entry.obstacles[0].link
    return entry.T if link is None else _found(places, ('link', link)).T @ entry.T


def _moved(entry: ObstacleEntry, T: np.ndarray, link: str | None,
           touches: tuple[str, ...]) -> ObstacleEntry:
    change = T @ inverse(entry.T)
    return ObstacleEntry(tuple(Obstacle(one.shape, change @ one.pose, link, one.name, touches)
                               for one in entry.obstacles), T=T)


def _found(places: Mapping[Any, Place | IkError], key: Any) -> Place:
    place = places.get(key)
    if place is None:
        raise InputError(f'there is no place of {key}')
    if isinstance(place, IkError):
        raise place
    return place


def _shapes(one: Any, files: MeshFiles) -> Shaped:
    """Return the shapes of an object with their poses (4, 4), m, in its own frame."""
    found = []
    for shapes, poses, convert in ((one.primitives, one.primitive_poses, _solid),
                                   (one.meshes, one.mesh_poses, files.mesh),
                                   (one.planes, one.plane_poses, _ground)):
        if len(poses) > len(shapes):
            raise InputError(f'it has {len(shapes)} shapes, but {len(poses)} poses of them')
        placed = [pose_to_matrix(pose) for pose in poses]
        placed += [np.eye(4)] * (len(shapes) - len(poses))
        found += list(zip(map(convert, shapes), placed))
    return found


def _solid(one: Any) -> Any:
    sizes = [float(size) for size in one.dimensions]
    kind, count = one.type, {_BOX: 3, _SPHERE: 1, _CYLINDER: 2, _CONE: 2}.get(one.type)
    if count is None:
        raise InputError(f'a primitive of the type {kind} is no obstacle: use BOX, SPHERE, '
                         'CYLINDER or CONE')
    if len(sizes) != count:
        raise InputError(f'the primitive of type {kind} must have {count} dimensions, not '
                         f'{len(sizes)}')
    if kind == _BOX:
        return Box(tuple(sizes))  # type: ignore[arg-type]
    return Sphere(sizes[0]) if kind == _SPHERE else Cylinder(sizes[1], sizes[0])


def _ground(plane: Any) -> Ground:
    a, b, c, d = map(float, plane.coef)
    length = float(np.linalg.norm((a, b, c)))
    return Ground((a, b, c), -d / length if length > 0.0 else 0.0)

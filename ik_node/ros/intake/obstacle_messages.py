"""Obstacles from messages: markers and point clouds; in any thread."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sensor_msgs.msg import PointCloud2, PointField
from visualization_msgs.msg import Marker

from ik_node.collision.obstacles import MAX_POINTS, Ground, Obstacle, PointCloud
from ik_node.collision.shapes import Shapes
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from ik_node.ros.conversions import point_to_array, pose_to_matrix
from ik_node.spatial import pose_from_rotation, turn_z_onto
from ik_node.support.bounds import MAX_ENTRIES, MAX_NUMBER
from ik_node.support.exceptions import IkError, InputError, shown

Key: TypeAlias = tuple[Any, ...]
Shaped: TypeAlias = list[tuple[Any, np.ndarray]]
_FLOATS = {PointField.FLOAT32: 'f4', PointField.FLOAT64: 'f8'}
_POINTS = 'obstacle_points'
_SOLIDS = (Marker.CUBE, Marker.SPHERE, Marker.CYLINDER)
_SERIES = (Marker.LINE_STRIP, Marker.LINE_LIST, Marker.CUBE_LIST)  # of one solid for each part


class Place(NamedTuple):
    """Where a frame is: its pose (4, 4), m, on a link that moves, or with None in the world."""

    link: str | None
    T: np.ndarray


class ObstacleEntry(NamedTuple):
    """The obstacles of one marker, or of a cloud, until a ROS time, ns; None: for ever."""

    obstacles: tuple[Obstacle, ...]
    expires: int | None = None
    look: tuple[float, ...] = ()
    """Type and scale of a marker of one solid."""
    T: np.ndarray = np.eye(4)
    """(4, 4), m, of an object of several shapes."""


_NONE = ObstacleEntry(())


class Contents:
    """The obstacles of all messages so far, by what messages call them.

    - `entries`; `problems`: why parts of messages were refused; what they would change then stands.
    """

    def __init__(self, entries: Mapping[Key, ObstacleEntry], now: int,
                 shapes: Shapes | None = None) -> None:
        """Begin with present ones that are valid at a ROS time, ns. shapes: reads meshes."""
        self.entries = {key: entry for key, entry in entries.items()
                        if entry.expires is None or entry.expires > now}
        self.problems: list[str] = []
        self._now, self._shapes = now, shapes or Shapes()
        sizes = [_sizes(entry) for entry in self.entries.values()]
        self._count, self._points = sum(one for one, _ in sizes), sum(two for _, two in sizes)

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """All of them."""
        return tuple(one for entry in self.entries.values() for one in entry.obstacles)

    def add_markers(self, markers: Any, places: Mapping[Any, Place | IkError]) -> None:
        """Apply markers, each in the place of its frame and stamp, or refused with the error."""
        with self._shapes.reading():
            for marker, T in zip(markers, _poses(markers)):
                key = 'marker', marker.ns, marker.id
                if marker.action == Marker.DELETEALL:
                    for one in [one for one in self.entries if one[0] == 'marker']:
                        self.delete(one)
                elif marker.action == Marker.DELETE:
                    self.delete(key)
                elif marker.action != Marker.ADD:
                    self.problems.append(f'{_name(marker)}: there is no action {marker.action}')
                else:
                    life = 1_000_000_000 * marker.lifetime.sec + marker.lifetime.nanosec
                    expires = self._now + life if life > 0 else None
                    place = places[frame_key(marker.header)]
                    if not self._moves(key, marker, place, T, expires):
                        self._set(key, _name(marker), place,
                                  lambda: self._of_marker(marker),  # noqa: B023 called at once
                                  expires, _look(marker))

    def add_cloud(self, cloud: PointCloud2, place: Place | IkError, radius: float) -> None:
        """Use a cloud in place of the one before; without points there is none."""
        self._set((_POINTS,), _POINTS, place, lambda: [
            (PointCloud(points, radius), np.eye(4)) for points in (cloud_points(cloud),)
            if len(points)])

    def _moves(self, key: Key, marker: Marker, place: Place | IkError, T: np.ndarray,
               expires: int | None) -> bool:
        """Move a solid that is there; return whether a marker is one, at a valid pose (4, 4), m."""
        entry = self.entries.get(key)
        if entry is None or not entry.look or isinstance(place, IkError) or (
                entry.look != _look(marker) or entry.obstacles[0].link != place.link
                or T[3, 3] != 1.0):
            return False
        self.entries[key] = ObstacleEntry(
            (entry.obstacles[0].moved(place.T @ T),), expires, entry.look)
        return True

    def _set(self, key: Key, name: str, place: Place | IkError, make: Callable[[], Shaped],
             expires: int | None = None, look: tuple[float, ...] = ()) -> None:
        def placed() -> ObstacleEntry:
            if isinstance(place, IkError):
                raise place
            return ObstacleEntry(tuple(Obstacle(shape, place.T @ T, place.link, name)
                                       for shape, T in make()), expires, look)
        self.put(key, name, placed)

    def put(self, key: Key, name: str, make: Callable[[], ObstacleEntry]) -> None:
        """Set an entry; where it cannot be made, or there are too many, that is a problem."""
        try:
            entry = make()
            (more, dots), (less, former) = _sizes(entry), _sizes(self.entries.get(key, _NONE))
            count, points = self._count + more - less, self._points + dots - former
            if count > MAX_ENTRIES or points > MAX_POINTS:
                raise InputError(f'with it there are {count} obstacles and {points} points; '
                                 f'at most {MAX_ENTRIES} and {MAX_POINTS} are allowed')
        except IkError as error:
            self.problems.append(f'{name}: {error}')
        else:
            self.entries[key], self._count, self._points = entry, count, points

    def delete(self, key: Key) -> None:
        """Delete an entry, if it is there."""
        if key in self.entries:
            less, former = _sizes(self.entries.pop(key))
            self._count, self._points = self._count - less, self._points - former

    def _of_marker(self, marker: Marker) -> Shaped:
        T, scale = pose_to_matrix(marker.pose), (marker.scale.x, marker.scale.y, marker.scale.z)
        if marker.type == Marker.MESH_RESOURCE:
            mesh = Mesh(_package_file(marker.mesh_resource), scale)
            self._shapes.pieces(mesh, T)  # it can be read
            return [(mesh, T)]
        make = _MAKERS.get(marker.type)
        if make is None:
            raise InputError(f'a marker of the type {marker.type} is no obstacle: use CUBE, '
                             'SPHERE, CYLINDER, CUBE_LIST, SPHERE_LIST, POINTS, LINE_STRIP, '
                             'LINE_LIST or MESH_RESOURCE')
        if len(marker.points) > MAX_POINTS:
            raise InputError(f'it has {len(marker.points)} points; at most {MAX_POINTS} are '
                             'allowed')
        if marker.type in _SERIES and len(marker.points) > 2 * MAX_ENTRIES:  # far too many to make
            raise InputError(f'it has {len(marker.points)} points; at most {2 * MAX_ENTRIES} are '
                             'allowed')
        points = np.array([(p.x, p.y, p.z) for p in marker.points]).reshape(-1, 3)
        is_near = (np.abs(points) <= MAX_NUMBER).all(axis=1)  # also false for NaN
        if not is_near.all():
            point_to_array(marker.points[int(np.argmin(is_near))])  # raises the error
        return make(points, scale, T)


def _poses(markers: Any) -> np.ndarray:
    """Return the poses (k, 4, 4), m, of markers; the last entry of an invalid one is no 1."""
    rows = [(p.x, p.y, p.z, q.x, q.y, q.z, q.w) for p, q in (
        (marker.pose.position, marker.pose.orientation) for marker in markers)]
    values = np.array(rows, dtype=float).reshape(-1, 7)
    poses = np.zeros((len(values), 4, 4))
    with np.errstate(all='ignore'):
        length = np.sqrt((values[:, 3:] ** 2).sum(axis=1))
        x, y, z, w = (values[:, 3:] / length[:, None]).T
        poses[:, 3, 3] = (np.abs(length - 1.0) < 0.5) & (
            np.abs(values[:, :3]) <= MAX_NUMBER).all(axis=1)
    poses[:, 0, :3] = np.column_stack(
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)])
    poses[:, 1, :3] = np.column_stack(
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)])
    poses[:, 2, :3] = np.column_stack(
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])
    poses[:, :3, 3] = values[:, :3]
    return poses


def _look(marker: Marker) -> tuple[float, ...]:
    """Return what makes the shape of a marker of one solid, () for others."""
    size, kind = marker.scale, marker.type
    return (kind, size.x, size.y, size.z) if kind in _SOLIDS else ()


def frame_key(header: Any) -> tuple[str, int, int]:
    """Return what decides where the frame of a header is."""
    return header.frame_id, header.stamp.sec, header.stamp.nanosec


def cloud_points(cloud: PointCloud2) -> np.ndarray:
    """Return the finite points (k, 3), m, of a cloud of any layout. Raises InputError."""
    fields = {field.name: field for field in cloud.fields}
    missing = [name for name in 'xyz' if name not in fields]
    if missing:
        raise InputError(f'it has no field {missing[0]!r}')
    count = cloud.width * cloud.height
    if count > MAX_POINTS:
        raise InputError(f'it has {count} points; at most {MAX_POINTS} are allowed')
    formats, offsets = [], []
    for field in (fields[name] for name in 'xyz'):
        if field.datatype not in _FLOATS or field.count > 1:
            raise InputError(f'its field {field.name!r} must be one FLOAT32 or FLOAT64')
        formats.append(('>' if cloud.is_bigendian else '<') + _FLOATS[field.datatype])
        offsets.append(field.offset)
    if not count:
        return np.empty((0, 3))
    data, row = np.frombuffer(cloud.data, np.uint8), cloud.width * cloud.point_step
    if row > cloud.row_step or len(data) != cloud.height * cloud.row_step or max(
            offset + int(kind[-1]) for offset, kind in zip(offsets, formats)) > cloud.point_step:
        raise InputError(f'its {len(data)} bytes do not hold {count} points: check point_step, '
                         'row_step and the fields')
    rows = np.ascontiguousarray(data.reshape(cloud.height, cloud.row_step)[:, :row])
    cells = rows.reshape(-1).view(np.dtype({'names': list('xyz'), 'formats': formats,
                                            'offsets': offsets, 'itemsize': cloud.point_step}))
    with np.errstate(all='ignore'):
        points = np.column_stack([cells[name].astype(float) for name in 'xyz'])
    return np.ascontiguousarray(points[np.isfinite(points).all(axis=1)])


def _sizes(entry: ObstacleEntry) -> tuple[int, int]:
    return len(entry.obstacles), sum(len(one.shape.points) for one in entry.obstacles
                                     if isinstance(one.shape, PointCloud))


def _name(marker: Marker) -> str:
    """Return what contacts call a marker."""
    return f'{marker.ns}/{marker.id}'.lstrip('/')[:200]


def _package_file(resource: str) -> str:
    if not resource.startswith('package://') or '..' in resource:
        raise InputError(f'the mesh {shown(resource)} is not read: it must be in a package, '
                         'package://PACKAGE/PATH')
    return resource


def _line_list(points: np.ndarray, scale: tuple[float, ...], T: np.ndarray) -> Shaped:
    if len(points) % 2:
        raise InputError(f'a LINE_LIST must have an even number of points, not {len(points)}')
    return _capsules(points[::2], points[1::2], scale, T)


def _capsules(starts: np.ndarray, ends: np.ndarray, scale: tuple[float, ...],
              T: np.ndarray) -> Shaped:
    found = []
    for between, middle in zip(ends - starts, 0.5 * (starts + ends)):
        length = float(np.linalg.norm(between))
        R = turn_z_onto(between / length) if length > 0.0 else np.eye(3)
        found.append((Capsule(0.5 * scale[0], length), T @ pose_from_rotation(R, middle)))
    return found


def _balls(points: np.ndarray, width: float, T: np.ndarray) -> Shaped:
    return [(PointCloud(points, 0.5 * width), T)] if len(points) else []


# Ellipsoids and elliptic cylinders count as what encloses them.
_MAKERS: dict[int, Callable[[np.ndarray, tuple[float, ...], np.ndarray], Shaped]] = {
    Marker.CUBE: lambda points, scale, T: [
        (Ground() if set(scale) == {np.inf} else Box(scale), T)],  # type: ignore[arg-type]
    Marker.SPHERE: lambda points, scale, T: [(Sphere(0.5 * max(_checked(scale))), T)],
    Marker.CYLINDER: lambda points, scale, T: [
        (Cylinder(0.5 * max(_checked(scale)[:2]), scale[2]), T)],
    Marker.LINE_LIST: _line_list,
    Marker.LINE_STRIP: lambda points, scale, T: _capsules(points[:-1], points[1:], scale, T),
    Marker.CUBE_LIST: lambda points, scale, T: [
        (Box(scale), T @ pose_from_rotation(np.eye(3), p)) for p in points],  # type: ignore
    Marker.SPHERE_LIST: lambda points, scale, T: _balls(points, max(_checked(scale)), T),
    Marker.POINTS: lambda points, scale, T: _balls(points, max(_checked(scale[:2])), T)}


def _checked(scale: tuple[float, ...]) -> tuple[float, ...]:
    if not all(0.0 < value < np.inf for value in scale):  # also of NaN
        raise InputError(f'the scale must be above 0 m in each direction, not {shown(scale)}')
    return scale

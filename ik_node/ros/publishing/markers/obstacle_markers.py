"""The markers of obstacles, and the pairs of each group that are nearest to contact."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node import collision
from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.worker import START, Job, LongSearch, Worker
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.log import ThrottledLog, reason_of
from ik_node.ros.publishing.markers import shapes
from ik_node.spatial import pose_from_rotation, turn_z_onto

_SOLID = ColorRGBA(r=0.8, g=0.72, b=0.55, a=0.75)
_GROUND_COLOR = ColorRGBA(r=0.8, g=0.72, b=0.55, a=0.25)  # it is large, and others are behind it
_FAR = ColorRGBA(r=0.3, g=0.65, b=1.0, a=1.0)  # legible before light links and a dark background
_TOUCHED = ColorRGBA(r=0.9, g=0.25, b=0.2, a=0.75)
_MOST, _MOST_POINTS = 500, 2000  # obstacles, and points of all clouds, that are drawn
_EACH = 50                       # obstacles, or twenty times as many points, in every picture
_CHANGED = 2                     # pictures, at most, until changed ones are sent
_LIFETIME = Duration(sec=5)      # of those that are not in every picture
_GROUND, _THICK = 4.0, 0.002     # of the robot's size: the side of a half-space, and its thickness
_LETTERS, _WIDTH = 0.045, 0.008  # of the group's size
_LONGEST = 30                    # letters of a name
_PAIRS = 3                       # nearest to contact, that are drawn
# Of the size of the group, at most 2 m: how far apart they are at most. Some of a robot's own links
# are always near one another.
_NEAR, _NEAR_ITSELF = 0.1, 0.02


class ObstacleMarkers:
    """The markers of the present obstacles: few with every picture, since RViz may miss some.

    Many are sent in the next but one where they change, and again before their lifetime is over.
    Those that touch the robot are red.
    """

    def __init__(self) -> None:
        self._made: list[Marker] = []
        self._shown: tuple[object, ...] = ()
        self._period = 1  # pictures from one that has them to the next
        self._since = 0   # pictures since the last that had them
        self.present: dict[tuple[str, int], str] = {}
        """The frames of all of them, by namespace and id."""

    def due(self, robot: Robot, options: NodeOptions, touched: frozenset[str]) -> list[Marker]:
        """Return the markers that have to be sent with this picture. touched: their names."""
        shown = (robot.world.obstacles, shapes.frame_of(None, robot, options),
                 options.frame_prefix, touched)
        changed = shown != self._shown
        self._since += 1
        if self._since < (min(self._period, _CHANGED) if changed else self._period):
            return []
        if changed:
            self._made, self._shown = _obstacle_markers(robot, options, touched), shown
            self._period = 1 + (len(self._made) + sum(
                len(one.points) for one in self._made) // 20) // _EACH
            for one in self._made if self._period > 1 else ():
                one.lifetime = _LIFETIME
            self.present = {(one.ns, one.id): one.header.frame_id for one in self._made}
        self._since = 0
        return self._made


def _obstacle_markers(robot: Robot, options: NodeOptions,
                      touched: Collection[str]) -> list[Marker]:
    obstacles = robot.world.obstacles[:_MOST]
    size = max(shapes.shown_size(group.size) for group in robot.groups.values())
    every = -(-sum(len(one.shape.points) for one in obstacles
                   if isinstance(one.shape, collision.PointCloud)) // _MOST_POINTS) or 1
    made: list[Marker] = []
    for one in obstacles:
        frame, color = shapes.frame_of(one.link, robot, options), (
            _TOUCHED if one.name in touched else
            _GROUND_COLOR if isinstance(one.shape, collision.Ground) else _SOLID)
        for kind, T, fields in _solids(one, size, every):
            made.append(shapes.marker(frame, 'obstacles', len(made), kind, pose=matrix_to_pose(T),
                                      color=color, frame_locked=one.link is not None, **fields))
    return made


def _solids(one: collision.Obstacle, size: float,
            every: int) -> Iterator[tuple[int, np.ndarray, dict]]:
    """Yield the kind, the pose (4, 4) and the other fields of each marker of an obstacle.

    size: of the robot, m; every: which of the points of a cloud are drawn.
    """
    shape, T = one.shape, one.pose
    if isinstance(shape, collision.Box):
        yield Marker.CUBE, T, {'scale': _vector(shape.size)}
    elif isinstance(shape, collision.Sphere):
        yield Marker.SPHERE, T, {'scale': shapes.cube(2.0 * shape.radius)}
    elif isinstance(shape, (collision.Cylinder, collision.Capsule)):
        width = 2.0 * shape.radius
        if shape.length > 0.0:
            yield Marker.CYLINDER, T, {'scale': _vector((width, width, shape.length))}
        for end in (-0.5, 0.5) if isinstance(shape, collision.Capsule) else ():
            yield Marker.SPHERE, T @ _lifted(end * shape.length), {'scale': shapes.cube(width)}
    elif isinstance(shape, collision.Mesh):
        name = shape.filename
        yield Marker.MESH_RESOURCE, T, {
            'scale': _vector(shape.scale),
            'mesh_resource': name if '://' in name else f'file://{name}'}
    elif isinstance(shape, collision.Ground):
        plane = pose_from_rotation(turn_z_onto(shape.normal), shape.offset * shape.normal)
        side, thick = _GROUND * size, _THICK * size
        yield Marker.CUBE, T @ plane @ _lifted(-0.5 * thick), {
            'scale': _vector((side, side, thick))}
    elif len(shape.points):
        yield Marker.SPHERE_LIST, T, {
            'scale': shapes.cube(2.0 * max(shape.radius, 1e-3)),
            'points': [array_to_point(point) for point in shape.points[::every]]}


def pair_markers(frame: str, namespace: str, pairs: Sequence[collision.Contact], margin: float,
                 size: float) -> list[Marker]:
    """Return a line between the nearest points of each pair, with the distance as text.

    Red in contact, amber within the margin, m. size: of the group, m.
    """
    colors = [shapes.RED if pair.distance <= 0.0 else
              shapes.AMBER if pair.distance <= margin else _FAR for pair in pairs]
    ends = [array_to_point(p) for pair in pairs for p in (pair.point_first, pair.point_second)]
    lines = [shapes.marker(frame, namespace, 0, Marker.LINE_LIST, points=ends, color=_FAR,
                           colors=[color for color in colors for _ in range(2)],
                           scale=Vector3(x=_WIDTH * size))] if pairs else []
    above = np.array([0.0, 0.0, 1.5 * _LETTERS * size])
    middles = [0.5 * (pair.point_first + pair.point_second) + above for pair in pairs]
    return lines + [shapes.text_marker(frame, namespace, k, _text(pair), p, _LETTERS * size, color)
                    for k, (pair, p, color) in enumerate(zip(pairs, middles, colors), 1)]


def _text(pair: collision.Contact) -> str:
    distance = f'{1e3 * abs(pair.distance):.3g} mm'
    return f'{pair.first[:_LONGEST]} - {pair.second[:_LONGEST]}: ' + (
        distance if pair.distance > 0.0 else f'in contact, {distance} deep')


def _lifted(z: float) -> np.ndarray:
    T = np.eye(4)
    T[2, 3] = z
    return T


def _vector(values: Sequence[float]) -> Vector3:
    x, y, z = map(float, values)
    return Vector3(x=x, y=y, z=z)


class Nearest:
    """The nearest pairs of groups whose solvers avoid collisions, as of a moment ago."""

    def __init__(self, worker: Worker, log: ThrottledLog) -> None:
        self._worker, self._log = worker, log
        # With the state then.
        self._found: dict[str, tuple[object, Sequence[collision.Contact]]] = {}

    def of(self, robot: Robot, group: Group) -> Sequence[collision.Contact]:
        """Return the nearest pairs of a group; others are looked for where it has moved."""
        model = group.solver.collisions
        if model is None:
            self._found.pop(group.name, None)
            return ()
        group.place_others(robot.present)
        q = robot.joint_configuration(group)
        before, pairs = self._found.get(group.name, ((), ()))
        state = model, group.collisions.world, model.robot, q.tobytes()
        key = 'nearest pairs', group.name
        if state != before and not self._worker.is_busy(key):
            self._worker.begin(key, self._find(group, model, q, state))
        return pairs

    def _find(self, group: Group, model: collision.CollisionModel, q: np.ndarray,
              state: tuple[object, ...]) -> Job[None]:
        pairs: tuple[collision.Contact, ...] = ()
        yield START
        try:
            pairs = yield LongSearch(nearest_pairs, model, q, group.size)
        except Exception as error:  # a defect, which must not stop the node
            reason_of(error, self._log.warn)
        self._found[group.name] = state, pairs


def nearest_pairs(model: collision.CollisionModel, q: np.ndarray,
                  size: float) -> tuple[collision.Contact, ...]:
    """Return the pairs at q (n,) nearest to contact, the nearest first, one for each obstacle.

    size: of the group, m.
    """
    size = min(size, 2.0)
    own = {*model.space.tree.links, *(one.name for one in model.obstacles if one.link is not None)}
    found: dict[tuple[str, ...], collision.Contact] = {}
    for pair in model.contacts(q, model.margin + _NEAR * size):
        if pair.second not in own:
            found.setdefault((pair.second,), pair)
        elif pair.distance <= model.margin + _NEAR_ITSELF * size:
            found.setdefault((pair.first, pair.second), pair)
    return tuple(found.values())[:_PAIRS]

import contextlib
import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Quaternion, Vector3
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState, PointCloud2, PointField
from visualization_msgs.msg import Marker, MarkerArray

from harness.bent_arm import ARM, BENT, CHAIN, FREE, START, T_TIP
from harness.node_here import running
from ik_node.collision import Box, Capsule, CollisionModel, Cylinder, PointCloud, Sphere
from ik_node.ros.conversions import array_to_point
from ik_node.ros.intake.obstacle_messages import Contents, Place, cloud_points, frame_key
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import InputError

TIP = T_TIP[:3, 3]


def marker(number=0, kind=Marker.SPHERE, at=TIP, size=(0.24, 0.24, 0.24), frame='', **fields):
    made = Marker(ns='test', id=number, type=kind, scale=Vector3(
        x=float(size[0]), y=float(size[1]), z=float(size[2])), **fields)
    made.pose.position = array_to_point(at)
    made.header.frame_id = frame
    return made


def cloud(points, kind='<f4', names='xyz', rows=1, before=0, frame='', **fields):
    """Return a cloud of points (k, 3) in rows, with some bytes before each x."""
    size = int(kind[-1])
    code = PointField.FLOAT32 if size == 4 else PointField.FLOAT64
    cells = np.zeros((len(points), before + 3 * size), np.uint8)
    cells[:, before:] = np.frombuffer(np.asarray(points, dtype=kind).tobytes(), np.uint8).reshape(
        len(points), 3 * size)
    made = PointCloud2(height=rows, width=len(points) // rows, point_step=cells.shape[1],
                       row_step=cells.shape[1] * (len(points) // rows), is_bigendian=kind[0] == '>',
                       fields=[PointField(name=name, offset=before + k * size, datatype=code,
                                          count=1) for k, name in enumerate(names)],
                       data=cells.tobytes(), **fields)
    made.header.frame_id = frame
    return made


def show(node, *markers):
    node.publish(MarkerArray, 'ik_node/obstacles', MarkerArray(markers=markers))


def scan(node, message):
    node.publish(PointCloud2, 'ik_node/obstacle_points', message, qos_profile_sensor_data)


def present(node):
    return node.subject._configuration.robot.world.obstacles


def warning(node):
    return node.subject._health.warnings.get('obstacles', '')


@pytest.fixture(scope='module')
def running_node():
    with running(urdf_path=ARM, dls__avoid_collisions='true', dls__max_restarts=3) as found:
        yield found


@pytest.fixture
def node(running_node):
    show(running_node, marker(action=Marker.DELETEALL))
    scan(running_node, cloud(np.empty((0, 3))))
    assert present(running_node) == ()
    assert running_node.set(frame_prefix='', obstacle_points_radius=0.01) == (True, '')
    yield running_node
    assert running_node.alive()


def contents_of(*messages, place=None):
    """Return what there is after messages, each a list of markers."""
    entries = {}
    for markers in messages:
        found = Contents(entries, 1)
        found.add_markers(markers, {frame_key(one.header): Place(
            None, np.eye(4) if place is None else place) for one in markers})
        entries = found.entries
    return found


def test_a_marker_that_moves_is_as_one_that_comes_there():
    rng, T = np.random.default_rng(0), pose_from_rpy(np.array([0.1, 0.2, 0.3]), np.ones(3))
    kinds = [Marker.CUBE, Marker.SPHERE, Marker.CYLINDER, Marker.SPHERE_LIST]

    def message(sizes):
        made = [marker(k, kind, rng.uniform(-1.0, 1.0, 3), sizes, points=[Point(x=0.1)] * (k // 3))
                for k, kind in enumerate(kinds)]
        for one in made:
            x, y, z, w = rng.normal(size=4)
            one.pose.orientation = Quaternion(x=x, y=y, z=z, w=w)
        return made
    first, second, third = (message(size) for size in ((0.1,) * 3, (0.1,) * 3, (0.2, 0.2, 0.3)))
    for messages in ((first, second), (first, second, third)):
        moved, fresh = contents_of(*messages, place=T), contents_of(messages[-1], place=T)
        for one, other in zip(moved.obstacles, fresh.obstacles, strict=True):
            assert one.name == other.name
            assert repr(one.shape) == repr(other.shape)
            assert one.pose == pytest.approx(other.pose, abs=1e-12)
            assert not one.pose.flags.writeable
    for k, (x, w) in enumerate(((math.nan, 1.0), (0.0, 0.0), (math.inf, 1.0))):
        second[0].pose.orientation, second[0].pose.position.x = Quaternion(w=w), x
        refused = contents_of(first, second)
        assert refused.problems, k
        assert refused.obstacles[0].pose == pytest.approx(contents_of(first).obstacles[0].pose)


def test_a_goal_keeps_away_from_markers_until_they_are_deleted(node):
    stamp = Time(sec=7, nanosec=5)
    ball = marker()
    ball.header.stamp = stamp
    show(node, ball, marker(1, at=(0, 0, -5)))
    values = node.client.send(T_TIP).values
    assert (values['reason'], values['contact_second']) == ('COLLISION', 'test/0')
    assert values['obstacles_stamp'] == '7.000000005'
    assert node.client.send(FREE).met
    show(node, marker(at=TIP + (0, 0, 3)))  # moved away
    assert node.client.send(T_TIP).met
    show(node, marker())  # the goal is the same one, but the obstacles are not
    assert node.client.send(T_TIP).values['reason'] == 'COLLISION'
    show(node, marker(action=Marker.DELETE))
    assert [one.name for one in present(node)] == ['test/1']
    assert node.client.send(T_TIP).met
    show(node, marker(), marker(action=Marker.DELETEALL))
    assert present(node) == ()


def test_messages_that_have_come_meanwhile_are_applied_together_in_their_order(node, monkeypatch):
    obstacles = node.subject._session._obstacles
    later = [MarkerArray(markers=[marker(1, at=(0, 0, -z)), marker(z)]) for z in (6, 7)]

    class Handle(contextlib.nullcontext):
        def take_message(self, kind, raw):
            return (serialize_message(later.pop(0)), None) if (
                kind is MarkerArray and later) else None
    monkeypatch.setattr('ik_node.ros.intake.obstacles._TAKING', math.inf)
    monkeypatch.setattr(obstacles, '_subscriptions', dict.fromkeys(
        obstacles._subscriptions, SimpleNamespace(handle=Handle(), raw=True)))
    number = node.subject._configuration.robot.world.number
    show(node, marker(1, at=(0, 0, -5)))
    assert [one.name for one in present(node)] == ['test/1', 'test/6', 'test/7']
    assert present(node)[0].pose[2, 3] == -7.0
    assert node.subject._configuration.robot.world.number == number + 1


def test_messages_of_many_markers_are_converted_in_the_thread_of_the_worker(node, monkeypatch):
    converted = []

    def recording(*arguments):
        converted.append(any(frame.function == '_search_in_thread' for frame in inspect.stack()))
        return deserialize_message(*arguments)
    monkeypatch.setattr('ik_node.ros.intake.obstacles.deserialize_message', recording)
    show(node, marker(1))
    show(node, *(marker(number) for number in range(200)))
    assert converted[-1]
    assert len(present(node)) == 200


@pytest.mark.parametrize('changed', [
    {'solver': 'auto', 'auto__avoid_collisions': True}, {'soft_limits': False, 'speed': 0.5},
    {'solver': 'least_squares', 'least_squares__avoid_collisions': True}])
def test_a_new_robot_is_given_its_obstacles_in_the_thread_of_the_worker(node, monkeypatch, changed):
    before = dict(zip(changed, node.get(*(name.replace('__', '.') for name in changed))))
    show(node, marker(), *(marker(number, at=(0.0, 0.0, -5.0)) for number in range(1, 20)))
    set_obstacles, beside = CollisionModel.set_obstacles, []

    def recording(*arguments):
        beside.append(any(frame.function == 'ended' for frame in inspect.stack()))
        set_obstacles(*arguments)
    monkeypatch.setattr(CollisionModel, 'set_obstacles', recording)
    assert node.set(**changed) == (True, '')
    assert all(beside)
    assert len(present(node)) == 20
    assert node.client.send(T_TIP).values['contact_second'] == 'test/0'
    show(node, marker(action=Marker.DELETE))
    assert node.client.send(T_TIP).met
    assert node.set(**before) == (True, '')


def test_a_message_that_cannot_be_converted_is_refused_and_the_next_counts(monkeypatch):
    def failing(*arguments):
        monkeypatch.undo()
        raise RuntimeError('no such message')
    monkeypatch.setattr('ik_node.ros.intake.obstacles.deserialize_message', failing)
    with running(urdf_path=ARM, dls__avoid_collisions='true') as node:
        show(node, marker(1))
        assert 'no such message' in node.log()
        show(node, marker(2))
        assert [one.name for one in present(node)] == ['test/2']


@pytest.mark.parametrize(('kind', 'size', 'shape'), [
    (Marker.CUBE, (0.1, 0.2, 0.3), Box((0.1, 0.2, 0.3))),
    (Marker.SPHERE, (0.1, 0.2, 0.3), Sphere(0.15)),
    (Marker.CYLINDER, (0.1, 0.2, 0.3), Cylinder(0.1, 0.3))])
def test_shapes_of_markers_are_as_rviz_draws_them(node, kind, size, shape):
    show(node, marker(kind=kind, size=size))
    (one,) = present(node)
    assert (one.shape, type(one.shape)) == (shape, type(shape))
    assert one.pose[:3, 3] == pytest.approx(TIP)


def test_lists_of_points_are_many_obstacles(node):
    points = [Point(x=1.0), Point(x=1.0, y=2.0), Point(x=1.0, y=2.0, z=1.0), Point(z=1.0)]
    for kind, count, shape in ((Marker.LINE_STRIP, 3, Capsule(0.05, 2.0)),
                               (Marker.LINE_LIST, 2, Capsule(0.05, 2.0)),
                               (Marker.CUBE_LIST, 4, Box((0.1, 0.2, 0.3)))):
        show(node, marker(kind=kind, size=(0.1, 0.2, 0.3), points=points))
        assert len(present(node)) == count
        assert present(node)[0].shape == shape
    show(node, marker(kind=Marker.LINE_LIST, size=(0.1, 0, 0), points=points[:2]))
    assert present(node)[0].pose[:3, 2] == pytest.approx([0, 1, 0])
    assert present(node)[0].pose[:3, 3] == pytest.approx(TIP + (1, 1, 0))
    for kind, radius in ((Marker.SPHERE_LIST, 0.15), (Marker.POINTS, 0.1)):
        show(node, marker(kind=kind, size=(0.1, 0.2, 0.3), points=points))
        (one,) = present(node)
        assert isinstance(one.shape, PointCloud)
        assert (one.shape.radius, len(one.shape.points)) == (radius, 4)


def test_a_marker_in_the_frame_of_a_moving_link_is_attached_to_it(node):
    stick = marker(kind=Marker.CYLINDER, at=(0, 0, 0.2), size=(0.02, 0.02, 0.3), frame='tool0')
    show(node, stick, marker(1, at=(0, 0, 0.9), frame='base_link'))
    attached, fixed = present(node)
    assert (attached.link, fixed.link) == ('tool0', None)
    assert node.client.send(T_TIP).met  # though the stick is at the tip
    wall = marker(2, Marker.CUBE, at=TIP + 0.3 * T_TIP[:3, 2], size=(0.05, 0.05, 0.05))
    show(node, wall)
    values = node.client.send(T_TIP).values
    assert (values['contact_first'], values['contact_second']) == ('test/0', 'test/2')


def test_a_marker_expires_with_its_lifetime(node):
    show(node, marker(lifetime=Duration(sec=1)), marker(1, at=(0, 0, -5)))
    assert node.client.send(T_TIP).values['reason'] == 'COLLISION'
    assert node.until(lambda: len(present(node)) == 1, 2.0)
    assert node.client.send(T_TIP).met


@pytest.mark.parametrize(('wrong', 'words'), [
    (marker(at=(math.nan, 0, 0)), 'position'),
    (marker(size=(0.1, 0.1, -0.1), kind=Marker.CUBE), 'greater than 0'),
    (marker(size=(0.0, 0.1, 0.1)), 'scale must be above 0'),
    (marker(size=(math.nan,) * 3), 'scale must be above 0'),
    (marker(frame='nowhere'), "unknown frame 'nowhere'"),
    (marker(frame='x' * 300), 'characters'),
    (marker(kind=Marker.TEXT_VIEW_FACING), 'is no obstacle: use CUBE'),
    (marker(kind=77), 'is no obstacle'),
    (marker(action=9), 'no action 9'),
    (marker(kind=Marker.LINE_LIST, points=[Point()]), 'even number'),
    (marker(kind=Marker.LINE_STRIP, points=[Point()] * 20_001), 'at most 20000 are allowed'),
    *((marker(kind=kind, points=[Point(), Point(x=x)]), 'position') for kind in (
        Marker.POINTS, Marker.SPHERE_LIST, Marker.CUBE_LIST, Marker.LINE_STRIP)
      for x in (math.nan, math.inf, -1e300)),
    (marker(kind=Marker.CUBE_LIST, points=[Point()] * 10_001), 'with it there are 1000'),
    (marker(kind=Marker.MESH_RESOURCE, mesh_resource='file:///etc/passwd'), 'in a package'),
    (marker(kind=Marker.MESH_RESOURCE, mesh_resource='package://a/../b.stl'), 'in a package'),
    (marker(kind=Marker.MESH_RESOURCE, mesh_resource='package://none/b.stl'), 'none/b.stl'),
    (marker(kind=Marker.POINTS, frame='tool0', points=[Point()] * 1001), 'at most 1000 points')])
def test_what_is_wrong_is_refused_and_the_rest_counts(node, wrong, words):
    if words.endswith('.stl'):
        pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')
    show(node, marker())
    node.until(lambda: False, 1.5)  # the log is throttled
    show(node, wrong, marker(1, at=(0, 0, -5)))
    assert node.until(lambda: len(present(node)) == 2, 1.0)
    assert words in warning(node)
    assert words in node.log()
    assert node.client.send(T_TIP).values['contact_second'] == 'test/0'  # it is still there
    show(node, marker(2, at=(0, 0, -6)))
    assert warning(node) == ''


def test_ten_thousand_markers_are_obstacles_and_no_more(node):
    show(node, *(marker(k, at=(0, 0, -5 - k)) for k in range(10_000)))
    assert len(present(node)) == 10_000
    assert node.client.send(T_TIP).met
    show(node, marker(10_000), marker(3, at=(0, 0, -9)))
    assert 'at most 10000' in warning(node)
    assert node.client.send(T_TIP).met
    assert len(present(node)) == 10_000


@pytest.mark.parametrize('layout', [{}, {'kind': '>f4'}, {'kind': '<f8', 'before': 8},
                                    {'kind': '>f8', 'rows': 2}, {'before': 12, 'rows': 3}])
def test_a_goal_keeps_away_from_a_cloud_of_any_layout(node, layout):
    points = np.array([TIP, TIP + 1, [math.nan, 0, 0], [0, math.inf, 0], TIP + 2, TIP + 3])
    message = cloud(points, **layout)
    message.header.stamp = Time(sec=3)
    scan(node, message)
    assert node.set(obstacle_points_radius=0.1) == (True, '')
    scan(node, message)
    (one,) = present(node)
    assert one.shape.points == pytest.approx(points[[0, 1, 4, 5]], abs=1e-6)
    values = node.client.send(T_TIP).values
    assert (values['contact_second'], values['obstacles_stamp']) == (
        'obstacle_points', '3.000000000')
    scan(node, cloud(np.empty((0, 3))))
    assert node.client.send(T_TIP).met


def test_a_cloud_of_a_sensor_on_a_link_stays_where_it_was_seen(node):
    node.publish(JointState, 'goal_joints', JointState(
        name=list(CHAIN.joint_names), position=BENT.tolist()))
    scan(node, cloud([[0.0, 0.0, 0.5]], frame='tool0'))
    (one,) = present(node)
    assert one.link is None
    seen = one.pose[:3, :3] @ one.shape.points[0] + one.pose[:3, 3]
    assert seen == pytest.approx(TIP + 0.5 * T_TIP[:3, 2], abs=1e-6)


@pytest.mark.parametrize(('change', 'words'), [
    ({'fields': []}, "no field 'x'"), ({'width': 2_000_000}, 'at most 1000000'),
    ({'row_step': 3}, 'do not hold'), ({'point_step': 8, 'width': 1}, 'do not hold'),
    ({'data': b''}, 'do not hold'),
    ({'fields': [PointField(name=name, offset=4, datatype=PointField.INT16, count=1)
                 for name in 'xyz']}, 'FLOAT32 or FLOAT64')])
def test_a_malformed_cloud_is_refused_and_the_one_before_counts(node, change, words):
    scan(node, cloud([TIP] * 2))
    wrong = cloud([TIP] * 2)
    for name, value in change.items():
        setattr(wrong, name, value)
    scan(node, wrong)
    assert words in warning(node)
    assert len(present(node)) == 1
    with pytest.raises(InputError, match=words):
        cloud_points(wrong)


def test_a_cloud_has_at_most_a_million_points():
    points = np.zeros((1_000_000, 3))
    points[:, 0] = np.arange(1_000_000)
    assert np.array_equal(cloud_points(cloud(points)), points)
    with pytest.raises(InputError, match='at most 1000000'):
        cloud_points(cloud(np.zeros((1_000_001, 3))))


def test_obstacles_outlive_another_robot_and_inactivity(node):
    show(node, marker())
    assert node.set(solver='least_squares', least_squares__avoid_collisions=True,
                    least_squares__max_restarts=2) == (True, '')
    assert node.client.send(T_TIP).values['contact_second'] == 'test/0'
    assert node.set(solver='dls') == (True, '')
    assert node.transition('deactivate')
    show(node, marker(1, at=(0, 0, -5)))
    assert node.transition('activate')
    assert len(present(node)) == 2
    assert node.client.send(T_TIP).values['contact_second'] == 'test/0'


@pytest.mark.parametrize('fails', [False, True])
def test_a_motion_brakes_where_a_marker_comes_into_its_path(fails, monkeypatch):
    goal = T_TIP.copy()
    goal[1, 3] -= 0.4
    with running(urdf_path=ARM, motion='cartesian', start_pose=START, publish_rate=50.0,
                 dls__avoid_collisions='true', dls__margin=0.01) as node:
        assert node.client.send(goal).met
        show(node, marker(at=(0.0, 0.0, 3.0)))
        assert 'lead too near' not in node.log()
        if fails:  # by a defect
            monkeypatch.setattr('ik_node.control.motion_executor.check_clearance', lambda *_: 1 / 0)
        show(node, marker(1, at=TIP - (0.0, 0.28, 0.0), size=(0.1, 0.1, 0.1)))
        node.until(lambda: ('division' if fails else "lead too near to contact: 'link_6'")
                   in node.log())
        monkeypatch.undo()
        assert node.alive() != fails
        assert len(present(node)) == 2

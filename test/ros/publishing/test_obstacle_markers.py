"""Obstacles, and the pairs that are nearest to contact, in ~/markers."""

import json

import numpy as np
import pytest
from geometry_msgs.msg import Vector3
from visualization_msgs.msg import Marker, MarkerArray

from harness.bent_arm import ARM, CHAIN
from harness.marker_checks import check_markers
from harness.node_here import running
from ik_node.collision import CollisionModel, Obstacle, Sphere
from ik_node.ros.conversions import array_to_point, pose_to_matrix
from ik_node.ros.publishing.markers.obstacle_markers import pair_markers
from ik_node.ros.publishing.markers.shapes import AMBER, RED

FRAMES = set(CHAIN.tree.links)


def show(node, *markers):
    node.publish(MarkerArray, 'ik_node/obstacles', MarkerArray(markers=markers))


def ball(number=0, at=(0.6, 0.0, 0.4), width=0.1, **fields):
    made = Marker(ns='test', id=number, type=Marker.SPHERE,
                  scale=Vector3(x=width, y=width, z=width), **fields)
    made.pose.position = array_to_point(np.array(at))
    return made


def shown(heard):
    """Return the markers that RViz shows after all messages, by namespace and id."""
    found = {}
    for message in heard:
        check_markers(message, FRAMES)
        for marker in message.markers:
            found[marker.ns, marker.id] = marker
    return {key: marker for key, marker in found.items() if marker.action == Marker.ADD}


def of(heard, namespace):
    return [marker for key, marker in sorted(shown(heard).items()) if key[0] == namespace]


def test_every_shape_of_a_file_is_shown_where_it_is(tmp_path):
    pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')
    mesh = tmp_path / 'part.off'
    mesh.write_text('OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n')
    at = {'xyz': [0.1, 0.2, 0.9]}
    path = tmp_path / 'all.yaml'
    path.write_text(json.dumps([  # which is YAML
        {'box': {'size': [0.1, 0.2, 0.3]}, **at}, {'sphere': {'radius': 0.05}, **at},
        {'cylinder': {'radius': 0.05, 'length': 0.3}, **at},
        {'capsule': {'radius': 0.05, 'length': 0.3}, **at},
        {'mesh': {'filename': 'part.off', 'scale': [2.0, 2.0, 2.0]}, **at},
        {'point_cloud': {'points': [[0.0, 0.0, 0.1], [0.0, 0.0, 0.2]], 'radius': 0.01}, **at},
        {'ground': {'normal': [0.0, 0.0, 1.0], 'offset': -0.2}},
        {'sphere': {'radius': 0.02}, 'link': 'link_6', 'xyz': [0.0, 0.0, 0.1]}]))
    with running(urdf_path=ARM, obstacles_path=str(path)) as node:
        heard = node.listen(MarkerArray, 'ik_node/markers')
        assert node.until(lambda: of(heard, 'obstacles'))
        made = of(heard, 'obstacles')
    kinds = [Marker.CUBE, Marker.SPHERE, Marker.CYLINDER, Marker.CYLINDER, Marker.SPHERE,
             Marker.SPHERE, Marker.MESH_RESOURCE, Marker.SPHERE_LIST, Marker.CUBE, Marker.SPHERE]
    assert [one.type for one in made] == kinds
    for k in (0, 1, 2, 3, 6, 7):
        assert pose_to_matrix(made[k].pose)[:3, 3] == pytest.approx([0.1, 0.2, 0.9])
    assert [made[k].pose.position.z for k in (4, 5)] == pytest.approx([0.75, 1.05])
    sizes = [(one.scale.x, one.scale.y, one.scale.z) for one in made]
    assert sizes[0] == (0.1, 0.2, 0.3)
    assert sizes[2] == sizes[3] == pytest.approx((0.1, 0.1, 0.3))
    assert sizes[6] == (2.0, 2.0, 2.0)
    assert made[6].mesh_resource == f'file://{mesh}'
    assert [point.z for point in made[7].points] == [0.1, 0.2]
    assert made[8].pose.position.z + 0.5 * sizes[8][2] == pytest.approx(-0.2)
    assert (made[9].header.frame_id, made[9].frame_locked) == ('link_6', True)


def test_they_are_removed_with_the_obstacle_and_many_are_not_in_every_picture():
    with running(urdf_path=ARM) as node:
        heard = node.listen(MarkerArray, 'ik_node/markers')
        show(node, ball(1), ball(2, at=(0.0, 0.6, 0.4)))
        assert node.until(lambda: len(of(heard, 'obstacles')) == 2)
        heard.clear()
        assert node.until(lambda: len(heard) >= 30)
        assert all(any(one.ns == 'obstacles' for one in message.markers) for message in heard)
        heard.clear()
        show(node, ball(1, action=Marker.DELETE))
        assert node.until(lambda: of(heard, 'obstacles') and any(
            one.action == Marker.DELETE for message in heard for one in message.markers))
        (left,) = of(heard, 'obstacles')
        assert left.pose.position.y == 0.6
        show(node, ball(action=Marker.DELETEALL))
        assert node.until(lambda: not of(heard, 'obstacles'))
        show(node, *(ball(k, at=(3.0, 0.0, k)) for k in range(200)))
        assert node.until(lambda: len(of(heard, 'obstacles')) == 200)
        heard.clear()
        assert node.until(lambda: len(heard) >= 50)  # two and a half seconds
        sent = [any(one.ns == 'obstacles' for one in message.markers) for message in heard]
        assert sum(sent) == 10
        assert min(one.lifetime.sec for one in of(heard, 'obstacles')) == 5


def test_of_many_only_some_are_drawn():
    with running(urdf_path=ARM) as node:
        heard = node.listen(MarkerArray, 'ik_node/markers')
        points = [array_to_point(np.array([2.0, 0.0, 1e-4 * k])) for k in range(9000)]
        show(node, *(ball(k, at=(3.0, 0.0, k)) for k in range(600)))
        assert node.until(lambda: len(of(heard, 'obstacles')) == 500)
        show(node, ball(action=Marker.DELETEALL),
             Marker(ns='test', type=Marker.POINTS, scale=Vector3(x=0.01, y=0.01), points=points))
        assert node.until(lambda: len(of(heard, 'obstacles')) == 1)
        (cloud,) = of(heard, 'obstacles')
        assert 1500 < len(cloud.points) <= 2000


def test_the_nearest_pairs_are_lines_with_their_distance_and_red_in_contact():
    q = np.zeros(6)
    tip = CHAIN.forward(q)[:3, 3]
    beside = tip + np.array([0.0, 0.15, 0.0])
    with running(urdf_path=ARM, dls__avoid_collisions='true', dls__margin='0.001') as node:
        heard = node.listen(MarkerArray, 'ik_node/markers')
        show(node, ball(at=beside, width=0.2))
        assert node.until(lambda: len(of(heard, 'distances')) > 1)
        T = np.eye(4)
        T[:3, 3] = beside
        nearest = CollisionModel(CHAIN, [Obstacle(Sphere(0.1), T, name='test/0')]).contacts(q, 0.2)
        pair = next(one for one in nearest if one.second == 'test/0')
        lines, *texts = of(heard, 'distances')
        text = next(one for one in texts if 'test/0' in one.text)
        assert text.text == f'{pair.first} - test/0: {1e3 * pair.distance:.3g} mm'
        ends = lines.points[2 * texts.index(text):][:2]
        assert np.linalg.norm([ends[0].x - ends[1].x, ends[0].y - ends[1].y,
                               ends[0].z - ends[1].z]) == pytest.approx(pair.distance)
        assert text.color.r < 0.5 < text.color.b  # legible before white links too
        show(node, ball(at=tip, width=0.2))  # an obstacle may move onto an arm at rest
        assert node.until(lambda: any('in contact' in one.text for one in of(heard, 'distances')))
        assert node.until(lambda: of(heard, 'obstacles')[0].color.g < 0.3)
        text = next(one for one in of(heard, 'distances') if 'in contact' in one.text)
        assert text.color.r == pytest.approx(RED.r)
        assert node.set(dls__avoid_collisions=False) == (True, '')
        assert node.until(lambda: not of(heard, 'distances'))
        assert of(heard, 'obstacles')


def test_a_pair_within_the_margin_is_amber():
    T = np.eye(4)
    T[:3, 3] = CHAIN.forward(np.zeros(6))[:3, 3] + np.array([0.0, 0.15, 0.0])
    pairs = CollisionModel(CHAIN, [Obstacle(Sphere(0.1), T)]).contacts(np.zeros(6), 0.2)[:1]
    line, text = pair_markers('base', 'distances', pairs, 0.19, 1.0)
    assert text.color == line.colors[0] == line.colors[1] == AMBER
    assert pair_markers('base', 'distances', [], 0.19, 1.0) == []

"""Objects of MoveIt's planning scenes, by stand-ins for its messages where these are missing."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose
from std_msgs.msg import Header

from harness.bent_arm import ARM, CHAIN, T_TIP
from harness.node_here import running
from ik_node.collision import Box, CollisionModel, Cylinder, Ground, Mesh, Obstacle, Sphere
from ik_node.ros.conversions import array_to_point
from ik_node.ros.intake import planning_scene

ADD, REMOVE, APPEND, MOVE = (bytes([k]) for k in range(4))
CORNERS = [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def pose(p=(0.0, 0.0, 0.0)):
    return Pose(position=array_to_point(np.array(p, dtype=float)))


def primitive(kind, *sizes):
    return SimpleNamespace(type=kind, dimensions=list(sizes))


def tetrahedron():
    return SimpleNamespace(
        vertices=[Point(x=x, y=y, z=z) for x, y, z in CORNERS],
        triangles=[SimpleNamespace(vertex_indices=np.array(face, np.uint32)) for face in FACES])


def thing(name='it', at=(0.0, 0.0, 0.0), operation=ADD, frame='', **shapes):
    empty = {f'{kind}{end}': [] for kind in ('primitive', 'mesh', 'plane')
             for end in ('s' if kind != 'mesh' else 'es', '_poses')}
    return SimpleNamespace(**{**empty, **shapes}, id=name, operation=operation, pose=pose(at),
                           header=Header(frame_id=frame))


def ball(name='it', at=(0.0, 0.0, 0.0), radius=0.12, **more):
    return thing(name, at, primitives=[primitive(2, radius)], **more)


def attached(link, message, *touches):
    return SimpleNamespace(link_name=link, object=message, touch_links=list(touches))


def scene(*objects, on_links=(), is_diff=True):
    return SimpleNamespace(
        is_diff=is_diff, world=SimpleNamespace(collision_objects=list(objects)),
        robot_state=SimpleNamespace(attached_collision_objects=list(on_links)))


@pytest.fixture
def node():
    with running(urdf_path=ARM, dls__avoid_collisions='true', dls__max_restarts=3) as found:
        yield found


def send(node, message):
    """Hand a message to the node, as its subscriptions do."""
    obstacles = node.subject._session._obstacles
    obstacles._receive(type(message), message)
    obstacles.refresh()


def present(node):
    return node.subject._configuration.robot.world.obstacles


def warning(node):
    return node.subject._health.warnings.get('obstacles', '')


def test_objects_are_added_moved_appended_and_removed(node):
    send(node, ball('ball', T_TIP[:3, 3]))
    values = node.client.send(T_TIP).values
    assert (values['reason'], values['contact_second']) == ('COLLISION', 'ball')
    send(node, thing('ball', (0.0, 0.0, 3.0), MOVE))
    assert node.client.send(T_TIP).met
    send(node, thing('ball', (1.0, 0.0, 3.0), APPEND, primitives=[primitive(1, 0.1, 0.2, 0.3)]))
    assert [type(one.shape) for one in present(node)] == [Sphere, Box]
    send(node, thing('ball', (0.0, 1.0, 0.0), MOVE))  # the first is where it was in the object
    assert [one.pose[:3, 3].tolist() for one in present(node)][1] == [0.0, 1.0, 0.0]
    send(node, thing('ball', operation=REMOVE))
    assert present(node) == ()
    send(node, scene(ball('a'), ball('b')))
    send(node, thing('', operation=REMOVE))
    assert present(node) == ()


def test_every_shape_is_where_its_pose_is(node):
    pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')
    send(node, thing(
        'it', (0.0, 0.0, 2.0),
        primitives=[primitive(1, 0.1, 0.2, 0.3), primitive(3, 0.5, 0.1), primitive(4, 0.4, 0.2)],
        primitive_poses=[pose((1.0, 0.0, 0.0))], meshes=[tetrahedron()], mesh_poses=[pose()],
        planes=[SimpleNamespace(coef=[0.0, 0.0, 2.0, 1.0])]))
    box, cylinder, cone, mesh, ground = present(node)
    assert box.shape == Box((0.1, 0.2, 0.3))
    assert box.pose[:3, 3] == pytest.approx([1.0, 0.0, 2.0])
    assert cylinder.shape == Cylinder(0.1, 0.5)
    assert cone.shape == Cylinder(0.2, 0.4)  # which encloses it
    assert cylinder.pose[:3, 3] == pytest.approx([0.0, 0.0, 2.0])
    assert isinstance(mesh.shape, Mesh)
    assert isinstance(ground.shape, Ground)
    assert ground.shape.offset == pytest.approx(-0.5)
    q = np.zeros(6)
    tip = CHAIN.forward(q)[:3, 3]
    send(node, thing('it', tip - [0.03, 0.03, 0.03], meshes=[tetrahedron()], frame='base_link'))
    (mesh,) = present(node)
    assert CollisionModel(CHAIN, [mesh]).contacts(q)[0].distance < 0.0


def test_an_object_is_grasped_carried_and_put_down(node):
    node.client.send(T_TIP)
    place = T_TIP[:3, 3] + 0.09 * T_TIP[:3, 2]
    send(node, ball('part', place, 0.02))
    send(node, attached('link_6', thing('part')))
    (part,) = present(node)
    assert part.link == 'link_6'
    assert node.client.send(CHAIN.forward([0.8, 0.3, 0.5, 0.4, -1.2, 0.4])).met
    send(node, attached('link_6', thing('part', operation=REMOVE)))
    (part,) = present(node)
    assert part.link is None
    turned = np.hypot(*part.pose[:2, 3]), np.hypot(*place[:2])
    assert turned[0] == pytest.approx(turned[1])
    assert np.linalg.norm(part.pose[:3, 3] - place) > 0.05
    send(node, scene(on_links=[attached('link_6', ball('other', (0.0, 0.0, 0.3), 0.02,
                                                       frame='link_6'))]))
    assert [one.link for one in present(node)] == [None, 'link_6']
    send(node, attached('', thing('', operation=REMOVE)))
    assert [one.link for one in present(node)] == [None, None]


def test_what_is_attached_may_touch_the_links_that_are_named():
    q = np.zeros(6)
    T = np.eye(4)
    T[2, 3] = -0.1
    beside = Obstacle(Sphere(0.3), T, 'link_6', 'part')
    touched = {one.first for one in CollisionModel(CHAIN, [beside]).contacts(q)}
    assert touched
    assert CollisionModel(CHAIN, [Obstacle(
        Sphere(0.3), T, 'link_6', 'part', tuple(touched))]).contacts(q) == []


def test_a_whole_scene_replaces_the_objects_a_difference_does_not(node):
    send(node, scene(ball('a', (2.0, 0.0, 0.0)), is_diff=False))
    send(node, scene(ball('b', (3.0, 0.0, 0.0))))
    assert [one.name for one in present(node)] == ['a', 'b']
    send(node, scene(ball('c'), is_diff=False))
    assert [one.name for one in present(node)] == ['c']


@pytest.mark.parametrize(('message', 'words'), [
    (lambda: ball('it', frame='nowhere'), "unknown frame 'nowhere'"),
    (lambda: ball(''), 'no id'), (lambda: thing('it'), 'no shapes'),
    (lambda: thing('it', operation=MOVE), 'an object that is there'),
    (lambda: ball('it', operation=bytes([9])), 'no operation 9'),
    (lambda: thing('it', primitives=[primitive(5, 1.0)]), 'type 5 is no obstacle'),
    (lambda: thing('it', primitives=[primitive(1, 1.0)]), 'must have 3 dimensions'),
    (lambda: thing('it', primitives=[primitive(2, float('nan'))]), 'radius of a Sphere'),
    (lambda: thing('it', primitives=[primitive(2, -1.0)]), 'radius of a Sphere'),
    (lambda: thing('it', planes=[SimpleNamespace(coef=[0.0, 0.0, 0.0, 1.0])]), 'must not be zero'),
    (lambda: thing('it', meshes=[SimpleNamespace(vertices=[], triangles=[])]), 'triangles'),
    (lambda: ball('it', primitive_poses=[pose()] * 2), '1 shapes, but 2 poses'),
    (lambda: attached('hand', ball('it')), "no link 'hand'"),
    (lambda: ball('it', (float('inf'), 0.0, 0.0)), 'must have finite numbers')])
def test_what_is_invalid_is_refused_with_the_reason_and_the_rest_stands(node, message, words):
    send(node, ball('other', (3.0, 0.0, 0.0)))
    send(node, message())
    assert node.until(lambda: words in warning(node), 2.0)  # with tf2 a frame may still come
    assert [one.name for one in present(node)] == ['other']
    send(node, ball('more', (3.0, 0.0, 0.0)))
    assert warning(node) == ''
    assert node.alive()


def test_without_the_package_the_log_says_so_and_with_it_there_are_three_topics(monkeypatch):
    lines = []
    logger = SimpleNamespace(info=lambda line, once: lines.append(line))
    node = SimpleNamespace(get_logger=lambda: logger)
    monkeypatch.setitem(sys.modules, 'moveit_msgs', None)
    assert planning_scene.message_types(node) == {}
    assert 'moveit_msgs is not installed' in lines[0]
    package = ModuleType('moveit_msgs')
    package.msg = SimpleNamespace(CollisionObject=1, PlanningScene=2, AttachedCollisionObject=3)
    monkeypatch.setitem(sys.modules, 'moveit_msgs', package)
    assert planning_scene.message_types(node) == {
        'collision_object': 1, 'planning_scene': 2, 'attached_collision_object': 3}

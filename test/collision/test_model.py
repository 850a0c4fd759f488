"""Where robots touch themselves and obstacles."""

import copy
import gc
import math
import pickle
import weakref

import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.collision import (
    Box,
    Capsule,
    CollisionModel,
    Cylinder,
    Ground,
    Mesh,
    Obstacle,
    PointCloud,
    Sphere,
)
from ik_node.collision.robot import RobotShapes
from ik_node.model.srdf import read_disabled_collisions, write_disabled_collisions
from ik_node.support.exceptions import InputError, ModelError
from shape_pairs import at

BALL, LIMIT = '<sphere radius="0.1"/>', 'lower="-3" upper="3"'


def joint(name, parent, child, x=0.0, kind='revolute', shape=BALL, at=0.5, **more):
    """Return a joint about z, and its link with a ball."""
    return robots.joint(name, kind, parent, child, xyz=f'{x} 0 0', limit=LIMIT, shape=shape,
                        at=f'{at} 0 0', **more)


def planar(*more, forearm=BALL):
    """Return three links of 1 m in a plane; each has a ball of 0.1 m in its middle."""
    return KinematicTree.from_urdf(robots.robot(
        joint('a', 'base', 'one'), joint('b', 'one', 'two', 1.0),
        joint('c', 'two', 'three', 1.0, shape=forearm),
        joint('end', 'three', 'tip', 1.0, 'fixed', shape=''), *more))


@pytest.fixture
def arm():
    return planar().chain('base', 'tip')


def test_the_distance_of_two_links_is_that_of_their_balls(arm):
    q = np.array([0.0, math.pi / 2, math.pi / 2])  # balls at (0.5, 0) and (0.5, 1)
    contact, = CollisionModel(arm).contacts(q, 10.0)
    assert (contact.first, contact.second) == ('one', 'three')
    assert contact.distance == pytest.approx(0.8)
    assert contact.point_first == pytest.approx([0.5, 0.1, 0.0])
    assert contact.point_second == pytest.approx([0.5, 0.9, 0.0])
    assert contact.normal == pytest.approx([0.0, 1.0, 0.0])
    assert CollisionModel(arm).contacts(q) == []
    assert str(contact) == "'one' is 800 mm from 'three'"


def test_links_with_one_joint_between_them_may_touch():
    arm = planar(forearm='<sphere radius="0.6"/>').chain('base', 'tip')
    model = CollisionModel(arm)
    assert [(model.robot.pieces[a].link, model.robot.pieces[b].link)
            for a, b in model.robot.pairs] == [('one', 'three')]


def test_links_that_are_fixed_to_one_another_are_one():
    tree = planar(joint('wrist', 'tip', 'hand', kind='fixed'))
    model = CollisionModel(tree.chain('base', 'tip'))
    assert {tuple(model.robot.pieces[k].link for k in pair) for pair in model.robot.pairs} == {
        ('one', 'three'), ('one', 'hand')}


def test_links_beside_the_arm_are_where_their_joints_are_held():
    tree = planar(joint('hinge', 'base', 'door', 2.0, shape='<box size="0.2 0.2 0.2"/>'))
    arm, q = tree.chain('base', 'tip'), np.zeros(3)
    closed, opened = CollisionModel(arm), CollisionModel(arm, others={'hinge': 1.5})
    assert closed.contacts(q)[0].second == 'door'
    assert opened.contacts(q) == []
    with pytest.raises(ModelError, match='hinge'):
        CollisionModel(arm, others={'henge': 1.0})


def test_other_joints_may_move_at_any_time_and_carry_the_base():
    tree = planar(joint('hinge', 'base', 'door', 2.0, shape='<box size="0.2 0.2 0.2"/>'),
                  joint('grip', 'tip', 'finger', at=0.05), joint('pinch', 'tip', 'thumb', at=0.1))
    arm, q = tree.chain('base', 'tip'), np.zeros(3)
    model = CollisionModel(arm, [Obstacle(Sphere(0.1), at(0.5, 0.25), name='ball')])
    pairs = {(one.first, one.second) for one in model.contacts(q)}
    assert ('three', 'door') in pairs
    assert not any({'finger', 'thumb'} <= {*pair} for pair in pairs)  # which no joint of q parts
    assert not any({'three', 'thumb'} <= {*pair} for pair in pairs)
    before = model.scene
    model.others = {'hinge': 1.5}
    assert model.contacts(q) == []
    assert model.others['hinge'] == 1.5
    assert model.scene is not before
    assert model.obstacles[0].name == 'ball'
    upper = tree.chain('one', 'tip')  # whose base link the joint a moves
    turned = CollisionModel(upper, [Obstacle(Sphere(0.1), at(1.5, 0.15), name='ball')])
    for a in (0.0, 0.7):
        turned.others = {'a': a, 'hinge': 1.5}
        contact, = turned.contacts(np.zeros(2))
        assert contact.second == 'ball'
        assert contact.point_first == pytest.approx([1.5, 0.1, 0.0])
    for wrong, words in (({'b': 0.1}, "no joint 'b'"), ({'hinge': math.nan}, 'hinge')):
        with pytest.raises((ModelError, InputError), match=words):
            turned.others = wrong
    assert turned.others['hinge'] == 1.5


def test_other_joints_are_placed_without_the_obstacles_around_the_robot():
    upper = planar().chain('one', 'tip')  # whose base link the joint a moves
    model = CollisionModel(upper)
    world = [Obstacle(Sphere(0.1), at(0.5, 1.0), name='ball'), Obstacle(
        Sphere(0.2), at(0.3, 0.0), 'tip', name='stick')]
    model.set_obstacles(world)  # in the frame of the link base
    for a in (0.0, 0.7, -2.0):
        model.place_others({'a': a})
        T = upper.tree.forward({'a': a})
        moved = Obstacle(Sphere(0.1), np.linalg.inv(T['one']) @ at(0.5, 1.0), name='ball')
        again = CollisionModel(upper, [moved, world[1]], others={'a': a})
        q = np.array([0.3, 0.2])
        for one, other in zip(model.contacts(q, 3.0), again.contacts(q, 3.0), strict=True):
            assert (one.first, one.second) == (other.first, other.second)
            assert one.distance == pytest.approx(other.distance, abs=1e-9)
            assert one.point_second == pytest.approx(other.point_second, abs=1e-9)
        assert model.obstacles[0].pose == pytest.approx(moved.pose)
        copied = pickle.loads(pickle.dumps(model))
        assert copied.contacts(q, 3.0)[0].distance == pytest.approx(
            model.contacts(q, 3.0)[0].distance, abs=1e-9)
    model.others = {'a': 0.3}  # which carries obstacles along
    assert model.obstacles[0].pose == pytest.approx(moved.pose)


def test_pairs_that_no_margin_parts_are_found_anew_where_other_joints_move_them():
    arm = planar(joint('lid', 'tip', 'cap', 0.1, shape='<sphere radius="0.12"/>', at=0.3)
                 ).chain('base', 'tip')
    shapes = RobotShapes(arm)
    for value, names in ((0.0, {'three'}), (3.0, {'three', 'cap'}), (0.5, {'three'})):
        shapes = shapes.with_others({'lid': value})
        assert {tuple(shapes.pieces[k].link for k in pair) for pair in shapes.always_within(2.2)
                } == {('one', name) for name in names}


def test_a_model_with_another_margin_has_obstacles_of_its_own(arm):
    wall = Obstacle(Box((0.2, 0.2, 0.2)), at(0.5, 0.5))
    model = CollisionModel(arm, [wall], margin=0.29)
    wider = model.with_margin(0.31)
    assert model.is_free(np.zeros(3))
    assert not wider.is_free(np.zeros(3))
    wider.obstacles = []
    assert wider.is_free(np.zeros(3))
    assert len(model.obstacles) == 1
    with pytest.raises(InputError, match='at least 0 m'):
        model.with_margin(-0.1)


def test_a_pair_that_always_touches_is_left_out_and_listed():
    tree = planar(joint('d', 'base', 'cover', shape='<sphere radius="9"/>'))
    model = CollisionModel(tree.chain('base', 'tip'))
    assert ('cover', 'three') in model.robot.always
    assert model.contacts(np.zeros(3)) == []


def test_links_that_are_always_nearer_than_the_margin_may_be():
    tree = planar(joint('d', 'three', 'knuckle', 0.5, shape=''),
                  joint('e', 'knuckle', 'finger', at=0.23))
    arm, q = tree.chain('base', 'finger'), np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    model = CollisionModel(arm, margin=0.05)
    contact, = model.contacts(q, 0.05)  # 0.03 m apart, whatever q
    assert (contact.first, contact.second) == ('three', 'finger')
    assert contact.distance == pytest.approx(0.03)
    for one in (model, CollisionModel(arm, margin=0.01).with_margin(0.05)):
        assert one.is_free(q)
        assert one.free_part([q, -q]) == math.inf
        assert one.near_pairs(q, 0.09).distances.min() > 0.05
        finger = one.space.forward(q)[:3, :3] @ [0.23, 0.0, 0.0] + one.space.forward(q)[:3, 3]
        one.obstacles = [Obstacle(Sphere(0.1), at(*(finger + [0.0, 0.0, 0.24])))]
        assert not one.is_free(q)  # of an obstacle the margin is kept
    folded = np.array([0.0, *[math.acos(-0.77)] * 2, 3.0, 0.0])  # 0.03 m: 'one' and 'three'
    assert CollisionModel(arm).is_free(folded)
    assert not CollisionModel(arm, margin=0.05).is_free(folded)  # and of other links


def test_a_folded_arm_touches_itself_but_for_disabled_pairs(arm):
    q = np.array([0.0, 2.6, 2.6])
    contact, = CollisionModel(arm).contacts(q)
    assert contact.distance < 0.0
    assert 'mm deep in' in str(contact)
    assert not CollisionModel(arm, disabled=[('three', 'one')]).contacts(q)


def test_disabled_pairs_are_read_and_written_as_srdf(arm, tmp_path):
    text = write_disabled_collisions('planar', {('one', 'three'): 'Never', ('a', 'b'): 'User'})
    (tmp_path / 'planar.srdf').write_text(text)
    assert read_disabled_collisions(tmp_path / 'planar.srdf', arm.tree) == [('one', 'three')]
    with pytest.raises(ModelError, match='number 1 must have link1 and link2'):
        read_disabled_collisions('<robot><disable_collisions link1="one"/></robot>', arm.tree)


def test_visual_shapes_count_where_a_link_has_no_others():
    tree = planar(joint('d', 'tip', 'flag', tag='visual'))
    model = CollisionModel(tree.chain('base', 'flag'))
    assert model.robot.visual == ('flag',)
    assert any(piece.link == 'flag' for piece in model.robot.pieces)


@pytest.mark.parametrize(('shape', 'expected'), [
    (Box((0.2, 0.2, 0.2)), 0.3), (Sphere(0.1), 0.3), (Cylinder(0.1, 0.2), 0.3),
    (Capsule(0.1, 0.2), 0.3), (PointCloud([[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]], 0.05), 0.35)])
def test_an_obstacle_has_the_distance_of_its_shape(arm, shape, expected):
    model = CollisionModel(arm, [Obstacle(shape, at(0.5, 0.5), name='it')])
    found = [one for one in model.contacts(np.zeros(3), 0.36) if one.second == 'it']
    assert min(one.distance for one in found) == pytest.approx(expected)


def test_the_ground_is_below_its_offset_along_its_normal(arm):
    assert CollisionModel(arm, [Obstacle(Ground(offset=-0.11))]).contacts(np.zeros(3)) == []
    contacts = CollisionModel(arm, [Obstacle(Ground(offset=-0.09))]).contacts(np.zeros(3))
    assert [one.first for one in contacts] == ['one', 'two', 'three']
    assert contacts[0].distance == pytest.approx(-0.01)
    aside = CollisionModel(arm, [Obstacle(Ground((0.0, -3.0, 0.0)), at(0.0, 0.05))])
    assert aside.contacts(np.zeros(3))[0].distance == pytest.approx(-0.05)


def test_an_attached_obstacle_moves_with_its_link_and_may_touch_it(arm):
    pole = Obstacle(Capsule(0.02, 0.5), at(0.5), link='three', name='pole')
    wall = Obstacle(Box((0.1, 4.0, 1.0)), at(0.0, 3.0), name='wall')
    model = CollisionModel(arm, [pole, wall])
    assert model.contacts(np.zeros(3)) == []
    contacts = model.contacts(np.array([math.pi / 2, 0.0, 0.0]))
    assert ('pole', 'wall') in {(one.first, one.second) for one in contacts}


def test_poses_are_in_the_base_frame_of_an_arm_and_in_the_world_of_a_body():
    tree = planar().placed(at(3.0))
    arm, body, ball = tree.chain('base', 'tip'), tree.body(), Sphere(0.1)
    q = np.zeros(3)
    for space, x in ((arm, 0.5), (body, 3.5)):
        found = CollisionModel(space, [Obstacle(ball, at(x, 0.3))]).contacts(q, 0.11)
        assert [one.first for one in found] == ['one']
        assert found[0].point_first == pytest.approx([x, 0.1, 0.0])


def test_obstacles_may_change_at_any_time(arm):
    model, near = CollisionModel(arm), Obstacle(Sphere(0.1), at(0.5, 0.1))
    assert model.is_free(np.zeros(3))
    model.obstacles = [near, Obstacle(Ground(offset=-5.0))]
    assert not model.is_free(np.zeros(3))
    with pytest.raises(ModelError):
        model.obstacles = [Obstacle(Sphere(0.1), link='four')]
    assert model.obstacles[0] is near  # as before
    assert not model.is_free(np.zeros(3))
    model.obstacles = []
    assert model.is_free(np.zeros(3))


def test_of_many_obstacles_each_is_found(arm):
    rng = np.random.default_rng(0)
    places = rng.uniform(-3.0, 3.0, (700, 3))
    obstacles = [Obstacle(Sphere(0.05), at(*place), name=str(k)) for k, place in enumerate(places)]
    model, middles = CollisionModel(arm, obstacles), np.array([[0.5 + k, 0, 0] for k in range(3)])
    found = {(one.first, one.second) for one in model.contacts(np.zeros(3), 0.5)
             if one.second.isdigit()}
    apart = np.linalg.norm(places[None] - middles[:, None], axis=2) - 0.15
    assert found == {(('one', 'two', 'three')[i], str(k)) for i, k in np.argwhere(apart <= 0.5)}


def test_gradients_are_those_of_central_differences():
    arm = planar(forearm='<cylinder radius="0.1" length="0.5"/>').chain('base', 'tip')
    model = CollisionModel(arm, [Obstacle(Box((0.3, 0.2, 0.4)), at(1.2, 1.4, 0.1)),
                                 Obstacle(Cylinder(0.1, 0.3), at(-1.0, 0.4, 0.2))])
    rng, h = np.random.default_rng(2), 1e-5
    for _ in range(100):
        q = rng.uniform(arm.lower, arm.upper)
        _, distances, gradients, _ = model.near_pairs(q, 10.0)
        for k, step in enumerate(h * np.eye(3)):
            after, before = (model.near_pairs(q + change, 10.0).distances
                             for change in (step, -step))
            assert gradients[:, k] == pytest.approx((after - before) / (2.0 * h), abs=1e-5)
        assert len(distances) == 7


def test_a_mesh_counts_as_its_convex_hull(arm, tmp_path):
    pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')
    file = tmp_path / 'corner.obj'  # two plates at a right angle, open, without a volume
    file.write_text('v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n')
    mesh = Mesh(str(file), (0.2, 0.2, 0.2))
    contact, = CollisionModel(arm, [Obstacle(mesh, at(0.5, 0.2))]).contacts(np.zeros(3), 0.15)
    assert contact.second == 'Mesh'
    assert contact.distance == pytest.approx(0.1)


@pytest.mark.parametrize(('make', 'said'), [
    (lambda: Obstacle(Box((1.0, -1.0, 1.0))), 'the size of a Box must be greater than 0 m'),
    (lambda: Obstacle(Sphere(math.nan)), 'radius of a Sphere'),
    (lambda: Obstacle(Sphere(0.0)), 'must be greater than 0 m'),
    (lambda: Obstacle(Capsule(0.1, -1.0)), 'the length of a Capsule must be at least 0 m'),
    (lambda: Obstacle('box'), 'a shape must be a Box, Sphere'),
    (lambda: Obstacle(Box((1.0, 1.0))), 'size of a Box'),
    (lambda: Obstacle(Sphere(1.0), np.zeros((4, 4))), 'pose of an obstacle'),
    (lambda: Obstacle(Sphere(1.0), np.eye(3)), r'shape \(4, 4\)'),
    (lambda: Obstacle(Sphere(1.0), link=3), 'must be a name'),
    (lambda: Obstacle(Sphere(1.0), name=''), 'name of an obstacle'),
    (lambda: Obstacle(Mesh('a.stl', (0.0, 1.0, 1.0))), 'scale of a Mesh'),
    (lambda: Ground((0.0, 0.0, 0.0)), 'must not be zero'),
    (lambda: PointCloud([[1.0, math.nan, 0.0]], 0.1), 'points of a PointCloud'),
    (lambda: PointCloud([[1.0, 2.0]], 0.1), r'shape \(k, 3\)'),
    (lambda: PointCloud([[1.0, 2.0, 3.0]], -0.1), 'radius of a PointCloud'),
    (lambda: Obstacle(Ground(), link='one'), 'cannot be attached'),
    (lambda: Obstacle(PointCloud(np.zeros((1001, 3)), 0.1), link='one'), 'at most 1000 points'),
])
def test_a_malformed_obstacle_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


@pytest.mark.parametrize(('given', 'said'), [
    ({'obstacles': [Sphere(0.1)]}, 'must be an Obstacle'),
    ({'obstacles': 3}, 'obstacles must be a list'),
    ({'obstacles': [Obstacle(Sphere(0.1), link='four')]}, "no link 'four'"),
    ({'margin': -0.1}, 'margin must be at least 0 m'),
    ({'disabled': [('one', 'four')]}, "no link 'four'"),
    ({'disabled': ['one']}, 'two names of links'),
])
def test_a_malformed_model_is_refused(arm, given, said):
    with pytest.raises((InputError, ModelError), match=said):
        CollisionModel(arm, **given)


def test_a_model_is_copied_with_its_obstacles(arm):
    model = CollisionModel(arm, [Obstacle(Sphere(0.1), at(0.5, 0.1))], margin=0.1)
    for other in (copy.copy(model), pickle.loads(pickle.dumps(model))):
        assert other.margin == 0.1
        assert not other.is_free(np.zeros(3))


def test_models_of_former_robots_are_not_kept():
    kept = []
    for _ in range(20):
        chain = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
        assert CollisionModel(chain).robot is CollisionModel(chain).robot
        kept.append(weakref.ref(chain))
    del chain
    gc.collect()
    assert sum(one() is not None for one in kept) <= 8

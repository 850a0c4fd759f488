"""A whole tree with one q: its layout, its errors, and Pinocchio's figures."""

import copy
import pickle

import numpy as np
import pytest

import robots
from ik_node import IkError, KinematicTree, ModelError, body_solver_names, make_body_solver
from ik_node.model.body import root_values
from ik_node.model.joints import ComplexJoint, Joint, Mimic
from ik_node.model.parts import Inertial
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import InputError, OptionError
from ik_node.tasks import Pose, Posture
from task_bodies import placed

FLOATING = ('root_x', 'root_y', 'root_z', 'root_wx', 'root_wy', 'root_wz')


def tree():
    """Return a trunk with two arms; a mimic of the left arm's joint in the right arm."""
    z = np.array([0.0, 0.0, 1.0])
    return KinematicTree(
        ['trunk', 'left', 'left_hand', 'right', 'right_hand', 'camera'],
        [Joint('left_shoulder', 'revolute', 'trunk', 'left', placed(0, 1, 0), z, -1.0, 2.0, 3.0),
         Joint('left_slide', 'prismatic', 'left', 'left_hand', placed(1, 0, 0), z, 0.1, 0.4),
         Joint('right_shoulder', 'revolute', 'trunk', 'right', placed(0, -1, 0), z, -0.5, 1.0, 2.0,
               mimic=Mimic('left_shoulder', -0.5, 0.25)),
         Joint('right_wrist', 'continuous', 'right', 'right_hand', placed(1, 0, 0), z,
               velocity=5.0),
         Joint('camera_joint', 'fixed', 'trunk', 'camera', placed(0, 0, 1))],
        name='twin', inertials={'trunk': Inertial(4.0), 'left': Inertial(1.0, [0.5, 0, 0])})


def test_q_has_every_moving_joint_depth_first_and_no_mimic():
    body = tree().body()
    assert body.joint_names == ('left_shoulder', 'left_slide', 'right_wrist')
    assert body.n_joints == 3
    assert body.links == tree().links
    assert body.root == 'fixed'


@pytest.mark.parametrize(('root', 'first'), [
    ('fixed', ()), ('planar', ('root_x', 'root_y', 'root_yaw')), ('floating', FLOATING)])
def test_the_roots_entries_come_first_and_have_no_limits(root, first):
    body = tree().body(root)
    count = len(first)
    assert body.joint_names == (*first, 'left_shoulder', 'left_slide', 'right_wrist')
    assert (body.lower[:count] == -np.inf).all()
    assert (body.upper[:count] == np.inf).all()
    assert (body.velocity_limits[:count] == np.inf).all()


@pytest.mark.parametrize(('root', 'first'), [
    ('fixed', []), ('planar', [False, False, True]), ('floating', [False] * 6)])
def test_unlimited_rotations_about_one_axis_may_change_by_whole_turns_and_nothing_else(root, first):
    assert tree().body(root).turns.tolist() == [*first, False, False, True]


@pytest.mark.parametrize(('ratio', 'turns'), [(-2.0, True), (0.5, False)])
def test_a_joint_whose_mimic_moves_by_part_of_a_turn_may_not_change_by_whole_ones(ratio, turns):
    z = np.array([0.0, 0.0, 1.0])
    body = KinematicTree(['base', 'a', 'b'], [
        Joint('one', 'continuous', 'base', 'a', placed(0, 0, 0), z),
        Joint('other', 'continuous', 'a', 'b', placed(1, 0, 0), z, mimic=Mimic('one', ratio, 0.0))],
        name='geared').body()
    assert body.turns.tolist() == [turns]


def test_limits_of_a_source_keep_its_mimic_inside_its_own():
    # right = 0.25 − left / 2 within −0.5 … 1: left within −1.5 … 1.5.
    body = tree().body()
    assert body.lower.tolist() == [-1.0, 0.1, -np.inf]
    assert body.upper.tolist() == [1.5, 0.4, np.inf]
    assert body.velocity_limits.tolist() == [3.0, np.inf, 5.0]
    slower = KinematicTree(['a', 'b', 'c'], [
        Joint('one', 'continuous', 'a', 'b', velocity=3.0),
        Joint('two', 'continuous', 'b', 'c', velocity=2.0, mimic=Mimic('one', -4.0))]).body()
    assert slower.velocity_limits.tolist() == [0.5]


def test_frames_are_those_of_the_tree():
    twin, q = tree(), np.array([0.7, 0.2, -2.0])
    frames = twin.body().forward(q)
    expected = twin.forward(dict(zip(twin.body().joint_names, q)))
    assert tuple(frames) == twin.links
    for link, T in expected.items():
        assert (frames[link] == T).all()


@pytest.mark.parametrize(('root', 'T'), [
    ('fixed', np.eye(4)), ('planar', pose_from_rpy((1.0, -2.0, 0.0), (0.0, 0.0, 2.5))),
    ('floating', pose_from_rpy((1.0, -2.0, 0.5), (0.4, -1.2, 2.5)))])
def test_the_root_is_at_the_pose_whose_values_its_joints_have(root, T):
    body = tree().body(root)
    q, values = np.zeros(body.n_joints), root_values(root, T)
    q[:len(values)] = values
    frames = body.forward(q)
    for link, T_root_link in tree().forward().items():
        assert frames[link] == pytest.approx(T @ T_root_link, abs=1e-12)


def test_a_tree_placed_elsewhere_takes_its_body_along():
    elsewhere = tree().placed(pose_from_rpy((5.0, 6.0, 7.0), (0.0, 0.0, 0.5 * np.pi)))
    for root, zeros in (('fixed', 0), ('planar', 3), ('floating', 6)):
        frames = elsewhere.body(root).forward([0.0] * zeros + [0.3, 0.2, 0.1])
        for link, T in elsewhere.forward({'left_shoulder': 0.3, 'left_slide': 0.2,
                                          'right_wrist': 0.1}).items():
            assert frames[link] == pytest.approx(T, abs=1e-15)


def test_joints_that_are_not_named_are_held_at_zero():
    body = tree().body(joints=['right_wrist', 'left_slide'])
    assert body.joint_names == ('left_slide', 'right_wrist')
    assert dict(body.held) == {'left_shoulder': 0.0}
    for link, T in tree().forward({'left_slide': 0.3, 'right_wrist': 1.0}).items():
        assert body.forward([0.3, 1.0])[link] == pytest.approx(T)
    assert tree().body('planar', joints=[]).joint_names == ('root_x', 'root_y', 'root_yaw')


def test_held_joints_stand_at_their_values_and_their_mimics_follow():
    for body in (tree().body(joints=['right_wrist'], held={'left_shoulder': 0.6}),
                 tree().body(held={'left_shoulder': 0.6, 'left_slide': 0.0})):
        assert body.joint_names == ('right_wrist',)
        assert dict(body.held) == {'left_shoulder': 0.6, 'left_slide': 0.0}
        for link, T in tree().forward({'left_shoulder': 0.6, 'right_wrist': 1.0}).items():
            assert body.forward([1.0])[link] == pytest.approx(T)
        assert (body.jacobian([1.0], 'left_hand') == 0.0).all()


def test_part_of_a_ball_can_be_held():
    ball = KinematicTree(['base', 'arm'], [
        ComplexJoint('hip', 'ball', 'base', 'arm', rotation='exponential')])
    body, whole = ball.body(held={'hip_wy': 0.4}), ball.body()
    assert body.joint_names == ('hip_wx', 'hip_wz')
    q, full = [0.3, -0.8], [0.3, 0.4, -0.8]
    assert body.forward(q)['arm'] == pytest.approx(whole.forward(full)['arm'])
    assert body.jacobian(q, 'arm') == pytest.approx(whole.jacobian(full, 'arm')[:, [0, 2]])


def test_every_link_weighs_the_root_and_what_is_fixed_to_it_too():
    body = tree().body()
    assert body.mass == 5.0
    assert body.center_of_mass([0.0, 0.1, 0.0]) == pytest.approx([0.1, 0.2, 0.0])


def test_a_robot_without_masses_has_no_centre_of_mass_and_no_energy():
    body = KinematicTree.from_dh([[0.4, 0, 0, 0], [0.3, 0, 0, 0]], 'standard').body()
    assert body.mass == 0.0
    assert (body.mass_matrix([0.1, 0.2]) == 0.0).all()
    for method in (body.center_of_mass, body.center_of_mass_jacobian):
        with pytest.raises(ModelError, match='masses of its links add up to 0 kg'):
            method([0.1, 0.2])


@pytest.mark.parametrize(('arguments', 'kind', 'words'), [
    ({'root': 'flying'}, OptionError, "no kind of root 'flying'.*'fixed', 'planar', 'floating'"),
    ({'root': None}, OptionError, "'fixed', 'planar', 'floating'"),
    ({'joints': ['left_wrist']}, ModelError,
     "joints: there is no joint 'left_wrist'; did you mean 'right_wrist'"),
    ({'joints': [3]}, ModelError, 'joints: there is no joint 3;'),
    ({'joints': ['right_shoulder']}, ModelError, "follows 'left_shoulder'; give the value"),
    ({'joints': ['camera_joint']}, ModelError,
     "'camera_joint' is fixed; .* are 'left_shoulder', 'left_slide', 'right_wrist'"),
    ({'joints': 'left_slide'}, ModelError, "joints must be a list, not 'left_slide'"),
    ({'joints': 7}, ModelError, 'joints must be a list, not 7'),
    ({'joints': [['left_slide']]}, ModelError, "joints: there is no joint"),
    ({'joints': ['left_slide', 'left_slide']}, InputError, "joints has 'left_slide' twice"),
    ({'joints': ['left_slide'], 'held': {'left_slide': 0.1}}, InputError,
     "'left_slide' is in joints and in held"),
    ({'joints': []}, ModelError, "no joint of 'twin' moves"),
    ({'held': {'left': 0.0}}, ModelError, "held: there is no joint 'left'"),
    ({'held': {'right_shoulder': 0.0}}, ModelError, "follows 'left_shoulder'; give the value"),
    ({'held': {'left_slide': np.nan}}, InputError, "the held value of joint 'left_slide'.*finite"),
    ({'held': {'left_slide': [0.1, 0.2]}}, InputError,
     "joint 'left_slide' must be a single number"),
    ({'held': {'left_slide': None}}, InputError, "the held value of joint 'left_slide' must be"),
    ({'held': ['left_slide']}, ModelError, r'held {joint: value} must be a mapping, not \[')])
def test_what_cannot_be_laid_out_is_refused_with_what_there_is(arguments, kind, words):
    with pytest.raises(kind, match=words):
        tree().body(**arguments)


def test_a_joint_named_as_an_entry_of_the_root_is_refused():
    named = KinematicTree(['a', 'b'], [Joint('root_x', 'continuous', 'a', 'b')])
    assert named.body().joint_names == ('root_x',)
    with pytest.raises(ModelError, match=r"a planar root has an entry 'root_x'.*rename"):
        named.body('planar')


@pytest.mark.parametrize(('call', 'words'), [
    (lambda body: body.forward([0.0] * 4), r'q must have the shape \(3,\), not \(4,\)'),
    (lambda body: body.mass_matrix([0.0, np.nan, 0.0]), 'q must be finite'),
    (lambda body: body.center_of_mass('abc'), 'q must be numbers'),
    (lambda body: body.center_of_mass_jacobian(None), 'q must'),
    (lambda body: body.jacobian([0.0] * 3, 'lef'), "no link 'lef'; did you mean 'left'"),
    (lambda body: body.jacobian([0.0] * 3, ['left']), "no link .* there is 'trunk', 'left'"),
    (lambda body: body.jacobian([0.0] * 3, 'left', [1.0]), r'the point must have the shape \(3,\)'),
    (lambda body: body.jacobian([0.0] * 3, 'left', [0, 0, np.inf]), 'the point must be finite')])
def test_a_wrong_argument_is_refused(call, words):
    with pytest.raises(IkError, match=words):
        call(tree().body())


def test_a_mass_matrix_beyond_all_numbers_is_refused():
    slide = KinematicTree(['a', 'b', 'c'], [
        Joint('turn', 'continuous', 'a', 'b', axis=(0, 0, 1)),
        Joint('out', 'prismatic', 'b', 'c')],
        inertials={'c': Inertial(2.0)})
    M = slide.body().mass_matrix([0.3, 1e100])
    assert M == pytest.approx(np.array([[2e200, 0.0], [0.0, 2.0]]), rel=1e-9, abs=1e90)
    with pytest.raises(InputError, match='q is too large for a mass matrix'):
        slide.body().mass_matrix([0.3, 1e200])


@pytest.mark.parametrize('other', [copy.copy, copy.deepcopy,
                                   lambda body: pickle.loads(pickle.dumps(body))])
def test_copies_are_the_same_and_cannot_be_written_to(other):
    body = tree().body('floating', joints=['right_wrist'], held={'left_shoulder': 0.6})
    again = other(body)
    q = np.linspace(-1.0, 1.0, 7)
    assert again.joint_names == body.joint_names
    assert (again.forward(q)['right_hand'] == body.forward(q)['right_hand']).all()
    for array in (again.lower, again.upper, again.velocity_limits, *again.arrays):
        assert not array.flags.writeable
        assert array.flags.c_contiguous
    for change in (lambda: setattr(again, 'mass', 1.0), lambda: again.held.update(x=1.0)):
        with pytest.raises(AttributeError):
            change()


# The robots of two packages, as Pinocchio reads them. Those of rtb have no masses.
PEERS = ['panda', 'ur5', 'iiwa14', 'puma560', 'irb140', 'so101', 'pr2', 'baxter', 'allegro',
         'talos']


def peer(name, root):
    from peer_pinocchio import Peer
    path = (robots.package_folder('erd') / 'talos_data/robots/talos_reduced.urdf'
            if name == 'talos' else robots.path(name))
    body = KinematicTree.from_urdf(path).body(root)
    return body, Peer(path, body)


@pytest.mark.parametrize(('name', 'root'), [
    *((name, 'fixed') for name in PEERS), ('panda', 'floating'), ('talos', 'floating')])
def test_frames_jacobians_and_masses_are_pinocchios(name, root):
    body, theirs = peer(name, root)
    rng = np.random.default_rng(6)
    assert body.mass == pytest.approx(theirs.mass, abs=1e-9)
    for _ in range(robots.samples(20)):
        q = robots.random_q(body, rng)
        if root == 'floating':
            q[3:6] *= rng.uniform(0.0, 1.0)
        frames = theirs.forward(q)
        for link, T in body.forward(q).items():
            assert frames[link] == pytest.approx(T, abs=1e-9)
        for link in rng.choice(body.links, 3):
            point = rng.uniform(-0.5, 0.5, 3)
            assert body.jacobian(q, link, point) == pytest.approx(
                theirs.jacobian(q, link, point), abs=1e-9), link
        assert body.mass_matrix(q) == pytest.approx(theirs.mass_matrix(q), abs=1e-9)
        if body.mass > 0.0:
            com, J = theirs.center_of_mass(q)
            assert body.center_of_mass(q) == pytest.approx(com, abs=1e-9)
            assert body.center_of_mass_jacobian(q) == pytest.approx(J, abs=1e-9)


def test_a_robot_without_moving_joints_is_a_body():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('f', 'fixed', 'base', 'tip', xyz='1 0 0')))
    body, here, there = tree.body(), placed(1, 0, 0), np.eye(4)
    assert (body.n_joints, body.joint_names, body.lower.shape) == (0, (), (0,))
    assert body.forward([])['tip'] == pytest.approx(here)
    assert body.jacobian([], 'tip').shape == (6, 0)
    assert body.mass_matrix([]).shape == (0, 0)
    for name in body_solver_names():
        for tasks in ([], [Posture(priority=0)]):
            assert make_body_solver(name, body, [Pose('tip', here), *tasks]).solve().success
            solver = make_body_solver(name, body, [Pose('tip', there), *tasks])
            assert not solver.solve().success
            assert not solver.closest().success
            assert solver.velocity(np.zeros(0), 0.1).shape == (0,)

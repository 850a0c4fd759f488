import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Goal, IkError, KinematicTree, ModelError, make_solver
from ik_node.model.joints import BALL, FLOATING, PLANAR, ComplexJoint, Joint
from ik_node.spatial import pose_from_rotation, rotation_exp, rotation_log
from ik_node.support.exceptions import UnsupportedError

CENTRE = [0.1, -0.2, 0.5]
TOOL = [0.3, 0.0, 0.1]


def pose(position=(0.0, 0.0, 0.0), R=np.eye(3)):  # noqa: B008
    return pose_from_rotation(R, np.array(position, dtype=float))


def ball(rotation, **limits):
    """Return a tree of one ball joint at CENTRE, and its chain with the tool at TOOL."""
    tree = KinematicTree(['base', 'arm', 'tool'], [
        ComplexJoint('hip', BALL, 'base', 'arm', pose(CENTRE), rotation=rotation, **limits),
        Joint('tool_joint', 'fixed', 'arm', 'tool', pose(TOOL), lower=0.0, upper=0.0)])
    return tree, tree.chain()


def urdf(kind, axis='0 0 1'):
    return robots.robot(robots.joint('hip', kind, 'base', 'arm', xyz='0.1 -0.2 0.5', axis=axis),
                        robots.joint('tool_joint', 'fixed', 'arm', 'tool', xyz='0.3 0 0.1'))


def test_a_ball_is_three_joints_and_two_links_of_no_length():
    tree, chain = ball('zyx')
    assert chain.joint_names == ('hip_rz', 'hip_ry', 'hip_rx')
    assert tree.links == ('base', 'hip_rz_link', 'hip_ry_link', 'arm', 'tool')
    assert {joint.type for joint in tree.joints.values()} == {'continuous', 'fixed'}
    assert tree.complex_joints['hip'].freedom == 3
    for name in ('hip_ry', 'hip_rx'):
        assert (tree.joints[name].placement == np.eye(4)).all()


@pytest.mark.parametrize('order', ['zyx', 'xyz', 'zxz', 'yxy', 'xzy'])
def test_an_euler_order_is_what_scipy_says(order):
    _, chain = ball(order)
    q = np.array([0.3, -1.2, 2.1])
    R = Rotation.from_euler(order.upper(), q).as_matrix()
    assert chain.forward(q) == pytest.approx(pose(CENTRE, R) @ pose(TOOL), abs=1e-15)


@pytest.mark.parametrize('angle', [0.0, 1e-9, 1e-4, 9.99e-4, 1.001e-3, 0.5, 3.0, 4.5])
def test_an_exponential_map_is_what_scipy_says(angle):
    tree, chain = ball('exponential')
    assert chain.joint_names == ('hip_wx', 'hip_wy', 'hip_wz')
    w = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    expected = pose(CENTRE, Rotation.from_rotvec(w).as_matrix()) @ pose(TOOL)
    assert chain.forward(w) == pytest.approx(expected, abs=1e-14)
    assert tree.forward(dict(zip(chain.joint_names, w)))['tool'] == pytest.approx(
        expected, abs=1e-14)


@pytest.mark.parametrize('rotation', ['zyx', 'zxz', 'exponential'])
@pytest.mark.parametrize('size', [0.0, 1e-6, 5e-4, 0.01, 1.0, 2.8])
def test_the_jacobian_is_that_of_central_differences(rotation, size):
    _, chain = ball(rotation)
    q = size * np.array([0.5, -0.6, 0.62])
    J, h = chain.jacobian(q), 1e-6
    for k in range(3):
        step = np.zeros(3)
        step[k] = h
        before, after = chain.forward(q - step), chain.forward(q + step)
        turned = rotation_log(after[:3, :3] @ before[:3, :3].T)
        column = np.concatenate([after[:3, 3] - before[:3, 3], turned]) / (2 * h)
        assert J[:, k] == pytest.approx(column, abs=1e-8)


def test_a_ball_stands_within_a_longer_chain():
    joints = [Joint('lift', 'prismatic', 'base', 'column', pose([0, 0, 0.2]), np.array([0, 0, 1.0]),
                    0.0, 1.0),
              ComplexJoint('hip', BALL, 'column', 'thigh', pose(CENTRE, rotation_exp([1, 0, 0])),
                           rotation='exponential'),
              Joint('knee', 'revolute', 'thigh', 'shank', pose([0.4, 0, 0]), np.array([0, 1.0, 0]),
                    -2.0, 2.0),
              Joint('foot', 'fixed', 'shank', 'tool', pose(TOOL), lower=0.0, upper=0.0)]
    tree = KinematicTree(['base', 'column', 'thigh', 'shank', 'tool'], joints)
    chain = tree.chain()
    rng = np.random.default_rng(2)
    for name in ('dls', 'pseudoinverse', 'transpose'):
        solver = make_solver(name, chain)
        for _ in range(robots.samples(50)):
            q = robots.random_q(chain, rng)
            T = pose([0, 0, 0.2 + q[0]]) @ pose(CENTRE, rotation_exp([1, 0, 0])) @ pose(
                R=rotation_exp(q[1:4])) @ pose([0.4, 0, 0]) @ pose(
                    R=rotation_exp([0, q[4], 0])) @ pose(TOOL)
            assert chain.forward(q) == pytest.approx(T, abs=1e-13)
            goal = Goal(T[:3, 3], T[:3, :3])
            result = solver.solve(goal)
            assert result.success, result
            assert chain.forward(result.q) == pytest.approx(T, abs=1e-5)


def follow(chain, path, q):
    """Return the poses of a path that are met, each from the one before; joints cannot jump."""
    solver = make_solver('dls', chain, max_restarts=0, max_iterations=5, max_step=0.05)
    met = []
    for goal in path:
        result = solver.solve(goal, q)
        met.append(result.success)
        q = result.q
    return met


def through_gimbal_lock():
    """Return poses of the tool that turn 'zyx' to a pitch of 90°, and there about the lost axis."""
    up = [Rotation.from_euler('ZYX', [0.0, pitch, 0.0]) for pitch in np.linspace(0, np.pi / 2, 46)]
    # At a pitch of 90° z and x coincide: what is lost is turning about y, after a turn about z.
    aside = [Rotation.from_rotvec([angle, 0.0, 0.0]) * up[-1] for angle in np.linspace(0, 1.5, 46)]
    return [pose(CENTRE, R.as_matrix()) @ pose(TOOL) for R in [*up, *aside]]


def test_an_exponential_map_goes_through_the_gimbal_lock_where_euler_angles_fail():
    path = through_gimbal_lock()
    _, exponential = ball('exponential')
    assert all(follow(exponential, path, np.zeros(3)))
    _, euler = ball('zyx')
    met = follow(euler, path, np.zeros(3))
    assert all(met[:45])  # up to the lock, which is at the 46th
    assert met.count(False) >= 3  # until two joints have swung round by a quarter turn


def test_a_rotation_vector_never_winds_up():
    _, chain = ball('exponential')
    solver = make_solver('dls', chain, max_restarts=0)
    q = np.zeros(3)
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    for angle in np.arange(0.0, 40.0, 0.1):  # more than six times round
        R = rotation_exp(angle * axis)
        result = solver.solve(pose(CENTRE, R) @ pose(TOOL), q)
        assert result.success
        q = result.q
        assert np.linalg.norm(q) < np.pi + 0.11


def test_limits_of_a_ball_hold():
    _, chain = ball('exponential', lower=[-0.5] * 3, upper=[0.5] * 3)
    result = make_solver('dls', chain).solve(pose(CENTRE, rotation_exp([1.0, 0, 0])) @ pose(TOOL))
    assert not result.success
    assert result.reason.name == 'STALLED'
    assert np.abs(result.q).max() <= 0.5
    _, chain = ball('zyx', lower=[-1, -0.2, -3], upper=[1, 0.3, 3])
    assert chain.lower.tolist() == [-1.0, -0.2, -3.0]


def test_what_cannot_take_an_exponential_map_says_so():
    tree, chain = ball('exponential')
    with pytest.raises(UnsupportedError, match='ccd .* exponential map'):
        make_solver('ccd', chain)
    with pytest.raises(UnsupportedError, match='dls'):
        make_solver('analytic', chain)
    with pytest.raises(ModelError, match='exponential map'):
        chain.to_dh('standard')
    with pytest.raises(ModelError, match="tip link lies within a ball joint .* 'hip_wy'"):
        tree.chain('base', 'hip_wy_link')
    with pytest.raises(ModelError, match="base link lies within a ball joint .* 'hip_wz'"):
        tree.chain('hip_wy_link', 'tool')


def test_ccd_takes_euler_angles():
    _, chain = ball('zyx')
    R = rotation_exp([0.5, 0.4, -0.3])
    assert make_solver('ccd', chain).solve(pose(CENTRE, R) @ pose(TOOL)).success


@pytest.mark.parametrize(('axis', 'x', 'y'), [('0 0 1', [1, 0, 0], [0, 1, 0]),
                                              ('1 0 0', [0, 1, 0], [0, 0, 1]),
                                              ('0 1 0', [0, 0, 1], [1, 0, 0])])
def test_a_planar_joint_of_a_file_slides_in_its_plane_and_turns_about_the_normal(axis, x, y):
    tree = KinematicTree.from_urdf(urdf('planar', axis))
    chain = tree.chain()
    assert chain.joint_names == ('hip_x', 'hip_y', 'hip_theta')
    q = np.array([0.7, -0.4, 2.0])
    normal = np.array(axis.split(), dtype=float)
    T = pose(np.array(CENTRE) + 0.7 * np.array(x) - 0.4 * np.array(y),
             Rotation.from_rotvec(2.0 * normal).as_matrix()) @ pose(TOOL)
    assert chain.forward(q) == pytest.approx(T, abs=1e-15)
    assert make_solver('dls', chain).solve(
        Goal(T[:3, 3], T[:3, :3])).q == pytest.approx(q, abs=1e-5)


def test_a_slanted_plane_is_a_plane():
    normal = np.array([1.0, 2.0, -2.0]) / 3.0
    tree = KinematicTree(['base', 'cart'], [
        ComplexJoint('floor', PLANAR, 'base', 'cart', normal=normal)])
    x, y = tree.joints['floor_x'].axis, tree.joints['floor_y'].axis
    assert np.column_stack([x, y, normal]).T @ np.column_stack([x, y, normal]) == pytest.approx(
        np.eye(3), abs=1e-15)
    assert np.cross(x, y) == pytest.approx(normal)


@pytest.mark.parametrize('rotation', ['zyx', 'exponential'])
def test_a_floating_joint_of_a_file_goes_anywhere(rotation):
    tree = KinematicTree.from_urdf(urdf('floating'), rotation=rotation)
    chain = tree.chain()
    assert chain.n_joints == 6
    assert chain.joint_names[:3] == ('hip_x', 'hip_y', 'hip_z')
    T = pose([3.0, -2.0, 1.0], rotation_exp([1.0, -0.5, 2.0]))
    result = make_solver('dls', chain).solve(T)
    assert result.success
    assert chain.forward(result.q) == pytest.approx(T, abs=2e-6)


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_a_complex_joint_of_a_file_can_be_held(kind):
    tree = KinematicTree.from_urdf(urdf(kind), hold_complex_joints=True)
    assert tree.joints['hip'].type == 'fixed'
    assert tree.forward()['tool'][:3, 3] == pytest.approx([0.4, -0.2, 0.6])
    assert f"joint 'hip' is {kind}: it is fixed" in tree.warnings[0]
    assert "replaced by the joints 'hip_x'" in KinematicTree.from_urdf(urdf(kind)).warnings[0]


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'type': 'hinge'}, "'planar', 'floating', 'ball'"),
    ({'rotation': 'zzy'}, "the rotation must be one of 'xyx'.*'exponential', not 'zzy'"),
    ({'lower': [0.0]}, 'is ball and needs 3 limits, not 1'),
    ({'lower': [0, 0, 1], 'upper': [1, 1, 0]}, 'lower must not be greater than upper'),
    ({'lower': [math.nan] * 3}, 'no ranges'),
])
def test_a_malformed_complex_joint_is_refused(arguments, words):
    with pytest.raises(IkError, match=words):
        ComplexJoint(**{'name': 'hip', 'type': BALL, 'parent': 'a', 'child': 'b', **arguments})
    with pytest.raises(ModelError, match='the rotation must be one of'):
        KinematicTree.from_urdf(urdf('floating'), rotation='roll-pitch-yaw')


def test_names_of_its_parts_must_be_free():
    with pytest.raises(ModelError, match="two joints are named 'hip_x'"):
        KinematicTree(['base', 'a', 'b'], [
            ComplexJoint('hip', FLOATING, 'base', 'a'),
            Joint('hip_x', 'fixed', 'a', 'b', lower=0.0, upper=0.0)])

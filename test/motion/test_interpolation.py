from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import robots
from ik_node import Chain, IkError, KinematicTree
from ik_node.motion.interpolation import (
    between_configurations,
    between_poses,
    easing,
    easing_names,
)
from ik_node.spatial import rotation_defect
from ik_node.support.exceptions import InputError, OptionError

PI = np.pi
S = np.linspace(0.0, 1.0, 21)


def one_joint(kind: str, limits: tuple[float, float] | None = None) -> Chain:
    text = '' if limits is None else f'lower="{limits[0]!r}" upper="{limits[1]!r}"'
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('j', kind, 'base', 'tip', limit=text))).chain()


def pose(rotation_vector, position=(0.0, 0.0, 0.0)):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(rotation_vector).as_matrix()
    T[:3, 3] = position
    return T


def angle_between(T0, T1):
    return (Rotation.from_matrix(T0[:3, :3]).inv() * Rotation.from_matrix(T1[:3, :3])).magnitude()


# Joint vectors

def configuration_difference(chain, q0, q1):
    """Return what a joint covers from q0 to q1."""
    return between_configurations(chain, q0, q1, 1.0) - q0


def test_a_continuous_joint_passes_half_a_turn_where_that_is_shorter():
    chain = one_joint('continuous')
    path = between_configurations(chain, [0.9 * PI], [-0.9 * PI], S)[:, 0]
    assert path == pytest.approx(0.9 * PI + 0.2 * PI * S)
    assert chain.forward(path[-1:]) == pytest.approx(chain.forward([-0.9 * PI]), abs=1e-12)
    assert configuration_difference(chain, [0.9 * PI], [-0.9 * PI]) == pytest.approx([0.2 * PI])
    assert configuration_difference(chain, [-0.9 * PI], [0.9 * PI]) == pytest.approx([-0.2 * PI])


@pytest.mark.parametrize(('kind', 'limits', 'q0', 'q1', 'end'), [
    ('revolute', (-PI, PI), 0.9, -0.9, -0.9),           # straight
    ('revolute', (-2 * PI, 2 * PI), 0.9, -0.9, 1.1),    # past half a turn, inside the limits
    ('revolute', (-2 * PI, 2 * PI), 1.9, -0.2, 1.8),    # a turn on, and near it
    ('revolute', (-2 * PI, 2 * PI), 1.9, 0.2, 0.2),     # 2.2 would be nearer, but is outside
    ('revolute', (-3 * PI, 3 * PI), 3.0, -0.5, 1.5),    # 3.5 would be nearest, but is outside
    ('revolute', (-PI, 1.05 * PI), 0.9, -0.9, -0.9),    # 1.1 is just outside
    ('revolute', (-PI, 1.15 * PI), 0.9, -0.9, 1.1),     # and just inside
    ('revolute', (-PI, PI), 0.0, 1.5, -0.5),            # from outside turned inside
    ('revolute', (-1.0, 1.0), 0.0, 0.6, 0.6),           # or straight outside
    ('continuous', None, 7.0, 0.1, 6.1), ('continuous', None, -1.0, 1.0, -1.0),  # turns away
    ('prismatic', (-10.0, 10.0), 0.0, 2.0, 2.0)])       # is never wrapped
def test_a_joint_goes_to_what_is_nearest_inside_its_limits(kind, limits, q0, q1, end):
    chain = one_joint(kind, limits)
    assert between_configurations(chain, [q0 * PI], [q1 * PI], S)[:, 0] == pytest.approx(
        PI * (q0 + (end - q0) * S), abs=1e-12)


def test_a_joint_whose_mimic_turns_half_as_far_is_not_wrapped():
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'middle'),
        robots.joint('b', 'continuous', 'middle', 'tip', xyz='1 0 0',
                     mimic='joint="a" multiplier="0.5"'))).chain()
    assert configuration_difference(chain, [0.9 * PI], [-0.9 * PI]) == pytest.approx([-1.8 * PI])


@pytest.mark.parametrize('name', ['panda', 'ur5', 'pr2', 'iiwa14'])
def test_between_two_configurations_inside_the_limits_all_are_and_the_ends_are_met(name):
    chain, rng = robots.chain(name), np.random.default_rng(3)
    corners = [np.where(np.isfinite(side), side, 3.0) for side in (chain.lower, chain.upper)]
    draws = [robots.random_q(chain, rng) for _ in range(30)]
    for q0, q1 in [corners, corners[::-1], (corners[0], corners[0]), *pairwise(draws)]:
        path = between_configurations(chain, q0, q1, np.linspace(0.0, 1.0, 101))
        assert path.shape == (101, chain.n_joints)
        assert robots.inside(chain, path)
        assert path[0].tolist() == q0.tolist()
        assert chain.forward(path[-1]) == pytest.approx(chain.forward(q1), abs=1e-9)
        no_room = chain.upper - chain.lower < 2 * PI
        assert (path[-1] == q1)[no_room].all()


def test_a_joint_that_stands_is_not_moved_by_rounding():
    chain = one_joint('continuous')
    assert set(between_configurations(chain, [0.1], [0.1], np.linspace(0, 1, 1000))[:, 0]) == {0.1}


def test_a_number_gives_one_configuration_and_an_array_as_many():
    chain = robots.scara()
    assert between_configurations(chain, np.zeros(4), np.zeros(4), 0.5).shape == (4,)
    assert between_configurations(chain, np.zeros(4), np.zeros(4), [0.5]).shape == (1, 4)
    assert between_configurations(chain, np.zeros(4), np.zeros(4), []).shape == (0, 4)


@pytest.mark.parametrize(('q0', 'q1', 's', 'says'), [
    ([0.0, 0.0], [0.0], 0.5, r'q0 must have the shape \(1,\)'),
    ([0.0], [np.nan], 0.5, 'q1 must be finite'),
    ([0.0], [0.0], 1.5, 'between 0 and 1')])
def test_wrong_configurations_and_parts_are_refused(q0, q1, s, says):
    with pytest.raises(InputError, match=says):
        between_configurations(one_joint('continuous'), q0, q1, s)


# Poses

def test_the_position_is_interpolated_linearly_and_the_orientation_as_by_slerp():
    T0, T1 = pose([0.3, -0.2, 0.9], [0.1, 0.2, 0.3]), pose([-1.0, 0.7, 0.1], [1.1, -0.2, 0.3])
    arc = Slerp([0.0, 1.0], Rotation.from_matrix([T0[:3, :3], T1[:3, :3]]))
    T = between_poses(T0, T1, S)
    assert T[:, :3, 3] == pytest.approx(np.outer(1 - S, T0[:3, 3]) + np.outer(S, T1[:3, 3]))
    assert T[:, :3, :3] == pytest.approx(arc(S).as_matrix(), abs=1e-14)
    assert between_poses(T0, T1, 0.5) == pytest.approx(T[10], abs=0)


def test_the_angular_speed_is_constant_and_the_arc_the_shorter_one():
    T0, T1 = pose([0.0, 0.0, 0.0]), pose([0.0, 0.0, 1.5 * PI])
    T = between_poses(T0, T1, S)
    steps = [angle_between(a, b) for a, b in pairwise(T)]
    assert steps == pytest.approx([0.5 * PI / 20] * 20, rel=1e-9)
    assert T[10][:3, :3] == pytest.approx(Rotation.from_rotvec([0, 0, -0.25 * PI]).as_matrix())


@pytest.mark.parametrize('angle', [0.0, 1e-300, 1e-12, 1e-8, 1e-4, PI - 1e-4, PI - 1e-9, PI])
def test_it_is_right_from_no_angle_to_half_a_turn(angle):
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    T0 = pose([0.4, 0.5, -0.6])
    T1 = T0 @ pose(angle * axis)
    T = between_poses(T0, T1, S)
    turned = Rotation.from_matrix(T0[:3, :3]).inv() * Rotation.from_matrix(T[:, :3, :3])
    path = turned.as_rotvec()[:-1] @ axis
    sign = 1.0 if angle < PI or path[1] > 0.0 else -1.0  # at half a turn either arc will do
    assert path == pytest.approx(sign * angle * S[:-1], abs=1e-14 + 1e-7 * (angle > 3.0))
    assert max(rotation_defect(np.ascontiguousarray(each[:3, :3])) for each in T) < 1e-14


def test_the_direction_of_a_tiny_angle_is_kept():
    w = 1e-12 * np.array([2.0, -3.0, 6.0]) / 7.0
    half = between_poses(np.eye(4), pose(w), 0.5)
    assert [half[2, 1], half[0, 2], half[1, 0]] == pytest.approx(0.5 * w, rel=1e-9)


def test_the_ends_are_returned_to_the_last_digit():
    T0, T1 = pose([0.3, 2.0, 0.9], [0.1, 0.2, 0.3]), pose([-1.0, 0.7, 2.1], [1.1, -0.2, 0.3])
    assert (between_poses(T0, T1, 0.0) == T0).all()
    assert (between_poses(T0, T1, 1.0) == T1).all()
    assert (between_poses(T0, T1, [1.0, 0.5, 0.0])[[0, 2]] == [T1, T0]).all()


def test_what_comes_back_is_no_view_of_what_was_given():
    T0 = pose([0.1, 0.0, 0.0])
    between_poses(T0, T0, 0.0)[:] = 7.0
    assert T0[3].tolist() == [0.0, 0.0, 0.0, 1.0]


MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])


@pytest.mark.parametrize(('T0', 'T1', 'says'), [
    (np.eye(3), np.eye(4), r'T0 must be a pose of the shape \(4, 4\)'),
    (np.eye(4), 1.001 * np.eye(4), 'T1 is no pose'),
    (np.eye(4), MIRROR, 'T1 is no pose'),
    (np.full((4, 4), np.nan), np.eye(4), 'T0 must be finite'),
    ('here', np.eye(4), 'T0 must be numbers')])
def test_what_is_no_pose_is_refused(T0, T1, says):
    with pytest.raises(InputError, match=says):
        between_poses(T0, T1, 0.5)


FINE = np.linspace(0.0, 1.0, 1001)


def test_the_names_are_these():
    assert easing_names() == ('linear', 'cubic', 'quintic', 'sine', 'trapezoid')


@pytest.mark.parametrize('name', easing_names())
def test_it_rises_from_zero_to_one_and_arrives_as_it_leaves_with_the_slope_of_its_curve(name):
    ease = easing(name)
    assert [ease(0.0), ease(1.0)] == [0.0, 1.0]
    values = ease(np.sort(np.concatenate([FINE, 1.0 - np.logspace(-17, -3, 100),
                                          np.logspace(-17, -3, 100)])))
    assert (np.diff(values) >= -1e-15).all()
    assert (values.min(), values.max()) == (0.0, 1.0)
    assert ease(1.0 - FINE) == pytest.approx(1.0 - ease(FINE), abs=1e-15)
    s, h = np.linspace(0.01, 0.99, 50), 1e-6
    assert ease.slope(s) == pytest.approx((ease(s + h) - ease(s - h)) / (2.0 * h), abs=1e-5)
    assert [ease.slope(0.0), ease.slope(1.0)] == 2 * [float(name == 'linear')]


@pytest.mark.parametrize(('name', 'peak', 'quarter'), [
    ('linear', 1.0, 0.25), ('cubic', 1.5, 3 / 16 - 2 / 64),
    ('quintic', 1.875, 6 / 4**5 - 15 / 4**4 + 10 / 4**3),
    ('sine', np.pi / 2, (1.0 - np.sqrt(0.5)) / 2.0), ('trapezoid', 1.5, 2.25 / 16)])
def test_its_greatest_speed_and_its_place_at_a_quarter_are_the_known_ones(name, peak, quarter):
    slopes = easing(name).slope(FINE)
    assert slopes.max() == pytest.approx(peak, rel=1e-12)
    assert easing(name).slope(0.5) == pytest.approx(peak, rel=1e-12)
    assert easing(name)(0.25) == pytest.approx(quarter, abs=1e-15)


def test_a_number_gives_a_number_and_an_array_an_array():
    for function in (easing('sine'), easing('sine').slope):
        assert np.ndim(function(0.3)) == 0
        assert function([0.3, 0.4]).shape == (2,)


@pytest.mark.parametrize('name', ['cubik', '', None, 3])
def test_an_unknown_name_is_refused_with_the_list(name):
    with pytest.raises(OptionError, match="there is no easing .*'quintic', 'sine', 'trapezoid'"):
        easing(name)


@pytest.mark.parametrize(('s', 'says'), [
    (-1e-9, 'between 0 and 1'), (1.1, 'not at 1.1'), (np.nan, 'finite'), ('x', 'numbers'),
    ([0.2, 2.0], 'not at 2'), ([[0.5]], r'\(1, 1\)')])
def test_what_is_no_part_is_refused(s, says):
    for function in (easing('cubic'), easing('cubic').slope):
        with pytest.raises(InputError, match=says) as caught:
            function(s)
        assert isinstance(caught.value, IkError)

"""Self-motions: the tip stays, the joints go all the way to where a limit or a circle ends."""

import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_solver
from ik_node.solvers.arm.self_motion import self_motion
from ik_node.support.exceptions import InputError, MotionError, UnsupportedError

POSITION = 1, 1, 1, 0, 0, 0
PLANE = 1, 1, 0, 0, 0, 0
ARM_7R = robots.chain('arm_7r')
ARM_6R = robots.chain('arm_6r')
PLANAR = robots.chain('planar_3r')
BENT = np.array([0.3, 0.6, -0.4, 1.2, 0.2, -0.7, 0.4])


def starts(chain, count=4):
    rng = np.random.default_rng(1)
    return rng.uniform(np.maximum(chain.lower, -3.0), np.minimum(chain.upper, 3.0),
                       (count, chain.n_joints))


@pytest.mark.parametrize(('chain', 'weights'), [
    pytest.param(ARM_7R, None, marks=pytest.mark.slow),
    pytest.param(ARM_7R.without_limits(), None, marks=pytest.mark.slow), (ARM_6R, POSITION),
    (PLANAR, PLANE)])
def test_the_tip_stays_and_the_joints_move_in_small_steps_inside_the_limits(chain, weights):
    counted = np.array(weights or (1,) * 6, dtype=bool)
    for q in starts(chain):
        motion = self_motion(chain, q, weights)
        T = chain.forward(q)
        for other in motion.configurations:
            T_other = chain.forward(other)
            assert T_other[:3, 3][counted[:3]] == pytest.approx(T[:3, 3][counted[:3]], abs=1e-7)
            if counted[3:].all():
                assert T_other == pytest.approx(T, abs=1e-8)
        assert robots.inside(chain, motion.configurations)
        steps = np.linalg.norm(np.diff(motion.configurations, axis=0), axis=1)
        assert 0.0 < steps.max() < 0.06
        assert motion.lengths[-1] == pytest.approx(steps.sum())
        assert motion.configurations[motion.start] == pytest.approx(q)


@pytest.mark.parametrize('scale', robots.rest_slow([1e-3, 1e3], 1e3))
def test_a_small_and_a_large_arm_have_the_motion_of_one_of_their_shape(scale):
    one, other = (self_motion(robots.planar(*[length] * 3), [0.3, 1.0, 0.8], PLANE)
                  for length in (1.0, scale))
    assert one.endings == other.endings == ('closed', 'closed')
    assert other.lengths[-1] == pytest.approx(one.lengths[-1], rel=1e-3)


def test_it_ends_somewhere_where_no_joint_stops_it():
    gantry = KinematicTree.from_urdf(robots.robot(*(robots.joint(
        f'j{k}', 'prismatic', ('base', 'l1')[k], f'l{k + 1}', axis='1 0 0',
        limit='lower="-1000" upper="1000"') for k in range(2)))).chain()
    motion = self_motion(gantry, [0.1, 0.2], (1, 0, 0, 0, 0, 0))
    assert motion.endings == ('length', 'length')
    assert motion.configurations.sum(axis=1) == pytest.approx(0.3, abs=1e-6)
    assert motion.lengths[-1] == pytest.approx(16.0 * np.pi, rel=0.01)


def test_weights_say_which_axes_count_and_not_how_much():
    q = starts(ARM_6R)[0]
    one, other = (self_motion(ARM_6R, q, weights)
                  for weights in (POSITION, (1e3, 1, 1e-3, 0, 0, 0)))
    assert other.configurations == pytest.approx(one.configurations)


def elbow_turn(chain, configurations):
    """Return the swivel angle of the elbow, rad, about the line from shoulder to wrist.

    From joint positions alone: the circle on which an elbow moves between two spherical joints.
    """
    tree = robots.tree('arm_7r')
    joints = {joint.child: joint for joint in tree.joints.values()}
    moving = [link for link, joint in joints.items() if joint.moves]
    places = []
    for q in configurations:
        T = tree.forward(dict(zip(chain.joint_names, q)))
        places.append([T[link][:3, 3] for link in moving])
    places = np.array(places)
    shoulder, elbow, wrist = places[:, 1], places[:, 3], places[:, 5]
    axis = wrist[0] - shoulder[0]
    axis /= np.linalg.norm(axis)
    radial = elbow - shoulder
    radial -= np.outer(radial @ axis, axis)
    assert np.linalg.norm(radial, axis=1) == pytest.approx(np.linalg.norm(radial[0]), abs=1e-7)
    side = np.cross(axis, radial[0])
    return np.unwrap(np.arctan2(radial @ side, radial @ radial[0] / np.linalg.norm(radial[0])))


def test_the_elbow_of_an_arm_like_a_humans_goes_once_round_its_circle():
    chain = ARM_7R.without_limits()
    motion = self_motion(chain, BENT)
    assert motion.endings == ('closed', 'closed')
    assert motion.start == 0
    turn = elbow_turn(chain, motion.configurations)
    assert abs(turn[-1] - turn[0]) == pytest.approx(2.0 * np.pi, abs=1e-6)
    turns = (motion.configurations[-1] - BENT) / (2.0 * np.pi)
    assert turns == pytest.approx(np.round(turns), abs=1e-9)


def test_it_ends_where_a_joint_reaches_its_limit():
    motion = self_motion(ARM_7R, BENT)
    assert motion.endings == ('limit', 'limit')
    for q in motion.configurations[[0, -1]]:
        distance = np.minimum(q - ARM_7R.lower, ARM_7R.upper - q)
        assert distance.min() == pytest.approx(0.0, abs=1e-7)


def test_the_joint_that_is_named_grows_at_first_and_leads_to_a_motion_of_its_own():
    ends = []
    for k, name in enumerate(ARM_6R.joint_names[:5]):
        motion = self_motion(ARM_6R, starts(ARM_6R)[0], POSITION, joint=name)
        at = motion.start
        here = motion.configurations[at:at + 2] if motion.endings[1] != 'closed' or at == 0 else (
            motion.configurations[at - 1:at + 1])
        assert here[1][k] > here[0][k], name
        ends.append(motion.configurations[-1])
    assert np.linalg.norm(ends[0] - ends[1]) > 0.1


def test_an_arm_without_redundancy_has_none_even_where_it_is_singular():
    for q in (starts(ARM_6R)[0], [0.4, 0.3, -0.8, 0.5, -np.pi / 2, 0.2]):
        with pytest.raises(MotionError, match='the goal leaves the arm no self-motion'):
            self_motion(ARM_6R, q)


def test_a_joint_that_cannot_move_is_named():
    with pytest.raises(MotionError, match='joint_5 does not move in the null space here'):
        self_motion(ARM_6R, np.r_[starts(ARM_6R)[0][:5], 0.0], (1, 1, 1, 1, 1, 0), 'joint_5')


def test_in_a_singular_configuration_it_cannot_be_followed():
    motion = self_motion(ARM_7R, np.zeros(7) + [0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0])
    assert 'singularity' in motion.endings


@pytest.mark.parametrize(('arguments', 'reason'), [
    ((np.zeros(3),), r'shape|7'),
    ((np.full(7, 10.0),), 'begins inside the limits'),
    ((BENT, np.zeros(6)), 'above zero'),
    ((BENT, None, 'elbow'), "'elbow' is none of the joints"),
    ((BENT, None, np.zeros(2)), 'is none of the joints')])
def test_wrong_arguments_are_refused(arguments, reason):
    with pytest.raises(InputError, match=reason):
        self_motion(ARM_7R, *arguments)


def is_on(curve, q):
    """Return whether a configuration is within a step of a curve's, whole turns aside."""
    away = np.remainder(curve.configurations - q + np.pi, 2.0 * np.pi) - np.pi
    return np.linalg.norm(away, axis=1).min() < 0.04


@pytest.mark.parametrize('solver', ['analytic', 'auto', 'dls'])
@pytest.mark.parametrize('distance', [0.15, 0.3, 0.55, 0.75, 0.9])
def test_a_planar_arm_has_the_self_motions_of_a_four_bar_linkage(distance, solver):
    # The ground is the fourth bar. The shortest and the longest bar together are at most as long
    # as the other two if and only if the linkage has two ways of assembly [Grashof 1883].
    lengths = 0.4, 0.35, 0.2
    chain = KinematicTree.from_dh(np.array([(a, 0.0, 0.0, 0.0) for a in lengths]),
                                  'standard').chain()
    bars = sorted((*lengths, distance))
    count = 2 if bars[0] + bars[3] < bars[1] + bars[2] else 1
    curves = make_solver(solver, chain).self_motion(
        Goal((distance * 0.6, distance * 0.8, 0.0), weights=PLANE))
    assert [curve.endings for curve in curves] == [('closed', 'closed')] * count


@pytest.mark.slow
def test_an_arm_with_spherical_shoulder_and_wrist_has_eight_closed_ones():
    chain = ARM_7R.without_limits()
    for q in starts(ARM_7R, 2):
        curves = make_solver('analytic', chain).self_motion(chain.forward(q))
        assert [curve.endings for curve in curves] == [('closed', 'closed')] * 8
        assert sum(is_on(curve, q) for curve in curves) == 1


def test_one_inside_the_limits_passes_through_the_configuration_and_ends_at_limits():
    q = starts(ARM_6R)[0]
    curves = make_solver('analytic', ARM_6R).self_motion(
        Goal.from_pose(ARM_6R.forward(q), (1, 1, 1, 1, 1, 0)))
    assert any(is_on(curve, q) for curve in curves)
    for curve in curves:
        assert robots.inside(ARM_6R, curve.configurations)
        for end, configuration in zip(curve.endings, curve.configurations[[0, -1]]):
            if end == 'limit':
                at = np.minimum(configuration - ARM_6R.lower, ARM_6R.upper - configuration)
                assert at.min() < 1e-6


@pytest.mark.parametrize(('chain', 'weights', 'degree'), [
    (ARM_6R, (1,) * 6, 0), (ARM_6R, POSITION, 3), (ARM_7R, POSITION, 4)])
def test_it_is_refused_where_configurations_are_points_or_surfaces(chain, weights, degree):
    goal = Goal.from_pose(chain.forward(starts(chain)[0]), weights)
    with pytest.raises(UnsupportedError, match=f'here it leaves {degree}'):
        make_solver('auto', chain).self_motion(goal)


def test_a_goal_out_of_reach_has_none():
    assert make_solver('auto', PLANAR).self_motion(Goal((99.0, 0.0, 0.0), weights=PLANE)) == []

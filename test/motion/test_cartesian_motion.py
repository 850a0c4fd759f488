"""Cartesian motion: straight, within the limits, blended without a stop, refused where it ends."""

import re

import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver
from ik_node.motion.cartesian_motion import cartesian_motion, straight_motion
from ik_node.motion.following import ORIENTATION_TOLERANCE, POSITION_TOLERANCE, Follower
from ik_node.motion.limits import motion_limits
from ik_node.motion.path_motion import BLENDING_JERK, brake
from ik_node.motion.tip_path import Line, distance
from ik_node.motion.trajectory import Rest, left_of
from ik_node.support.exceptions import InputError, MotionError

STEP = 0.002  # s
OVER = 1.0 + 1e-5

# A configuration of each arm, well away from singular ones.
CONFIGURATIONS = {
    'panda': [0.2, -0.5, 0.1, -1.9, 0.1, 1.6, 0.7],
    'ur5': [0.3, -1.2, 1.4, -0.9, -1.3, 0.5],
    'iiwa14': [0.3, 0.6, 0.2, -1.3, 0.4, 0.9, 0.1]}


def arm(name, solver='dls'):
    """Return a chain, its follower, its limits and a configuration (n,)."""
    chain = robots.chain(name)
    return (chain, Follower(make_solver(solver, chain)), motion_limits(chain),
            np.array(CONFIGURATIONS[name]))


def beside(T, x, y, z, yaw=0.0):
    """Return a pose moved by metres in the base frame and turned about its own z."""
    c, s = np.cos(yaw), np.sin(yaw)
    moved = T.copy()
    moved[:3, :3] = T[:3, :3] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    moved[:3, 3] += [x, y, z]
    return moved


def assert_kept(limits, motion, jerk=1.0):
    """Check every sample of a motion, and its differences, against the limits."""
    q, v, a = motion.sample(np.arange(0.0, motion.duration, STEP))
    assert robots.inside(limits, q)
    assert (np.abs(v) <= limits.velocity * OVER).all()
    assert (np.abs(a) <= limits.acceleration * OVER).all()
    assert (np.abs(np.diff(q, axis=0)) <= STEP * limits.velocity * OVER).all()
    assert (np.abs(np.diff(v, axis=0)) <= STEP * limits.acceleration * OVER).all()
    # A motion begins and ends with next to no acceleration.
    assert (np.abs(np.diff(a, axis=0)) <= STEP * jerk * limits.jerk * OVER
            + 1e-3 * limits.acceleration).all()
    assert (np.abs(motion.at(motion.duration - 1e-9).acceleration)
            <= 2e-3 * limits.acceleration).all()
    assert np.diff(q, axis=0) == pytest.approx(
        0.5 * STEP * (v[1:] + v[:-1]), abs=STEP ** 3 * jerk * limits.jerk.max())


def off_line(line, T):
    """Return how far a pose is off a line, m, and off the turn that belongs to its place, rad."""
    start, path = line.pose(0.0)[:3, 3], line.pose(1.0)[:3, 3] - line.pose(0.0)[:3, 3]
    s = min(max(float((T[:3, 3] - start) @ path / (path @ path)), 0.0), 1.0)
    return distance(line.pose(s), T)


@pytest.mark.parametrize('solver', ['dls', 'auto'])
@pytest.mark.parametrize('name', CONFIGURATIONS)
def test_the_tip_moves_straight_and_turns_about_one_axis(name, solver):
    chain, follower, limits, q0 = arm(name, solver)
    T = chain.forward(q0)
    end = beside(T, -0.1, 0.15, -0.1, yaw=0.6)
    motion = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(end)])
    assert_kept(limits, motion)
    line = Line(T, end)
    for q in motion.sample(np.linspace(0.0, motion.duration, 150)).position:
        position, turn = off_line(line, chain.forward(q))
        assert position <= POSITION_TOLERANCE
        # The place along the line is known to the tolerance only, and so is the turn there.
        assert turn <= 2.0 * ORIENTATION_TOLERANCE
    assert chain.forward(motion.end) == pytest.approx(end, abs=5e-6)
    assert motion.at(0.0).position == pytest.approx(q0)
    excess = motion.excess()
    assert max(excess.velocity, excess.acceleration, excess.jerk) > 0.9


@pytest.mark.parametrize('name', CONFIGURATIONS)
def test_random_moves_and_blends_exceed_no_limit_at_any_sample(name):
    chain, follower, limits, q0 = arm(name)
    rng = np.random.default_rng(6)
    T = chain.forward(q0)
    present, blended = Rest(q0), 0
    goals = max(robots.samples(30), 6)
    for _ in range(goals):
        goal = beside(T, *rng.uniform(-0.1, 0.1, 3), yaw=rng.uniform(-0.4, 0.4))
        try:
            motion = cartesian_motion(follower, limits, present, [Goal.from_pose(goal)])
        except MotionError:  # where redundancy has led an arm near a limit
            present = Rest(q0)
            continue
        assert_kept(limits, motion, BLENDING_JERK)
        assert chain.forward(motion.end) == pytest.approx(goal, abs=5e-6)
        begin, before = motion.at(0.0), present.at(0.0)
        assert begin.position == pytest.approx(before.position, abs=1e-9)
        assert begin.velocity == pytest.approx(before.velocity, abs=1e-9)
        assert (np.abs(begin.acceleration - before.acceleration) <= 0.1 * limits.acceleration).all()
        blended += present.at(0.0).moves
        present = left_of(motion, rng.uniform(0.0, 1.1) * motion.duration)
    assert blended >= goals // 3


def test_a_new_goal_is_followed_without_a_stop_and_the_tip_joins_the_new_line():
    chain, follower, limits, q0 = arm('ur5')
    T = chain.forward(q0)
    first = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(beside(T, 0.0, 0.2, 0))])
    present = left_of(first, 0.4 * first.duration)
    goal = beside(T, 0.0, 0.15, -0.15)
    motion = cartesian_motion(follower, limits, present, [Goal.from_pose(goal)])
    speeds = np.abs(motion.sample(np.linspace(0.0, 0.8, 100) * motion.duration).velocity).max(1)
    assert speeds.min() > 0.05
    corner = Line(chain.forward(brake(present, limits).end), goal)
    for q in motion.sample(np.linspace(0.6, 1.0, 50) * motion.duration).position:
        assert off_line(corner, chain.forward(q))[0] <= POSITION_TOLERANCE


@pytest.mark.parametrize(('speed', 'lag'), [(0.2, 0.03), (0.3, 0.09)])
def test_goals_in_quick_succession_are_followed_without_a_stop(speed, lag):
    chain, follower, limits, q0 = arm('ur5')
    T, present, lags, speeds = chain.forward(q0), Rest(q0), [], []
    for t in np.arange(0.05, 1.5, 0.05):  # on a circle of 0.2 m
        angle = speed / 0.2 * t
        goal = beside(T, 0.0, 0.2 * np.sin(angle), 0.2 * np.cos(angle) - 0.2)
        motion = cartesian_motion(follower, limits, present, [Goal.from_pose(goal)])
        assert_kept(limits, motion, BLENDING_JERK)
        present = left_of(motion, 0.05)
        tip, before = (chain.forward(motion.at(at).position)[:3, 3] for at in (0.05, 0.04))
        lags.append(np.linalg.norm(goal[:3, 3] - tip))
        speeds.append(np.linalg.norm(tip - before) / 0.01)
    assert max(lags[5:]) < lag
    assert min(speeds[5:]) > 0.4 * speed


@pytest.mark.parametrize(('share', 'most'), [
    (0.002, 0.05), (0.05, 0.25), (0.15, 0.4), (0.25, 0.55), (0.4, 0.55)])
def test_braking_stays_on_the_path(share, most):
    chain, follower, limits, q0 = arm('ur5')
    T = chain.forward(q0)
    end = beside(T, -0.1, 0.3, -0.1, yaw=0.6)
    motion = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(end)])
    braking = brake(left_of(motion, share * motion.duration), limits)
    assert 0.0 < braking.duration < most * motion.duration
    line = Line(T, end)
    for q in braking.sample(np.linspace(0.0, braking.duration, 50)).position:
        assert off_line(line, chain.forward(q))[0] <= POSITION_TOLERANCE
    assert not braking.at(braking.duration).moves
    assert_kept(limits, braking, BLENDING_JERK)


def test_all_waypoints_are_reached_and_the_tip_rests_at_sharp_corners():
    chain, follower, limits, q0 = arm('ur5')
    T = chain.forward(q0)
    square = [beside(T, 0.0, y, z) for y, z in ((0.1, 0.0), (0.1, -0.1), (0.0, -0.1), (0.0, 0.0))]
    motion = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(G) for G in square])
    assert_kept(limits, motion)
    for t, corner in zip(np.cumsum([part.duration for part in motion.parts]), square):
        assert chain.forward(motion.at(t).position) == pytest.approx(corner, abs=5e-6)
        assert not motion.at(t).velocity.any()


def test_a_circle_of_many_waypoints_is_run_round_without_a_stop():
    chain, follower, limits, q0 = arm('ur5')
    T = chain.forward(q0)
    angles = np.linspace(0.0, 2.0 * np.pi, 61)[1:]
    goals = [Goal.from_pose(beside(T, 0.0, 0.08 * np.sin(a), 0.08 * (np.cos(a) - 1.0)))
             for a in angles]
    motion = cartesian_motion(follower, limits, Rest(q0), goals)
    assert_kept(limits, motion)
    inner = motion.sample(np.linspace(0.1, 0.9, 100) * motion.duration).velocity
    assert np.abs(inner).max(axis=1).min() > 0.05
    tips = np.array([chain.forward(q)[:3, 3] for q in motion.sample(
        np.linspace(0.0, motion.duration, 2000)).position])
    for goal in goals:
        assert np.linalg.norm(tips - goal.position, axis=1).min() < 5e-4


@pytest.mark.parametrize(('speed', 'path'), [
    (1.0, [(0.0, 0.1, -0.1), (0.0, 0.0, -0.1)]), (0.2, [(0.0, 0.0, -0.1)])])
def test_a_moving_arm_blends_into_a_path_also_of_slower_limits(speed, path):
    chain, follower, limits, q0 = arm('ur5')
    T = chain.forward(q0)
    first = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(beside(T, 0, 0.2, 0))])
    present = left_of(first, 0.3 * first.duration)
    motion = cartesian_motion(follower, motion_limits(chain, speed=speed), present, [
        Goal.from_pose(beside(T, *at)) for at in path])
    if speed == 1.0:
        assert_kept(limits, motion, BLENDING_JERK)
    t = 0.0 if speed == 1.0 else 0.3 * first.duration
    assert motion.at(t).velocity == pytest.approx(present.at(t).velocity)
    assert chain.forward(motion.end) == pytest.approx(beside(T, 0.0, 0.0, -0.1), abs=5e-6)


def test_a_new_goal_among_waypoints_does_not_wait_for_those_that_are_left():
    chain, follower, limits, q0 = arm('ur5')
    T = chain.forward(q0)
    square = [beside(T, 0.0, y, z) for y, z in ((0.1, 0.0), (0.1, -0.1), (0.0, -0.1), (0.0, 0.0))]
    motion = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(G) for G in square])
    corner = motion.parts[0].duration
    for share in (0.2, 0.5, 0.8, 0.95):
        present = left_of(motion, share * corner)
        assert brake(present, limits).duration <= (1.0 - share) * corner + 1e-9
    goal = beside(T, 0.05, 0.1, 0.0)
    new = cartesian_motion(follower, limits, present, [Goal.from_pose(goal)])
    assert new.duration < 0.5 * motion.duration
    assert chain.forward(new.end) == pytest.approx(goal, abs=5e-6)


def test_free_axes_are_not_led():
    chain, follower, limits, q0 = arm('ur5')
    point = chain.forward(q0)[:3, 3] + [0.0, 0.2, -0.1]
    motion = cartesian_motion(follower, limits, Rest(q0), [Goal(position=point)])
    assert_kept(limits, motion)
    tip = chain.forward(motion.end)
    assert tip[:3, 3] == pytest.approx(point, abs=2e-6)
    assert np.abs(tip[:3, :3] - chain.forward(q0)[:3, :3]).max() > 1e-3


def test_a_path_out_of_reach_is_refused_with_its_place():
    chain = robots.planar(1.0, 1.0)
    follower, limits = Follower(make_solver('dls', chain)), motion_limits(chain)
    # From (1, 1) straight to (-1, 1) the tip stays in reach; a line by way of 1.98 does not.
    q0 = np.array([0.0, 0.5 * np.pi])
    goals = [Goal(position=[3.0, 1.0, 0.0], weights=[1, 1, 0, 0, 0, 0])]
    with pytest.raises(MotionError, match=r'cannot be followed beyond 36\.6 %') as caught:
        cartesian_motion(follower, limits, Rest(q0), goals)
    # x² + 1 = 2² at x = √3
    assert caught.value.part == pytest.approx((np.sqrt(3.0) - 1.0) / 2.0, abs=1e-3)


def test_a_jump_is_refused_with_its_place_and_joint():
    # Both ends are within ±2.5 of the second joint, but the line between them asks for more.
    chain = robots.planar(1.0, 1.0, limit=2.5)
    follower, limits = Follower(make_solver('analytic', chain)), motion_limits(chain)
    q0 = np.array([0.2, 2.2])
    T = chain.forward(q0)
    goal = Goal(position=[-T[0, 3], -T[1, 3], 0.0], weights=[1, 1, 0, 0, 0, 0])
    with pytest.raises(MotionError) as caught:
        cartesian_motion(follower, limits, Rest(q0), [goal])
    place = re.search(r'([\d.]+) % of the path \(([\d.]+) m', str(caught.value))
    # The tip comes as near as 2 cos(2.5/2) to the shoulder, where the elbow is at its limit.
    radius = np.linalg.norm(T[:2, 3])
    expected = (radius - 2.0 * np.cos(1.25)) / (2.0 * radius)
    assert float(place[1]) == pytest.approx(100.0 * expected, abs=0.1)
    assert float(place[2]) == pytest.approx(2.0 * radius * expected, abs=2e-3)
    assert caught.value.part == pytest.approx(expected, abs=1e-3)


def test_a_branch_that_the_path_cannot_keep_is_a_jump():
    # Straight through the shoulder of an arm with equal links the first joint must turn at once.
    chain = robots.planar(1.0, 1.0, limit=3.1)
    follower, limits = Follower(make_solver('dls', chain)), motion_limits(chain)
    goal = Goal(position=[-0.5, 0.02, 0.0], weights=[1, 1, 0, 0, 0, 0])
    q0 = make_solver('analytic', chain).solve(
        Goal(position=[0.5, 0.02, 0.0], weights=[1, 1, 0, 0, 0, 0])).q
    with pytest.raises(MotionError, match=r'% of the path \(0\.\d+ m'):
        cartesian_motion(follower, limits, Rest(q0), [goal])


def test_to_stay_takes_no_time():
    chain, follower, limits, q0 = arm('ur5')
    motion = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(chain.forward(q0))])
    assert motion.duration == 0.0
    assert motion.end == pytest.approx(q0)


def test_no_goal_is_refused():
    _, follower, limits, q0 = arm('ur5')
    with pytest.raises(InputError, match='at least one goal'):
        cartesian_motion(follower, limits, Rest(q0), [])


def test_a_straight_motion_in_joint_space_brakes_first_and_needs_no_other_library():
    chain, follower, limits, q0 = arm('ur5')
    T = chain.forward(q0)
    first = cartesian_motion(follower, limits, Rest(q0), [Goal.from_pose(beside(T, 0, 0.2, 0))])
    motion = straight_motion(limits, left_of(first, 0.3 * first.duration), q0)
    assert_kept(limits, motion, BLENDING_JERK)
    assert motion.end == pytest.approx(q0)


def test_a_path_is_followed_with_the_fitness_of_the_solver():
    chain, calls = robots.planar(1.0, 0.8, 0.5), []
    solver = make_solver('genetic', chain, fitness=lambda q: calls.append(q) or 0.0)
    goal = Goal(position=chain.forward([0.3, 0.9, 0.4])[:3, 3])
    calls.clear()
    cartesian_motion(Follower(solver), motion_limits(chain), Rest(np.array([0.2, 0.8, 0.5])),
                     [goal])
    assert calls

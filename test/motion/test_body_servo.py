"""Servo of several tips of one body, with joints that they share."""

import numpy as np
import pytest

import robots
from ik_node import InputError, KinematicTree
from ik_node.motion.body_servo import BodyServo
from ik_node.motion.limits import motion_limits
from ik_node.solvers.registry import make_body_solver
from ik_node.spatial import rotation_log
from ik_node.tasks import Pose, Position
from servos import PERIOD, advanced, check_limits

BODY = KinematicTree.from_urdf(robots.OWN / 'torso.urdf').body()
LEFT, RIGHT = 'left_tool0', 'right_tool0'
LIMITS = motion_limits(BODY)


def start(seed=0):
    q = BODY.neutral() + 0.3 * np.random.default_rng(seed).uniform(-1, 1, BODY.n_joints)
    margin = np.minimum(0.2, 0.3 * (BODY.upper - BODY.lower))
    return np.clip(q, BODY.lower + margin, BODY.upper - margin)


def made(q, *others, solver='hierarchy'):
    tasks = [Pose(LEFT, name='left'), Pose(RIGHT, name='right'), *others]
    return BodyServo(make_body_solver(solver, BODY, tasks), LIMITS, PERIOD, q)


def moved(law, count):
    """Advance; return positions of the joints (count + 1, n)."""
    return advanced(law.joints, count, law.advance)


def apart(A, B):
    """Return how far poses are apart, m and rad."""
    return (np.linalg.norm(B[:3, 3] - A[:3, 3]),
            np.linalg.norm(rotation_log(A[:3, :3].T @ B[:3, :3])))


@pytest.mark.parametrize('solver', ['least_squares', 'hierarchy'])
@pytest.mark.parametrize('twist', [[0.05, 0.02, 0.03, 0, 0, 0], [0, 0, 0, 0.2, 0.1, -0.2]])
def test_a_twist_moves_one_hand_as_commanded_and_the_rest_is_held(solver, twist):
    q, law = start(), made(start(), solver=solver)
    law.follow_twist(twist, 'left')
    moved(law, 300)
    before = BODY.forward(law.joints.state().position)
    places = moved(law, 500)
    after = BODY.forward(places[-1])
    check_limits(BODY, places)
    went = np.r_[after[LEFT][:3, 3] - before[LEFT][:3, 3],
                 rotation_log(after[LEFT][:3, :3] @ before[LEFT][:3, :3].T)]
    assert went == pytest.approx(500 * PERIOD * np.array(twist), abs=2e-4)
    assert max(apart(BODY.forward(q)[RIGHT], after[RIGHT])) < 1e-4
    held = apart(BODY.forward(q)[LEFT], after[LEFT])
    assert held[0 if any(twist[3:]) else 1] < 1e-4


def test_limits_hold_under_random_commands_of_both_hands():
    rng, law, places = np.random.default_rng(3), made(start(3)), []
    for _ in range(robots.samples(40)):
        hand = ('left', 'right')[rng.integers(2)]
        law.follow_twist(rng.normal(size=6) * [0.3, 0.3, 0.3, 1.0, 1.0, 1.0], hand)
        if rng.random() < 0.3:
            law.release(hand)
        places.append(moved(law, int(rng.integers(1, 200)))[:-1])
    law.stop()
    places.append(moved(law, 1500))
    check_limits(BODY, np.concatenate(places))
    assert not law.joints.state().velocity.any()


def test_what_is_out_of_reach_stops_before_the_other_hand_is_lost():
    q, law = start(), made(start())
    law.follow_twist([0.5, 0.4, 0.3, 0, 0, 0], 'left')
    moved(law, 1500)
    assert law.slowed < 0.2
    assert law.reason == 'else something that is not commanded would not be held'
    assert max(apart(BODY.forward(q)[RIGHT], BODY.forward(law.joints.state()[0])[RIGHT])) < 0.01
    law.follow_twist([-0.1, -0.08, -0.06, 0, 0, 0], 'left')  # and the way back is free
    before = BODY.forward(law.joints.state()[0])[LEFT][0, 3]
    moved(law, 1000)
    assert BODY.forward(law.joints.state()[0])[LEFT][0, 3] < before - 0.05


def test_poses_of_both_hands_are_reached_without_overshoot_and_held():
    q, rng = start(), np.random.default_rng(1)
    law = made(q)
    goals = BODY.forward(np.clip(q + 0.15 * rng.normal(size=BODY.n_joints),
                                 BODY.lower, BODY.upper))
    for name, link in (('left', LEFT), ('right', RIGHT)):
        law.follow_pose(goals[link], name)
    places = moved(law, 3000)
    check_limits(BODY, places)
    for link in (LEFT, RIGHT):
        distances = np.array([max(apart(BODY.forward(place)[link], goals[link]))
                              for place in places[::50]])
        assert distances[-1] < 1e-6
        assert np.diff(distances[distances < 0.05]).max() < 1e-9


def test_a_released_hand_stays_while_the_other_goes_on():
    law = made(start())
    law.follow_twist([0.05, 0, 0, 0, 0, 0], 'left')
    law.follow_twist([0, 0.05, 0, 0, 0, 0], 'right')
    moved(law, 200)
    law.release('right')
    moved(law, 200)
    before = BODY.forward(law.joints.state()[0])
    moved(law, 200)
    after = BODY.forward(law.joints.state()[0])
    assert max(apart(before[RIGHT], after[RIGHT])) < 3e-4
    assert apart(before[LEFT], after[LEFT])[0] == pytest.approx(0.02, rel=0.02)


def test_a_task_of_a_point_takes_the_translation_of_a_twist():
    law = made(start(), Position('head_camera', name='camera'))
    law.follow_twist([0.0, 0.0, 0.03, 1.0, 1.0, 1.0], 'camera')
    moved(law, 200)
    before = BODY.forward(law.joints.state()[0])['head_camera'][:3, 3]
    moved(law, 200)
    went = BODY.forward(law.joints.state()[0])['head_camera'][:3, 3] - before
    assert went == pytest.approx([0.0, 0.0, 0.012], abs=1e-4)


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('axis', range(6))
def test_a_command_that_is_too_fast_keeps_its_direction(axis, seed):
    law, twist, reasons = made(start(seed)), np.zeros(6), set()
    assert law.reason == ''
    twist[axis] = 3.0 if axis < 3 else 12.0
    law.follow_twist(twist, 'left')
    before = BODY.forward(law.joints.state()[0])[LEFT]
    for _ in range(100):
        law.advance()
        reasons.add(law.reason)
    assert any('the command is too fast, and scaled by 0.' in reason for reason in reasons)
    after = BODY.forward(law.joints.state()[0])[LEFT]
    went = after[:3, 3] - before[:3, 3] if axis < 3 else np.array(
        rotation_log(after[:3, :3] @ before[:3, :3].T))
    assert went[axis % 3] > 0.003
    assert np.linalg.norm(np.delete(went, axis % 3)) < 0.05 * went[axis % 3]


def test_joints_are_commanded_and_stop():
    law, velocity = made(start()), np.zeros(BODY.n_joints)
    velocity[5] = 0.3
    law.follow_joints(velocity)
    places = moved(law, 500)
    assert (np.ptp(places, axis=0) > 0.0).tolist() == (velocity > 0.0).tolist()
    law.stop()
    moved(law, 500)
    assert not law.joints.state().velocity.any()


def test_invalid_commands_are_refused_and_change_nothing():
    law = made(start())
    for command, text in ((lambda: law.follow_twist([1, 0, 0, 0, 0, 0], 'foot'), "task 'foot'"),
                          (lambda: law.follow_twist([np.nan] * 6, 'left'), 'twist'),
                          (lambda: law.follow_pose(np.zeros((4, 4)), 'left'), 'the pose'),
                          (lambda: law.follow_joints([1.0]), 'velocity'),
                          (lambda: law.joints.follow_twist(np.ones(6)), 'has no tip'),
                          (lambda: law.joints.follow_pose(np.eye(4)), 'has no tip')):
        with pytest.raises(InputError, match=text):
            command()
    assert np.ptp(moved(law, 100), axis=0).max() == 0.0

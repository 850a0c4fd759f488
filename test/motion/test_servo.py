import threading

import numpy as np
import pytest

import robots
from ik_node import InputError
from ik_node.motion.limits import motion_limits
from ik_node.motion.servo import Servo
from ik_node.spatial import rotation_log
from servos import ARMS, PERIOD, advanced, arm, check_limits, random_twist, regular, servo


@pytest.mark.parametrize('name', ARMS)
@pytest.mark.parametrize('size', [1.0, 20.0])
def test_no_sample_exceeds_a_limit(name, size):
    chain, rng = arm(name), np.random.default_rng(1)
    law, places = servo(chain, robots.random_q(chain, rng, 0.9)), []
    for _ in range(robots.samples(60)):
        law.follow_twist(random_twist(rng, size))
        places.append(advanced(law, int(rng.integers(1, 400)))[:-1])
    law.stop()
    places.append(advanced(law, 2000))
    check_limits(chain, np.concatenate(places))
    assert np.abs(law.state()[1]).max() < 1e-6


@pytest.mark.parametrize('name', ['panda', 'ur5', 'iiwa14'])
def test_the_tip_moves_in_the_direction_of_the_command(name):
    chain, rng, angles = arm(name), np.random.default_rng(2), []
    for _ in range(robots.samples(25)):
        law, twist = servo(chain, regular(chain, rng)), random_twist(rng, 0.3)
        law.follow_twist(twist)
        for _ in range(500):
            law.advance()
            if law.settled and law.scale == law.slowed == 1.0 and not law.singular:
                q, v, _ = law.state()
                tip = (chain.jacobian(q) @ v) / ([law.length] * 3 + [1.0] * 3)
                asked = twist / ([law.length] * 3 + [1.0] * 3)
                angles.append(tip @ asked / np.linalg.norm(tip) / np.linalg.norm(asked))
                assert np.linalg.norm(tip) == pytest.approx(np.linalg.norm(asked), rel=0.01)
    assert len(angles) > 500
    assert np.degrees(np.arccos(np.clip(angles, -1.0, 1.0))).max() < 1.0


@pytest.mark.parametrize('name', ['panda', 'ur5', 'iiwa14', 'irb140'])
@pytest.mark.parametrize('first', [0, 3])
def test_what_is_not_commanded_is_held(name, first):
    chain, rng = arm(name), np.random.default_rng(3)
    q = regular(chain, rng)
    law, T, twist = servo(chain, q), chain.forward(q), np.zeros(6)
    twist[first:first + 3] = [0.03, -0.04, 0.05] if first == 0 else [0.2, 0.3, -0.1]
    for _ in range(robots.samples(30)):
        law.follow_twist(twist)
        for q in advanced(law, 500)[::10]:
            moved = chain.forward(q)
            if first == 0:
                assert np.linalg.norm(rotation_log(moved[:3, :3] @ T[:3, :3].T)) < 1e-5
            else:
                assert np.linalg.norm(moved[:3, 3] - T[:3, 3]) < 1e-6
        twist = -twist


@pytest.mark.parametrize(('name', 'first', 'speed'), [
    *((name, first, speed) for name in ('panda', 'ur5', 'iiwa14', 'puma560') for first in (0, 3)
      for speed in (1.0, 3.0)),
    ('irb140', 3, 1.0), ('scara', 0, 1.0), ('so101', 3, 1.0)])
def test_it_is_held_through_singularities_and_into_limits(name, first, speed):
    hindered = set()
    for seed in range(robots.samples(5) if robots.COMPILED else 1):
        chain, rng = arm(name), np.random.default_rng(seed)
        q = regular(chain, rng)
        law, T, places = servo(chain, q), chain.forward(q), []
        size = speed * (0.15 if first == 0 else 0.6)
        for _ in range(30 if robots.COMPILED else 3):
            twist, axis = np.zeros(6), rng.normal(size=3)
            twist[first:first + 3] = size * axis / np.linalg.norm(axis)
            law.follow_twist(twist)
            places.append(advanced(law, 500)[:-1])
            hindered |= {'singular'} if law.singular else {'limit'} if law.blocked else set()
        places = np.concatenate(places)
        check_limits(chain, places)
        for q in places[::10]:
            moved = chain.forward(q)
            if first == 0:
                assert np.linalg.norm(rotation_log(moved[:3, :3] @ T[:3, :3].T)) < 1e-4
            else:
                assert np.linalg.norm(moved[:3, 3] - T[:3, 3]) < 1e-4
    assert hindered or not robots.COMPILED


@pytest.mark.parametrize(('name', 'q'), [
    ('px100', (0.3, -0.5, 1.2, 0.4)), ('scara', (0.3, 0.8, 0.1, 0.2)),
    ('so101', (0.2, -0.4, 0.6, 0.3, 0.1))])
def test_arms_of_few_joints_translate_as_commanded_and_are_not_singular(name, q):
    chain = arm(name)
    for twist in ([0.02, 0.01, -0.03, 0.0, 0.0, 0.0], [-0.02, 0.02, 0.02, 0.0, 0.0, 0.0]):
        law = servo(chain, q)
        law.follow_twist(twist)
        advanced(law, 400)
        state = law.state()
        assert law.reason == ''
        tip = chain.jacobian(state.position) @ state.velocity
        assert tip[:3] == pytest.approx(twist[:3], abs=2e-2 * np.linalg.norm(twist))
        assert name != 'scara' or tip[3:] == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.parametrize('name', ARMS)
def test_a_stop_ends_at_rest_exactly(name):
    chain, rng = arm(name), np.random.default_rng(6)
    law = servo(chain, regular(chain, rng))
    law.follow_twist(random_twist(rng, 5.0))
    advanced(law, 300)
    law.stop()
    places = advanced(law, 2000)
    assert (law.state().velocity == 0.0).all()
    assert (places[-1] == places[-2]).all()


def test_arms_of_few_joints_hold_what_weighs_more():
    chain = robots.chain('so101')
    q = robots.middle(chain) + 0.3
    missed = []
    for weights in ((1, 1, 1, 0.01, 0.01, 0.01), (0.01, 0.01, 0.01, 1, 1, 1)):
        law = servo(chain, q, weights=weights)
        law.follow_twist([0.0, 0.0, 0.0, 0.2, 0.1, 0.3])
        advanced(law, 500)
        moved = chain.forward(law.state()[0])[:3, 3] - chain.forward(q)[:3, 3]
        missed.append(np.linalg.norm(moved))
    assert missed[0] < 1e-3
    assert missed[1] > 10.0 * missed[0]


def test_joints_that_are_not_named_stay_exactly_and_too_fast_ones_are_scaled():
    chain = robots.chain('panda')
    q = robots.middle(chain)
    law, most = servo(chain, q), motion_limits(chain).velocity
    law.follow_joints([0.0, 2.0 * most[1], 0.0, 0.5 * most[3], 0.0, 0.0, 0.0])
    places = advanced(law, 330)
    check_limits(chain, places)
    assert (places[:, [0, 2, 4, 5, 6]] == q[[0, 2, 4, 5, 6]]).all()
    assert law.scale == 0.5
    assert law.state()[1][[1, 3]] == pytest.approx([most[1], 0.25 * most[3]])


@pytest.mark.parametrize('name', ['panda', 'ur5'])
def test_a_pose_is_reached_and_kept(name):
    chain, rng = arm(name), np.random.default_rng(4)
    q = regular(chain, rng)
    law = servo(chain, q)
    target = chain.forward(q + 0.15 * rng.normal(size=chain.n_joints))
    law.follow_pose(target)
    places = advanced(law, 4000)
    check_limits(chain, places)
    assert chain.forward(places[-1]) == pytest.approx(target, abs=1e-6)
    distance = [np.linalg.norm(chain.forward(place)[:3, 3] - target[:3, 3])
                for place in places[::10]]
    assert np.diff(distance).max() < 1e-6


@pytest.mark.parametrize('velocity', [0.0, 0.5])
def test_it_begins_where_the_arm_is_also_outside_the_limits(velocity):
    chain = robots.chain('ur5')
    q = np.array([0.3, -1.2, 1.5, -1.0, 1.2, 0.0])
    q[0] = chain.upper[0] + 0.01
    law = servo(chain, q, velocity=np.array([-velocity, 0.0, 0.0, 0.0, 0.0, 0.0]))
    law.follow_joints([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    places = advanced(law, 500)
    assert (places[:, 0] <= q[0]).all()
    assert np.abs(np.diff(places, axis=0)).max() <= 1.01 * velocity * PERIOD
    law.follow_joints([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert advanced(law, 500)[-1, 0] < chain.upper[0]


@pytest.mark.parametrize('steps', [5, 20, 60])
def test_it_goes_on_as_the_servo_whose_state_it_begins_with(steps):
    chain = robots.chain('ur5')
    q, velocity = np.array([0.3, -1.2, 1.5, -1.0, 1.2, 0.0]), [0.4, -0.2, 0.3, 0.0, 1.0, -0.5]
    law = servo(chain, q)
    law.follow_joints(velocity)
    advanced(law, steps)
    state = law.state()
    assert np.abs(state.acceleration).max() > 0.1
    other = servo(chain, state.position, velocity=state.velocity, acceleration=state.acceleration)
    other.follow_joints(velocity)
    assert advanced(other, 100) == pytest.approx(advanced(law, 100), abs=1e-12)


def test_a_twist_leads_an_arm_at_rest_back_from_outside_the_limits():
    chain = robots.chain('ur5')
    q = np.array([0.3, -1.2, 1.5, -1.0, 1.2, 0.0])
    for side, limit in ((1.0, chain.upper[0]), (-1.0, chain.lower[0])):
        q[0] = limit + 0.01 * side
        law = servo(chain, q)
        law.follow_twist(-0.3 * side * chain.jacobian(q)[:, 0])
        places = advanced(law, 1000)
        assert side * places[-1, 0] < side * limit - 0.1
        assert (side * np.diff(places[:, 0]) <= 0.0).all()


def test_an_arm_of_two_joints_passes_its_stretched_configuration_as_commanded():
    chain = robots.planar(0.3, 0.3, limit=2.0)
    law = servo(chain, np.array([0.3, 0.5]))
    tips = [chain.forward(law.state()[0])[1, 3]]
    law.follow_twist([0.0, 0.05, 0.0, 0.0, 0.0, 0.0])
    for _ in range(6):
        tips.append(chain.forward(advanced(law, 250)[-1])[1, 3])
    assert (np.diff(tips) > 0.005).all()  # and not back: what no joint moves is not held


def test_it_says_that_it_slows_down_before_the_path_bends():
    chain, reasons = arm('ur5'), set()
    law = servo(chain, regular(chain, np.random.default_rng(0)))
    for axis in (3, 4, 5, 0, 1, 2):
        law.follow_twist(2.0 * np.eye(6)[axis])
        for _ in range(500):
            law.advance()
            reasons.update(law.reason.split('; '))
    assert 'the joints must slow down in time, before a singularity or a limit' in reasons


@pytest.mark.parametrize('command', ['joints', 'twist'])
def test_the_joint_that_a_limit_stops_is_named(command):
    chain = robots.scara()
    law = servo(chain, np.array([0.3, 0.8, 0.1, 0.0]))
    advanced(law, 1)
    assert (law.blocked, law.reason) == ((), '')
    if command == 'joints':
        law.follow_joints([0.0, 0.0, 1.0, 0.0])
    else:
        law.follow_twist([0.0, 0.0, -0.2, 0.0, 0.0, 0.0])
    advanced(law, 1500)
    assert law.blocked == ('quill',)
    assert law.reason == "'quill' is at a limit"
    assert law.state()[0][2] == pytest.approx(chain.upper[2], abs=1e-5)
    law.stop()
    advanced(law, 1)
    assert law.blocked == ()


def test_the_arm_slows_down_where_something_cannot_be_held():
    chain, rng, slowest = robots.chain('puma560'), np.random.default_rng(1), 1.0
    most = motion_limits(chain).velocity
    law = servo(chain, robots.random_q(chain, rng, 0.6), velocity=rng.uniform(-0.5, 0.5, 6) * most)
    law.follow_twist(random_twist(rng))
    for _ in range(1500):
        law.advance()
        slowest = min(slowest, law.slowed)
        assert (law.slowed < 1.0) == ('would not be held' in law.reason)
    assert slowest < 0.9
    law.stop()
    advanced(law, 1000)
    assert law.slowed == 1.0


@pytest.mark.parametrize('name', ['panda', 'ur5', 'so101', 'scara'])
def test_a_reversal_leads_out_of_every_limit(name):
    chain, rng = arm(name), np.random.default_rng(5)
    for _ in range(robots.samples(10)):
        law, twist = servo(chain, regular(chain, rng)), random_twist(rng)
        law.follow_twist(twist)
        there = advanced(law, 3000)
        before = chain.forward(there[-1])
        law.follow_twist(-twist)
        back = advanced(law, 1500)
        check_limits(chain, np.concatenate([there, back[1:]]))
        assert max(np.abs(chain.forward(q) - before).max() for q in back[::100]) > 0.005


def test_a_stretched_arm_slows_down_and_is_left_again():
    chain = robots.chain('ur5')
    q = np.array([0.0, -0.8, 0.5, 0.3, 1.2, 0.0])
    law = servo(chain, q)
    T = chain.forward(q)
    outwards = np.zeros(6)
    outwards[:3] = 0.3 * T[:3, 3] / np.linalg.norm(T[:3, 3])
    law.follow_twist(outwards)
    out = advanced(law, 3000)
    assert law.singular
    assert abs(out[-1][2]) < 0.05
    assert np.abs(law.state()[1]).max() < 0.1
    law.follow_twist(-outwards)
    back = advanced(law, 1000)
    check_limits(chain, np.concatenate([out, back[1:]]))
    assert abs(back[-1][2]) > 0.3


def test_a_singular_beginning_is_left():
    chain = robots.chain('ur5')
    law = servo(chain, np.array([0.0, -0.8, 0.0, 0.8, 1.2, 0.0]))
    T = chain.forward(law.state()[0])
    inwards = np.zeros(6)
    inwards[:3] = -0.2 * T[:3, 3] / np.linalg.norm(T[:3, 3])
    law.follow_twist(inwards)
    places = advanced(law, 1500)
    check_limits(chain, places)
    assert np.linalg.norm(chain.forward(places[-1])[:3, 3]) < np.linalg.norm(T[:3, 3]) - 0.1


@pytest.mark.parametrize(('change', 'words'), [
    ({'period': 0.0}, 'period must be from'), ({'period': 'x'}, 'period must be'),
    ({'q': [0.0]}, 'q must'), ({'q': [np.nan] * 6}, 'q'), ({'velocity': [0.0]}, 'velocity must'),
    ({'weights': [1, 1, 1, 1, 1, 0]}, 'weights must be above 0')])
def test_invalid_arguments_are_refused(change, words):
    chain = robots.chain('ur5')
    arguments = {'period': PERIOD, 'q': np.zeros(6), **change}
    with pytest.raises(InputError, match=words):
        Servo(chain, motion_limits(chain), **arguments)


def test_limits_of_another_arm_are_refused():
    for limits in (motion_limits(robots.chain('panda')), None):
        with pytest.raises(InputError, match='limits must be those of `motion_limits`'):
            Servo(robots.chain('ur5'), limits, PERIOD, np.zeros(6))
    with pytest.raises(InputError):
        Servo(None, motion_limits(robots.chain('ur5')), PERIOD, np.zeros(6))


def test_commands_and_states_of_other_threads_are_those_of_one_call():
    chain = robots.chain('ur5')
    law = Servo(chain, motion_limits(chain, 1.0, 2.0, 20.0), PERIOD, np.full(6, 0.5))
    stops, wrong = threading.Event(), []

    def command():
        while not stops.is_set():
            for size in (0.1, -0.1):
                law.follow_joints(np.full(6, size))
                q, v, a = law.state()
                if np.ptp(q) or np.ptp(v) or np.ptp(a):
                    wrong.append((q, v, a))

    threads = [threading.Thread(target=command) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3000):
        law.advance()
    stops.set()
    for thread in threads:
        thread.join()
    assert not wrong
    law.follow_joints(np.full(6, 0.2))
    advanced(law, 400)
    assert law.state().velocity == pytest.approx(np.full(6, 0.2))


def test_invalid_commands_are_refused_and_the_last_one_stays():
    chain = robots.chain('ur5')
    law = servo(chain, np.array([0.0, -1.2, 1.5, -1.0, 1.2, 0.0]))
    law.follow_twist([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    for refused in (lambda: law.follow_twist([0.0] * 5), lambda: law.follow_joints([np.inf] * 6),
                    lambda: law.follow_pose(np.zeros((4, 4)))):
        with pytest.raises(InputError):
            refused()
    advanced(law, 300)
    tip = chain.jacobian(law.state()[0]) @ law.state()[1]
    assert tip == pytest.approx([0.1, 0.0, 0.0, 0.0, 0.0, 0.0], abs=1e-3)


@pytest.mark.parametrize('distance', np.linspace(0.9, 1.4, 11))
def test_a_joint_that_speeds_up_near_its_limit_stops_at_it(distance):
    chain = robots.chain('ur5')
    most = motion_limits(chain).velocity
    law = servo(chain, chain.upper - distance, velocity=0.8 * most)
    law.follow_joints(most)
    places = advanced(law, 1000)
    assert (places <= chain.upper + 1e-9).all()
    assert places[-1] == pytest.approx(chain.upper, abs=1e-5)


@pytest.mark.parametrize('name', ['panda', 'ur5'])
def test_only_joints_near_a_limit_are_named(name):
    chain, rng = arm(name), np.random.default_rng(8)
    most = motion_limits(chain).velocity
    law = servo(chain, regular(chain, rng))
    for k in range(1500):
        if k % 100 == 0:
            law.follow_twist(random_twist(rng, 0.5))
        law.advance()
        q, v, _ = law.state()
        for joint in law.blocked:
            i = chain.joint_names.index(joint)
            assert min(q[i] - chain.lower[i], chain.upper[i] - q[i]) < 0.5 * (
                0.1 * most[i] + 1.5 * np.abs(v[i]))

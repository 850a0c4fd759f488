import numpy as np
import pytest

import robots
from ik_node import InputError, KinematicTree
from ik_node.collision import Box, CollisionModel, Obstacle
from ik_node.motion.limits import motion_limits
from ik_node.motion.servo import Servo
from ik_node.motion.servo_guard import GuardedServos
from servos import PERIOD, advanced, check_limits, random_twist, servo

MARGIN = 0.02
SLIDE = 'lower="-1" upper="1" effort="1" velocity="0.5"'
CUBE = '<box size="0.1 0.1 0.1"/>'


def box(x, z, name='table'):
    pose = np.eye(4)
    pose[:3, 3] = x, 0.0, z
    return Obstacle(Box((0.8, 1.6, 0.1)), pose, name=name)


def beside_a_table(margin=MARGIN, q=(0.0, 0.5, 0.0, -1.8, 0.0, 2.3, 0.8)):
    """Return panda's servo over a table whose top is 0.01 m below the base, and the guard."""
    model = CollisionModel(robots.chain('panda'), [box(0.5, -0.06)], margin=margin)
    law = servo(model.space, np.array(q))
    return law, GuardedServos(model, [law])


def nearest_of(model, places):
    return min(model.near_pairs(q, 0.3).distances.min(initial=1.0) for q in places)


def nearest(guard, places):
    return nearest_of(guard.collisions, places)


def sliders(left=0.0, right=0.0):
    """Return servos of two cubes that slide to each other, 0.9 m apart at zero, and their guard."""
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('left', 'prismatic', 'base', 'first', axis='1 0 0', limit=SLIDE, shape=CUBE),
        robots.joint('right', 'prismatic', 'base', 'second', xyz='1 0 0', axis='-1 0 0',
                     limit=SLIDE, shape=CUBE)))
    chains = [tree.chain('base', 'first'), tree.chain('base', 'second')]
    laws = [servo(chain, [q]) for chain, q in zip(chains, (left, right))]
    return laws, GuardedServos(CollisionModel(tree.body(), margin=MARGIN), laws)


@pytest.mark.parametrize('margin', [0.0, 0.02, 0.05])
def test_the_arm_slows_down_and_stops_at_the_margin(margin):
    law, guard = beside_a_table(margin)
    law.follow_twist([0.0, 0.0, -0.5, 0.0, 0.0, 0.0])
    places = advanced(law, 2500, guard.advance)
    check_limits(robots.chain('panda'), places)
    assert nearest(guard, places) >= margin
    assert nearest(guard, places[-1:]) == pytest.approx(margin, abs=2e-3)
    assert np.abs(law.state().velocity).max() < 1e-3
    assert law.clear < 0.01
    assert law.reason.startswith("'panda_")
    assert law.reason.endswith(" mm from 'table'")


def test_a_reversal_leads_away_from_contact():
    law, guard = beside_a_table()
    law.follow_twist([0.0, 0.0, -0.5, 0.0, 0.0, 0.0])
    there = advanced(law, 2500, guard.advance)
    law.follow_twist([0.0, 0.0, 0.2, 0.0, 0.0, 0.0])
    back = advanced(law, 500, guard.advance)
    check_limits(robots.chain('panda'), np.concatenate([there, back[1:]]))
    height = [robots.chain('panda').forward(q)[2, 3] for q in (there[-1], back[-1])]
    assert height[1] > height[0] + 0.1
    assert (law.clear, law.reason) == (1.0, '')


@pytest.mark.parametrize('name', ['panda', 'ur5', 'so101'])
@pytest.mark.parametrize('command', ['twist', 'joints'])
def test_no_sample_is_nearer_than_the_margin(name, command):
    rng = np.random.default_rng(4)
    model = CollisionModel(robots.chain(name), [box(0.5, -0.07)], margin=0.01)
    q = robots.random_q(model.space, rng, 0.7)
    while nearest_of(model, [q]) < 0.01:
        q = robots.random_q(model.space, rng, 0.7)
    law, slowed, places = servo(model.space, q), 0, []
    guard, most = GuardedServos(model, [law]), motion_limits(model.space).velocity

    def advance():
        nonlocal slowed
        guard.advance()
        slowed += law.clear < 1.0

    for _ in range(robots.samples(40)):
        if command == 'twist':
            law.follow_twist(random_twist(rng, 3.0))
        else:
            law.follow_joints(rng.normal(size=len(q)) * most)
        places.append(advanced(law, 300, advance)[:-1])
    check_limits(model.space, np.concatenate(places))
    assert nearest(guard, np.concatenate(places)[::5]) >= 0.01 - 1.01e-4
    assert slowed


def test_what_is_too_near_at_the_beginning_comes_no_nearer_and_is_left():
    law, guard = beside_a_table(0.1, (0.0, 0.8, 0.0, -1.8, 0.0, 2.6, 0.8))
    first = nearest(guard, [law.state().position])
    assert first < 0.1
    law.follow_twist([0.0, 0.0, -0.1, 0.0, 0.0, 0.0])
    assert nearest(guard, advanced(law, 500, guard.advance)) > first - 1e-5
    law.follow_twist([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    assert nearest(guard, advanced(law, 1000, guard.advance)[-1:]) > first + 0.05


def test_the_arm_brakes_where_an_obstacle_appears():
    law, guard = beside_a_table()
    law.follow_twist([0.0, 0.2, 0.0, 0.0, 0.0, 0.0])
    before = advanced(law, 300, guard.advance)
    tip = robots.chain('panda').forward(before[-1])[:3, 3]
    pose = np.eye(4)
    pose[:3, 3] = tip + [0.0, 0.4, 0.0]
    guard.collisions.obstacles = [Obstacle(Box((1.0, 0.1, 1.0)), pose, name='door')]
    after = advanced(law, 2000, guard.advance)
    check_limits(robots.chain('panda'), np.concatenate([before, after[1:]]))
    assert nearest(guard, after) >= MARGIN
    assert "from 'door'" in law.reason


def test_arms_keep_apart_and_one_that_leads_away_is_free():
    laws, guard = sliders()
    laws[0].follow_joints([0.5])
    laws[1].follow_joints([0.2])
    for _ in range(3000):
        guard.advance()
    left, right = (law.state().position[0] for law in laws)
    assert 0.9 - left - right == pytest.approx(MARGIN, abs=2e-3)
    assert 0.9 - left - right >= MARGIN
    assert left > 1.5 * right  # each has slowed down by as much
    assert all("'first' is" in law.reason and "from 'second'" in law.reason for law in laws)
    laws[0].follow_joints([-0.5])
    for _ in range(1000):
        guard.advance()
    assert 0.9 - sum(law.state().position[0] for law in laws) >= MARGIN
    assert laws[0].state().velocity[0] == pytest.approx(-0.5)
    assert laws[1].state().velocity[0] == pytest.approx(0.2)


def test_an_arm_that_is_stopped_stops_no_other():
    laws, guard = sliders(0.3)
    guard.collisions.obstacles = [box(0.8, 0.0, 'wall')]
    laws[0].follow_joints([0.5])
    laws[1].follow_joints([-0.3])
    for _ in range(700):
        guard.advance()
    assert laws[0].clear < 0.1
    assert "from 'wall'" in laws[0].reason
    assert laws[1].state().velocity[0] == pytest.approx(-0.3)
    assert laws[1].reason == ''


def test_servos_that_do_not_fit_the_model_are_refused():
    laws, guard = sliders()
    slower = Servo(robots.chain('panda'), motion_limits(robots.chain('panda')), 2 * PERIOD,
                   np.zeros(7))
    for servos in ([], laws[:1], [*laws, laws[0]], [slower]):
        with pytest.raises(InputError, match='each joint of the collision model must be'):
            GuardedServos(guard.collisions, servos)
    tree = guard.collisions.space.tree
    other = Servo(tree.chain('base', 'second'), motion_limits(tree.chain('base', 'second')),
                  2 * PERIOD, [0.0])
    with pytest.raises(InputError, match='periods of the servos must be equal'):
        GuardedServos(guard.collisions, [laws[0], other])

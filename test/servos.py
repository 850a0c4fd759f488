"""Servos of arms, and checks of their samples, for tests."""

import numpy as np

import robots
from ik_node import KinematicTree
from ik_node.motion.limits import motion_limits
from ik_node.motion.servo import Servo

PERIOD = 0.002
ARMS = ['panda', 'ur5', 'iiwa14', 'so101', 'scara']


def arm(name):
    made = {'scara': robots.scara, 'px100': four_joints}
    return made[name]() if name in made else robots.chain(name)


def four_joints():
    """Return an arm of a waist and three parallel axes, as PincherX 100."""
    turn = 'lower="-2.5" upper="2.5" effort="1" velocity="1"'
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('waist', 'revolute', 'base', 'turret', xyz='0 0 0.1', limit=turn),
        robots.joint('shoulder', 'revolute', 'turret', 'upper', axis='0 1 0', limit=turn),
        robots.joint('elbow', 'revolute', 'upper', 'fore', xyz='0.1 0 0', axis='0 1 0', limit=turn),
        robots.joint('wrist', 'revolute', 'fore', 'hand', xyz='0.1 0 0', axis='0 1 0', limit=turn),
        robots.joint('flange', 'fixed', 'hand', 'tool', xyz='0.1 0 0'))).chain()


def regular(chain, rng):
    """Return joint values (n,) away from limits and singularities."""
    while True:
        q = robots.random_q(chain, rng, 0.6)
        sigma = np.linalg.svd(chain.jacobian(q), compute_uv=False)
        if chain.n_joints < 6 or sigma[-1] > 0.06 * sigma[0]:
            return q


def servo(chain, q, **options):
    return Servo(chain, motion_limits(chain), PERIOD, q, **options)


def advanced(law, count, advance=None):
    """Return positions (count + 1, n) of samples of a servo; advance: what advances it."""
    places = [law.state()[0]]
    for _ in range(count):
        (advance or law.advance)()
        places.append(law.state()[0])
    return np.array(places)


def check_limits(chain, places):
    """Check position, velocity, acceleration and jerk of samples (k, n) by their differences."""
    limits, change = motion_limits(chain), places
    for most in (limits.velocity, limits.acceleration, limits.jerk):
        change = np.diff(change, axis=0) / PERIOD
        assert (np.abs(change) / most).max() <= 1.0 + 1e-5
    assert (places >= chain.lower - 1e-9).all()
    assert (places <= chain.upper + 1e-9).all(), (places - chain.upper).max()


def random_twist(rng, size=1.0):
    twist = size * rng.normal(size=6) * ([0.15] * 3 + [0.5] * 3)
    twist[[slice(0, 3), slice(3, 6), slice(0, 0)][rng.integers(3)]] = 0.0
    return twist

"""Compares motions as they are published with what was planned, and with the limits.

    python test/soak_published_motions.py --count 600 --seed 0

Goals come in quick succession, in joint space and in cartesian motion, on several arms; limits
change on the way. Time is simulated; planning takes some of it.
"""

import numpy as np

import robots
from harness.published_arm import MOST, PublishedArm, move
from harness.soak_runner import run_soak
from ik_node import KinematicTree

START = {'panda': [0.2, -0.5, 0.1, -1.9, 0.1, 1.6, 0.7], 'ur5': [0.3, -1.2, 1.4, -0.9, -1.3, 0.5],
         'arm_6r': [0.4, 0.3, 0.5, 0.4, -1.2, 0.4]}


def arm_of(name, mode, rng):
    own = robots.OWN / f'{name}.urdf'
    tree = KinematicTree.from_urdf(own) if own.exists() else robots.tree(name)
    tip = {} if own.exists() else {'base_link': robots.REAL[name][2],
                                   'tip_link': robots.REAL[name][3]}
    planning = (lambda: rng.uniform(0.0, 0.002)) if mode == 'joint' else (
        lambda: rng.uniform(0.005, 0.08))
    return PublishedArm(mode, tree, np.array(START[name]), planning, **tip)


def soak(name, mode, count, seed):
    """Move an arm to goals until that many motions are published; return whether all is kept."""
    rng = np.random.default_rng(seed)
    arm = arm_of(name, mode, rng)
    move(arm, mode, START[name], count, rng)
    worst = arm.worst()
    print(f'{name}, {mode}: {len(arm.received)} motions, {len(arm.errors)} refused; ' + ', '.join(
        f'{key} {value:.8g}' for key, value in worst.items()), flush=True)
    return all(worst[name] < most for name, most in MOST.items())


def all_arms(given) -> int:
    """Return how many arms and modes did not hold."""
    cases = [(name, mode) for name in START for mode in ('joint', 'cartesian')]
    return sum(not soak(name, mode, given.count // len(cases), given.seed + k)
               for k, (name, mode) in enumerate(cases))


if __name__ == '__main__':
    run_soak(all_arms, __doc__, count=600)

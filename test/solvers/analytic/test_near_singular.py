"""Near singular configurations `solve_all` has the configuration that made the pose, too."""

import numpy as np
import pytest

from branches import of_rows
from ik_node import make_solver

RIGHT = np.pi / 2
WRISTED = [(0, -RIGHT, .3), (.4, 0, .1), (.1, -RIGHT, 0), (0, RIGHT, .4)]
BELOW_PI, BELOW_RIGHT = 3.14159265, 1.570796325

# a, alpha and d of each joint, and the limits of each, rad
ARMS = {
    'a wrist 1e-5 m off': ([*WRISTED, (1e-5, -RIGHT, 0), (0, 0, .1)], [3] * 6),
    'a wrist off by rounding of a file, joints at their limits': (
        [*WRISTED, (5e-11, -RIGHT, 0), (0, 0, .1)], [BELOW_PI, *[BELOW_RIGHT] * 5]),
    'axes 3e-6 rad off parallel': (
        [(0, RIGHT, .1), (-.4, 3e-6, 0), (-.4, 0, 0), (0, RIGHT, .1), (0, -RIGHT, .1), (0, 0, .1)],
        [2.6, 2, 3, 1.6, 1.6, 2.1]),
    'an offset wrist': (
        [(0, -RIGHT, .2), (.5, 0, 0), (0, -RIGHT, 0), (0, RIGHT, .5), (0, -RIGHT, .08),
         (0, 0, .1)], [3.3] * 6)}


def structured(chain, rng):
    """Return joint values (n,) at right angles and limits, or next to them."""
    values = np.array([np.full(6, angle) for angle in (0, RIGHT, -RIGHT, np.pi)]
                      + [chain.lower, chain.upper, rng.uniform(chain.lower, chain.upper)])
    q = values[rng.integers(0, 7, 6), np.arange(6)]
    q += rng.integers(-1, 2, 6) * 10.0 ** -rng.choice([3, 4, 5, 6, 7, 8, 9, 12], 6)
    return np.clip(q, chain.lower, chain.upper)


@pytest.mark.parametrize('name', ARMS)
def test_the_configuration_that_made_the_pose_is_listed(name):
    chain, rng = of_rows(*ARMS[name]), np.random.default_rng(0)
    solver = make_solver('analytic', chain)
    for _ in range(350):
        q = structured(chain, rng)
        found = solver.solve_all(chain.forward(q))
        assert len(found)
        off = np.abs(np.remainder(found - q + np.pi, 2 * np.pi) - np.pi).max(axis=1).min()
        # of a singular configuration, any other of its self-motion is as good
        assert off < 1e-5 or np.linalg.svd(chain.jacobian(q))[1][-1] < 1e-6, q

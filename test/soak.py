"""What is too long for the tests: a million solves, and not one false success.

Arms, solvers, goals, weights and starts are drawn at random, goals out of reach among them. What a
solver calls a success is checked without its own kernels, see `soak_checks`.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import robots
import soak_checks
from ik_node import Goal, KinematicTree, make_solver, solver_names
from ik_node.support.exceptions import UnsupportedError

OWN = [('planar_3r', ()), ('arm_6r', ()), ('arm_7r', ()), ('scara', ()),
       ('torso', (None, 'left_tool0'))]
WEIGHTS = [np.ones(6)] * 4 + [np.array(w, dtype=float) for w in (
    (1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 1, 1, 1, 1, 0), (1, 1, 0, 0, 0, 1))]
# Slow ones get fewer goals, so that they do not take all the time.
SHARES = {'dls': 1.0, 'pseudoinverse': 0.3, 'auto': 0.3, 'analytic': 0.2, 'transpose': 0.02,
          'ccd': 0.02}


def main() -> int:
    """Run until the number of solves is reached; return 0 where no success was false."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--solves', type=int, default=1_000_000)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    pairs = [(chain, solver) for chain in _chains() for solver in _solvers(chain)]
    shares = np.array([SHARES.get(solver.name, 0.1) for _, solver in pairs])
    done, met, false, began, told = 0, 0, 0, time.monotonic(), 0.0
    while done < arguments.solves:
        chain, solver = pairs[rng.choice(len(pairs), p=shares / shares.sum())]
        for _ in range(100):
            goal, start = _goal(chain, rng), robots.random_q(chain, rng)
            try:
                result = solver.solve(goal, start)
            except UnsupportedError:  # a goal that a closed form has nothing to say to
                continue
            done += 1
            met += result.success
            if result.success and not soak_checks.holds(chain, goal, solver.options,
                                                             result.q):
                false += 1
                print(f'\nFALSE: {solver.name} on {chain!r}: {goal!r} from {start.tolist()}')
        if time.monotonic() - told > 5.0:
            told = time.monotonic()
            print(f'\r{done:9d} solves, {met} met, {false} false, '
                  f'{done / (told - began):.0f} a second', end='', flush=True)
    print(f'\n{done} solves in {time.monotonic() - began:.0f} s: {met} met, {false} falsely.')
    return 1 if false else 0


def _chains() -> list:
    own = [KinematicTree.from_urdf(robots.OWN / f'{name}.urdf').chain(*ends) for name, ends in OWN]
    return own + [robots.chain(name) for name in robots.REAL]


def _solvers(chain) -> list:
    found = []
    for name in solver_names():
        try:
            found.append(make_solver(name, chain, max_restarts=20))
        except UnsupportedError:
            continue
    return found


def _goal(chain, rng) -> Goal:
    """Return a goal that can be met, or, one time in five, one moved somewhere else."""
    T = chain.forward(robots.random_q(chain, rng))
    if rng.random() < 0.2:
        T[:3, 3] += rng.normal(scale=0.5 * np.linalg.norm(T[:3, 3]) + 0.01, size=3)
    return Goal.from_pose(T, WEIGHTS[rng.integers(len(WEIGHTS))])


if __name__ == '__main__':
    sys.exit(main())

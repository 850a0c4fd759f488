"""What is too long for the tests: a million solves, and not one false success.

Arms, solvers, goals, weights and starts are drawn at random, goals out of reach among them. What a
solver calls a success is checked without its own kernels, see `soak_checks`.
"""

import numpy as np

import robots
import soak_checks
import soak_tolerances
from harness.soak_runner import Progress, run_soak
from ik_node import Goal, make_solver, solver_names
from ik_node.support.exceptions import UnsupportedError

WEIGHTS = [np.ones(6)] * 4 + [np.array(w, dtype=float) for w in (
    (1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 1, 1, 1, 1, 0), (1, 1, 0, 0, 0, 1))]
# Slow ones get fewer goals, so that they do not take all the time.
SHARES = {'dls': 1.0, 'pseudoinverse': 0.3, 'auto': 0.3, 'analytic': 0.2, 'transpose': 0.02,
          'ccd': 0.02}


def soak(given) -> int:
    """Return how many successes were false."""
    rng, progress = np.random.default_rng(given.seed), Progress()
    pairs = [(chain, solver) for chain in soak_tolerances.chains().values()
             for solver in _solvers(chain)]
    shares = np.array([SHARES.get(solver.name, 0.1) for _, solver in pairs])
    done, met, false = 0, 0, 0
    while done < given.solves:
        chain, solver = pairs[rng.choice(len(pairs), p=shares / shares.sum())]
        for _ in range(100):
            goal, start = _goal(chain, rng), robots.random_q(chain, rng)
            try:
                result = solver.solve(goal, start)
            except UnsupportedError:  # a goal without a closed form
                continue
            done += 1
            met += result.success
            if result.success and not soak_checks.holds(chain, goal, solver.options, result.q):
                false += 1
                print(f'\nFALSE: {solver.name} on {chain!r}: {goal!r} from {start.tolist()}')
        progress.show(f'{done:9d} solves, {met} met, {false} false')
    print(f'\n{done} solves: {met} met, {false} falsely.')
    return false


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
    run_soak(soak, __doc__, solves=1_000_000)

"""What is too long for the tests: smooth paths, each pose solved from the solution before.

A jump is needless where a local search by dls from the same configuration makes none.
"""

import numpy as np

import robots
from harness.soak_runner import run_soak
from ik_node import Chain, make_solver

ARMS = ('iiwa14', 'panda', 'pr2', 'ur5')
JUMP = 0.2  # rad or m


def path(chain: Chain, rng: np.random.Generator, poses: int) -> np.ndarray:
    """Return joint values (poses, n) along a smooth path inside the limits, of three waves."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    times = np.linspace(0.0, 1.0, poses)[:, None, None]
    height, phase = rng.normal(size=(3, chain.n_joints)), rng.uniform(0, 6.3, (3, chain.n_joints))
    wave = (height * np.sin(2.0 * np.pi * times * np.arange(1, 4)[:, None] + phase)).sum(axis=1)
    wave /= np.abs(wave).max(axis=0) * rng.uniform(1.0, 3.0, chain.n_joints)
    return 0.5 * (lower + upper) + 0.5 * (upper - lower) * wave


def follow(chain: Chain, name: str, q: np.ndarray) -> tuple[int, int, int]:
    """Return how many poses are missed, jumps there are, and needless ones along a path (m, n)."""
    solver = make_solver(name, chain)
    local = make_solver('dls', chain, max_restarts=0)
    missed, jumps, needless = 0, 0, 0
    here = q[0]
    for k, there in enumerate(q[1:], start=1):
        goal = chain.forward(there)
        result = solver.solve(goal, here)
        missed += not result.success
        if np.abs(result.q - here).max() > JUMP:
            jumps += 1
            near = local.solve(goal, here)
            if near.success and np.abs(near.q - here).max() <= JUMP:
                needless += 1
                print(f'pose {k}: {np.abs(result.q - here).max():.3f} where '
                      f'{np.abs(near.q - here).max():.3f} is enough ({result.method or name})')
        here = result.q
    return missed, jumps, needless


def soak(given) -> int:
    """Return how many poses were missed, or reached by a needless jump."""
    bad = 0
    for arm in ARMS:
        chain, rng = robots.chain(arm), np.random.default_rng(given.seed)
        total = np.sum([follow(chain, given.solver, path(chain, rng, given.poses))
                        for _ in range(given.paths)], axis=0)
        print(f'{arm}: {given.paths} paths of {given.poses} poses, {total[0]} missed, {total[1]} '
              f'jumps, {total[2]} needless', flush=True)
        bad += int(total[0] + total[2])
    return bad


if __name__ == '__main__':
    run_soak(soak, __doc__, paths=20, poses=1000, solver='auto')

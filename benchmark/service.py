"""Measures what users meet besides cold solves: batches, streams of goals, what is out of reach.

Each figure is a median over the goals, from Python, with `dls` at 1e-5 m and rad.
"""

import sys
import time

import numpy as np

from benchmark import arms
from benchmark.machine import machine
from ik_node import Chain, make_solver
from ik_node.kinematics.reach import extent
from ik_node.spatial import rotation_exp

_GOALS = 2000
_PATHS, _POSES = 10, 1000
_HEAD = ('| arm | cold µs | p99 µs | batch µs | along a path µs | most a joint moves, rad | '
         'out of reach µs | closest ms |\n|---|---|---|---|---|---|---|---|')


def main() -> int:
    """Print a table."""
    print(f'{machine()}\n\n{_HEAD}')
    for name in arms.NAMES:
        chain = arms.load(name).chain
        solver = make_solver('dls', chain, position_tolerance=1e-5, orientation_tolerance=1e-5)
        rng = np.random.default_rng(0)
        goals = np.array([chain.forward(_configuration(chain, rng)) for _ in range(_GOALS)])
        start = sum(_ranges(chain)) / 2.0
        cold = [solver.solve(goal, start).solve_time for goal in goals]
        solver.solve_batch(goals[:1], start)  # compiled
        batch = min(_batch(solver, goals, start) for _ in range(3))  # threads may have to wait
        warm, moved = _along_paths(solver, chain, rng)
        far = [_out_of_reach(chain, rng) for _ in range(200)]
        refused = [solver.solve(goal, start).solve_time for goal in far]
        closest = [solver.closest(goal, start).solve_time for goal in far]
        print(f'| {name} | {1e6 * np.median(cold):.1f} | {1e6 * np.percentile(cold, 99):.0f} | '
              f'{1e6 * batch:.1f} | {1e6 * np.median(warm):.1f} | {moved:.3f} | '
              f'{1e6 * np.median(refused):.0f} | {1e3 * np.median(closest):.1f} |', flush=True)
    return 0


def _batch(solver, goals: np.ndarray, start: np.ndarray) -> float:
    """Return the time of a batch by its length, s."""
    began = time.perf_counter()
    solver.solve_batch(goals, start)
    return (time.perf_counter() - began) / len(goals)


def _ranges(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    return (np.where(np.isfinite(chain.lower), chain.lower, -np.pi),
            np.where(np.isfinite(chain.upper), chain.upper, np.pi))


def _configuration(chain: Chain, rng: np.random.Generator, inside: float = 1.0) -> np.ndarray:
    lower, upper = _ranges(chain)
    return 0.5 * (lower + upper) + inside * (rng.random(chain.n_joints) - 0.5) * (upper - lower)


def _along_paths(solver, chain: Chain, rng: np.random.Generator) -> tuple[list[float], float]:
    """Return the times of solves along ways that the arm can go, and the longest joint step."""
    times, moved = [], 0.0
    for _ in range(_PATHS):
        q = _configuration(chain, rng, 0.6)
        path = q + np.linspace(0.0, 0.3, _POSES)[:, None] * (_configuration(chain, rng, 0.6) - q)
        for configuration in path:
            result = solver.solve(chain.forward(configuration), q)
            times.append(result.solve_time)
            moved = max(moved, float(np.abs(result.q - q).max()))
            q = result.q
    return times, moved


def _out_of_reach(chain: Chain, rng: np.random.Generator) -> np.ndarray:
    T, (centre, radius, *_) = np.eye(4), extent(chain.arrays)
    path = rng.normal(size=3)
    T[:3, 3] = centre + radius * rng.uniform(1.01, 1.5) * path / np.linalg.norm(path)
    T[:3, :3] = rotation_exp(rng.normal(size=3))
    return T


if __name__ == '__main__':
    sys.exit(main())

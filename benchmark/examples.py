"""Inverse kinematics by example: a motion with every second frame left out.

    python -m benchmark.examples --frames 1000 --many 10000

For each arm a smooth motion inside its limits; its even frames are the examples, the tip poses of
the odd ones the goals. Printed are the errors of the joint values on the frames that were left out,
of dls from its own last solution and from its default initial guess, and of each model. Then each
model with many random examples: preparation, memory, and the time of a solve.
"""

import argparse
import resource
import time

import numpy as np

from benchmark.arms import load
from benchmark.machine import machine
from ik_node import make_solver
from ik_node.model.chain import Chain
from ik_node.solvers.example.by_example import MODELS

ARMS = ('panda', 'iiwa14', 'pr2', 'ur5')
_LIMIT = 2.5  # rad, of a joint without limits


def limits(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return finite limits (n,), rad or m."""
    return (np.where(np.isfinite(chain.lower), chain.lower, -_LIMIT),
            np.where(np.isfinite(chain.upper), chain.upper, _LIMIT))


def motion(chain: Chain, frames: int, seed: int) -> np.ndarray:
    """Return a motion (frames, n) of three harmonics for each joint, inside the limits."""
    rng = np.random.default_rng(seed)
    lower, upper = limits(chain)
    t, q = np.linspace(0.0, 1.0, frames)[:, None], np.zeros((frames, chain.n_joints))
    for k in range(1, 4):
        size, phase = rng.normal(size=chain.n_joints) / k, rng.uniform(0, 2 * np.pi, chain.n_joints)
        q = q + 0.15 * (upper - lower) * size * np.sin(2.0 * np.pi * k * t + phase)
    room = 0.01 * (upper - lower)
    return np.clip(0.5 * (lower + upper) + q, lower + room, upper - room)


def left_out(name: str, frames: int) -> None:
    """Print a row for each method on the frames that were left out."""
    chain = load(name).chain
    q = motion(chain, frames, 1)
    examples, goals = q[::2], q[1::2]
    poses = [chain.forward(one) for one in goals]
    dls = make_solver('dls', chain)
    last, followed, began = examples[0], [], time.perf_counter()
    for pose in poses:
        last = dls.solve(pose, last).q
        followed.append(last)
    taken = (time.perf_counter() - began) / len(poses)
    _row(name, 'dls, from its last solution', goals, followed, taken)
    _row(name, 'dls, from its default', goals, [dls.solve(pose).q for pose in poses], taken)
    for model in MODELS:
        solver = make_solver('example', chain, examples=examples, model=model)
        began = time.perf_counter()
        results = [solver.solve(pose) for pose in poses]
        taken = (time.perf_counter() - began) / len(poses)
        assert all(result.success for result in results)
        _row(name, f'example, {model}', goals, [result.q for result in results], taken)


def _row(arm: str, method: str, goals: np.ndarray, found: list[np.ndarray], taken: float) -> None:
    off = np.abs(np.array(found) - goals).max(axis=1)
    print(f'| {arm} | {method} | {off.mean():.2g} | {off.max():.2g} | {1e3 * taken:.2f} |',
          flush=True)


def many(name: str, count: int) -> None:
    """Print a row for each model with many random examples."""
    chain = load(name).chain
    lower, upper = limits(chain)
    rng = np.random.default_rng(2)
    examples = rng.uniform(lower, upper, (count, chain.n_joints))
    poses = [chain.forward(rng.uniform(lower, upper)) for _ in range(200)]
    for model in MODELS:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        solver = make_solver('example', chain, examples=examples, model=model)
        prepared = time.perf_counter() - began
        solver.solve(poses[0])
        times = []
        for pose in poses:
            began = time.perf_counter()
            solver.solve(pose)
            times.append(1e3 * (time.perf_counter() - began))
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f'| {name} | {model} | {prepared:.2f} | {max(more, 0.0):.0f} | '
              f'{np.median(times):.2f} | {np.percentile(times, 99):.2f} |', flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--frames', type=int, default=1000)
    parser.add_argument('--many', type=int, default=10_000, help='examples of the second table')
    arguments = parser.parse_args()
    print(f'{arguments.frames} frames; {machine()}\n')
    print('| arm | method | mean error, rad | largest | ms |\n|---|---|---|---|---|')
    for name in ARMS:
        left_out(name, arguments.frames)
    print(f'\n{arguments.many} examples\n\n| arm | model | prepared in s | MB more | median ms | '
          'p99 ms |\n|---|---|---|---|---|---|')
    for name in ('panda', 'ur5'):
        many(name, arguments.many)


if __name__ == '__main__':
    main()

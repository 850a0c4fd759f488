"""Measures whole paths: forward kinematics of smooth joint paths inside the limits.

A joint path is a cubic spline through random configurations, its largest step below 0.3 rad. Whole:
every pose succeeds. Smooth: whole, with a largest step of at most three times that of the joint
path. The last table has one path of 1,000 poses an arm, the best of five runs.

With --descartes the first paths are planned by Descartes as well, on the same limit of a step,
through all branches of our closed forms with their turn copies, 48 values of a redundancy. Its time
is that of the search alone, ours includes the kinematics.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from benchmark import arms
from benchmark.descartes_peer import Descartes
from benchmark.machine import machine
from ik_node import Chain, make_solver

_ARMS = ('ur5', 'puma560', 'iiwa14', 'panda')
_KNOTS = 4
_STEP = 0.3       # rad: largest step of a joint path
_SMOOTH = 3.0
_PEER_HEAD = ('| arm | solver | whole % | smooth % | travel rad | median ms | largest ms |\n'
              '|---|---|---|---|---|---|---|')
_MOST = 0.5       # rad: largest step of a path, as of solve_path by default
_LONG = 1000
_RUNS = 5


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.paths', description=__doc__)
    parser.add_argument('--paths', type=int, default=500)
    parser.add_argument('--poses', type=int, default=100)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--solver', default='auto')
    parser.add_argument('--descartes', type=Path, metavar='LIBRARY',
                        help='of descartes_peer.cpp, to measure Descartes beside it')
    parser.add_argument('--peer-paths', type=int, default=50, help='how many Descartes plans')
    parser.add_argument('--arms', nargs='+', default=_ARMS, choices=arms.NAMES)
    arguments = parser.parse_args()
    print(f'{arguments.solver}: {arguments.paths} paths of {arguments.poses} poses; {machine()}\n\n'
          '| arm | whole % | smooth % | step / original, median | largest | median ms | p99 ms |\n'
          '|---|---|---|---|---|---|---|', flush=True)
    for name in arguments.arms:
        print(_row(name, arguments), flush=True)
    print(f'\n| arm | {_LONG} poses, ms |\n|---|---|')
    for name in arguments.arms:
        print(f'| {name} | {_long(name, arguments):.1f} |', flush=True)
    if arguments.descartes:
        print(f'\n{_PEER_HEAD}')
        for name in arguments.arms:
            print('\n'.join(_beside_descartes(name, arguments)), flush=True)
    return 0


def joint_path(chain: Chain, rng: np.random.Generator, poses: int) -> np.ndarray:
    """Return a smooth path (poses, n) inside the limits, rad or m."""
    at = np.linspace(0.0, 1.0, poses)
    while True:
        knots = rng.uniform(chain.lower, chain.upper, (_KNOTS, chain.n_joints))
        q: np.ndarray = CubicSpline(np.linspace(0.0, 1.0, _KNOTS), knots)(at)
        inside = (q >= chain.lower).all() and (q <= chain.upper).all()
        if inside and np.abs(np.diff(q, axis=0)).max() < _STEP:
            return q


def _row(name: str, arguments: argparse.Namespace) -> str:
    chain, rng = arms.load(name).chain, np.random.default_rng(arguments.seed)
    solver = make_solver(arguments.solver, chain)
    whole, ratios, times = [], [], []
    for _ in range(arguments.paths):
        q = joint_path(chain, rng, arguments.poses)
        poses = np.array([chain.forward(one) for one in q])
        started = time.perf_counter()
        result = solver.solve_path(poses)
        times.append(1e3 * (time.perf_counter() - started))
        whole.append(result.success.all())
        ratios.append(np.abs(np.diff(result.q, axis=0)).max() / np.abs(np.diff(q, axis=0)).max())
    smooth = np.array(whole) & (np.array(ratios) <= _SMOOTH)
    return (f'| {name} | {100.0 * np.mean(whole):.1f} | {100.0 * smooth.mean():.1f} | '
            f'{np.median(ratios):.2f} | {max(ratios):.2f} | {np.median(times):.1f} | '
            f'{np.percentile(times, 99):.1f} |')


def _beside_descartes(name: str, arguments: argparse.Namespace) -> list[str]:
    """Return the rows of both for the same paths; travel: the sum of |Δq| over whole paths."""
    chain, rng = arms.load(name).chain, np.random.default_rng(arguments.seed)
    solver: Any = make_solver(arguments.solver, chain)
    peer = Descartes(arguments.descartes, chain, solver, _MOST)
    found: dict[str, list[tuple[float, float, float]]] = {arguments.solver: [], 'Descartes': []}
    for _ in range(arguments.peer_paths):
        q = joint_path(chain, rng, arguments.poses)
        poses = np.array([chain.forward(one) for one in q])
        original = np.abs(np.diff(q, axis=0)).max()
        started = time.perf_counter()
        result = solver.solve_path(poses, max_joint_step=_MOST)
        taken = time.perf_counter() - started
        own = result.q if result.success.all() else None
        path, searched = peer.solve_path(peer.candidates(poses))
        for who, one, seconds in ((arguments.solver, own, taken), ('Descartes', path, searched)):
            steps = None if one is None else np.diff(one, axis=0)
            found[who].append((
                np.nan if steps is None else np.abs(steps).max() / original,
                np.nan if steps is None else np.linalg.norm(steps, axis=1).sum(), 1e3 * seconds))
    rows = []
    both = np.isfinite([[one[1] for one in each] for each in found.values()]).all(axis=0)
    for who, each in found.items():
        ratio, travel, times = np.array(each).T
        mean = f'{travel[both].mean():.2f}' if both.any() else '–'
        rows.append(f'| {name} | {who} | {100.0 * np.isfinite(ratio).mean():.1f} | '
                    f'{100.0 * (ratio <= _SMOOTH).mean():.1f} | {mean} | '
                    f'{np.median(times):.1f} | {times.max():.1f} |')
    return rows


def _long(name: str, arguments: argparse.Namespace) -> float:
    """Return the time, ms, of a path of many poses."""
    chain, rng = arms.load(name).chain, np.random.default_rng(arguments.seed)
    solver = make_solver(arguments.solver, chain)
    q = joint_path(chain, rng, _LONG)
    poses = np.array([chain.forward(one) for one in q])
    times = []
    for _ in range(_RUNS):
        started = time.perf_counter()
        solver.solve_path(poses)
        times.append(1e3 * (time.perf_counter() - started))
    return min(times)


if __name__ == '__main__':
    raise SystemExit(main())

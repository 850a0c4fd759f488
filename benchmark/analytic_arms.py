"""Lists the arms of robots' packages: family, branches, time and completeness of closed forms.

Random poses are forward kinematics of joint values drawn evenly from the limits. In hard poses
each joint is at 0, ±90° or a limit, or 1e-3 to 1e-9 rad from there, so that many are singular or
nearly so. A list holds a configuration if it has it to 1e-6 rad, whole turns aside; where the
configuration is singular, and no list can have all that meet its pose, any solution counts.
Redundant arms get the redundancy of the configuration, and are singular where joints move without
change of the pose and of it; `empty` is of lists without it.
"""

import argparse
import sys
import time

import numpy as np

from benchmark import arms
from benchmark.analytic import ranges, turns_aside
from benchmark.machine import machine
from ik_node import Chain, make_solver
from ik_node.kinematics.reach import extent
from ik_node.solvers.arm.base import Solver
from ik_node.support.exceptions import UnsupportedError

_SAME = 1e-6      # rad
_STEP = 1e-6      # rad or m
_SINGULAR = 1e-3  # of the smallest singular value of J, metres counted in lengths of the arm
_HEAD = ('| arm | joints | family | branches, mean and most | median µs | holds q, random % | '
         'holds q, hard % | empty, random % | empty, hard % |\n'
         '|---|---|---|---|---|---|---|---|---|')


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.analytic_arms', description=__doc__)
    parser.add_argument('--goals', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--arms', nargs='+', default=arms.ALL, choices=arms.ALL)
    arguments = parser.parse_args()
    print(f'{arguments.goals} random and as many hard poses an arm; {machine()}\n\n{_HEAD}',
          flush=True)
    for name in arguments.arms:
        chain = arms.load(name).chain
        try:
            solver = make_solver('analytic', chain)
        except UnsupportedError as error:
            print(f'{name} is left out: {error}', file=sys.stderr)
            continue
        print(_row(name, chain, solver, arguments), flush=True)
    return 0


def _row(name: str, chain: Chain, solver: Solver, arguments: argparse.Namespace) -> str:
    rng = np.random.default_rng(arguments.seed)
    lower, upper = ranges(chain)
    random = rng.uniform(lower, upper, (arguments.goals, chain.n_joints))
    hard = [_hard(chain, rng) for _ in range(arguments.goals)]
    counts, times, held, empty = [], [], [], []
    for q in random:
        pose = chain.forward(q)
        began = time.perf_counter()
        found = solver.solve_all(pose)
        times.append(time.perf_counter() - began)
        counts.append(len(found))
    for configurations in (random, hard):
        held.append(100.0 * np.mean([_holds(chain, solver, q) for q in configurations]))
        empty.append(100.0 * np.mean([not len(solver.solve_all(chain.forward(q)))
                                      for q in configurations]))
    return (f'| {name} | {chain.n_joints} | {solver.family} | {np.mean(counts):.1f}, {max(counts)} '
            f'| {1e6 * np.median(times):.1f} | {held[0]:.1f} | {held[1]:.1f} | {empty[0]:.1f} | '
            f'{empty[1]:.1f} |')


def _hard(chain: Chain, rng: np.random.Generator) -> np.ndarray:
    """Return a structured configuration (n,), inside the limits."""
    lower, upper = ranges(chain)
    q = np.choose(rng.integers(0, 5, chain.n_joints), [
        np.zeros(chain.n_joints), np.full(chain.n_joints, np.pi / 2.0),
        np.full(chain.n_joints, -np.pi / 2.0), lower, upper])
    q += rng.integers(-1, 2, chain.n_joints) * 10.0 ** -rng.integers(3, 10, chain.n_joints)
    return np.clip(q, lower, upper)


def _holds(chain: Chain, solver: Solver, q: np.ndarray) -> bool:
    redundancy = solver.redundancy_of(q)
    found = solver.solve_all(chain.forward(q), redundancy=redundancy if len(redundancy) else None)
    if not len(found):
        return False
    J = chain.jacobian(q)
    J[:3] /= extent(chain.arrays).length_scale
    if len(redundancy):  # of the motions of the joints that keep it
        J = np.vstack([J, _redundancy_jacobian(solver, q)])
    singular = np.linalg.svd(J, compute_uv=False)[min(J.shape) - 1] < _SINGULAR
    return bool(singular or turns_aside(found - q).max(axis=1).min() <= _SAME)


def _redundancy_jacobian(solver: Solver, q: np.ndarray) -> np.ndarray:
    """Return by how much each joint changes the redundancy (p, n), by differences."""
    steps = _STEP * np.eye(len(q))
    changes = np.array([solver.redundancy_of(q + step) - solver.redundancy_of(q - step)
                        for step in steps]).T
    found: np.ndarray = (np.remainder(changes + np.pi, 2.0 * np.pi) - np.pi) / (2.0 * _STEP)
    return found


if __name__ == '__main__':
    sys.exit(main())

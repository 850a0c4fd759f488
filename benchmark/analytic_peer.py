"""Compares closed forms with ssik's on its arms: all solutions, and one, by CPU time.

Poses are forward kinematics of joint values drawn evenly from the limits. All solutions are those
inside the limits, turn copies not repeated; one is the first that ssik has, and ours nearest to
the middle of the limits. Calls take turns, and the median is of the least of three times each.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmark import arms
from benchmark.analytic import ranges
from benchmark.machine import machine
from ik_node import make_solver

_ROUNDS = 3
_HEAD = ('| arm | family | ours, all, µs | ours / ssik | solutions, ours | ssik | time per '
         'solution, ours / ssik | one, ours, µs | ours / ssik |\n'
         '|---|---|---|---|---|---|---|---|---|')


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.analytic_peer', description=__doc__)
    parser.add_argument('--goals', type=int, default=100)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    print(f'{arguments.goals} goals an arm; {machine()}\n\n{_HEAD}', flush=True)
    for name, chain in arms.prebuilt():
        peer = importlib.import_module(f'ssik.prebuilt.{name}_ik')
        solver, middle = make_solver('analytic', chain), sum(ranges(chain)) / 2.0
        drawn = np.random.default_rng(arguments.seed).uniform(
            *ranges(chain), (arguments.goals, chain.n_joints))
        poses = [chain.forward(q) for q in drawn]
        calls: tuple[Callable, ...] = (
            solver.solve_all, lambda T, peer=peer: peer.solve(T, enumerate_windings=False),
            lambda T, solver=solver, q0=middle: solver.solve(T, q0),
            lambda T, peer=peer: peer.solve(T, max_solutions=1))
        counts = np.array([[len(call(T)) for T in poses] for call in calls[:2]]).mean(axis=1)
        times = np.min([[[_time(call, T) for call in calls] for T in poses]
                        for _ in range(_ROUNDS)], axis=0)
        ours, theirs, one, their_one = np.median(times, axis=0)
        each = (times[:, 0].mean() / counts[0]) / (times[:, 1].mean() / max(counts[1], 1e-9))
        print(f'| {name} | {solver.family.split(";")[0]} | {ours:.1f} | {ours / theirs:.2f} | '
              f'{counts[0]:.1f} | {counts[1]:.1f} | {each:.2f} | {one:.1f} | '
              f'{one / their_one:.2f} |', flush=True)
    return 0


def _time(call: Callable, T: np.ndarray) -> float:
    """Return the CPU time of a call, µs."""
    began = time.process_time_ns()
    call(T)
    return (time.process_time_ns() - began) / 1e3


if __name__ == '__main__':
    sys.exit(main())

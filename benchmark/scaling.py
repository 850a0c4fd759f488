"""Measures how kinematics and steps grow with the number of joints: a ratio of 10 is linear.

Chains of Denavit-Hartenberg rows with axes that turn by quarter turns; from Python, wrappers
included, the fastest of several runs.
"""

import functools
import sys
import time
from collections.abc import Callable

import numpy as np

from ik_node import Chain, KinematicTree, make_solver

_RUNS = 9
_SHORT, _LONG = 100, 1000


def main() -> int:
    """Print the times for both lengths and their ratios."""
    chains = {n: _chain(n) for n in (_SHORT, _LONG)}
    print(f'| µs | {_SHORT} joints | {_LONG} joints | ratio |\n|---|---|---|---|')
    for what, call in (('forward kinematics', Chain.forward), ('Jacobian', Chain.jacobian)):
        short, long = (_fastest(functools.partial(call, chain, np.full(n, 0.1)), _LONG // n)
                       for n, chain in chains.items())
        print(f'| {what} | {short:.1f} | {long:.1f} | {long / short:.1f} |')
    for name in ('dls', 'pseudoinverse', 'transpose', 'ccd'):
        short, long = (_fastest(_step(name, chain), _LONG // n) for n, chain in chains.items())
        print(f'| one step of {name} | {short:.1f} | {long:.1f} | {long / short:.1f} |')
    return 0


def _step(name: str, chain: Chain) -> Callable[[], object]:
    """Return a call of one step, of ccd one sweep, towards a goal nearby."""
    q = np.random.default_rng(1).uniform(-0.1, 0.1, chain.n_joints)
    return functools.partial(make_solver(name, chain).step, chain.forward(q + 0.05), q)


def _chain(n: int) -> Chain:
    turns = np.random.default_rng(0).choice([-0.5 * np.pi, 0.0, 0.5 * np.pi], n)
    rows = np.column_stack([np.full(n, 0.01), turns, np.zeros(n), np.zeros(n)])
    return KinematicTree.from_dh(rows, 'standard').chain()


def _fastest(call: Callable[[], object], repeats: int) -> float:
    """Return the time of a call, µs: the best average over `repeats` calls of several runs."""
    call()  # compiled
    times = []
    for _ in range(_RUNS):
        began = time.perf_counter()
        for _ in range(10 * repeats):
            call()
        times.append((time.perf_counter() - began) / (10 * repeats))
    return 1e6 * min(times)


if __name__ == '__main__':
    sys.exit(main())

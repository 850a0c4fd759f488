"""Measures the minimizers of `optimization` on random reachable poses, and prints a table.

Every goal is forward kinematics of joint values drawn evenly from the limits; so is every start. A
result counts as met by forward kinematics, computed here, within the tolerance and inside the
limits; a success that is not met is false. Another column has the share that is met by the first
attempt, without restarts.
"""

import argparse
import sys
import time

import numpy as np
from scipy.spatial.transform import Rotation

from benchmark import arms
from benchmark.machine import machine
from ik_node import make_solver

DEFAULT = ('l-bfgs-b', 'slsqp', 'least-squares')
HEAD = ('| arm | minimizer | met % | first attempt % | false | median ms | mean ms |\n'
        '|---|---|---|---|---|---|---|')


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.minimizers', description=__doc__)
    parser.add_argument('--arms', nargs='+', default=arms.NAMES, choices=arms.NAMES)
    parser.add_argument('--minimizers', nargs='+', default=DEFAULT)
    parser.add_argument('--goals', type=int, default=1000)
    parser.add_argument('--position-tolerance', type=float, default=1e-6, help='m')
    parser.add_argument('--orientation-tolerance', type=float, default=1e-6, help='rad')
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    print(f'{arguments.goals} goals an arm from random starts, '
          f'{arguments.position_tolerance:g} m, {arguments.orientation_tolerance:g} rad; '
          f'{machine()}\n\n{HEAD}', flush=True)
    for name in arguments.arms:
        chain = arms.load(name).chain
        for minimizer in arguments.minimizers:
            print(_row(name, chain, minimizer, arguments), flush=True)
    return 0


def _row(name, chain, minimizer: str, arguments: argparse.Namespace) -> str:
    """Return a row of the table."""
    rng = np.random.default_rng(arguments.seed)
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    tolerances = arguments.position_tolerance, arguments.orientation_tolerance
    solver = make_solver('optimization', chain, minimizer=minimizer, prefer='first',
                         position_tolerance=tolerances[0], orientation_tolerance=tolerances[1])
    met, first, false, times = 0, 0, 0, []
    for _ in range(arguments.goals):
        goal, start = chain.forward(rng.uniform(lower, upper)), rng.uniform(lower, upper)
        began = time.perf_counter()
        result = solver.solve(goal, start)
        times.append(1e3 * (time.perf_counter() - began))
        is_met = _is_met(chain, goal, result.q, tolerances)
        met += is_met
        first += is_met and result.restarts == 0
        false += result.success and not is_met
    share = 100.0 / arguments.goals
    return (f'| {name} | {minimizer} | {share * met:.2f} | {share * first:.1f} | {false} | '
            f'{np.median(times):.2f} | {np.mean(times):.2f} |')


def _is_met(chain, goal: np.ndarray, q: np.ndarray, tolerances: tuple[float, float]) -> bool:
    T = chain.forward(q)
    turn = Rotation.from_matrix(goal[:3, :3] @ T[:3, :3].T).magnitude()
    inside = (chain.lower <= q).all() and (q <= chain.upper).all()
    rounding = 1.0 + 1e-6
    return bool(inside and np.linalg.norm(goal[:3, 3] - T[:3, 3]) <= rounding * tolerances[0]
                and turn <= rounding * tolerances[1])


if __name__ == '__main__':
    sys.exit(main())

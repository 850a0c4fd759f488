"""Measures solvers on random reachable poses, the same for all, and prints a table.

Every goal is forward kinematics of joint values drawn evenly from the limits; every solver starts
from their middle and counts a goal as solved when forward kinematics at what it returns is within
1e-5 m and 1e-5 rad, inside the limits. Times are from Python, wrappers included.
"""

import argparse
import platform
import sys
import time

import numpy as np
from scipy.spatial.transform import Rotation

from benchmark import arms, solvers

_BLOCK = 50  # goals a solver takes before it is the next one's turn: the machine's speed drifts
OURS = ('dls', 'pseudoinverse', 'transpose', 'ccd')


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark', description=__doc__)
    parser.add_argument('--arms', nargs='+', default=arms.NAMES, choices=arms.NAMES)
    parser.add_argument('--goals', type=int, default=1000)
    parser.add_argument('--solvers', nargs='+', default=['dls', 'rtb', 'trac-ik'],
                        choices=OURS + solvers.PEERS)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    print(f'{arguments.goals} goals an arm, {solvers.TOLERANCE:g} m and rad; '
          f'{platform.processor() or platform.machine()}, Python {platform.python_version()}\n')
    print('| arm | solver | solved % | median µs | mean µs | p99 µs | median / rtb |')
    print('|---|---|---|---|---|---|---|')
    ratios = []
    for name in arguments.arms:
        rows = _measure(arms.load(name), arguments)
        reference = np.median(rows['rtb'][1]) if 'rtb' in rows else np.nan
        for solver, (solved, times) in rows.items():
            ratio = np.median(times) / reference
            if solver == 'dls':
                ratios.append(ratio)
            print(f'| {name} | {solver} | {100.0 * np.mean(solved):.2f} | {np.median(times):.1f} | '
                  f'{np.mean(times):.1f} | {np.percentile(times, 99):.0f} | {ratio:.2f} |')
    if np.isfinite(ratios).any():
        print(f'\nmedian of dls over median of rtb, geometric mean over the arms: '
              f'{np.exp(np.mean(np.log(ratios))):.2f}')
    return 0


def _measure(arm: arms.Arm, arguments: argparse.Namespace) -> dict:
    """Return {solver: (solved, µs)} over the goals, the solvers taking turns at each."""
    chain = arm.chain
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    rng = np.random.default_rng(arguments.seed)
    goals = [chain.forward(rng.uniform(lower, upper)) for _ in range(arguments.goals)]
    start = 0.5 * (lower + upper)
    rows: dict = {}
    contenders = {}
    for name in arguments.solvers:
        try:
            contenders[name] = (solvers.ours if name in OURS else solvers.peer)(name, arm)
        except ImportError as error:
            print(f'{name} is left out: {error}', file=sys.stderr)
            continue
        contenders[name](goals[0], start)  # compiled, loaded, warm
        rows[name] = ([], [])
    for first in range(0, len(goals), _BLOCK):
        for name, solve in contenders.items():
            found = []
            for goal in goals[first:first + _BLOCK]:
                began = time.perf_counter()
                q = solve(goal, start)
                rows[name][1].append(1e6 * (time.perf_counter() - began))
                found.append((goal, q))
            rows[name][0].extend(q is not None and _met(chain, goal, q, lower, upper)
                                 for goal, q in found)
    return rows


def _met(chain, goal, q, lower, upper) -> bool:
    T = chain.forward(q)
    turn = Rotation.from_matrix(goal[:3, :3] @ T[:3, :3].T).magnitude()
    # Peers compare squares and sums of errors: a hair of room, so that none is wronged.
    room = 1.01 * solvers.TOLERANCE
    inside = (lower - 1e-9 <= q).all() and (q <= upper + 1e-9).all()
    return bool(inside and np.linalg.norm(goal[:3, 3] - T[:3, 3]) <= room and turn <= room)


if __name__ == '__main__':
    sys.exit(main())

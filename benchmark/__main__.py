"""Measures solvers on random reachable poses, the same for all, and prints tables.

The protocol is TRAC-IK's: every goal is forward kinematics of joint values drawn evenly from the
limits, and a goal counts as solved when forward kinematics at what a solver returns is within the
tolerance in m and rad, inside the limits. Solvers start from the middle of the limits, as in that
protocol, and from random joint values inside them, the same for all. Times are from Python,
wrappers included, failures too; the solvers take turns, so that a change of the machine's load
meets all alike.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from benchmark import arms, solvers
from benchmark.machine import machine

_BLOCK = 50          # goals a solver takes before it is the next one's turn
_SLOW = {'ikpy': 50}  # solvers with fewer goals
_REFERENCE = 'rtb'
OURS = ('dls', 'pseudoinverse', 'transpose', 'ccd', 'genetic')
STARTS = ('middle', 'random')
HEAD = ('| arm | start | solver | solved % | median µs | mean µs | p99 µs | median / rtb '
        '| p99 / rtb |\n|---|---|---|---|---|---|---|---|---|')
_QUANTILES = {'median': 50, 'p99': 99}


Ratios = dict[tuple[str, str, str], list[float]]  # by start, solver and quantile


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark', description=__doc__)
    parser.add_argument('--arms', nargs='+', default=arms.NAMES, choices=arms.NAMES)
    parser.add_argument('--starts', nargs='+', default=STARTS, choices=STARTS)
    parser.add_argument('--goals', type=int, default=1000)
    parser.add_argument('--solvers', nargs='+', default=['dls', 'rtb', 'trac-ik', 'kdl'],
                        choices=OURS + solvers.PEERS)
    parser.add_argument('--tolerance', type=float, default=1e-5, help='m and rad')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--markdown', type=Path, help='append the tables to this file, too')
    arguments = parser.parse_args()
    lines = [f'{arguments.goals} goals an arm, {arguments.tolerance:g} m and rad; {machine()}', '',
             HEAD]
    print('\n'.join(lines), flush=True)
    ratios: Ratios = {}
    for name in arguments.arms:
        arm = arms.load(name)
        for start in arguments.starts:
            rows = _measure(arm, start, arguments)
            for line in _lines(name, start, rows, ratios):
                print(line, flush=True)
                lines.append(line)
    summary = ['', *_summary(ratios)]
    print('\n'.join(summary))
    if arguments.markdown:
        with arguments.markdown.open('a') as file:
            file.write('\n'.join([*lines, *summary]) + '\n\n')
    return 0


def _lines(arm: str, start: str, rows: dict, ratios: Ratios) -> list[str]:
    """Return a line of the table for every solver; note down its times over the reference's."""
    lines = []
    for solver, (solved, times) in rows.items():
        over = dict.fromkeys(_QUANTILES, np.nan)
        if _REFERENCE in rows:
            reference = rows[_REFERENCE][1]
            over = {name: float(np.percentile(times, rank) / np.percentile(reference, rank))
                    for name, rank in _QUANTILES.items()}
        if np.mean(solved) >= 0.5:  # quick failures are no feat
            for name, ratio in over.items():
                ratios.setdefault((start, solver, name), []).append(ratio)
        lines.append(f'| {arm} | {start} | {solver} | {100.0 * np.mean(solved):.2f} | '
                     f'{np.median(times):.1f} | {np.mean(times):.1f} | '
                     f'{np.percentile(times, 99):.0f} | {over["median"]:.2f} | '
                     f'{over["p99"]:.2f} |')
    return lines


def _summary(ratios: Ratios) -> list[str]:
    """Return the geometric means of the times over the reference's."""
    return [f'{solver}, start {start}: {name} over that of {_REFERENCE}, geometric mean over '
            f'{len(values)} arms: {np.exp(np.mean(np.log(values))):.2f}; at most '
            f'{max(values):.2f}  '
            for (start, solver, name), values in sorted(ratios.items())
            if np.isfinite(values).all() and solver != _REFERENCE]


def _measure(arm: arms.Arm, start: str, arguments: argparse.Namespace) -> dict:
    """Return {solver: (solved, µs)} over the goals, the solvers taking turns at each."""
    chain, tolerance = arm.chain, arguments.tolerance
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    rng = np.random.default_rng(arguments.seed)
    goals = [chain.forward(rng.uniform(lower, upper)) for _ in range(arguments.goals)]
    starts = np.tile(0.5 * (lower + upper), (len(goals), 1))
    if start == 'random':
        starts = rng.uniform(lower, upper, starts.shape)
    rows: dict = {}
    contenders = {}
    for name in arguments.solvers:
        try:
            make = solvers.ours if name in OURS else solvers.peer
            contenders[name] = make(name, arm, tolerance)
        except (ImportError, NotImplementedError) as error:
            print(f'{name} is left out: {error}', file=sys.stderr)
            continue
        contenders[name](goals[0], starts[0])  # loaded, warm
        rows[name] = ([], [])
    for first in range(0, len(goals), _BLOCK):
        for name, solve in contenders.items():
            if first >= _SLOW.get(name, len(goals)):
                continue
            found = []
            for goal, q0 in zip(goals[first:first + _BLOCK], starts[first:]):
                began = time.perf_counter()
                q = solve(goal, q0)
                rows[name][1].append(1e6 * (time.perf_counter() - began))
                found.append((goal, q))
            rows[name][0].extend(q is not None and _met(chain, goal, q, tolerance)
                                 for goal, q in found)
    return rows


def _met(chain, goal, q, tolerance) -> bool:
    T = chain.forward(q)
    turn = Rotation.from_matrix(goal[:3, :3] @ T[:3, :3].T).magnitude()
    # Peers compare squares and sums of errors: a hair of room, so that none is wronged.
    room = 1.01 * tolerance
    inside = (chain.lower - 1e-9 <= q).all() and (q <= chain.upper + 1e-9).all()
    return bool(inside and np.linalg.norm(goal[:3, 3] - T[:3, 3]) <= room and turn <= room)


if __name__ == '__main__':
    sys.exit(main())

"""Measures the pure evolution of `genetic`, and draws how it converges.

For every arm the share of goals that evolution meets before any local step, with restarts, and the
median errors of one population, without restarts, after a number of generations.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from benchmark import arms
from benchmark.machine import machine
from ik_node import make_solver

ARMS = ('panda', 'ur5', 'iiwa14', 'puma560', 'irb140', 'so101', 'pr2', 'baxter')
GENERATIONS = (1, 3, 10, 30, 100, 200, 300, 500, 700, 1000)
_NEVER = 10**6


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.evolution', description=__doc__)
    parser.add_argument('--arms', nargs='+', default=ARMS, choices=arms.NAMES)
    parser.add_argument('--goals', type=int, default=200)
    parser.add_argument('--tolerances', nargs='+', type=float, default=[1e-3, 1e-5],
                        help='m and rad')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--png', type=Path, help='draw the convergence to this file')
    arguments = parser.parse_args()
    print(f'{arguments.goals} goals an arm, from random starts; {machine()}\n')
    print('| arm | tolerance | met without local steps % | restarts, mean |\n|---|---|---|---|')
    for name in arguments.arms:
        for tolerance in arguments.tolerances:
            results = _solved(name, arguments, position_tolerance=tolerance,
                              orientation_tolerance=tolerance)
            print(f'| {name} | {tolerance:g} | '
                  f'{100.0 * np.mean([one.success for one in results]):.2f} | '
                  f'{np.mean([one.restarts for one in results]):.2f} |', flush=True)
    if arguments.png is not None:
        draw(arguments.png, {name: errors(name, arguments) for name in arguments.arms})
    return 0


def errors(name: str, arguments: argparse.Namespace) -> np.ndarray:
    """Return the medians (k, 2) of position error, m, and orientation error, rad."""
    medians = []
    for generations in GENERATIONS:
        results = _solved(name, arguments, generations=generations, max_restarts=0,
                          wipeout=_NEVER)
        medians.append(np.median([(one.position_error, one.orientation_error)
                                  for one in results], axis=0))
    return np.array(medians)


def draw(file: Path, curves: dict[str, np.ndarray]) -> None:
    """Draw the errors (k, 2) of each arm over the generations."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, 2, figsize=(10.0, 4.0), layout='constrained')
    for column, (one, label) in enumerate(zip(axes, ('position error (m)',
                                                     'orientation error (rad)'))):
        for name, curve in curves.items():
            one.loglog(GENERATIONS, curve[:, column], label=name)
        one.set_xlabel('generations of one population')
        one.set_ylabel(f'{label}, median')
        one.grid(True, alpha=0.3)
    axes[0].legend()
    figure.savefig(file, dpi=100)


def _solved(name: str, arguments: argparse.Namespace, **options: float) -> list:
    """Return the results of pure evolution for an arm."""
    chain = arms.load(name).chain
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    rng = np.random.default_rng(arguments.seed)
    solver = make_solver('genetic', chain, local_search=False, **options)
    goals = [chain.forward(rng.uniform(lower, upper)) for _ in range(arguments.goals)]
    return [solver.solve(goal, rng.uniform(lower, upper)) for goal in goals]


if __name__ == '__main__':
    sys.exit(main())

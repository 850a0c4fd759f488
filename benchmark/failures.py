"""Measures how long body solvers take to fail on goals that cannot be met, and prints a table.

A humanoid stands on its feet, keeps its balance and holds one palm; the target of the other is 1.6
to 2.4 m from its shoulder, out of reach. `solve` tries all restarts, `closest` goes on to the
configuration of the least error.
"""

import argparse
import sys
import time

import numpy as np

from benchmark.machine import machine
from ik_node import KinematicTree, body_solver_names, make_body_solver
from ik_node.support.resources import robot_file
from ik_node.tasks import CenterOfMass, Pose, Position

_POLYGON = [[0.12, 0.14], [-0.06, 0.14], [-0.06, -0.14], [0.12, -0.14]]  # m, about the feet
_DISTANCE = 1.6, 2.4  # m, of the target from the shoulder
HEAD = ('| solver | solve, median s | longest s | closest, median s | longest s | '
        'mean distance left, m |\n|---|---|---|---|---|---|')


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.failures', description=__doc__)
    parser.add_argument('--solvers', nargs='+', default=body_solver_names(),
                        choices=body_solver_names())
    parser.add_argument('--goals', type=int, default=30)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    print(f'{arguments.goals} goals out of reach; {machine()}\n\n{HEAD}', flush=True)
    for name in arguments.solvers:
        print(_line(name, arguments.goals, np.random.default_rng(arguments.seed)), flush=True)
    return 0


def _line(name: str, count: int, rng: np.random.Generator) -> str:
    """Return the row of a solver."""
    body = KinematicTree.from_urdf(robot_file('humanoid')).body('floating')
    q0 = body.neutral()
    start = body.forward(q0)
    palm = Position('left_palm')
    solver = make_body_solver(name, body, [
        *(Pose(sole, start[sole], priority=0) for sole in ('left_sole', 'right_sole')),
        CenterOfMass(polygon=_POLYGON, priority=0), Pose('right_palm', start['right_palm']), palm])
    seconds, distances = [], []
    for _ in range(count):
        away = rng.standard_normal(3)
        palm.target = start['left_shoulder'][:3, 3] + rng.uniform(
            *_DISTANCE) * away / np.linalg.norm(away)
        times = []
        for method in (solver.solve, solver.closest):
            begun = time.perf_counter()
            result = method(q0)
            times.append(time.perf_counter() - begun)
        if not result.success:
            seconds.append(times)
            distances.append(result.errors[palm.name][0])
    solve, closest = np.transpose(seconds)
    return (f'| {name} | {np.median(solve):.2f} | {solve.max():.2f} | {np.median(closest):.2f} | '
            f'{closest.max():.2f} | {np.mean(distances):.3f} |')


if __name__ == '__main__':
    sys.exit(main())

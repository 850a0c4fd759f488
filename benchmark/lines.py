"""Measures straight paths of the tip from random configurations: pose by pose, and as a whole.

A path goes from forward kinematics of joint values drawn evenly inside 90 % of the limits, 0.2 to
0.8 m in a random direction, with a rotation about a random axis of 0.6 rad on average; paths whose
end the solver does not meet are drawn again. Many cannot be followed at all: a limit, a singular
configuration or the reach is in between.
"""

import argparse
import time

import numpy as np
from scipy.spatial.transform import Rotation

from benchmark import arms
from benchmark.machine import machine
from ik_node import Chain, Goal, make_solver
from ik_node.motion.following import Followed, Follower
from ik_node.motion.tip_path import Line
from ik_node.solvers.arm.base import Solver
from ik_node.support.exceptions import MotionError

_ARMS = ('iiwa14', 'panda')
_INSIDE = 0.9
_LENGTHS = 0.2, 0.8   # m
_ANGLE = 0.4          # rad: standard deviation of each component of the rotation


class _Counted(Follower):
    """Notes what is chosen as a whole."""

    whole: bool = False

    def _as_a_whole(self, *arguments) -> list[Followed]:
        self.whole = True
        return super()._as_a_whole(*arguments)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.lines', description=__doc__)
    parser.add_argument('--paths', type=int, default=200)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--solver', default='auto')
    parser.add_argument('--arms', nargs='+', default=_ARMS, choices=arms.NAMES)
    arguments = parser.parse_args()
    print(f'{arguments.solver}: {arguments.paths} straight paths; {machine()}\n\n'
          '| arm | pose by pose % | chosen as a whole % | refused % | pose by pose, median ms '
          '| chosen, median ms | refused, median ms | largest |\n|---|---|---|---|---|---|---|---|')
    for name in arguments.arms:
        print(_row(name, arguments), flush=True)
    return 0


def _row(name: str, arguments: argparse.Namespace) -> str:
    chain, rng = arms.load(name).chain, np.random.default_rng(arguments.seed)
    solver = make_solver(arguments.solver, chain)
    follower = _Counted(solver)
    times: dict[str, list[float]] = {'pose': [], 'whole': [], 'refused': []}
    for _ in range(arguments.paths):
        q0, goal = _drawn(chain, solver, rng)
        follower.whole, outcome = False, 'pose'
        began = time.perf_counter()
        try:
            follower.follow(goal, [Line(chain.forward(q0), goal.pose)], q0)
            outcome = 'whole' if follower.whole else 'pose'
        except MotionError:
            outcome = 'refused'
        times[outcome].append(1e3 * (time.perf_counter() - began))
    shares = ' | '.join(f'{100.0 * len(found) / arguments.paths:.1f}' for found in times.values())
    medians = ' | '.join(f'{np.median(found):.0f}' if found else '–' for found in times.values())
    largest = max(one for found in times.values() for one in found)
    return f'| {name} | {shares} | {medians} | {largest:.0f} |'


def _drawn(chain: Chain, solver: Solver, rng: np.random.Generator) -> tuple[np.ndarray, Goal]:
    """Return a configuration (n,) and a goal that the solver meets from there."""
    middle, half = 0.5 * (chain.lower + chain.upper), 0.5 * _INSIDE * (chain.upper - chain.lower)
    while True:
        q0 = rng.uniform(middle - half, middle + half)
        T = chain.forward(q0)
        direction = rng.normal(size=3)
        T[:3, 3] += rng.uniform(*_LENGTHS) * direction / np.linalg.norm(direction)
        T[:3, :3] = Rotation.from_rotvec(rng.normal(size=3) * _ANGLE).as_matrix() @ T[:3, :3]
        goal = Goal.from_pose(T)
        if solver.solve(goal, q0).success:
            return q0, goal


if __name__ == '__main__':
    raise SystemExit(main())

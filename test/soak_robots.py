"""What is too long for the tests: generated robots, twenty goals each, every failure by its kind.

What a solver calls a success is checked without its own kernels, and a reason that says that a goal
cannot be met by a search that is ten times as long.
"""

from collections import Counter

import numpy as np

import soak_checks
from generated_robots import generate
from harness.soak_runner import Progress, run_soak
from ik_node import Goal, StopReason, make_solver

WEIGHTS = [np.ones(6)] * 5 + [np.array(w, dtype=float) for w in (
    (1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 1, 1, 1, 1, 0), (1, 1, 1, 0, 0, 1),
    (0, 0, 1, 0, 0, 0))]
SOLVERS = ('dls', 'auto')
PROVED = (StopReason.UNREACHABLE, StopReason.LIMITS)


def soak(given) -> list[str]:
    """Return solvers with a false success, a refuted reason, or too few goals met."""
    progress = Progress()
    kinds: dict[str, Counter] = {name: Counter() for name in SOLVERS}
    for seed in range(given.seed, given.seed + given.robots):
        for name, found in _failures(seed, given.goals).items():
            kinds[name].update(found)
            if given.verbose and set(found) - {'met', 'kept out'}:
                print(f'{seed} {name} {dict(found)}', flush=True)
        progress.show(f'{seed - given.seed + 1} robots')
    faults = []
    for name, found in kinds.items():
        reachable = found.total() - found['kept out'] - found['refuted']
        share = found['met'] / max(reachable, 1)
        line = f'{name}: {100.0 * share:.2f} % of {reachable} reachable goals; {dict(found)}'
        print(f'\n{line}')
        if share < given.share or found['false'] or found['refuted']:
            faults.append(line)
    return faults


def _failures(seed: int, goals: int) -> dict[str, Counter]:
    """Return for each solver how many goals ended how."""
    robot, rng = generate(seed), np.random.default_rng([seed, 1])
    chain = robot.chain
    solvers = {name: make_solver(name, chain, position_tolerance=robot.position_tolerance)
               for name in SOLVERS}
    found: dict[str, Counter] = {name: Counter() for name in SOLVERS}
    for k in range(goals):
        goal = Goal.from_pose(chain.forward(robot.configuration(rng)),
                              WEIGHTS[rng.integers(len(WEIGHTS))])
        start = None if k % 2 == 0 else robot.configuration(rng)
        for name, solver in solvers.items():
            result = solver.solve(goal, start)
            if result.success:
                good = soak_checks.holds(chain, goal, solver.options, result.q)
                found[name]['met' if good else 'false'] += 1
            else:
                found[name][result.reason.name] += 1
        if k % 4 > 0:
            continue
        # Moved away, it may be out of reach or not: only what is claimed counts.
        T = goal.pose.copy()
        T[:3, 3] += rng.normal(size=3) * robot.size * rng.choice([1e-3, 0.1, 1.0])
        for name, solver in solvers.items():
            result = solver.solve(moved := goal.moved_to(T), start)
            if result.success and not soak_checks.holds(chain, moved, solver.options, result.q):
                found[name]['false'] += 1
            elif result.reason in PROVED and _longer(robot, moved, start):
                found[name]['refuted'] += 1
            else:
                found[name]['kept out'] += 1
    return found


def _longer(robot, goal, start) -> bool:
    """Tell whether ten times as many attempts meet a goal."""
    return make_solver('dls', robot.chain, position_tolerance=robot.position_tolerance,
                       max_restarts=1000).solve(goal, start).success


if __name__ == '__main__':
    run_soak(soak, __doc__, robots=1000, goals=20, share=0.995, verbose=False)

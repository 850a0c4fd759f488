"""What is too long for the tests: by how much solves that would run on exceed their `timeout`.

    python test/soak_timeouts.py --solves 1000 --seed 0

No solve can end by success: the tolerances are too small. A bare wait of the same length between
the solves measures what the machine adds.
"""

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import robots
from harness.soak_runner import run_soak
from ik_node import Chain, body_solver_names, make_body_solver, make_solver
from ik_node.solvers.registry import body_solver_class, built_in_names, solver_class
from ik_node.tasks import CenterOfMass, Pose
from soak_bodies import bodies

ARMS = ('panda', 'ur5', 'iiwa14')
TIMEOUTS = (0.005, 0.05)  # s
MOST = 0.02               # s: by which a timeout may be exceeded
SHARE = 0.999             # of the solves that may not exceed it by more
REPEATED = 0.003          # s: a solve that exceeds it by more is made again
_TRIES, _BARE = 4, '(bare wait)'
# Without an end, but for the timeout.
ENDLESS: dict[str, Any] = {
    'position_tolerance': 1e-300, 'orientation_tolerance': 1e-300, 'max_restarts': 10**6,
    'max_iterations': 10**9, 'generations': 10**9}
SLOW: dict[str, Any] = {'path_step': 1e-7, 'max_step': 1e-7}  # an attempt takes seconds


class Over(NamedTuple):
    """By how many s a solve exceeds its timeout; negative where it ends before."""

    wall: float
    least: float
    """The least of the same solve made again."""


Case = tuple[str, str, Callable[[float, np.random.Generator], Over]]


def endless(specs: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Draw options of a solver that has options of these names."""
    wanted = {**ENDLESS, **(SLOW if rng.random() < 0.3 else {}), 'closest': rng.random() < 0.5}
    if rng.random() < 0.5:
        del wanted['max_iterations']
    return {name: value for name, value in wanted.items() if name in specs}


def goal(chain: Chain, rng: np.random.Generator) -> np.ndarray:
    """Return the pose (4, 4), m, of a configuration, half of the time moved: it may be too far."""
    T = chain.forward(robots.random_q(chain, rng))
    if rng.random() < 0.5:
        T[:3, 3] *= rng.uniform(1.0, 2.0)
    return T


def arm_cases() -> Iterator[Case]:
    """Yield (solver, robot, function that solves once with a timeout) for every arm."""
    for name in built_in_names():
        for arm in ARMS:
            chain = robots.chain(arm)
            specs = solver_class(name).Options.specs()

            def solve(timeout: float, rng: np.random.Generator, name=name, chain=chain,
                      specs=specs) -> Over:
                solver = make_solver(name, chain, timeout=timeout, **endless(specs, rng),
                                     **robots.needed(name, chain))
                wanted, q0 = goal(chain, rng), robots.random_q(chain, rng)
                return overshoot(lambda: solver.solve(wanted, q0), timeout)
            yield name, arm, solve


def path_cases() -> Iterator[Case]:
    """Yield whole paths, of poses that may be anywhere."""
    for name in ('auto', 'dls'):
        for arm in ARMS:
            chain = robots.chain(arm)

            def solve(timeout: float, rng: np.random.Generator, name=name, chain=chain) -> Over:
                solver = make_solver(name, chain)
                ends = [robots.random_q(chain, rng) for _ in range(2)]
                poses = [chain.forward(ends[0] + s * (ends[1] - ends[0]))
                         for s in np.linspace(0.0, 1.0, int(rng.choice([50, 1000])))]
                return overshoot(lambda: solver.solve_path(
                    np.array(poses), max_joint_step=1e-4, timeout=timeout), timeout)
            yield f'{name} path', arm, solve


def body_cases() -> Iterator[Case]:
    """Yield bodies with several tips."""
    for robot, body, tasks in bodies():
        for name in body_solver_names():
            specs = body_solver_class(name).Options.specs()

            def solve(timeout: float, rng: np.random.Generator, name=name, body=body,
                      specs=specs, tasks=tasks) -> Over:
                moved = []
                frames = body.forward(q := robots.random_q(body, rng))
                for task in tasks:
                    if isinstance(task, CenterOfMass):
                        moved.append(CenterOfMass(body.center_of_mass(q) + rng.normal(size=3),
                                                  priority=int(rng.integers(1, 3))))
                    else:
                        T = frames[task.link].copy()
                        T[:3, 3] += 0.3 * rng.normal(size=3)
                        moved.append(Pose(task.link, T, priority=int(rng.integers(3))))
                solver = make_body_solver(name, body, moved, timeout=timeout, **endless(specs, rng))
                q0 = robots.random_q(body, rng)
                return overshoot(lambda: solver.solve(q0), timeout)
            yield f'body {name}', robot, solve


def overshoot(solve: Callable[[], Any], timeout: float) -> Over:
    """Return by how many s a call exceeds its timeout."""
    began = time.perf_counter()
    solve()
    over = time.perf_counter() - began - timeout
    return Over(over, over)


def soak(given) -> int:
    """Return 0 where enough solves keep their timeout."""
    cases = [case for case in (*arm_cases(), *path_cases(), *body_cases()) if given.only in case[0]]
    for _, _, solve in cases:  # compiles, and imports what is imported late
        solve(0.5, np.random.default_rng(0))
    rng = np.random.default_rng(given.seed)
    found: dict[str, list[Over]] = {}
    for k in range(given.solves):
        name, robot, solve = cases[k % len(cases)]
        timeout, seed = rng.uniform(*TIMEOUTS), [given.seed, k]
        one = solve(timeout, np.random.default_rng(seed))
        found.setdefault(name, []).append(one)
        found.setdefault(_BARE, []).append(overshoot(functools.partial(_spin, timeout), timeout))
        if one[0] < REPEATED:
            continue
        # What another process takes from it is another time each time.
        again = [solve(timeout, np.random.default_rng(seed)) for _ in range(_TRIES)]
        found[name][-1] = one._replace(least=min(each.wall for each in (one, *again)))
        if given.verbose:
            print(f'{k} {name} {robot}: {1e3 * one.wall:.1f} ms, at least '
                  f'{1e3 * found[name][-1].least:.1f} ms of {1e3 * timeout:.1f} ms', flush=True)
    print('over by, ms       solves early |   50 %    99 %    most | least of repeats: 99 %  most')
    for name, each in sorted(found.items()):
        print(f'{name:20s} {len(each):3d} {sum(one.wall < 0.0 for one in each):5d} | ' + ' | '.join(
            '  '.join(f'{1e3 * value:6.2f}' for value in np.percentile(values, shares))
            for values, shares in (([one.wall for one in each], [50, 99, 100]),
                                   ([one.least for one in each], [99, 100]))))
    late = sum(one.least > MOST for name, each in found.items() if name != _BARE for one in each)
    print(f'{late} of {given.solves} exceed their timeout by more than {1e3 * MOST:.0f} ms each '
          f'time; of the bare waits {sum(one.wall > MOST for one in found[_BARE])}')
    return late if late > (1.0 - SHARE) * given.solves else 0


def _spin(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


if __name__ == '__main__':
    run_soak(soak, __doc__, solves=1000, only='', verbose=False)

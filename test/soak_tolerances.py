"""What is too long for the tests: closed forms and dls at every tolerance, on every arm.

Goals that can be met, ones moved aside, and ones at singular configurations; from random starts.
What a solver calls a success is checked without its own kernels.
"""

from collections import Counter

import numpy as np

import robots
import soak_checks
from harness.soak_runner import run_soak
from ik_node import Chain, Goal, make_solver
from ik_node.support.exceptions import UnsupportedError

SOLVERS = ('dls', 'auto', 'analytic')
PAIRS = [(t, t) for t in (1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12)] + [
    (1e-3, 1e-6), (1e-4, 1e-8), (1e-6, 1e-3), (1e-2, 1e-6), (1e-6, 1e-2), (1e-12, 1e-4),
    (1e-4, 1e-12)]
SHARES = {'dls': 0.999, 'auto': 0.999, 'analytic': 0.995}
COARSE = 1e-6  # tolerances that every goal can be met with, whatever rounding does


def chains() -> dict[str, Chain]:
    """Return the arms by name."""
    return {name: robots.chain(name) for name in (
        'planar_3r', 'arm_6r', 'arm_7r', 'scara', 'torso', *robots.REAL)}


def goal_for(chain: Chain, rng: np.random.Generator) -> tuple[np.ndarray, bool]:
    """Return a pose (4, 4), m, and whether it is known that it can be met."""
    q, kind = robots.random_q(chain, rng), rng.random()
    if kind < 0.3:  # singular, mostly: joints at zero, or at a limit
        some = rng.random(chain.n_joints) < 0.5
        ends = np.where(rng.random(chain.n_joints) < 0.7, 0.0, q)
        q = np.where(some, np.clip(ends, chain.lower, chain.upper), q)
        if kind < 0.15:  # and all but singular
            q = np.clip(q + 10.0 ** rng.uniform(-9, -3) * rng.normal(size=len(q)), chain.lower,
                        chain.upper)
    T = chain.forward(q)
    if kind < 0.85:
        return T, True
    T[:3, 3] += rng.normal(size=3) * 10.0 ** rng.uniform(-7, 0)
    return T, False


def run(chain: Chain, name: str, pair: tuple[float, float], count: int,
        rng: np.random.Generator) -> Counter:
    """Solve for goals; return how many were met, missed though they can be met, or falsely met."""
    found: Counter = Counter()
    try:
        solver = make_solver(name, chain, position_tolerance=pair[0],
                             orientation_tolerance=pair[1])
    except UnsupportedError:
        return found
    counts = min(pair) >= COARSE and (name != 'analytic' or solver.is_complete())
    for _ in range(count):
        T, known = goal_for(chain, rng)
        start = robots.random_q(chain, rng)
        result = solver.solve(T, start)
        found['solves'] += 1
        if result.success and not soak_checks.holds(chain, Goal.from_pose(T), solver.options,
                                                    result.q):
            found['false'] += 1
            print(f'\nFALSE: {name} {pair} from {start.tolist()} to {T.tolist()}: {result}')
        elif not ((chain.lower <= result.q).all() and (result.q <= chain.upper).all()):
            found['outside'] += 1
        if known and counts:
            found['met' if result.success else 'missed'] += 1
        if known and result.reason.name in ('UNREACHABLE', 'LIMITS'):
            found['wrong reason'] += 1
            print(f'\nREASON: {name} {pair} from {start.tolist()} to {T.tolist()}: {result}')
    return found


def soak(given) -> list[str]:
    """Return solvers with a false success, or with too few goals met."""
    rng, arms = np.random.default_rng(given.seed), chains()
    # Some arms have no closed form: as many more goals for the others.
    count = -(-given.solves // (len(PAIRS) * (len(SOLVERS) * len(arms) - 2)))
    total: dict[str, Counter] = {name: Counter() for name in SOLVERS}
    for arm, chain in arms.items():
        for name in SOLVERS:
            found = sum((run(chain, name, pair, count, rng) for pair in PAIRS), Counter())
            total[name] += found
            print(f'{arm:10s} {name:8s} {100.0 * _share(found):7.2f} %  {dict(found)}', flush=True)
    print({name: f'{100.0 * _share(found):.3f} %' for name, found in total.items()})
    return [f'{name}: {dict(found)}' for name, found in total.items()
            if _share(found) < SHARES[name]
            or found['false'] + found['outside'] + found['wrong reason']]


def _share(found: Counter) -> float:
    return found['met'] / max(found['met'] + found['missed'], 1)


if __name__ == '__main__':
    run_soak(soak, __doc__, solves=200_000)

"""What is too long for the tests: a million solves, and not one false success.

Arms, solvers, goals, weights, tolerances and starts are drawn at random, goals out of reach, at
singular configurations and on generated robots among them. What a solver calls a success is checked
without its own kernels, see `soak_checks`, and a reason that says that a goal cannot be met by a
search that is ten times as long.
"""

from collections import Counter

import numpy as np

import robots
import soak_checks
from generated_robots import generate
from harness.soak_runner import Progress, run_soak
from ik_node import Chain, Goal, StopReason, make_solver, solver_names
from ik_node.support.exceptions import UnsupportedError

WEIGHTS = [np.ones(6)] * 5 + [np.array(w, dtype=float) for w in (
    (1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 1, 1, 1, 1, 0), (1, 1, 1, 0, 0, 1),
    (0, 0, 1, 0, 0, 0))]
SELDOM_MET = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])  # on arms of any kind
# Of the goals with any solver: slow ones get fewer, so that they do not take all the time.
DRAWN = {'dls': 1.0, 'pseudoinverse': 0.3, 'auto': 0.3, 'analytic': 0.2, 'transpose': 0.02,
         'ccd': 0.02}
SOLVERS = ('dls', 'auto', 'analytic')
TOLERANCES = [(t, t) for t in (1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12)] + [
    (1e-3, 1e-6), (1e-4, 1e-8), (1e-6, 1e-3), (1e-2, 1e-6), (1e-6, 1e-2), (1e-12, 1e-4),
    (1e-4, 1e-12)]
COARSE = 1e-6  # tolerances that every goal can be met with, whatever rounding does
SHARES = {'dls': 0.999, 'auto': 0.999, 'analytic': 0.995}  # of goals that can be met
GENERATED_SHARE = 0.995
PROVED = (StopReason.UNREACHABLE, StopReason.LIMITS)
FAULTS = ('false', 'outside', 'refuted')


def chains() -> dict[str, Chain]:
    return {name: robots.chain(name) for name in (
        'planar_3r', 'arm_6r', 'arm_7r', 'scara', 'torso', *robots.REAL)}


def judge(solver, goal, start, found: Counter, known=None, counts=True) -> None:
    """Solve for a goal, and count the outcome.

    known: whether it can be met for certain; None: a reason is not checked. counts: whether a miss
    does.
    """
    chain, result = solver.chain, solver.solve(goal, start)
    kind = ('met' if result.success else 'missed') if known and counts else 'others'
    if result.success and not soak_checks.holds(chain, goal, solver.options, result.q):
        kind = 'false'
    elif not ((chain.lower <= result.q).all() and (result.q <= chain.upper).all()):
        kind = 'outside'
    elif result.reason in PROVED and known is not None and (known or make_solver(
            'dls', chain, position_tolerance=solver.options.position_tolerance,
            max_restarts=1000).solve(goal, start).success):
        kind = 'refuted'
    found[kind] += 1
    if kind in FAULTS:
        print(f'\n{kind}: {solver.name} on {chain!r}: {goal!r} from {start}: {result}')


def with_any_solver(count: int, rng: np.random.Generator) -> dict[str, Counter]:
    """Solve by every solver of every arm, for goals one in five of which is moved elsewhere."""
    pairs, found, progress, weights = [], Counter(), Progress(), [*WEIGHTS, SELDOM_MET]
    for chain in chains().values():
        for name in solver_names():
            try:
                pairs.append(make_solver(name, chain, max_restarts=20))
            except UnsupportedError:
                continue
    drawn = np.array([DRAWN.get(solver.name, 0.1) for solver in pairs])
    while found.total() < count:
        solver = pairs[rng.choice(len(pairs), p=drawn / drawn.sum())]
        for _ in range(100):
            T = solver.chain.forward(robots.random_q(solver.chain, rng))
            if rng.random() < 0.2:
                T[:3, 3] += rng.normal(scale=0.5 * np.linalg.norm(T[:3, 3]) + 0.01, size=3)
            goal = Goal.from_pose(T, weights[rng.integers(len(weights))])
            try:
                judge(solver, goal, robots.random_q(solver.chain, rng), found)
            except UnsupportedError:  # a goal without a closed form
                continue
        progress.show(f'{found.total():9d} solves')
    return {'any solver': found}


def goal_for(chain: Chain, rng: np.random.Generator) -> tuple[np.ndarray, bool | None]:
    """Return a pose (4, 4), m, and whether it is known that it can be met."""
    q, kind = robots.random_q(chain, rng), rng.random()
    if kind < 0.3:  # singular, mostly: joints at zero, or at a limit
        some = rng.random(chain.n_joints) < 0.5
        ends = np.where(rng.random(chain.n_joints) < 0.7, 0.0, q)
        q = np.where(some, np.clip(ends, chain.lower, chain.upper), q)
        if kind < 0.15:  # and nearly singular
            q = np.clip(q + 10.0 ** rng.uniform(-9, -3) * rng.normal(size=len(q)), chain.lower,
                        chain.upper)
    T = chain.forward(q)
    if kind < 0.85:
        return T, True
    T[:3, 3] += rng.normal(size=3) * 10.0 ** rng.uniform(-7, 0)
    return T, None


def with_tolerances(chain: Chain, name: str, count: int, rng: np.random.Generator) -> Counter:
    """Solve for so many goals at each pair of `TOLERANCES`."""
    found: Counter = Counter()
    for pair in TOLERANCES:
        try:
            solver = make_solver(name, chain, position_tolerance=pair[0],
                                 orientation_tolerance=pair[1])
        except UnsupportedError:
            continue
        counts = min(pair) >= COARSE and (name != 'analytic' or solver.is_complete())
        for _ in range(count):
            T, known = goal_for(chain, rng)
            judge(solver, Goal.from_pose(T), robots.random_q(chain, rng), found, known, counts)
    return found


def on_generated(seed: int, goals: int) -> dict[str, Counter]:
    """Solve for goals of a generated robot, one in four of which is moved away, too."""
    robot, rng = generate(seed), np.random.default_rng([seed, 1])
    found = {}
    for name in SOLVERS[:2]:
        solver = make_solver(name, robot.chain, position_tolerance=robot.position_tolerance)
        found[f'generated, {name}'] = counts = Counter()
        for k in range(goals):
            goal = Goal.from_pose(robot.chain.forward(robot.configuration(rng)),
                                  WEIGHTS[rng.integers(len(WEIGHTS))])
            start = None if k % 2 == 0 else robot.configuration(rng)
            judge(solver, goal, start, counts, True)
            if k % 4 == 0:
                T = goal.pose.copy()
                T[:3, 3] += rng.normal(size=3) * robot.size * rng.choice([1e-3, 0.1, 1.0])
                judge(solver, goal.moved_to(T), start, counts, False)
    return found


def soak(given) -> list[str]:
    """Return where successes are false, reasons refuted, or too few goals met."""
    rng, arms, total = np.random.default_rng(given.seed), chains(), {}
    if given.solves:
        total |= with_any_solver(given.solves, rng)
    for name in SOLVERS:
        found = total.setdefault(name, Counter())
        for chain in arms.values():
            found += with_tolerances(
                chain, name, -(-given.tolerances // (len(TOLERANCES) * len(SOLVERS) * len(arms))),
                rng)
    progress = Progress()
    for seed in range(given.seed, given.seed + given.robots):
        for name, found in on_generated(seed, given.goals).items():
            total.setdefault(name, Counter()).update(found)
        progress.show(f'{seed - given.seed + 1} robots')
    faults = []
    for name, found in total.items():
        share = found['met'] / max(found['met'] + found['missed'], 1)
        line = f'{name}: {100.0 * share:.3f} % of reachable goals; {dict(found)}'
        print(f'\n{line}')
        if (found['missed'] and share < SHARES.get(name, GENERATED_SHARE)) or any(
                found[kind] for kind in FAULTS):
            faults.append(line)
    return faults


if __name__ == '__main__':
    run_soak(soak, __doc__, solves=1_000_000, tolerances=200_000, robots=1000, goals=20)

"""Compares solvers, paths, collision scenes and motions with what an earlier version returned.

    python test/soak_referee.py --count 1000 --save before.npz
    python test/soak_referee.py --count 1000 --compare before.npz --only 'dls panda'

Each entry is one solver on one robot: joint values, reasons, errors and iterations of all goals.
An entry has equal bits, or is listed with the number of values that changed and the largest
difference. Nothing depends on time: restarts are bounded, and no time-out is set.
"""

import functools
import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmark import arms
from generated_robots import generate
from harness.soak_runner import run_soak
from ik_node import Chain, Goal, IkError, body_solver_names, make_body_solver, make_solver
from ik_node.collision import Box, Obstacle, Sphere
from ik_node.motion.joint_motion import joint_motion_through
from ik_node.motion.limits import motion_limits
from ik_node.motion.trajectory import State
from ik_node.solvers.result import StopReason
from soak_bodies import bodies, set_targets
from soak_paths import path
from task_bodies import bounds

ARM_SOLVERS = {  # one of so many goals
    'analytic': 1, 'auto': 1, 'dls': 1, 'pseudoinverse': 1, 'transpose': 10, 'ccd': 4,
    'example': 4, 'optimization': 20, 'genetic': 50}
GENERATED = 40  # arms
REASONS = list(StopReason)
NOTHING = np.zeros(0)

Rows = list[np.ndarray]
Entry = tuple[str, Callable[[], Rows]]


def random_q(chain: Chain, rng: np.random.Generator) -> np.ndarray:
    """Return joint values (n,): random, or each at 0, ±90° or a limit, as far as limits allow."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    if rng.random() < 0.7:
        return rng.uniform(lower, upper)
    angles = 0.5 * np.pi * rng.integers(-1, 2, size=len(lower))
    chosen = np.stack([lower, upper, angles, angles])
    return np.clip(chosen[rng.integers(4, size=len(lower)), np.arange(len(lower))], lower, upper)


def numbers(solve: Callable[[], Any]) -> np.ndarray:
    """Return a result as numbers; an error as a hash of its text."""
    try:
        result = solve()
    except IkError as error:
        return np.array([float(int(hashlib.sha256(str(error).encode()).hexdigest()[:12], 16))])
    if isinstance(result, np.ndarray):
        return result.ravel()
    errors = ([value for pair in result.errors.values() for value in pair]
              if hasattr(result, 'errors')
              else [result.position_error, result.orientation_error])
    reasons = [REASONS.index(reason) for reason in np.ravel(result.reason)]
    return np.concatenate([np.ravel(np.asarray(values, dtype=float)) for values in (
        result.q, result.success, reasons, errors, result.iterations)])


def arm_rows(solver_name: str, load: Callable[[], Chain], count: int) -> Rows:
    """Return results of one solver: near and far goals, with free axes, some out of reach."""
    chain, rng, rows = load(), np.random.default_rng(7), []
    try:
        solver = make_solver(solver_name, chain, max_restarts=8)
    except IkError:
        return rows
    for _ in range(max(count // ARM_SOLVERS[solver_name], 5)):
        q, q0, kind = random_q(chain, rng), random_q(chain, rng), rng.random()
        T = chain.forward(q)
        goal: Any = T
        if kind < 0.3:
            q0 = np.clip(q + rng.normal(scale=0.05, size=len(q)), chain.lower, chain.upper)
        elif kind < 0.4:
            goal = Goal(T[:3, 3])
        elif kind < 0.5:
            goal = Goal.from_pose(T, weights=(1, 1, 1, 0.1, 0.1, 0))
        elif kind > 0.9:
            T[:3, 3] *= 1.5
        rows.append(numbers(lambda goal=goal, q0=q0: solver.solve(goal, q0)))
        if solver_name == 'analytic' and kind > 0.5:
            rows.append(numbers(lambda T=T: solver.solve_all(T)))
    return rows


def arm_entries(count: int) -> Iterator[Entry]:
    """Yield every solver on the arms of the benchmark and on generated ones."""
    loads = {name: functools.partial(lambda name: arms.load(name).chain, name) for name in arms.ALL}
    loads |= {f'generated {seed}': functools.partial(lambda seed: generate(seed).chain, 1000 + seed)
              for seed in range(GENERATED)}
    for name, load in loads.items():
        for solver_name in ARM_SOLVERS:
            yield f'{solver_name}, {name}', functools.partial(arm_rows, solver_name, load, count)


def body_rows(solver_name: str, body: Any, tasks: list, count: int) -> Rows:
    """Return results of a body solver from near and far, and steps of `velocity`."""
    rng, rows = np.random.default_rng(8), []
    solver = make_body_solver(solver_name, body, tasks, max_restarts=3)
    for _ in range(max(count // (200 if solver_name == 'genetic' else 50), 2)):
        q = rng.uniform(*bounds(body))
        set_targets(body, tasks, q)
        q0 = np.clip(q + rng.normal(scale=rng.choice([0.1, 1.0]), size=len(q)), body.lower,
                     body.upper)
        rows.append(numbers(lambda q0=q0: solver.solve(q0)))
        rows.append(numbers(lambda q0=q0: solver.velocity(q0, 0.01)))
    return rows


def body_entries(count: int) -> Iterator[Entry]:
    """Yield the body solvers on robots with several tips."""
    for name, body, tasks in bodies():
        for solver_name in body_solver_names():
            yield (f'{solver_name}, body of {name}',
                   functools.partial(body_rows, solver_name, body, tasks, count))


def path_rows(solver_name: str, name: str, count: int) -> Rows:
    """Return joint values along whole paths."""
    chain, rng = arms.load(name).chain, np.random.default_rng(9)
    solver = make_solver(solver_name, chain)
    paths = [np.stack([chain.forward(q) for q in path(chain, rng, 60)])
             for _ in range(max(count // 250, 1))]
    return [numbers(functools.partial(solver.solve_path, poses)) for poses in paths]


def motion_rows(name: str, count: int) -> Rows:
    """Return samples of motions through configurations."""
    chain, rng, rows = arms.load(name).chain, np.random.default_rng(9), []
    for _ in range(max(count // 50, 1)):
        q = np.stack([random_q(chain, rng) for _ in range(5)])
        motion = joint_motion_through(chain, motion_limits(chain), State.at_rest(q[0]), q[1:])
        rows.append(motion.sample(np.linspace(0.0, motion.duration, 50)).position.ravel())
    return rows


def path_entries(count: int) -> Iterator[Entry]:
    """Yield whole paths, and motions through configurations."""
    for name in ('panda', 'ur5', 'iiwa14', 'pr2'):
        for solver_name in ('dls', 'auto', 'analytic'):
            yield (f'path by {solver_name}, {name}',
                   functools.partial(path_rows, solver_name, name, count))
        yield f'motion, {name}', functools.partial(motion_rows, name, count)


def scene_rows(solver_name: str, name: str, count: int) -> Rows:
    """Return results beside an obstacle near the goal."""
    chain, rng, rows = arms.load(name).chain, np.random.default_rng(10), []
    solver = make_solver(solver_name, chain, avoid_collisions=True, max_restarts=8)
    for _ in range(max(count // (25 * ARM_SOLVERS[solver_name]), 2)):
        T, q0 = chain.forward(random_q(chain, rng)), random_q(chain, rng)
        T_base_obstacle = np.eye(4)
        T_base_obstacle[:3, 3] = T[:3, 3] + rng.normal(scale=0.2, size=3)
        shape = Box((0.3, 0.2, 0.1)) if rng.random() < 0.5 else Sphere(0.1)
        solver.obstacles = [Obstacle(shape, T_base_obstacle)]
        rows.append(numbers(lambda T=T, q0=q0: solver.solve(T, q0)))
    return rows


def scene_entries(count: int) -> Iterator[Entry]:
    """Yield solves among obstacles."""
    for name in ('panda', 'ur5', 'iiwa14', 'baxter'):
        for solver_name in ('dls', 'auto', 'optimization', 'genetic'):
            yield (f'among obstacles by {solver_name}, {name}',
                   functools.partial(scene_rows, solver_name, name, count))


ENTRIES = {'arms': arm_entries, 'bodies': body_entries, 'paths': path_entries,
           'scenes': scene_entries}


def difference(before: np.ndarray, after: np.ndarray) -> str:
    """Return how the numbers of an entry changed, as text; '' where they are equal bits."""
    if before.tobytes() == after.tobytes():
        return ''
    if before.shape != after.shape:
        return f'{before.size} numbers before, {after.size} now'
    changed = (before != after) & ~(np.isnan(before) & np.isnan(after))
    return (f'{changed.sum()} of {before.size} numbers, by at most '
            f'{np.abs(before - after)[changed].max(initial=0.0):.3g}')


def soak(given) -> int:
    """Return how many entries changed; `only` are words that an entry must have."""
    warnings.simplefilter('ignore')
    np.seterr(all='ignore')
    before = np.load(given.compare) if given.compare else {}
    entries, changed = {}, 0
    for kind in given.kinds:
        for name, rows in ENTRIES[kind](given.count):
            if not {*given.only.split()} <= {*name.replace(',', '').split()}:
                continue
            entries[name] = np.concatenate([NOTHING, *rows()])
            if given.compare:
                text = difference(before[name], entries[name]) if name in before else 'new'
                changed += bool(text)
                print(f'{name}: {text}\n' * bool(text), end='', flush=True)
    whole = hashlib.sha256(b''.join(entries[name].tobytes() for name in sorted(entries)))
    print(f'{len(entries)} entries, {sum(map(len, entries.values()))} numbers, hash '
          f'{whole.hexdigest()[:16]}' + f'; {changed} entries changed' * bool(given.compare))
    if given.save:
        np.savez_compressed(given.save, **entries)
    return changed


if __name__ == '__main__':
    run_soak(soak, __doc__, count=1000, kinds=list(ENTRIES), only='', save=Path, compare=Path)

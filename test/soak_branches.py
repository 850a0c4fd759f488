"""What is too long for the tests: `solve_all` with weights and arms of any size.

Families of arms, and arms that are nearly special; weights from 1e-12, sizes from 1e-5 to 1e3 m.
What is listed is checked by the pose of the tip alone; of goals far from singular configurations
the one that the goal was made from must be listed.
"""

import time
from collections import Counter

import numpy as np

import branches
from harness.soak_runner import run_soak
from ik_node import Chain, Goal, IkError, make_solver
from ik_node.plugins import pose_error

KINDS = ('wrist', 'parallel', 'general', 'near wrist', 'near parallel', 'swivel', 'scara', 'five')
COUNTS = {'swivel': 7, 'scara': 4, 'five': 5}


def arm(kind: str, size: float, rng: np.random.Generator) -> Chain:
    """Return an arm of one of `KINDS` with links of a size, m."""
    n = COUNTS.get(kind, 6)
    axes = rng.normal(size=(n, 3)) if rng.random() < 0.6 else np.eye(3)[rng.integers(3, size=n)]
    points, prismatic = rng.uniform(-0.5, 0.5, (n, 3)), np.zeros(n, dtype=bool)
    if 'wrist' in kind:
        points[4:] = points[3]
    if 'parallel' in kind:
        axes[2:4] = axes[1]
    if kind == 'swivel':
        points[1:3], points[5:] = points[0], points[4]
        points[5] += 0.01 * rng.normal(size=3) * (rng.random() < 0.3)
    if kind == 'scara':
        axes[:] = axes[0]
        prismatic[rng.integers(4)] = True
    if kind.startswith('near'):
        off = 10.0 ** rng.uniform(-9, -3)
        axes = axes + off * rng.normal(size=(n, 3))
        points += off * rng.normal(size=(n, 3))
    return branches.arm(
        np.where(prismatic, 'P', 'R'), [axis / np.linalg.norm(axis) for axis in axes],
        size * points, 3.0, size, size * np.array([0.1, 0.2, 0.15]))


def weights_for(rng: np.random.Generator) -> np.ndarray:
    """Return weights (6,) from 1e-12 to 1."""
    weights, which = np.ones(6), rng.random()
    if which < 0.2:
        return 10.0 ** rng.uniform(-12, 0, 6)
    if which < 0.8:
        part = rng.integers(2)
        weights[3 * part:3 * part + 3] = 10.0 ** rng.uniform(-12, 0)
    return weights


def run(count: int, seed: int) -> tuple[Counter, float]:
    """List the branches of goals; return what became of them, and the time it took, s."""
    rng, found, taken = np.random.default_rng(seed), Counter(), 0.0
    while found['goals'] < count:
        kind, size = str(rng.choice(KINDS)), 10.0 ** rng.uniform(-5, 3)
        chain = arm(kind, size, rng)
        tolerances = size * 10.0 ** rng.integers(-8, -4), float(10.0 ** rng.integers(-8, -2))
        try:
            solver = make_solver('analytic', chain, position_tolerance=tolerances[0],
                                 orientation_tolerance=tolerances[1])
        except IkError:
            found['unsupported'] += 1
            found['goals'] += 1
            continue
        for _ in range(10):
            q = rng.uniform(chain.lower, chain.upper)
            if rng.random() < 0.2:  # right angles, and nearly
                q = np.where(rng.random(len(q)) < 0.5, np.round(q / (np.pi / 2)) * np.pi / 2, q)
                q += 10.0 ** rng.uniform(-9, -3) * rng.normal(size=len(q)) * (rng.random() < 0.5)
                q = np.clip(q, chain.lower, chain.upper)
            goal = Goal.from_pose(chain.forward(q), weights_for(rng))
            within, redundancy = bool(rng.random() < 0.7), solver.redundancy_of(q)
            started = time.perf_counter()
            listed = solver.solve_all(goal, within, redundancy if len(redundancy) else None)
            taken += time.perf_counter() - started
            found['goals'] += 1
            found['listed'] += len(listed)
            for branch in listed:
                e = pose_error(chain, goal, branch)
                missed = max(np.linalg.norm(e[:3]) / (tolerances[0] + 1e-15 * size),
                             np.linalg.norm(e[3:]) / (tolerances[1] + 1e-15))
                if missed > 1.0001 or (within and not (
                        (branch >= chain.lower) & (branch <= chain.upper)).all()):
                    found['FALSE'] += 1
                    print(f'FALSE: {kind} of {size:g} m misses by {missed:g} tolerances: {goal}')
            off = listed - q
            turns = ~chain.prismatic
            off[:, turns] -= 2.0 * np.pi * np.round(off[:, turns] / (2.0 * np.pi))
            if not (np.abs(off).max(axis=1) < 1e-4).any():
                J = chain.jacobian(q)
                J[:3] /= size
                sigma = np.linalg.svd(J, compute_uv=False)
                found['missing' if sigma[-1] > 1e-3 * sigma[0] else 'missing, singular'] += 1
    return found, taken


def soak(given) -> int:
    """Return how many branches were false."""
    found, taken = run(given.count, given.seed)
    print(dict(found), f'{1e6 * taken / found["goals"]:.1f} µs each')
    return found['FALSE']


if __name__ == '__main__':
    run_soak(soak, __doc__, count=100_000)

"""What is too long for the tests: goals with one or two free rotations, on arms with turned tools.

SCARAs, five-joint arms and 6R, their tools turned by multiples of 90° and by a little more. What a
solver calls a success is checked by the directions of axes alone; what it refuses must be a tip
whose axis is parallel to the one that the goal constrains.
"""

import itertools
from collections import Counter

import numpy as np
from scipy.spatial.transform import Rotation

import branches
from harness.soak_runner import run_soak
from ik_node import Goal, IkError, KinematicTree, make_body_solver, make_solver
from ik_node.spatial import rpy_from_matrix

Z, Y = (0, 0, 1), (0, 1, 0)
ARMS = {  # kind, axis and origin in the link before
    'scara': [('R', Z, (0, 0, 0.3)), ('R', Z, (0.3, 0, 0)), ('P', (0, 0, -1), (0.25, 0, 0)),
              ('R', Z, (0, 0, 0))],
    'five': [('R', Z, (0, 0, 0.1)), ('R', Y, (0, 0, 0.1)), ('R', Y, (0.3, 0, 0)),
             ('R', Y, (0.25, 0, 0)), ('R', (1, 0, 0), (0.05, 0, 0))],
    'six': [('R', Z, (0, 0, 0.1)), ('R', Y, (0.05, 0, 0.2)), ('R', Y, (0, 0, 0.3)),
            ('R', (1, 0, 0), (0.1, 0, 0.03)), ('R', Y, (0.25, 0, 0)), ('R', (1, 0, 0), (0, 0, 0))]}
SOLVERS = ('dls', 'auto', 'analytic', 'pseudoinverse', 'transpose', 'ccd', 'optimization',
           'genetic')
BODY_SOLVERS = ('least_squares', 'hierarchy', 'lagrange', 'optimization')
QUARTERS = [Rotation.from_euler('xyz', turns, degrees=True).as_matrix()
            for turns in itertools.product((0, 90, 180, 270), (0, 90, 180, 270), (0, 90))]
LEAST = 1e-3  # sine of the angle from which an axis has a heading


def arm(name: str, R_tool: np.ndarray) -> KinematicTree:
    """Return one of `ARMS` with a tool turned by a rotation (3, 3)."""
    kinds, axes, origins = zip(*ARMS[name])
    return branches.arm(kinds, axes, np.cumsum(origins, axis=0), 3.1, 0.2, (0.02, 0.01, -0.05),
                        rpy_from_matrix(R_tool)).tree


def off(R_goal: np.ndarray, R: np.ndarray, weights: np.ndarray) -> float:
    """Return how far a tip is from what a goal asks of its orientation, rad; NaN without heading.

    R_goal, R: (3, 3).
    """
    turning = np.flatnonzero(weights[3:])
    if len(turning) == 2:
        free, = set(range(3)) - set(turning)
        a, b = R_goal[:, free], R[:, free]
        return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
    order = [turning[0], (turning[0] + 1) % 3, (turning[0] + 2) % 3]
    _, b, c = R_goal[:, order].T @ R[:, order[1]]
    return abs(float(np.arctan2(c, b))) if np.hypot(b, c) >= LEAST else np.nan


def goal_for(chain, rng: np.random.Generator) -> Goal:
    """Return a goal that the arm can meet, but for headings that are none."""
    q = rng.uniform(chain.lower, chain.upper)
    T, weights = chain.forward(q), np.ones(6)
    axis, kind = rng.integers(3), rng.random()
    weights[3:] = np.arange(3) == axis if kind < 0.6 else np.arange(3) != axis
    if kind < 0.3:  # an upright pose turned about its z axis, whatever the tool's rotation is
        weights[3:] = 0, 0, 1
        T[:3, :3] = Rotation.from_euler('z', rng.choice([0, 0.7, 1.5, np.pi, rng.uniform(-4, 4)])
                                        ).as_matrix()
    elif kind < 0.4:
        T[:3, :3] = T[:3, :3] @ Rotation.random(random_state=rng).as_matrix()
    return Goal.from_pose(T, weights)


def run(name: str, solvers: list[str], count: int, seed: int) -> Counter:
    """Solve for goals on one kind of arm; return what became of them."""
    rng, found = np.random.default_rng(seed), Counter()
    while found['goals'] < count:
        R_tool = QUARTERS[rng.integers(len(QUARTERS))]
        if rng.random() < 0.7:
            turn = rng.normal(size=3)
            turn *= 10.0 ** rng.uniform(-9, -3) / np.linalg.norm(turn)
            R_tool = R_tool @ Rotation.from_rotvec(turn).as_matrix()
        tree = arm(name, R_tool)
        chain, body = tree.chain(), tree.body()
        made = {solver: make_solver(solver, chain, **({} if solver in ('analytic', 'auto') else {
            'max_restarts': 8})) for solver in solvers if not solver.startswith('body:')}
        for _ in range(20):
            goal, q0 = goal_for(chain, rng), rng.uniform(chain.lower, chain.upper)
            found['goals'] += 1
            for solver in solvers:
                try:
                    if solver.startswith('body:'):
                        result = make_body_solver(solver[5:], body, [goal.as_task('tip')]).solve(q0)
                    else:
                        result = made[solver].solve(goal, q0)
                except IkError as error:
                    found[solver, 'refused' if 'parallel' in str(error) else 'unsupported'] += 1
                    continue
                T = chain.forward(result.q)
                away = off(goal.pose[:3, :3], T[:3, :3], goal.weights)
                met = away <= 1.001e-6 and np.linalg.norm(goal.position - T[:3, 3]) <= 1.001e-6
                found[solver, 'met' if result.success else 'missed'] += 1
                if result.success and not met:
                    found[solver, 'FALSE'] += 1
                    print(f'FALSE: {name} {solver} {away}: {R_tool.tolist()} {goal} {result}')
                if not result.success and 'parallel' in getattr(result, 'diagnosis', ''):
                    found[solver, 'refused'] += 1
    return found


def soak(given) -> int:
    """Return how many successes had another heading."""
    wrong = 0
    for name in given.arms:
        found = run(name, given.solvers, given.count, given.seed)
        for solver in given.solvers:
            print(name, solver, {kind: number for key, number in found.items()
                                 if isinstance(key, tuple) and key[0] == solver
                                 for kind in key[1:]})
            wrong += found[solver, 'FALSE']
    return wrong


if __name__ == '__main__':
    run_soak(soak, __doc__, count=10_000, arms=list(ARMS), solvers=[
        *SOLVERS, *(f'body:{name}' for name in BODY_SOLVERS)])

"""What is too long for the tests: body solvers on many goals, drags and steps."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import robots
from harness.soak_runner import run_soak
from ik_node import KinematicTree, body_solver_names, make_body_solver
from ik_node.model.body import Body
from ik_node.tasks import (
    CenterOfMass,
    Distance,
    HalfSpace,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
)
from task_bodies import bounds, two_arms

TALOS = ('left_sole_link', 'right_sole_link', 'gripper_left_base_link', 'gripper_right_base_link')
HUMANOID = ('left_sole', 'right_sole', 'left_palm', 'right_palm')
NEAR = 0.15        # rad, deviation of starts from the goal's configuration
TOLERANCE = 1e-4   # m and rad, of goals
SHARES = {'lagrange': 0.98}  # of goals near the start that are met; 1 for others


def bodies() -> Iterator[tuple[str, Body, list[Any]]]:
    """Yield robots with several tips, and their tasks."""
    yield 'baxter', robots.tree('baxter').body(), [Pose('left_gripper'), Pose('right_gripper')]
    path = robots.package_folder('erd') / 'talos_data/robots/talos_reduced.urdf'
    yield ('talos', KinematicTree.from_urdf(path).body('floating'),
           [*(Pose(link) for link in TALOS), CenterOfMass()])
    yield ('humanoid', KinematicTree.from_urdf(robots.OWN / 'humanoid.urdf').body('floating'),
           [*(Pose(link) for link in HUMANOID), CenterOfMass()])


def set_targets(body: Body, tasks: list[Any], q: np.ndarray) -> None:
    """Set what the tasks are at q (n,)."""
    frames = body.forward(q)
    for task in tasks:
        task.target = body.center_of_mass(q) if isinstance(task, CenterOfMass) else frames[
            task.link]


def is_met(body: Body, tasks: list[Any], q: np.ndarray) -> bool:
    """Tell whether all is within the tolerance, and q exactly within the limits."""
    frames, inside = body.forward(q), (q >= body.lower).all() and (q <= body.upper).all()
    for task in tasks:
        if isinstance(task, CenterOfMass):
            inside &= np.linalg.norm(body.center_of_mass(q) - task.target) <= 1.0001 * TOLERANCE
        else:
            T = np.linalg.inv(task.target) @ frames[task.link]
            sine = 0.5 * np.linalg.norm((T - T.T)[[2, 0, 1], [1, 2, 0]])
            inside &= (np.linalg.norm(T[:3, 3]) <= 1.0001 * TOLERANCE
                       and np.arctan2(sine, 0.5 * (np.trace(T[:3, :3]) - 1.0))
                       <= 1.0001 * TOLERANCE)
    return bool(inside)


def goals(count: int, rng: np.random.Generator, near: bool, solvers: Sequence[str]) -> list[str]:
    """Solve for goals that can be met, from near or from random starts; return what is wrong."""
    wrong = []
    for robot, body, tasks in bodies():
        lower, upper = bounds(body)
        for name in solvers:
            options = {'position_tolerance': TOLERANCE, 'orientation_tolerance': TOLERANCE}
            solver = make_body_solver(name, body, tasks, **options)
            longer = make_body_solver(name, body, tasks, max_restarts=309, **options)
            met, met_long, false, began = 0, 0, 0, time.perf_counter()
            number = count if near or name == 'least_squares' else max(count // 20, 1)
            for _ in range(number):
                q = rng.uniform(lower, upper)
                set_targets(body, tasks, q)
                q0 = q + NEAR * rng.standard_normal(len(q)) if near else rng.uniform(lower, upper)
                result = solver.solve(q0)
                met += result.success
                false += result.success and not is_met(body, tasks, result.q)
                met_long += result.success or (not near and longer.solve(q0).success)
            seconds = time.perf_counter() - began
            print(f'{robot}, {name}, {"near" if near else "random"} starts: {met} of {number} met, '
                  f'{met_long} with ten times the restarts, {false} falsely; '
                  f'{1e3 * seconds / number:.2f} ms each', flush=True)
            share = SHARES.get(name, 1.0) * number if near else int(0.98 * met_long)
            if met < share or false:
                wrong.append(f'{robot}, {name}: {met} of {number} met, {false} falsely')
    return wrong


def kinetic_energy(count: int, rng: np.random.Generator) -> list[str]:
    """Compare velocities with W Jᵀ (J W Jᵀ)⁻¹ ṗ, and energies with those of uniform steps."""
    body, dt = next(iter(bodies()))[1], 0.01
    lower, upper = bounds(body)
    try:
        from peer_pinocchio import Peer
        peer = Peer(robots.path('baxter'), body)
    except ImportError:
        peer = None
    task = Position('left_gripper')
    solvers = [make_body_solver('lagrange', body, [task], mass=mass)
               for mass in ('inertia', 'uniform')]
    worst, more = 0.0, 0
    for _ in range(count):
        q = 0.5 * (lower + upper) + 0.3 * (upper - lower) * rng.uniform(-1, 1, len(lower))
        M = body.mass_matrix(q) if peer is None else peer.mass_matrix(q)
        moved = 1e-5 * rng.standard_normal(3)
        task.target = body.forward(q)['left_gripper'][:3, 3] + moved
        v, uniform = (solver.velocity(q, dt) for solver in solvers)
        J, W = body.jacobian(q, 'left_gripper')[:3], np.linalg.inv(M)
        expected = W @ J.T @ np.linalg.solve(J @ W @ J.T, moved / dt)
        worst = max(worst, float(np.linalg.norm(v - expected) / np.linalg.norm(expected)))
        more += v @ M @ v > uniform @ M @ uniform * (1.0 + 1e-9)
    print(f'{count} velocities: off by {worst:.2g} of W Jᵀ (J W Jᵀ)⁻¹ ṗ; {more} with more energy '
          f'than the uniform one{"" if peer else " (without Pinocchio)"}', flush=True)
    return [] if worst <= 1e-6 and not more else ['lagrange: the velocity is not the expected one']


def drags(count: int) -> list[str]:
    """Drag a figure whose hand is constrained, by `velocity`; return what is wrong."""
    body, wrong = next(iter(bodies()))[1], []
    q_start = np.clip(np.full(body.n_joints, 0.4), body.lower, body.upper)
    hand = body.forward(q_start)['left_gripper'][:3, 3]
    elbow = body.forward(q_start)['left_lower_elbow'][:3, 3]
    held = [Position('left_gripper', hand), PointOnLine('left_gripper', (0, 0, 0), hand, (1, 2, 0)),
            PointOnPlane('left_gripper', (0, 0, 0), hand, (1, 0, 2))]
    for constraint in held:
        for feedback in (1.0, 0.0):
            drag = Position('left_lower_elbow', elbow, priority=2, weight=1e5)
            solver = make_body_solver('lagrange', body, [constraint, drag], feedback=feedback)
            q, off = q_start, 0.0
            for k in range(count):
                t = 0.002 * k
                drag.target = body.forward(q)['left_lower_elbow'][:3, 3] + 1e-4 * np.array(
                    [np.sin(t), np.cos(t), 0.0])  # at most 0.1 m/s
                q = q + 0.001 * solver.velocity(q, 0.001)
                off = max(off, float(np.linalg.norm(constraint.residual(body, q))))
            moved = np.linalg.norm(body.forward(q)['left_lower_elbow'][:3, 3] - elbow)
            print(f'{count} drags, {constraint.name}, feedback {feedback:g}: off by {off:.2g} m, '
                  f'the elbow {moved:.2g} m from its start', flush=True)
            if (off > 1e-6) if feedback else (off < 1e-5):
                wrong.append(f'{constraint.name}, feedback {feedback:g}: {off:.2g} m off')
    return wrong


def steps(count: int, rng: np.random.Generator, solvers: Sequence[str]) -> list[str]:
    """Push against one-sided constraints in steps of a millimetre; return what is wrong."""
    body, wrong = two_arms('planar', limit=1.2), []
    F = body.forward(np.full(body.n_joints, 0.3))
    com = body.center_of_mass(np.full(body.n_joints, 0.3))[:2]
    for name in solvers:
        # A force of lagrange has to be strong to move the figure by a millimetre.
        pull = Position('left_hand', priority=2, weight=1e6 if name == 'lagrange' else 1.0)
        sides = [
            HalfSpace('left_hand', (0, 0, 0), F['left_hand'][:3, 3] - [0.1, 0, 0], (1, 0.3, 0),
                      priority=0),
            Distance('left_hand', 'right_hand', 0.1, 1.0, priority=0),
            CenterOfMass(polygon=com + 0.1 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]),
                         priority=0)]
        solver = make_body_solver(name, body, [*sides, pull])
        q, off, beyond = np.full(body.n_joints, 0.3), 0.0, 0
        direction, began = np.zeros(3), time.perf_counter()
        for k in range(count):
            if k % 500 == 0:
                angle = rng.uniform(0, 2 * np.pi)
                direction = np.array([np.cos(angle), np.sin(angle), 0.0])
            pull.target = body.forward(q)['left_hand'][:3, 3] + 0.001 * direction
            v = 0.01 * solver.velocity(q, 0.01)
            q = q + v
            beyond += bool((q > body.upper).any() or (q < body.lower).any())
            for task in sides:
                off = max(off, -float(task.residual(body, q).min()))
        print(f'{name}: {count} steps, one-sided constraints off by {off:.2g} m, limits exceeded '
              f'{beyond} times; {1e3 * (time.perf_counter() - began) / count:.2f} ms each',
              flush=True)
        if off > 1e-6 or beyond:
            wrong.append(f'{name}: one-sided constraints off by {off:.2g} m, {beyond} at limits')
    return wrong


def soak(given) -> list[str]:
    """Run all parts, or those that are named; return what is wrong."""
    rng, solvers = np.random.default_rng(given.seed), given.solvers
    parts = {'near': lambda: goals(given.goals, rng, True, solvers),
             'random': lambda: goals(given.goals, rng, False, solvers),
             'energy': lambda: kinetic_energy(given.goals, rng),
             'drags': lambda: drags(given.drags),
             'steps': lambda: steps(given.steps, rng, solvers)}
    return [line for name in given.only for line in parts[name]()]


if __name__ == '__main__':
    run_soak(soak, __doc__, goals=1000, steps=100_000, drags=10_000, solvers=body_solver_names(),
             only=('near', 'random', 'energy', 'drags', 'steps'))

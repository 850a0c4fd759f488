"""What is too long for the tests: body solvers on many goals."""

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
    Pose,
)
from task_bodies import bounds

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
    yield ('humanoid', robots.tree('humanoid').body('floating'),
           [*(Pose(link) for link in HUMANOID), CenterOfMass()])


def set_targets(body: Body, tasks: list[Any], q: np.ndarray) -> None:
    """Set what the tasks are at q (n,)."""
    frames = body.forward(q)
    for task in tasks:
        task.target = body.center_of_mass(q) if isinstance(task, CenterOfMass) else frames[
            task.link]


def is_met(body: Body, tasks: list[Any], q: np.ndarray, tolerance: float = TOLERANCE) -> bool:
    """Tell whether all is within the tolerance, and q exactly within the limits."""
    frames, inside = body.forward(q), (q >= body.lower).all() and (q <= body.upper).all()
    for task in tasks:
        if isinstance(task, CenterOfMass):
            inside &= np.linalg.norm(body.center_of_mass(q) - task.target) <= 1.0001 * tolerance
        else:
            T = np.linalg.inv(task.target) @ frames[task.link]
            sine = 0.5 * np.linalg.norm((T - T.T)[[2, 0, 1], [1, 2, 0]])
            inside &= (np.linalg.norm(T[:3, 3]) <= 1.0001 * tolerance
                       and np.arctan2(sine, 0.5 * (np.trace(T[:3, :3]) - 1.0))
                       <= 1.0001 * tolerance)
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


def soak(given) -> list[str]:
    """Solve from near starts, from random ones, or from both; return what is wrong."""
    rng, solvers = np.random.default_rng(given.seed), given.solvers
    return [line for name in given.only
            for line in goals(given.goals, rng, name == 'near', solvers)]


if __name__ == '__main__':
    run_soak(soak, __doc__, goals=1000, solvers=body_solver_names(), only=('near', 'random'))

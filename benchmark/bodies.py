"""Measures the body solvers on two robots with several tips, beside placo, and prints a table.

Goals are what the tasks are at joint values drawn evenly from the limits; the start is within 0.15
rad (standard deviation) of those. A goal is solved when every task is within the tolerance, m and
rad. Times are from Python, setting the targets included; solver and peer take turns. placo takes
exactly as many steps as a goal needs, found beforehand and not timed, and does not check whether it
is there. It does not go into one environment with pin: it runs in an interpreter of its own.
"""

import argparse
import importlib.util
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from benchmark.arms import folder
from benchmark.machine import machine
from ik_node import KinematicTree, body_solver_names, make_body_solver
from ik_node.model.body import Body
from ik_node.spatial import pose_from_quaternion, rotation_exp
from ik_node.support.resources import share_folder
from ik_node.tasks import CenterOfMass, Pose

_BLOCK = 25   # goals from one turn to the next
_OWN = Path('.venv-placo/bin/python')
HEAD = ('| robot | solver | solved % | median µs | mean µs | p99 µs | iterations | median / placo |'
        '\n|---|---|---|---|---|---|---|---|')


class Robot(NamedTuple):
    """A robot with several tips."""

    file: str
    """Its path, or that below the robots of example-robot-data."""
    links: tuple[str, ...]
    root: str
    balances: bool
    """Whether the centre of mass has a target, too."""


ROBOTS = {
    'baxter': Robot('baxter_description/urdf/baxter.urdf', ('left_gripper', 'right_gripper'),
                    'fixed', False),
    'talos': Robot('talos_data/robots/talos_reduced.urdf',
                   ('left_sole_link', 'right_sole_link', 'gripper_left_base_link',
                    'gripper_right_base_link'), 'floating', True),
    'humanoid': Robot(str(share_folder() / 'urdf/humanoid.urdf'),
                      ('left_sole', 'right_sole', 'left_palm', 'right_palm'), 'floating', True)}

Measured = list[tuple[float, tuple[float, float], int]]   # s, (m, rad), iterations


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.bodies', description=__doc__)
    parser.add_argument('--robots', nargs='+', default=list(ROBOTS), choices=ROBOTS)
    parser.add_argument('--solvers', nargs='+', default=['least_squares'],
                        choices=body_solver_names())
    parser.add_argument('--goals', type=int, default=1000)
    parser.add_argument('--tolerance', type=float, default=1e-4, help='m and rad')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--placo', metavar='PYTHON', help='an interpreter that has placo; by '
                        f'default {_OWN}, or this one')
    arguments = parser.parse_args()
    python = arguments.placo or _interpreter()
    if python is None:
        print('placo is skipped: it is not installed. It needs an environment of its own: python3 '
              f'-m venv {_OWN.parents[1]} && {_OWN.parent}/pip install placo', file=sys.stderr)
    print(f'{arguments.goals} goals, {arguments.tolerance:g} m and rad; {machine()}\n\n{HEAD}',
          flush=True)
    for name in arguments.robots:
        for line in _lines(name, _measure(ROBOTS[name], arguments, python), arguments.tolerance):
            print(line, flush=True)
    return 0


def _interpreter() -> str | None:
    """Return an interpreter that has placo."""
    if _OWN.exists():
        return str(_OWN)
    return sys.executable if importlib.util.find_spec('placo') else None


def _measure(robot: Robot, arguments: argparse.Namespace,
             python: str | None) -> dict[str, Measured]:
    """Return what each solver did on the same goals."""
    file = str(folder('erd') / robot.file)
    body = KinematicTree.from_urdf(file).body(robot.root)
    tasks: list[Any] = [Pose(link) for link in robot.links]
    tasks += [CenterOfMass()] if robot.balances else []
    solvers = {}
    for name in arguments.solvers:
        solvers[name] = make_body_solver(name, body, tasks, position_tolerance=arguments.tolerance,
                                         orientation_tolerance=arguments.tolerance)
    goals = _goals(body, robot, arguments.goals, np.random.default_rng(arguments.seed))
    found: dict[str, Measured] = {name: [] for name in solvers}
    process = None if python is None else _start(python, robot, file, arguments.tolerance)
    for first in range(0, len(goals), _BLOCK):
        block = goals[first:first + _BLOCK]
        for name, solver in solvers.items():
            found[name] += [_solve(solver, tasks, goal) for goal in block]
        if process is not None:
            found.setdefault('placo', []).extend(_ask(process, block))
    if process is not None and process.stdin is not None:
        process.stdin.close()
        process.wait()
    return found


def _goals(body: Body, robot: Robot, count: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return goals: q0 and the same for placo, and the targets of the tasks."""
    lower = np.where(np.isfinite(body.lower), body.lower, -1.0)
    upper = np.where(np.isfinite(body.upper), body.upper, 1.0)
    goals = []
    for _ in range(count):
        q = rng.uniform(lower, upper)
        q0 = np.clip(q + 0.15 * rng.standard_normal(body.n_joints), body.lower, body.upper)
        frames, root = body.forward(q), pose_from_quaternion(np.zeros(3), (0.0, 0.0, 0.0, 1.0))
        joints = body.forward(q0)
        if robot.root == 'floating':
            root[:3, :3], root[:3, 3] = rotation_exp(q0[3:6]), q0[:3]
            assert np.allclose(joints[body.tree.root], root)
        names = body.joint_names[6:] if robot.root == 'floating' else body.joint_names
        goals.append({'q0': q0, 'root': root,
                      'joints': dict(zip(names, q0[len(q0) - len(names):].tolist())),
                      'targets': [frames[link] for link in robot.links],
                      'com': body.center_of_mass(q) if robot.balances else None})
    return goals


def _solve(solver: Any, tasks: Sequence[Any], goal: dict[str, Any]
           ) -> tuple[float, tuple[float, float], int]:
    started = time.perf_counter()
    for task, target in zip(tasks, [*goal['targets'], goal['com']]):
        task.target = target
    result = solver.solve(goal['q0'])
    seconds = time.perf_counter() - started
    along, about = zip(*result.errors.values())
    return seconds, (max(along), max(about)), result.iterations


def _start(python: str, robot: Robot, file: str, tolerance: float) -> subprocess.Popen[bytes]:
    """Start placo, with libraries of its own."""
    kept = {key: value for key, value in os.environ.items()
            if key not in ('PYTHONPATH', 'LD_LIBRARY_PATH')}
    process = subprocess.Popen([python, str(Path(__file__).with_name('placo_peer.py'))], env=kept,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    _send(process, {'urdf': _without_shapes(file), 'links': robot.links, 'tolerance': tolerance,
                    'floating': robot.root == 'floating', 'balances': robot.balances})
    return process


def _without_shapes(file: str) -> str:
    """Return the text of a URDF without visual and collision geometry, whose meshes are missing."""
    root = ElementTree.parse(file).getroot()
    for link in root.iter('link'):
        for part in [part for part in link if part.tag in ('visual', 'collision')]:
            link.remove(part)
    return ElementTree.tostring(root, encoding='unicode')


def _send(process: subprocess.Popen[bytes], value: Any) -> None:
    assert process.stdin is not None
    pickle.dump(value, process.stdin)
    process.stdin.flush()


def _ask(process: subprocess.Popen[bytes], goals: list[dict[str, Any]]) -> Measured:
    assert process.stdout is not None
    _send(process, goals)
    answer: Measured = pickle.load(process.stdout)
    return answer


def _lines(name: str, found: dict[str, Measured], tolerance: float) -> list[str]:
    """Return the rows of the table of one robot."""
    lines = []
    medians = {solver: float(np.median([one[0] for one in rows])) for solver, rows in found.items()}
    for solver, rows in found.items():
        seconds = 1e6 * np.array([one[0] for one in rows])
        solved = 100.0 * np.mean([max(one[1]) <= tolerance for one in rows])
        ratio = f'{medians[solver] / medians["placo"]:.2f}' if 'placo' in medians else ''
        lines.append(f'| {name} | {solver} | {solved:.2f} | {np.median(seconds):.1f} | '
                     f'{seconds.mean():.1f} | {np.percentile(seconds, 99):.0f} | '
                     f'{np.median([one[2] for one in rows]):.0f} | {ratio} |')
    return lines


if __name__ == '__main__':
    sys.exit(main())

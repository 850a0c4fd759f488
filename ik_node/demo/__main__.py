"""The node at work: it is fed goal poses by this process, over DDS, and shown in the browser."""

import argparse
import contextlib
import importlib.util
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ik_node.demo.picture import draw_way
from ik_node.exceptions import IkError
from ik_node.model.chain import Chain
from ik_node.model.files import read_robot
from ik_node.motion.way import Way
from ik_node.resources import robot_file, share_folder
from ik_node.solvers.registry import make_solver, solver_names

try:
    from ik_node.ros.client import Answer, Client
    from ik_node.ros.processes import node_command, running
except ImportError as error:
    sys.exit(f'the demo needs ROS 2: {error}\nRun "make demo", which installs it, or source your '
             'ROS 2 setup.bash.')

_START_TIME = 120.0  # s that the node may take to come up


def main() -> int:
    """Run the demo; return 0 where every goal was met."""
    arguments = _arguments()
    try:
        file = robot_file(arguments.robot)
        chain = read_robot(file).chain(arguments.base, arguments.tip)
        _compile(arguments.solver, chain)
    except (IkError, FileNotFoundError) as error:
        sys.exit(f'ik_node demo: {error}')
    _keep_to_this_machine()
    print(f'Robot {chain.tree.name}: {chain.n_joints} joints from {chain.base_link} to '
          f'{chain.tip_link}; solver {arguments.solver}.')
    way = Way(chain)
    goals = np.array([way.pose(i / arguments.goals) for i in range(arguments.goals)])
    node = running(node_command(file, arguments.solver, chain.base_link, chain.tip_link,
                                _ros_arguments()))
    with node, contextlib.nullcontext() if arguments.headless else _view():
        print('Starting the node …', flush=True)
        with Client() as client:
            if not client.wait_until_ready(_START_TIME):
                sys.exit('ik_node demo: the node does not answer')
            answers = _drive(client, goals, chain.base_link)
        if answers:
            _picture(chain, answers, goals, arguments)
        code = _summary(answers, arguments)
        if len(answers) == len(goals) and not arguments.headless:
            _wait()
    return code


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m ik_node.demo', description=__doc__)
    parser.add_argument('--robot', default='arm_6r',
                        help='a URDF or xacro file, a .yaml of Denavit-Hartenberg rows, or one of '
                        'the robots of this package')
    parser.add_argument('--tip', help='the link that is to meet the goals')
    parser.add_argument('--base', help='where the chain begins')
    parser.add_argument('--solver', default='dls', help=f'one of {", ".join(solver_names())}')
    parser.add_argument('--goals', type=int, default=16, help='how many')
    parser.add_argument('--headless', action='store_true', default=bool(os.environ.get('HEADLESS')),
                        help='without the browser view; as with HEADLESS=1 in the environment')
    parser.add_argument('--picture', type=Path, default=Path('demo.png'), help='where to save it')
    arguments = parser.parse_args()
    if arguments.goals < 1:
        parser.error('--goals must be at least 1')
    return arguments


def _compile(name: str, chain: Chain) -> None:
    """Compile the kernels here, where it can be shown; the node then finds them on disk."""
    solver = make_solver(name, chain)
    if solver.compiled():
        return
    done = threading.Event()
    shown = threading.Thread(target=_show_work, args=(
        f'Compiling the kernels of {name}, once after installing', done))
    shown.start()
    try:
        solver.solve(chain.forward(chain.neutral()))
    finally:
        done.set()
        shown.join()


def _show_work(text: str, done: threading.Event) -> None:
    started = time.monotonic()
    print(f'{text} ', end='', flush=True)
    while not done.wait(1.0):
        print('.', end='', flush=True)
    print(f' {time.monotonic() - started:.0f} s')


def _keep_to_this_machine() -> None:
    """Keep the demo's messages on the loopback, and apart from other graphs on it."""
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))


def _ros_arguments() -> list[str]:
    return ['--log-level', 'warn', '--params-file', str(share_folder() / 'config' / 'demo.yaml')]


@contextlib.contextmanager
def _view() -> Iterator[None]:
    """Open the browser view, where it is installed, and print its address."""
    if importlib.util.find_spec('viser') is None:
        print('There is no browser view: viser is not installed.')
        yield
        return
    with running([sys.executable, '-m', 'ik_node.viewer'], stdout=subprocess.PIPE) as view:
        print(view.stdout.readline() if view.stdout else '', end='', flush=True)
        yield


def _wait() -> None:
    """Leave the view to the user until Ctrl-C."""
    print('\nNow drag the goal in the browser, at the address above; Ctrl-C ends.', flush=True)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    stopped.wait()


def _drive(client: Client, goals: np.ndarray, frame: str) -> list[Answer]:
    """Send the goals one by one and print a line for each; stop early on Ctrl-C."""
    answers: list[Answer] = []
    # A flag, not an exception: that might strike within a callback and be lost there.
    stopped = threading.Event()
    previous = signal.signal(signal.SIGINT, lambda *_: stopped.set())
    try:
        for i, goal in enumerate(goals, start=1):
            if stopped.is_set():
                print('\nStopped.')
                break
            answer = client.send(goal, frame)
            answers.append(answer)
            values = answer.values
            print(f'{i:4d}/{len(goals)}  {values["solver"]:15s} '
                  f'{"met" if answer.met else values["reason"]:11s} '
                  f'{float(values["position_error"] or "nan"):8.1e} m '
                  f'{float(values["orientation_error"] or "nan"):8.1e} rad '
                  f'{values["iterations"]:>6s} iterations '
                  f'{1e3 * float(values["solve_time"] or "nan"):8.3f} ms', flush=True)
    except TimeoutError as error:
        print(f'The node is silent: {error}.')
    finally:
        signal.signal(signal.SIGINT, previous)
    return answers


def _picture(chain: Chain, answers: list[Answer], goals: np.ndarray,
             arguments: argparse.Namespace) -> None:
    title = f'{chain.tree.name}: {len(answers)} goals with {arguments.solver}'
    draw_way(chain, [_sources(chain, answer) for answer in answers], goals[:len(answers)], title,
             arguments.picture)


def _sources(chain: Chain, answer: Answer) -> dict[str, float]:
    return {name: value for name, value in answer.joints.items() if name in chain.tree.joints}


def _summary(answers: list[Answer], arguments: argparse.Namespace) -> int:
    met = [answer for answer in answers if answer.met]
    print(f'\n{len(met)} of {len(answers)} goals met with {arguments.solver}.')
    if met:
        iterations = [int(answer.values['iterations']) for answer in met]
        times = [1e3 * float(answer.values['solve_time']) for answer in met]
        trips = [1e3 * answer.round_trip for answer in met]
        print(f'Iterations:  median {statistics.median(iterations):g}, most {max(iterations)}\n'
              f'Solve time:  median {statistics.median(times):.3f} ms, most {max(times):.3f} ms\n'
              f'Goal to joint state, over DDS:  median {statistics.median(trips):.1f} ms')
    if answers:
        print(f'Picture:  {arguments.picture.resolve()}')
    return 0 if answers and len(met) == len(answers) else 1


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit('\nStopped.')

"""Demonstration of the node: sends it goal poses over DDS and shows it in the browser."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import argparse
import contextlib
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ik_node.control.options import SOLVERS
from ik_node.model.readers import FORMATS
from ik_node.support.command_line import reporting
from ik_node.support.resources import obstacles_file, robot_file, share_folder
from ik_node.support.signals import Stop

try:
    from ik_node.commands.demo.shows import Show, make_show
    from ik_node.ros.clients.client import Client, GoalResponse
    from ik_node.support.processes import avoiding, node_command, running
except ImportError as error:
    sys.exit(f'the demo needs ROS 2: {error}\nRun "make demo", which installs it, or source your '
             'ROS 2 setup.bash.')

_START_TIME = 120.0  # s, longest start of the node


@reporting('ik_node demo')
def main(command_line: Sequence[str] | None = None) -> int:
    """Run the demo; return 0 where every goal was met."""
    arguments = _arguments(command_line)
    file = robot_file(arguments.robot)
    obstacles = obstacles_file(arguments.obstacles) if arguments.obstacles else None
    show = make_show(file, arguments.base, arguments.tip, arguments.solver, arguments.goals)
    # On the loopback interface, in a domain of its own:
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
    print(show.description)
    parameters = [part for path in (share_folder() / 'config' / 'demo.yaml', *show.parameters)
                  for part in ('--params-file', str(path))]
    parameters += avoiding(show.solver_name, obstacles) if obstacles else []
    node = running(node_command(file, show.solver_name, *show.links,
                                ['--log-level', 'warn', *parameters, *show.arguments]))
    with Stop() as stop, node, contextlib.nullcontext('') if arguments.headless else (
            _view()) as page:
        print('Starting the node …', flush=True)
        with Client() as client:
            if not _ready(client, stop):
                sys.exit(stop.status or 'ik_node demo: the node does not respond')
            outcomes = _drive(client, show, stop)
        if outcomes:
            show.draw(outcomes, arguments.picture)
        code = _summary(outcomes, show, arguments)
        if stop:
            return stop.status
        if len(outcomes) == len(show.steps) and not arguments.headless:
            print(f'\nNow drag the goal in the browser; Ctrl-C ends. {page}', flush=True)
            stop.wait()  # a signal is the normal end here
    return code


def _ready(client: Client, stop: Stop) -> bool:
    """Wait until the node responds; return whether it does, without a signal to stop."""
    deadline = time.monotonic() + _START_TIME
    while not stop and time.monotonic() < deadline:
        if client.wait_until_ready(0.5):
            return not stop
    return False


def _arguments(command_line: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m ik_node.commands.demo', description=__doc__)
    parser.add_argument('--robot', default='arm_6r',
                        help=f'a file: {FORMATS}; or one of the robots of this package')
    parser.add_argument('--tip', help='tip link of the chain')
    parser.add_argument('--base', help='base link of the chain')
    parser.add_argument('--solver', default='', help='the solver, by default dls, or least_squares '
                        f'for a robot with tasks; one of {", ".join(SOLVERS)}')
    parser.add_argument('--obstacles', metavar='FILE', help='obstacles that the robot keeps away '
                        'from: a YAML file, or post, of this package')
    parser.add_argument('--goals', type=int, default=16, help='number of goals')
    parser.add_argument('--headless', action='store_true', default=bool(os.environ.get('HEADLESS')),
                        help='without the browser view; also by HEADLESS=1 in the environment')
    parser.add_argument('--output', '--picture', metavar='FILE', dest='picture', type=Path,
                        default=Path('demo.png'), help='the picture (.png)')
    arguments = parser.parse_args(command_line)
    if arguments.goals < 1:
        parser.error('--goals must be at least 1')
    return arguments


@contextlib.contextmanager
def _view() -> Iterator[str]:
    """Open the browser view, if it is installed, and print its address, which is yielded."""
    if importlib.util.find_spec('viser') is None:
        print('There is no browser view: viser is not installed.')
        yield ''
        return
    with running([sys.executable, '-m', 'ik_node.viewer'], stdout=subprocess.PIPE) as view:
        line = view.stdout.readline().strip() if view.stdout else ''
        print(line, flush=True)
        yield line


def _drive(client: Client, show: Show, stop: Stop) -> list[GoalResponse]:
    """Send the goals one by one and print a line for each, until a signal to stop."""
    outcomes: list[GoalResponse] = []
    try:
        for i, (goal, task) in enumerate(show.steps, start=1):
            if stop:
                print('\nStopped.')
                break
            outcome = client.send(goal, show.frame, task=task)
            outcomes.append(outcome)
            values = outcome.values
            print(f'{i:4d}/{len(show.steps)}  {task or values["solver"]:15s} '
                  f'{"met" if outcome.met else values["reason"]:11s} '
                  f'{float(values["position_error"] or "nan"):8.1e} m '
                  f'{float(values["orientation_error"] or "nan"):8.1e} rad '
                  f'{values["iterations"]:>6s} iterations '
                  f'{1e3 * float(values["solve_time"] or "nan"):8.3f} ms', flush=True)
        else:
            client.go_home()
    except TimeoutError as error:
        print(f'The node does not respond: {error}.')
    return outcomes


def _summary(outcomes: list[GoalResponse], show: Show, arguments: argparse.Namespace) -> int:
    met = [outcome for outcome in outcomes if outcome.met]
    print(f'\n{len(met)} of {len(outcomes)} goals met with {show.solver_name}.')
    if met:
        iterations = [int(outcome.values['iterations']) for outcome in met]
        times = [1e3 * float(outcome.values['solve_time']) for outcome in met]
        trips = [1e3 * outcome.round_trip for outcome in met]
        print(f'Iterations:  median {statistics.median(iterations):g}, most {max(iterations)}\n'
              f'Solve time:  median {statistics.median(times):.3f} ms, most {max(times):.3f} ms\n'
              f'Goal to joint state, over DDS:  median {statistics.median(trips):.1f} ms')
    if outcomes:
        print(f'Picture:  {arguments.picture.resolve()}')
    return 0 if outcomes and len(met) == len(outcomes) else 1


if __name__ == '__main__':
    sys.exit(main())

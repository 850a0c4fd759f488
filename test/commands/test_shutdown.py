"""Commands end on SIGINT and SIGTERM whenever these come: quietly, and nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import robots
from harness.commands import entry_point

CAUGHT = 1 << (signal.SIGINT - 1)
ROBOT = str(robots.OWN / 'planar_3r.urdf')
NODE = ['-m', 'ik_node.ros.node', '--ros-args', '-p', f'urdf_path:={ROBOT}']
HOWS = [signal.SIGINT, signal.SIGTERM]
_UNSEEN = 5.0  # s
IMPORTS_FOR_EVER = """
import sys
from ik_node.commands.entry_points import ik_inspect

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith('ik_node.'):
            print('importing', flush=True)
            sys.stdin.read()

sys.meta_path.insert(0, Finder)
ik_inspect()
"""
"""Of a console script, whose first import of its own does not end."""


def catches_interrupts(pid):
    """Tell whether a process has a handler of SIGINT, as Python itself has from its start."""
    for line in Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('SigCgt:'):
            return bool(int(line.split()[1], 16) & CAUGHT)
    raise AssertionError(f'no signals in the status of {pid}')


def wait_for(condition, timeout=60.0):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


class Command:
    """A command of the package, from the moment its own code runs."""

    def __init__(self, arguments, folder):
        self._log = folder / 'log'
        with open(self._log, 'w') as log:
            self.process = subprocess.Popen(
                [sys.executable, *arguments], stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, cwd=folder)
        # Until the interpreter runs our first line, SIGINT is answered by Python, not by us. On a
        # loaded machine that may pass unseen.
        self._wait_to_catch(True)
        self._wait_to_catch(False)

    def _wait_to_catch(self, wanted):
        latest = time.monotonic() + _UNSEEN
        wait_for(lambda: catches_interrupts(self.process.pid) == wanted
                 or time.monotonic() > latest)

    def end(self, how):
        """Send a signal; return the exit status as a shell reports it, and the output."""
        self.process.send_signal(how)
        try:
            code = self.process.wait(60.0)
        finally:
            self.process.kill()
        return code if code >= 0 else 128 - code, self._log.read_text()

    def remains(self):
        """Return the processes of its session that still run."""
        found = []
        for status in Path('/proc').glob('[0-9]*/stat'):
            try:
                state, _, _, session = status.read_text().rsplit(')', 1)[1].split()[:4]
            except OSError:
                continue
            if int(session) == self.process.pid and state != 'Z':
                found.append(status.parent.name)
        return found


@pytest.fixture
def check_quiet(tmp_path):
    """Return what starts a command, sends a signal after a time, s, and checks how it ends."""
    def check(arguments, how, delay):
        command = Command(arguments, tmp_path)
        # The time is where in its start the signal meets it; nothing is waited for.
        if delay:
            time.sleep(delay)
        code, printed = command.end(how)
        assert code in (0, 128 + how), printed
        for word in ('Traceback', 'KeyboardInterrupt', 'Error', 'Fatal', 'terminate called'):
            assert word not in printed, printed
        wait_for(lambda: not command.remains())
    return check


@pytest.mark.slow
@pytest.mark.parametrize('delay', [0.0, 0.4, 0.8, 1.4])
@pytest.mark.parametrize('how', HOWS, ids=lambda how: how.name)
def test_the_node_ends_quietly_at_any_moment_of_its_start(check_quiet, how, delay):
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    check_quiet(NODE, how, delay)


@pytest.mark.slow
@pytest.mark.parametrize('delay', [0.0, 0.6])
@pytest.mark.parametrize('arguments', [
    ['-m', 'ik_node.commands.demo'], entry_point('demo_goals'),
    [*entry_point('ik_view'), '--robot', ROBOT], [*entry_point('ik_inspect'), 'arm_7r'],
    [*entry_point('ik_workspace'), 'arm_7r'], entry_point('ik_figures'), entry_point('ik_compare')],
    ids=['demo', 'demo_goals', 'ik_view', 'ik_inspect', 'ik_workspace', 'ik_figures', 'ik_compare'])
def test_so_do_the_other_commands(check_quiet, arguments, delay):
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    check_quiet(arguments, signal.SIGINT, delay)


@pytest.mark.slow
def test_more_interrupts_do_not_change_the_status_of_a_command_that_is_ending(tmp_path):
    # At Ctrl-C the terminal sends one to every process of a launch, and so does launch.
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    command = Command(['-m', 'ik_node.ros.clients.demo_goals'], tmp_path)
    wait_for(lambda: catches_interrupts(command.process.pid))
    while command.process.poll() is None:
        command.process.send_signal(signal.SIGINT)
        time.sleep(0.005)
    assert command.process.returncode == 0


def test_a_console_script_handles_signals_before_it_imports_its_module(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text(IMPORTS_FOR_EVER)
    with subprocess.Popen([sys.executable, str(script)], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout.readline() == 'importing\n'
        process.send_signal(signal.SIGINT)
        assert process.wait(60.0) == -signal.SIGINT
        assert process.stdout.read() == ''


def test_every_console_script_is_an_entry_point_of_the_commands():
    from ik_node.commands import entry_points
    text = (Path(__file__).parents[2] / 'setup.py').read_text()
    names = [line.split("'")[1].split(' = ') for line in text.splitlines() if ' = ik_node.' in line]
    assert len(names) == 10
    for name, target in names:
        assert target == f'ik_node.commands.entry_points:{name}'
        assert callable(getattr(entry_points, name))


def test_an_ignored_interrupt_stays_ignored():
    from ik_node.support.signals import end_quietly
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        end_quietly()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_quietly()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize('how', HOWS, ids=lambda how: how.name)
def test_a_stop_remembers_the_first_signal_and_says_the_status(how):
    from ik_node.support.signals import Stop
    before = [signal.getsignal(number) for number in HOWS]
    with Stop() as stop:
        assert not stop
        assert stop.status == 0
        os.kill(os.getpid(), how)
        stop.wait()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop
        assert stop.number == how
        assert stop.status == 128 + how
    assert [signal.getsignal(number) for number in HOWS] == before

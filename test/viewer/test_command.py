import contextlib
import io
import signal
import sys
import threading
import urllib.request

import pytest

import robots
from harness import page_here  # noqa: F401  (skips without viser or ROS)
from harness.fake_node import FakeNode, FakePlayer
from ik_node.support import processes
from ik_node.viewer import __main__ as command
from ik_node.viewer import node_link, view

SOLVERS = ('dls', 'pseudoinverse', 'transpose', 'ccd')


@pytest.fixture
def started(monkeypatch):
    """The commands of the nodes that were started and ended, without any node or signal."""
    commands, ended = [], []

    @contextlib.contextmanager
    def running(one):
        commands.append(one)
        yield
        ended.append(one)
    monkeypatch.setattr(processes, 'running', running)
    monkeypatch.setattr(node_link, 'Connection', lambda *arguments: FakeNode(
        model_path=str(robots.OWN / 'arm_6r.urdf')).connect(*arguments))
    monkeypatch.setattr(view, 'PlayerLink', FakePlayer().connect)
    return commands, ended


def run(monkeypatch, *arguments):
    """Run the command until its page has answered; return what it printed."""
    handlers, printed, answered = {}, io.StringIO(), []

    def look():
        """Load the page once its address is printed, and end the command."""
        line = address.get()
        answered.append(urllib.request.urlopen(line.split()[1], timeout=60.0).status)
        handlers[signal.SIGINT]()
    monkeypatch.setattr(signal, 'signal', lambda number, handler: handlers.update({
        number: lambda: handler(number, None)}))
    address = Address(printed)
    looking = threading.Thread(target=look)
    looking.start()
    with contextlib.redirect_stdout(address):
        assert command.main([*arguments, '--port', '0']) == 0
    looking.join(60.0)
    assert answered == [200]
    return printed.getvalue()


class Address(io.StringIO):
    """Standard output, in which the address of the page is awaited."""

    def __init__(self, printed):
        super().__init__()
        self._printed, self._there = printed, threading.Event()

    def write(self, text):
        self._printed.write(text)
        if 'http' in text:
            self._there.set()
        return len(text)

    def get(self):
        assert self._there.wait(60.0)
        return next(line for line in self._printed.getvalue().splitlines() if 'http' in line)


def test_it_shows_a_running_node_and_ends_with_a_signal(started, monkeypatch):
    printed = run(monkeypatch)
    assert printed.startswith('ik_view: http://127.0.0.1:')
    assert started == ([], [])


def test_it_starts_a_node_with_a_robot_and_ends_it(started, monkeypatch):
    run(monkeypatch, 'planar_3r', '--tip', 'tool0')
    (line,), ended = started
    assert ended == [line]
    assert f'model_path:={(robots.OWN / "planar_3r.urdf").resolve()}' in line
    assert 'tip_link:=tool0' in line


def test_the_node_of_a_skeleton_has_tasks_of_its_limbs(started, monkeypatch):
    run(monkeypatch, str(robots.OWN.parent / 'config/motions/walker.asf'))
    ((line,), _) = started
    assert 'tasks:=[lhand, rhand, lfoot, rfoot, head]' in line
    assert 'head.link:=head' in line
    assert 'solver:=least_squares' in line


def test_it_starts_a_node_for_every_solver_that_it_compares(started, monkeypatch):
    run(monkeypatch, '--compare', '--namespace', '/lab')
    lines, ended = started
    assert len(ended) == len(lines) == len(SOLVERS)
    for line, solver in zip(lines, SOLVERS):
        assert f'solver:={solver}' in line
        assert f'__ns:=/lab/{solver}' in line
        assert any(part.endswith('arm_6r.urdf') for part in line)


def test_the_nodes_that_it_starts_keep_away_from_obstacles(started, monkeypatch):
    run(monkeypatch, '--compare', 'dls', 'ccd', '--obstacles', 'post')
    for line, solver in zip(started[0], ('dls', 'ccd')):
        assert any(part.endswith('/post.obstacles.yaml') for part in line)
        assert f'{solver}.avoid_collisions:=true' in line


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--robot', 'nobody'], "there is no robot 'nobody'"),
    (['--robot', 'arm_6r', '--obstacles', 'wall'], "there are no obstacles 'wall'"),
    (['--port', '-3'], 'must be a whole number from 0 to 65535'),
    (['--compare', 'dls', 'lm'], "invalid choice: 'lm'"),
    (['scara', '--robot', 'planar_3r'], "one robot is needed, not both 'scara' and 'planar_3r'")])
@pytest.mark.usefixtures('started')
def test_what_cannot_be_shown_is_said_in_a_line(arguments, words, monkeypatch, capsys):
    monkeypatch.setattr(signal, 'signal', lambda *_: None)
    try:
        code = command.main(arguments)
    except SystemExit as ended:  # of argparse
        code = ended.code
    assert code == 2
    assert words in capsys.readouterr().err


def test_without_viser_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'viser', None)
    with pytest.raises(SystemExit, match='ik_view needs viser'):
        command.main([])


def test_four_methods_are_compared_where_none_is_named_and_arguments_of_ros_are_left_alone():
    assert command._arguments(['--compare']).compare == list(SOLVERS)
    assert command._arguments(['--compare']).robot == 'arm_6r'
    assert command._arguments(['--compare', 'ccd']).compare == ['ccd']
    assert command._arguments(['--ros-args', '--compare', 'x']).compare == []

"""What `make demo` runs, as a user runs it."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest
from matplotlib import image

import robots
from harness import node_here

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from ik_node.collision import CollisionModel, read_obstacles
from ik_node.commands.demo import __main__ as demo_command
from ik_node.commands.demo.__main__ import main
from ik_node.commands.demo.shows import ArmShow, make_show
from ik_node.support.resources import obstacles_file

COMMAND = [sys.executable, '-m', 'ik_node.commands.demo', '--headless']
ROOT = robots.OWN.parent


@pytest.fixture
def demo(monkeypatch, capsys):
    """Return what runs the demo, with its node in this process, and returns what it prints.

    It checks that the robot is at its start pose in the end.
    """
    with contextlib.ExitStack() as stack:
        clients, starts = [], []

        @contextlib.contextmanager
        def running(command):
            ros_arguments = command[command.index('--ros-args') + 1:]
            node = stack.enter_context(node_here.running(*ros_arguments))
            clients.append(node.client)
            starts.append(node.values())
            yield
            assert node.values() == pytest.approx(starts[-1])
        monkeypatch.setattr(demo_command, 'running', running)
        monkeypatch.setattr(demo_command, 'Client', lambda: clients.pop())

        def run(*arguments):
            assert main([*map(str, arguments)]) == 0
            return capsys.readouterr().out
        yield run


def check_printed(printed, solver):
    """Check what is printed of five goals of an arm."""
    assert 'ik_view' not in printed
    lines = re.findall(r'^ +(\d)/5  (\w+) +met +(\S+) m +(\S+) rad +\d+ iterations +\S+ ms$',
                       printed, re.MULTILINE)
    assert [line[0] for line in lines] == list('12345'), printed
    assert {line[1] for line in lines} == {solver}
    assert max(float(line[2]) for line in lines) <= 1e-6
    assert f'5 of 5 goals met with {solver}.' in printed


@pytest.mark.parametrize(('arguments', 'solver', 'headless'), [
    (['--robot', 'planar_3r', '--solver', 'analytic'], 'analytic', 'by an argument'),
    (['--robot', robots.OWN / 'torso.urdf', '--tip', 'right_tool0'], 'dls', 'in the environment')])
def test_it_meets_its_goals_says_so_line_by_line_and_draws_a_picture(
        demo, tmp_path, monkeypatch, arguments, solver, headless):
    picture = tmp_path / 'way.png'
    if headless == 'in the environment':
        monkeypatch.setenv('HEADLESS', '1')
    else:
        arguments = [*arguments, '--headless']
    printed = demo(*arguments, '--goals', 5, '--picture', picture)
    check_printed(printed, solver)
    assert f'Picture:  {picture}' in printed
    pixels = image.imread(picture)
    assert min(pixels.shape[:2]) > 500
    assert pixels[..., :3].std() > 0.02  # something is drawn


def test_an_arm_reaches_around_a_post(demo, tmp_path, monkeypatch):
    """Every configuration is free; without the post some of them pass through it."""
    monkeypatch.setenv('HEADLESS', '1')
    model, met = None, []

    def draw(show, outcomes, file):
        nonlocal model
        chain = show._chain
        model = model or CollisionModel(chain, read_obstacles(obstacles_file('post')))
        met.append([CollisionModel(chain, model.obstacles).is_free(np.array([
            outcome.joints[name] for name in chain.joint_names])) for outcome in outcomes])
    monkeypatch.setattr(ArmShow, 'draw', draw)
    for more in (['--obstacles', 'post'], []):
        assert '16 of 16 goals met' in demo('--robot', 'arm_7r', *more)
    assert [all(free) for free in met] == [True, False]


def test_a_robot_with_tasks_shows_them_all(demo, tmp_path):
    picture = tmp_path / 'figure.png'
    printed = demo('--headless', '--robot', 'humanoid', '--goals', 6, '--picture', picture)
    lines = re.findall(r'^ +\d/6  (\w+) +met +(\S+) m +(\S+) rad', printed, re.MULTILINE)
    assert [line[0] for line in lines] == ['left', 'right', 'look'] * 2, printed
    assert max(float(line[1]) for line in lines) <= 1e-6
    assert '6 of 6 goals met with least_squares.' in printed
    assert image.imread(picture)[..., :3].std() > 0.02


@pytest.mark.parametrize('name', ['walker', 'somebody'])
def test_a_skeleton_reaches_with_its_hands_and_stands_on_its_feet(name, tmp_path):
    file = tmp_path / f'{name}.asf'
    file.write_text((ROOT / 'config/motions/walker.asf').read_text())
    show = make_show(file, None, None, '', 6)
    assert {task for _, task in show.steps} == {'left', 'right', 'look'}
    assert show.solver.task_names == ('left', 'right', 'left_foot', 'right_foot', 'look')


def test_a_skeleton_with_other_bones_is_shown_as_an_arm(tmp_path):
    file = tmp_path / 'figure.asf'
    file.write_text((ROOT / 'config/motions/walker.asf').read_text().replace('lhand', 'lpaw'))
    show = make_show(file, 'root', 'lpaw', '', 6)
    assert show.links == ('root', 'lpaw')


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--robot', 'humanoid', '--solver', 'dls'], "with tasks, solver must be one of 'genetic', "),
    (['--robot', 'nobody'], "there is no robot 'nobody': neither a file, nor one of arm_6r"),
    (['--obstacles', 'posts'], "no obstacles 'posts': neither a file, nor one of post"),
    (['--robot', 'scara', '--tip', 'hand'], "there is no tip link 'hand'"),
    (['--robot', 'scara', '--solver', 'lm'], "there is no solver 'lm'"),
    (['--robot', str(robots.mimicking_file()), '--solver', 'analytic'],
     'analytic has no closed form'),
    (['--goals', '0'], '--goals must be at least 1')])
def test_what_cannot_be_done_is_said_in_a_line(capsys, arguments, words):
    try:
        code = main(arguments)
    except SystemExit as ended:  # of argparse
        code = ended.code
    assert code == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow  # processes over DDS
def test_it_stops_on_ctrl_c_with_its_summary(tmp_path):
    process = subprocess.Popen(
        [*COMMAND, '--goals', '100000', '--picture', str(tmp_path / 'way.png')], cwd=ROOT,
        stdout=subprocess.PIPE, text=True, env={**os.environ, 'PYTHONUNBUFFERED': '1'})
    printed = []
    for line in process.stdout:
        printed.append(line)
        if ' 3/100000' in line:
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    assert 'Stopped.' in rest
    assert re.search(r'\d+ of \d+ goals met with dls', rest)
    assert (tmp_path / 'way.png').is_file()


@pytest.mark.slow  # processes over DDS
def test_the_view_opens_beside_it_unless_headless(tmp_path):
    pytest.importorskip('viser', reason='viser is not installed (make demo brings it)')
    without = [part for part in COMMAND if part != '--headless']
    environment = {name: value for name, value in os.environ.items() if name != 'HEADLESS'}
    process = subprocess.Popen(
        [*without, '--goals', '3', '--picture', str(tmp_path / 'way.png')], cwd=ROOT,
        stdout=subprocess.PIPE, text=True, env={**environment, 'PYTHONUNBUFFERED': '1'})
    printed = ''
    for line in process.stdout:
        printed += line
        if 'Ctrl-C ends' in line:
            break
    address = re.search(r'ik_view: (http://127\.0\.0\.1:\d+)', printed).group(1)
    with urllib.request.urlopen(address, timeout=20) as page:
        assert b'<html' in page.read().lower()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0

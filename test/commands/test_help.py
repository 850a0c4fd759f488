"""Every command explains itself without starting anything, and nodes run where logs cannot be."""

import os
import re
import subprocess
import sys

import pytest

import robots
from domains import Domain
from harness.commands import entry_point
from ik_node.commands import entry_points

COMMANDS = sorted(name for name in vars(entry_points) if name.startswith(('ik_', 'demo_')))
DEMO = '-m', 'ik_node.commands.demo'


@pytest.mark.parametrize('name', [*COMMANDS, 'demo'])
def test_help_is_printed_and_nothing_is_started(name):
    if name in ('ik_node', 'demo_goals', 'ik_teleop'):
        pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    done = subprocess.run(
        [sys.executable, *(DEMO if name == 'demo' else entry_point(name)), '--help'],
        capture_output=True, text=True, timeout=60,
        env={**os.environ, 'ROS_LOG_DIR': '/dev/null/logs'})
    assert (done.returncode, done.stderr) == (0, ''), done.stderr
    assert 'usage: ' in done.stdout
    assert 'options:' in done.stdout


@pytest.mark.parametrize('words', [
    ['ik_node'], ['demo_goals'], ['ik_teleop'], ['ik_view'], ['ik_play', 'arm_6r', 'motion.csv'],
    ['ik_workspace', 'arm_6r', '--publish']])
def test_without_ros_a_command_that_needs_it_says_in_a_line_how_to_install_it(words):
    if words == ['ik_view']:
        pytest.importorskip('viser', reason='viser is not installed')
    flag, code = entry_point(words[0])
    blocked = ('import sys\nclass Blocked:\n'
               '    def find_spec(name, path=None, target=None):\n'
               '        if name == "rclpy" or name.endswith("_msgs"):\n'
               '            raise ModuleNotFoundError(f"No module named {name!r}", name=name)\n'
               'sys.meta_path.insert(0, Blocked)\n')
    done = subprocess.run([sys.executable, flag, blocked + code, *words[1:]], capture_output=True,
                          text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, '')
    assert re.fullmatch(r"ROS 2 is needed \(No module named '\w+'\): source its setup\.bash, or "
                        r'pip install "ik_node\[ros\]"\n', done.stderr), done.stderr


@pytest.mark.parametrize('name', ['ik_node', 'demo_goals'])
def test_a_node_whose_logs_cannot_be_written_runs_and_says_so(name):
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    domain = Domain()
    process = subprocess.Popen(
        [sys.executable, *entry_point(name), '--ros-args', '-p',
         f'model_path:={robots.OWN / "planar_3r.urdf"}', '-p', 'help:=--help'],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain.id), 'ROS_LOG_DIR': '/dev/null/logs',
             'PYTHONUNBUFFERED': '1'})
    try:
        lines = [process.stdout.readline()]
        while name == 'ik_node' and 'ready: ' not in lines[-1] and lines[-1]:
            lines.append(process.stdout.readline())
    finally:
        process.terminate()
        text = ''.join([*lines, process.stdout.read()])
        domain.give_back()
    assert process.wait(timeout=60) == 0, text
    assert 'there are no log files: ' in text
    assert '/dev/null/logs' in text
    assert 'Traceback' not in text

import os
import subprocess
import sys
from pathlib import Path

import pytest

import robots
from harness.ros_harness import running

pytestmark = pytest.mark.slow  # examples and a node as processes
EXAMPLES = Path(__file__).parents[3] / 'examples'


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=robots.OWN / 'arm_6r.urdf') as running_node:
        yield running_node.ready()


def run(node, name, *arguments):
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments], capture_output=True, text=True,
        timeout=120, check=False,
        env={**os.environ, 'ROS_DOMAIN_ID': str(node.client.node.context.get_domain_id())})


def test_a_goal_is_sent_and_its_joint_states_are_printed(node):
    example = run(node, 'send_goal.py', '--xyz', '0.4', '0.1', '0.5')
    assert example.returncode == 0, example.stdout + example.stderr
    assert example.stdout.startswith('dls: CONVERGED, off by ')
    assert [line.split()[0] for line in example.stdout.splitlines()[1:]] == [
        f'joint_{k}' for k in range(1, 7)]


def test_a_goal_out_of_reach_is_reported(node):
    example = run(node, 'send_goal.py', '--xyz', '9', '0', '0')
    assert example.returncode == 1
    assert example.stdout.startswith('dls: UNREACHABLE')


def test_a_circle_is_followed(node):
    example = run(node, 'follow_circle.py', '--rounds', '1', '--period', '2')
    assert example.returncode == 0, example.stdout + example.stderr
    sent, answered, met = (int(word) for word in example.stdout.split() if word.isdigit())
    assert sent == 100
    assert 0 < met == answered <= sent  # of goals that are late only the newest is answered

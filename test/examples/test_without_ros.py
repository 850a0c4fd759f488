import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from installed import python_path

EXAMPLES = Path(__file__).parents[2] / 'examples'


@pytest.fixture
def printed(monkeypatch, capsys):
    """Return a function that runs an example without rclpy and returns what it prints."""
    monkeypatch.setitem(sys.modules, 'rclpy', None)

    def run(name):
        runpy.run_path(str(EXAMPLES / name), run_name='__main__')
        return capsys.readouterr().out
    return run


def test_ten_lines_are_ten_and_meet_the_goal():
    lines = (EXAMPLES / 'ten_lines.py').read_text().splitlines()
    assert len([line for line in lines if line and not line.startswith('"""')]) <= 10
    # Run as its reader runs it.
    run = subprocess.run([sys.executable, str(EXAMPLES / 'ten_lines.py')], capture_output=True,
                         text=True, timeout=240, check=False,
                         env={**os.environ, 'PYTHONPATH': python_path()})
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith('True: the goal is met')


def test_an_arm_beside_a_wall_meets_as_many_poses_without_touching_it(printed):
    without, free = re.findall(r'(\d+) of 200 poses are met, (\d+) configurations touch',
                               printed('beside_a_wall.py'))
    assert int(without[1]) > 0
    assert free == ('200', '0')


def test_two_arms_over_a_table_keep_the_margin(printed):
    lines = printed('two_arms_one_table.py').splitlines()
    assert all('the goal is met' in line for line in lines)
    assert all(float(re.search(r'is (\S+) mm from', line).group(1)) >= 5.0 for line in lines)


def test_a_ur5_has_eight_branches_that_all_meet_the_pose(printed):
    family, count, *branches = printed('ur5_branches.py').splitlines()
    assert family == '6R, axes 2, 3, 4 parallel'
    assert count == '8 branches, in degrees:'
    assert len(set(branches)) == 8
    assert all(float(re.search(r'off by (\S+)$', line).group(1)) < 1e-9 for line in branches)


def test_a_human_arm_keeps_its_elbow_out_of_the_torso_with_the_wrist_as_straight_as_that_allows(
        printed):
    lines = printed('human_arm.py').splitlines()
    bends = [float(re.search(r'bent (\S+)°$', line).group(1)) for line in lines]
    elbows = [[float(x) for x in re.search(r'\[(.*)\]', line).group(1).split()] for line in lines]
    radii = [(x * x + y * y) ** 0.5 for x, y, _ in elbows]  # from the capsule's axis
    assert bends[1] == min(bends)
    assert radii[1] < 0.2 <= radii[3] + 1e-3

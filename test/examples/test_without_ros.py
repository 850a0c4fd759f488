import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ik_node import KinematicTree, make_solver
from ik_node.support.resources import robot_file
from installed import python_path

EXAMPLES = Path(__file__).parents[2] / 'examples'


@pytest.fixture
def printed(monkeypatch, capsys):
    """Return a function that runs an example without rclpy and returns what it prints."""
    monkeypatch.setitem(sys.modules, 'rclpy', None)

    def run(name):
        monkeypatch.setattr('sys.argv', [name])
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


@pytest.mark.parametrize('library', ['torch', 'jax'])
def test_a_learning_library_descends_along_the_gradient_of_solutions(printed, library):
    pytest.importorskip(library)
    costs, slopes = zip(*re.findall(r'cost (\S+), slope (\S+)', printed(f'{library}_gradient.py')))
    assert float(costs[1]) < 0.2 * float(costs[0])
    assert float(slopes[1]) < 0.01 * float(slopes[0])


def test_torch_has_the_derivatives_of_the_pose():
    torch = pytest.importorskip('torch')
    example = runpy.run_path(str(EXAMPLES / 'torch_gradient.py'))
    chain = KinematicTree.from_urdf(robot_file('arm_6r')).chain()
    solver = make_solver('dls', chain, position_tolerance=1e-12, orientation_tolerance=1e-12)
    q = np.array([0.3, -0.2, 0.3, 0.1, -1.0, 0.0])
    angles = torch.tensor([-0.4, 1.8], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda angles: example['InverseKinematics'].apply(
        example['grasp'](angles), solver, q), angles, atol=1e-5)


def test_jax_has_the_derivatives_of_the_pose_forwards_and_backwards():
    pytest.importorskip('jax')
    from jax.test_util import check_grads
    example = runpy.run_path(str(EXAMPLES / 'jax_gradient.py'))
    q = np.array([0.3, -0.2, 0.3, 0.1, -1.0, 0.0])
    solve = example['inverse_kinematics']
    check_grads(lambda angles: solve(example['grasp'](angles), q), (np.array([-0.4, 1.8]),),
                order=1, modes=['fwd', 'rev'], eps=1e-4, atol=1e-4, rtol=1e-4)


def test_an_arm_in_degrees_follows_a_line_and_keeps_its_gripper(printed):
    off, gripper = re.search(r'at most (\S+) mm from the line; the gripper is at (\S+)',
                             printed('lerobot_arm.py')).groups()
    assert float(off) < 0.01
    assert gripper == '55'

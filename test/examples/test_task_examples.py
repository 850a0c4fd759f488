import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node.solvers.body.base import BodySolver
from installed import python_path
from plain_kinematics import PlainRobot

EXAMPLES = Path(__file__).parents[2] / 'examples'
NAMES = ['two_hands', 'reach_and_balance', 'look_at', 'mobile_base']


class Run:
    """An example that has run: its names, what it printed, and each result of a solver."""

    def __init__(self, name, robot, monkeypatch, capsys):
        self.text = (robots.OWN / f'{robot}.urdf').read_text()
        self.results = []
        solve = BodySolver.solve

        def recorded(solver, q0=None):
            result = solve(solver, q0)
            self.results.append((solver.body, result))
            return result

        monkeypatch.setattr(BodySolver, 'solve', recorded)
        self.names = runpy.run_path(str(EXAMPLES / f'{name}.py'), run_name='__main__')
        self.lines = capsys.readouterr().out.splitlines()

    def pose(self, k, link):
        """Return T_world_link (4, 4) at the k-th result."""
        body, result = self.results[k]
        q, count = result.q, body.n_joints
        T_world_root, moved = np.eye(4), 0
        if body.root == 'floating':
            moved = 6
            T_world_root[:3, :3] = Rotation.from_rotvec(q[3:6]).as_matrix()
            T_world_root[:3, 3] = q[:3]
        elif body.root == 'planar':
            moved = 3
            T_world_root[:3, :3] = Rotation.from_euler('z', q[2]).as_matrix()
            T_world_root[:2, 3] = q[:2]
        values = dict(zip(body.joint_names[moved:count], q[moved:]))
        robot = PlainRobot(self.text, link)
        for joint, value in values.items():
            lower, upper = robot.limits[joint]
            assert lower <= value <= upper
        return T_world_root @ robot.forward(values)

    def center_of_mass(self, k):
        """Return the centre of mass (3,) at the k-th result, from the inertials of the file."""
        total, moment = 0.0, np.zeros(3)
        for link in ElementTree.fromstring(self.text).findall('link'):
            inertial = link.find('inertial')
            if inertial is None:
                continue
            mass, origin = float(inertial.find('mass').get('value')), inertial.find('origin')
            place = np.array(origin.get('xyz', '0 0 0').split(), dtype=float)
            total += mass
            moment += mass * (self.pose(k, link.get('name')) @ [*place, 1.0])[:3]
        return moment / total


@pytest.mark.slow
@pytest.mark.parametrize('name', NAMES)
def test_an_example_runs_as_its_reader_runs_it_without_compiled_kernels(name):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f'{name}.py')], capture_output=True, text=True,
        timeout=120, check=False, env={**os.environ, 'PYTHONPATH': python_path(),
                                       'IK_NODE_PLAIN': '1'})
    assert run.returncode == 0, run.stderr
    assert 'the goal is met' in run.stdout
    assert 'stopped' not in run.stdout


def test_two_hands_carry_a_tray_and_their_grips_do_not_slip(monkeypatch, capsys):
    run = Run('two_hands', 'torso', monkeypatch, capsys)
    path = run.names['PATH']
    assert len(run.results) == len(run.lines) == len(path) >= 5
    T_tray_left = run.names['pose'](-0.1, 0.15, 0.0, run.names['FORWARD'])
    for k, (lift, turn) in enumerate(path):
        T_world_tray = run.pose(k, 'left_tool0') @ np.linalg.inv(T_tray_left)
        assert T_world_tray[:3, 3] == pytest.approx([0.5, 0.0, 0.9 + lift], abs=2e-6)
        assert T_world_tray[:3, :3] == pytest.approx(
            Rotation.from_euler('z', turn).as_matrix(), abs=2e-6)
        # The right hand on the other side of the tray, 0.3 m from the left one, as parallel to it.
        right = np.linalg.inv(T_world_tray) @ run.pose(k, 'right_tool0')
        assert right[:3, 3] == pytest.approx([-0.1, -0.15, 0.0], abs=2e-6)
        assert right[:3, :3] == pytest.approx(run.names['FORWARD'], abs=2e-6)
        assert f'lifted {lift:.1f} m, turned {turn:.1f} rad: the goal is met' in run.lines[k]


def test_a_humanoid_reaches_the_goal_and_balances_only_where_that_is_asked(monkeypatch, capsys):
    run = Run('reach_and_balance', 'humanoid', monkeypatch, capsys)
    (left, bottom), (right, top) = run.names['SOLES'].min(axis=0), run.names['SOLES'].max(axis=0)
    centers = []
    for k in range(2):
        palm = run.pose(k, 'left_palm')[:3, 3]
        assert palm == pytest.approx(run.names['GOAL'], abs=2e-6)
        for link, side in (('left_sole', 1.0), ('right_sole', -1.0)):
            sole = run.pose(k, link)
            assert sole[:3, 3] == pytest.approx([0.04, side * 0.09, 0.0], abs=2e-6)
            assert sole[:3, :3] == pytest.approx(np.eye(3), abs=2e-6)
        centers.append(run.center_of_mass(k))
    assert centers[0][0] > right + 0.1
    assert left - 2e-6 <= centers[1][0] <= right + 2e-6
    assert bottom - 2e-6 <= centers[1][1] <= top + 2e-6
    told = [float(re.search(r'x = (\S+) m', line).group(1)) for line in run.lines
            if 'centre of mass' in line]
    assert told == pytest.approx([center[0] for center in centers], abs=6e-4)
    assert 'it falls' in run.lines[2]
    assert 'above the feet' in run.lines[5]


def test_the_soles_are_those_of_the_robot():
    names = runpy.run_path(str(EXAMPLES / 'reach_and_balance.py'))
    foot = ElementTree.parse(robots.OWN / 'humanoid.urdf').find('./link[@name="left_foot"]')
    box = foot.find('collision')
    length, width, _ = map(float, box.find('geometry/box').get('size').split())
    ahead = float(box.find('origin').get('xyz').split()[0])
    assert (names['SOLES'].min(axis=0) > [ahead - length / 2, -0.09 - width / 2]).all()
    assert (names['SOLES'].max(axis=0) < [ahead + length / 2, 0.09 + width / 2]).all()


def test_a_camera_on_a_line_keeps_looking_at_its_point(monkeypatch, capsys):
    run = Run('look_at', 'arm_6r', monkeypatch, capsys)
    start, end, point = (run.names[name] for name in ('START', 'END', 'POINT'))
    count = len(run.results)
    assert count == len(run.lines) == 11
    for k in range(count):
        T = run.pose(k, 'tool0')
        assert T[:3, 3] == pytest.approx(start + k / (count - 1) * (end - start), abs=2e-6)
        # The point in the camera's frame is ahead, on its z axis.
        x, y, z = T[:3, :3].T @ (point - T[:3, 3])
        assert z > 0.5
        assert np.hypot(x, y) / z < 2e-6
        assert 'the goal is met' in run.lines[k]
    steps = np.diff([result.q for _, result in run.results], axis=0)
    assert np.abs(steps[1:]).max() < 0.5


def test_a_mobile_base_stays_clear_of_the_table_and_its_arm_reaches_over_it(monkeypatch, capsys):
    run = Run('mobile_base', 'arm_7r', monkeypatch, capsys)
    table, goals = run.names['TABLE'], run.names['GOALS']
    assert len(run.results) == len(goals)
    bases = []
    for k, goal in enumerate(goals):
        T = run.pose(k, 'tool0')
        assert T[:3, 3] == pytest.approx(goal, abs=2e-6)
        assert T[:3, 2] == pytest.approx([0.0, 0.0, -1.0], abs=2e-6)
        bases.append(run.pose(k, 'base_link'))
        assert bases[k][0, 3] <= table + 2e-6
        assert bases[k][2] == pytest.approx([0.0, 0.0, 1.0, 0.0])
        assert f'base at x = {bases[k][0, 3]:.2f} m' in run.lines[k + 1]
    # One goal is so far over the table that its edge holds the base; the last is behind.
    assert max(base[0, 3] for base in bases) > table - 0.05
    assert bases[-1][1, 3] < -1.0

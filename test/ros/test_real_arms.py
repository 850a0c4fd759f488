"""The parameters of docs/real_arms.md move each arm, by stand-ins of its driver and controller."""

import re
import runpy
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

import robots
from docs_blocks import ROOT
from harness.controller_node import ControllerNode
from harness.node_here import running
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose

PAGE = (ROOT / 'docs' / 'real_arms.md').read_text('utf-8')
RECIPES = dict(re.findall(r'^## ([^\n]+)\n(?:(?!^## ).)*?```yaml\n(.*?)```', PAGE,
                          re.DOTALL | re.MULTILINE))
SO101 = ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll')


def renamed(name, *pairs):
    """Return the description of a robot with other names."""
    own = robots.OWN / f'{name}.urdf'
    text = (own if own.exists() else robots.path(name)).read_text('utf-8')
    for before, after in pairs:
        text = re.sub(f'"{before}"', f'"{after}"', text)
    return text


# As in the driver's description: joints of the controller, joint states of others, Hz.
ARMS = {
    'Universal Robots': (lambda: renamed('ur5'), 'scaled_joint_trajectory_controller', 500.0,
                         [f'{name}_joint' for name in ('shoulder_pan', 'shoulder_lift', 'elbow',
                                                       'wrist_1', 'wrist_2', 'wrist_3')], {}),
    'xArm': (lambda: renamed('arm_7r', (r'joint_(\d)', r'joint\1'), ('tool0', 'link7')),
             'xarm7_traj_controller', 150.0, [f'joint{i}' for i in range(1, 8)], {}),
    'Franka': (lambda: renamed('panda', (r'panda_(\w+)', r'fr3_\1')), 'fr3_arm_controller', 1000.0,
               [f'fr3_joint{i}' for i in range(1, 8)], {}),
    'SO-101 with ros2_control': (
        lambda: renamed('so101', (f'({"|".join(SO101)}|gripper)', r'\1_joint')),
        'joint_trajectory_controller', 50.0, [f'{name}_joint' for name in SO101],
        {'gripper_joint': 0.4})}


def parameters(tmp_path, title):
    file = tmp_path / 'arm.yaml'
    file.write_text(RECIPES[title])
    return '--params-file', file


def started(chain):
    """Return a configuration inside the limits, (n,)."""
    lower, upper = np.maximum(chain.lower, -2.0), np.minimum(chain.upper, 2.0)
    return 0.5 * (lower + upper) + 0.1 * (upper - lower) * np.resize([1.0, -1.0], chain.n_joints)


def sent(node, T):
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(PoseStamped, 'goal_pose', PoseStamped(pose=matrix_to_pose(T)))
    assert node.until(lambda: statuses), node.log()
    assert statuses[-1].level == DiagnosticStatus.OK, statuses[-1].message


def test_each_arm_of_the_page_is_tested():
    assert set(RECIPES) == {*ARMS, 'SO-101 without ros2_control'}


@pytest.mark.parametrize('title', ARMS)
def test_the_parameters_of_an_arm_move_it_by_the_controller_of_its_driver(tmp_path, title):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    description, controller, rate, joints, others = ARMS[title]
    text = description()
    tip = re.search(r'tip_link: (\S+)', RECIPES[title])[1]
    states = re.search(r' state_topic: /(\S+)', RECIPES[title])[1]
    chain = KinematicTree.from_urdf(text).chain(tip_link=tip)
    assert list(chain.joint_names) == joints
    q = started(chain)
    with running(*parameters(tmp_path, title)) as node:
        side = ControllerNode(node.node, joints, q, controller, rate, others, states, tolerance=0.2)
        node.send_description(text)
        node.ready()
        heard = node.listen(JointState, 'ik_node/joint_states')
        assert node.until(lambda: heard and np.allclose(
            [dict(zip(heard[-1].name, heard[-1].position))[name] for name in joints], q))
        for offset in (0.1, -0.1):
            T = chain.forward(q + offset)
            sent(node, T)
            assert node.until(lambda T=T: np.abs(
                chain.forward(side.controller.measured.q) - T)[:3, 3].max() < 1e-5), node.log()
        assert side.received
        assert side.controller.refused == []
        assert '[ERROR]' not in node.log()


class Motors:
    """LeRobot's robot: its motors go where they are sent, in degrees; the gripper from 0 to 100."""

    def __init__(self, q):
        self.values = {f'{name}.pos': np.rad2deg(one) for name, one in zip(SO101, q)}
        self.values['gripper.pos'] = 30.0

    def get_observation(self):
        return dict(self.values)

    def send_action(self, action):
        assert set(action) <= set(self.values)
        self.values.update(action)


def test_the_driver_of_an_so101_moves_its_motors_as_the_node_commands(tmp_path, monkeypatch):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    title = 'SO-101 without ros2_control'
    (tmp_path / 'so101_new_calib.urdf').write_text(renamed('so101'))
    monkeypatch.chdir(tmp_path)
    driver = SimpleNamespace(**runpy.run_path(str(ROOT / 'examples' / 'so101_driver.py')))
    chain = robots.tree('so101').chain(tip_link='gripper_frame_link')
    assert driver.ARM == chain.joint_names == SO101
    jaw = robots.tree('so101').joints['gripper']
    assert (driver.CLOSED, driver.OPEN) == (jaw.lower, jaw.upper)
    q = started(chain)
    motors = Motors(q)
    with running(*parameters(tmp_path, title)) as node:
        driver.Driver(node.node, motors)
        node.spin(0.1)

        def measured():
            return np.deg2rad([motors.values[f'{name}.pos'] for name in SO101])
        for offset in (0.1, -0.1):
            T = chain.forward(q + offset)
            sent(node, T)
            assert node.until(lambda T=T: np.abs(
                chain.forward(measured()) - T)[:3, 3].max() < 1e-5), node.log()
        node.send('goal_joints', JointState(name=['gripper'], position=[jaw.upper]))
        assert node.until(lambda: motors.values['gripper.pos'] == pytest.approx(100.0, abs=1e-3))
        assert '[ERROR]' not in node.log()

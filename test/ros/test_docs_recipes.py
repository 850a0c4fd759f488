"""What the README and the docs say about running the node works as it is written there."""

import contextlib
import importlib
import re
import shutil

import numpy as np
import pytest
import trimesh
import yaml
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

import robots
from docs_blocks import BLOCKS, ROOT, fill, lines
from harness.bent_arm import ARM, CHAIN
from harness.controller_node import ControllerNode
from harness.node_here import running
from harness.ros_harness import given
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ik_node.workspace import reachability_map

RECIPES = [(page, text) for page, language, text in BLOCKS
           if language == 'python' and text.startswith("Node(package='ik_node'")]
CONTROL = dict(RECIPES)['docs/ros2_control.md']
IN_SHELL = [(page, text) for page, language, text in BLOCKS
            if language == 'sh' and page != 'docs/playback.md' and re.search(
                '^ros2 (run|param|topic|service)|^[^#\n]*ik_node --ros-args', text, re.MULTILINE)]
MEASURED = np.array([0.4, -0.5, 0.7, 0.9, -0.3, -0.3])
NAMES = {'docs/own_robot.md': {'base_link': 'torso', 'tool0': 'left_tool0', 'joint_1': 'waist',
                               'joint_2': 'shoulder', 'joint_3': 'elbow'}}
WRITTEN = {'docs/collisions.md': 'post.yaml', 'docs/own_robot.md': 'poses.yaml',
           'docs/parameters.md': 'arm.yaml', 'docs/tasks.md': 'humanoid.yaml'}


def arguments(recipe):
    """Return the ROS arguments that a `Node` of launch_ros is started with."""
    made = []
    exec(recipe, {'Node': lambda **fields: made.append(fields)})
    (fields,) = made
    assert (fields['package'], fields['executable']) == ('ik_node', 'ik_node')
    return [*given({name: value for part in fields['parameters'] for name, value in part.items()}),
            *(word for pair in fields.get('remappings', ()) for word in ('-r', ':='.join(pair)))]


@pytest.mark.parametrize(('page', 'recipe'), RECIPES, ids=[page for page, _ in RECIPES])
def test_a_node_of_a_launch_file_solves_for_the_robot_whose_description_is_published(page, recipe):
    with running(*arguments(recipe)) as node:
        node.send_description(ARM.read_text(encoding='utf-8'))
        node.ready()
        if 'state_topic' in recipe:
            node.publish(JointState, 'joint_states', JointState(
                name=list(CHAIN.joint_names), position=[0.0] * 6))
        assert sent(node, CHAIN.forward(MEASURED)).level == DiagnosticStatus.OK
        assert '[ERROR]' not in node.log()


def sent(node, T):
    """Send a pose (4, 4); return the status."""
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(PoseStamped, 'goal_pose', PoseStamped(pose=matrix_to_pose(T)))
    assert node.until(lambda: statuses), node.log()
    return statuses[-1]


def controlled(node):
    """Let a node that runs by the recipe move the arm of a controller; check where it rests."""
    side = ControllerNode(node.node, CHAIN.joint_names, MEASURED, others={'finger': 0.02},
                          tolerance=0.2)
    states = node.listen(JointState, 'joint_states')
    own = node.listen(JointState, 'ik_node/joint_states')
    node.send_description(ARM.read_text(encoding='utf-8'))
    assert node.until(lambda: states and own and own[-1].position.tolist() == pytest.approx(
        MEASURED)), node.log()
    for goal in (CHAIN.forward(MEASURED + offset) for offset in (0.2, -0.3)):
        assert sent(node, goal).level == DiagnosticStatus.OK
        assert node.until(lambda goal=goal: np.abs(
            CHAIN.forward(side.controller.measured.q) - goal).max() < 1e-5), node.log()
    assert side.controller.refused == []
    assert {len(state.name) for state in states} == {len(CHAIN.joint_names) + 1}
    assert {len(state.name) for state in own} == {len(CHAIN.joint_names)}
    assert '[WARN]' not in node.log()
    assert '[ERROR]' not in node.log()


def test_the_recipe_for_ros2_control_moves_the_arm_of_a_controller():
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(*arguments(CONTROL)) as node:
        controlled(node)


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    """Return a folder with the files that the recipes of a page name; it is the present one."""
    page = request.getfixturevalue('page')
    text = ARM.read_text(encoding='utf-8')
    for name, other in NAMES.get(page, {}).items():
        text = text.replace(f'"{name}"', f'"{other}"')
    (tmp_path / 'arm.urdf').write_text(text)
    shutil.copy(robots.OWN / 'torso.urdf', tmp_path)
    for name in ('config', 'urdf'):
        (tmp_path / name).symlink_to(ROOT / name)
    trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / 'part.stl')
    if page == 'docs/reachability.md':
        chain = KinematicTree.from_dh(ROOT / 'config' / 'dh' / 'puma560.yaml').chain()
        reachability_map(chain, 0.4, 4, 4).save(tmp_path / 'puma560.reach.npz')
    np.save(tmp_path / 'scan.npy', np.array([[0.0, 0.0, 2.0]]))
    np.savetxt(tmp_path / 'motion.csv', np.linspace(0.8, 1.1, 8)[:, None] * np.arange(1, 7),
               delimiter=',', header=','.join(CHAIN.joint_names), comments='')
    for block_page, language, block in BLOCKS:
        if (block_page, language) == (page, 'yaml') and page in WRITTEN:
            (tmp_path / WRITTEN[page]).write_text(block.replace('/home/me', str(tmp_path)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(('page', 'recipe'), IN_SHELL, ids=[page for page, _ in IN_SHELL])
def test_the_commands_of_a_recipe_do_what_they_say(page, recipe, folder):
    with contextlib.ExitStack() as stack:
        node = None
        for words in lines(recipe):
            words = [word for word in words if not word.startswith('.venv')]
            if {'launch', 'ik_teleop', 'joy'} & {*words}:  # see test_teleop.py
                continue
            if '--ros-args' in words:
                node = stack.enter_context(running(*words[words.index('--ros-args') + 1:]))
                assert node.alive(), node.log()
            elif words[0] == 'ros2':
                node = node or stack.enter_context(running(urdf_path=ARM))
                COMMANDS[words[1], words[2]](node, *words[3:])
                assert node.alive(), node.log()


def set_parameter(node, _, parameter, text):
    value = yaml.safe_load(text)
    assert node.set(**{parameter: value}) == (True, ''), (parameter, value)


def publish(node, *words):
    topic, kind, text = (word for word in words if not word.startswith('-'))
    message = message_type(kind)()
    fill(message, yaml.safe_load(text))
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(type(message), topic.strip('/'), message)
    assert node.until(lambda: statuses), node.log()
    assert statuses[-1].level == DiagnosticStatus.OK, statuses[-1].message


def call(node, service, kind, text='{}'):
    made = message_type(kind, 'srv')
    request = made.Request()
    fill(request, yaml.safe_load(text))
    response = node.call(made, service.strip('/'), request)
    if hasattr(response, 'success'):
        assert response.success, response.message


def run_command(_, name, *arguments):
    assert importlib.import_module(f'ik_node.commands.{name}').main(arguments) == 0


def echo(node, topic):
    names = {publisher.topic_name for publisher in node.subject.publishers}
    assert topic in names


def message_type(kind, folder='msg'):
    """Return a type by its name, with or without the folder."""
    package, *_, name = kind.split('/')
    return getattr(pytest.importorskip(f'{package}.{folder}'), name)


COMMANDS = {('param', 'set'): set_parameter, ('topic', 'pub'): publish, ('service', 'call'): call,
            ('topic', 'echo'): echo, ('run', 'ik_node'): run_command,
            ('param', 'describe'): lambda node, _, name: node.describe(name),
            ('topic', 'info'): lambda node, *_: None}

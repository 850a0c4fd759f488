"""The configuration that launch/demo.launch.py makes for RViz; stand-ins record the actions."""

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import yaml

from ik_node import KinematicTree
from ik_node.support.resources import obstacles_file

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

FILE = Path(__file__).parents[2] / 'launch' / 'demo.launch.py'
NAMES = {
    'launch': ['LaunchContext', 'LaunchDescription'],
    'launch.actions': ['DeclareLaunchArgument', 'OpaqueFunction', 'RegisterEventHandler',
                       'Shutdown'],
    'launch.conditions': ['IfCondition'], 'launch.event_handlers': ['OnShutdown'],
    'launch.substitutions': ['LaunchConfiguration'], 'launch_ros': [],
    'launch_ros.actions': ['Node'], 'launch_ros.parameter_descriptions': ['ParameterValue']}


class Recorded(SimpleNamespace):
    """An action, with its arguments."""

    def __init__(self, *arguments, **named):
        super().__init__(arguments=arguments, named=named)

    def perform(self, context):
        return context[self.arguments[0]]


@pytest.fixture
def launch_file(monkeypatch, tmp_path):
    for module, names in NAMES.items():
        stand_in = ModuleType(module)
        for name in names:
            setattr(stand_in, name, type(name, (Recorded,), {}))
        monkeypatch.setitem(sys.modules, module, stand_in)
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    spec = importlib.util.spec_from_file_location('demo_launch', FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rviz_of(launch_file, **given):
    """Return what the launch file opens RViz by, and whether it is to."""
    values = {name: default for name, default, _ in launch_file.ARGUMENTS} | given
    (opened,) = [action for action in launch_file._start(values)
                 if action.named.get('function') is launch_file._open_rviz]
    return opened.named, opened.named['condition'].arguments[0]


def test_no_file_is_made_before_rviz_is_to_open(launch_file, tmp_path):
    _, condition = rviz_of(launch_file, rviz='false')
    assert condition == 'false'
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_for_the_robot_and_removed_when_launch_shuts_down(launch_file, tmp_path):
    opened, _ = rviz_of(launch_file, robot='scara', frame_prefix='left/')
    handler, rviz = opened['function']({}, *opened['args'])
    (file,) = tmp_path.iterdir()
    assert rviz.named['arguments'] == ['-d', str(file), '-f', 'left/base_link']
    displays = yaml.safe_load(file.read_text())['Visualization Manager']['Displays']
    assert 'left' in [display.get('TF Prefix') for display in displays]
    (on_shutdown,) = handler.arguments
    assert on_shutdown.named['on_shutdown'](None, None) is None
    assert list(tmp_path.iterdir()) == []
    on_shutdown.named['on_shutdown'](None, None)  # gone already


def test_a_motion_is_played_with_the_joints_of_its_root_in_place_of_the_node(launch_file):
    motions = FILE.parents[1] / 'config' / 'motions'
    values = {name: default for name, default, _ in launch_file.ARGUMENTS} | {
        'robot': str(motions / 'walker.asf'), 'motion': str(motions / 'walk.amc')}
    publisher, player, rviz = launch_file._start(values)
    (text,) = publisher.named['parameters'][0]['robot_description'].arguments
    assert {'world', 'lhand'} <= set(KinematicTree.from_urdf(text).links)
    assert player.named['executable'] == 'ik_play'
    assert player.named['arguments'][1:] == [values['motion'], '--loop', '--no-description']
    points, _, _, fixed_frame = rviz.named['args']
    assert fixed_frame == 'world'
    assert np.ptp(points(), axis=0).max() > 2.0  # m: the way of the walk, not the figure alone
    values['motion'] = str(motions / 'walker.asf')
    with pytest.raises(RuntimeError, match=r'demo\.launch\.py: .*walker\.asf'):
        launch_file._start(values)


def node_parameters(launch_file, **given):
    """Return the parameters that the launch file gives the node besides files."""
    values = {name: default for name, default, _ in launch_file.ARGUMENTS} | given
    (node,) = [action for action in launch_file._start(values)
               if action.named.get('executable') == 'ik_node']
    return node.named['parameters'][-1]


def test_the_solver_of_the_node_keeps_away_from_obstacles(launch_file):
    post = str(obstacles_file('post'))
    parameters = node_parameters(launch_file, robot='arm_7r', obstacles='post')
    assert (parameters['obstacles_path'], parameters['dls.avoid_collisions']) == (post, True)
    parameters = node_parameters(launch_file, robot='humanoid', obstacles=post)
    assert parameters['obstacles_path'] == post
    assert parameters['least_squares.avoid_collisions'] is True  # of the robot's own parameters
    assert 'ccd.avoid_collisions' in node_parameters(launch_file, solver='ccd', obstacles=post)
    assert 'obstacles_path' not in node_parameters(launch_file)
    with pytest.raises(RuntimeError, match=r"demo\.launch\.py: there are no obstacles 'wall'"):
        node_parameters(launch_file, obstacles='wall')


def workspace_of(launch_file, **given):
    """Return the arguments of the command that shows the workspace."""
    values = {name: default for name, default, _ in launch_file.ARGUMENTS} | given
    (shown,) = [action.named for action in launch_file._start(values)
                if action.named.get('function') is launch_file._show_workspace]
    (node,) = shown['function']({}, *shown['args'])
    return node.named['arguments']


def test_the_workspace_is_that_of_the_named_tip(launch_file):
    arguments = workspace_of(launch_file, robot='humanoid', tip='left_palm')
    assert arguments[arguments.index('--tip') + 1] == 'left_palm'
    assert 0.02 < float(arguments[arguments.index('--edge') + 1]) < 0.5  # m


def test_the_workspace_of_a_robot_with_several_tips_needs_one(launch_file):
    with pytest.raises(RuntimeError, match=r'name it with tip:=.*left_palm'):
        workspace_of(launch_file, robot='humanoid')

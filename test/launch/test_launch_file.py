"""What launch/demo.launch.py starts, and the configuration that it makes for RViz.

Stand-ins record the actions.
"""

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
MOTIONS = FILE.parents[1] / 'config' / 'motions'
NAMES = {
    'launch': ['LaunchContext', 'LaunchDescription'],
    'launch.actions': ['DeclareLaunchArgument', 'OpaqueFunction', 'RegisterEventHandler',
                       'Shutdown'],
    'launch.conditions': ['IfCondition'], 'launch.event_handlers': ['OnShutdown'],
    'launch.events': [], 'launch.events.process': ['ProcessExited'],
    'launch.substitutions': ['LaunchConfiguration'], 'launch_ros': [],
    'launch_ros.actions': ['Node'], 'launch_ros.parameter_descriptions': ['ParameterValue']}
PROGRAMS = {'robot_state_publisher': ['robot_state_publisher'], 'rviz2': ['rviz2'],
            'ik_node': ['ik_node', 'demo_goals', 'ik_play', 'ik_teleop', 'ik_workspace']}


class Recorded(SimpleNamespace):
    def __init__(self, *arguments, **named):
        super().__init__(arguments=arguments, named=named)

    def perform(self, context):
        return context[self.arguments[0]]

    def evaluate(self, context):
        return self.arguments[0] == 'true'


@pytest.fixture
def installed(tmp_path):
    """The folder of what is installed, lib/<package>/<program>."""
    for package, programs in PROGRAMS.items():
        (tmp_path / 'lib' / package).mkdir(parents=True)
        for program in programs:
            (tmp_path / 'lib' / package / program).touch()
    return tmp_path


@pytest.fixture
def launch_file(monkeypatch, tmp_path, installed):
    for module, names in NAMES.items():
        stand_in = ModuleType(module)
        for name in names:
            setattr(stand_in, name, type(name, (Recorded,), {}))
        monkeypatch.setitem(sys.modules, module, stand_in)
    (tmp_path / 'tmp').mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path / 'tmp'))
    spec = importlib.util.spec_from_file_location('demo_launch', FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, 'get_package_prefix', prefix_of(installed))
    return module


def prefix_of(folder):
    """Return what stands in for ament_index_python.get_package_prefix."""
    def prefix(package):
        if not (folder / 'lib' / package).is_dir():
            raise LookupError(package)
        return str(folder)
    return prefix


def started(launch_file, **given):
    """Return the arguments of the programs that are started, by executable, and other actions."""
    values = {name: default for name, default, _ in launch_file.ARGUMENTS} | given
    actions = launch_file._start(values)
    programs = {action.named['executable']: action.named for action in actions
                if 'executable' in action.named}
    return programs, [action for action in actions if 'executable' not in action.named]


def test_no_file_is_made_without_rviz(launch_file, tmp_path):
    programs, others = started(launch_file, rviz='false')
    assert [*programs] == ['robot_state_publisher', 'ik_node', 'demo_goals']
    assert others == []
    assert list((tmp_path / 'tmp').iterdir()) == []


def test_with_teleoperation_the_robot_follows_servo_in_place_of_goals(launch_file):
    programs, _ = started(launch_file, rviz='false', teleop='true')
    assert [*programs] == ['robot_state_publisher', 'ik_node', 'ik_teleop']
    assert programs['ik_node']['parameters'][-1]['motion'] == 'servo'


def test_the_file_is_for_the_robot_and_removed_when_launch_shuts_down(launch_file, tmp_path):
    programs, (handler,) = started(launch_file, robot='scara', namespace='cell',
                                   frame_prefix='left/')
    (folder,) = (tmp_path / 'tmp').iterdir()
    (file,) = folder.iterdir()
    assert programs['rviz2']['arguments'] == [
        '-d', str(file), '-f', 'left/base_link', '-t', 'scara cell - RViz']
    displays = yaml.safe_load(file.read_text())['Visualization Manager']['Displays']
    assert 'left' in [display.get('TF Prefix') for display in displays]
    (on_shutdown,) = handler.arguments
    assert on_shutdown.named['on_shutdown'](None, None) is None
    assert list((tmp_path / 'tmp').iterdir()) == []
    on_shutdown.named['on_shutdown'](None, None)  # gone already


def exited(status):
    """Return the event that a process has ended."""
    return SimpleNamespace(returncode=status, process_name='ik_node-2')


@pytest.mark.parametrize('given', [{'workspace': 'true'}, {
    'robot': str(MOTIONS / 'walker.asf'), 'motion': str(MOTIONS / 'walk.amc')}])
def test_whatever_ends_all_end(launch_file, given, monkeypatch):
    monkeypatch.setattr(launch_file, 'which', lambda name: f'/usr/bin/{name}')
    programs, _ = started(launch_file, **given)
    assert len(programs) >= 3
    for executable, arguments in programs.items():
        for status, is_shutdown in ((0, False), (-9, True)):
            ended = arguments['on_exit'](exited(status), SimpleNamespace(is_shutdown=is_shutdown))
            assert type(ended).__name__ == 'Shutdown'
        with pytest.raises(RuntimeError, match=r'demo\.launch\.py: ik_node-2 has failed'):
            arguments['on_exit'](exited(-9), SimpleNamespace(is_shutdown=False))
        assert arguments['exec_name'] == executable  # in the log, not setpriv
        assert arguments['prefix'] == 'setpriv --pdeathsig TERM'  # where launch is killed
    monkeypatch.setattr(launch_file, 'which', lambda name: None)
    assert started(launch_file, **given)[0]['rviz2']['prefix'] is None


@pytest.mark.parametrize(('given', 'words'), [
    ({'robot': 'nobody'}, "there is no robot 'nobody'"),
    ({'tip': 'hand'}, "there is no tip link 'hand'; there is 'base_link'"),
    ({'tip': 'hand', 'workspace': 'true'}, "there is no tip link 'hand'"),
    ({'base': 'link_9'}, "there is no base link 'link_9'"),
    ({'robot': 'humanoid', 'workspace': 'true'}, 'name the tip link: .*left_palm'),
    ({'robot': 'humanoid', 'tip': 'hand'}, "there is no tip link 'hand'"),
    ({'solver': 'fast'}, "there is no solver 'fast'; .*'dls'"),
    ({'robot': 'humanoid', 'solver': 'ccd'}, "there is no solver 'ccd'; .*'least_squares'"),
    ({'obstacles': 'wall'}, "there are no obstacles 'wall'"),
    ({'motion': 'walk.csv'}, r"cannot read the motion 'walk\.csv'")])
def test_wrong_arguments_are_refused_before_anything_starts(launch_file, tmp_path, given, words):
    with pytest.raises(RuntimeError, match=rf'demo\.launch\.py: .*{words}'):
        started(launch_file, **given)
    assert list((tmp_path / 'tmp').iterdir()) == []


@pytest.mark.parametrize('whole', [True, False])
@pytest.mark.parametrize('package', ['rviz2', 'robot_state_publisher'])
def test_a_missing_program_is_noticed_before_anything_starts(launch_file, installed, package,
                                                             whole):
    (installed / 'lib' / package / package).unlink()
    if whole:
        (installed / 'lib' / package).rmdir()
    with pytest.raises(RuntimeError, match=f'{package} is not installed') as caught:
        started(launch_file)
    assert ('rviz:=false' in str(caught.value)) == (package == 'rviz2')
    if package == 'rviz2':
        assert 'ik_node' in started(launch_file, rviz='false')[0]


def test_a_motion_is_played_with_the_joints_of_its_root_in_place_of_the_node(launch_file):
    values = {name: default for name, default, _ in launch_file.ARGUMENTS} | {
        'robot': str(MOTIONS / 'walker.asf'), 'motion': str(MOTIONS / 'walk.amc')}
    programs, _ = started(launch_file, **values)
    (text,) = programs['robot_state_publisher']['parameters'][0]['robot_description'].arguments
    assert {'world', 'lhand'} <= set(KinematicTree.from_urdf(text).links)
    assert programs['ik_play']['arguments'][1:] == [values['motion'], '--loop', '--no-description']
    arguments = programs['rviz2']['arguments']
    assert arguments[arguments.index('-f') + 1] == 'world'
    _, _, points = launch_file._play(values, set())
    assert np.ptp(points, axis=0).max() > 2.0  # m: the way of the walk, not the figure alone
    values['motion'] = str(MOTIONS / 'walker.asf')
    with pytest.raises(RuntimeError, match=r'demo\.launch\.py: .*walker\.asf'):
        started(launch_file, **values)


def node_parameters(launch_file, **given):
    """Return the parameters that the launch file gives the node besides files."""
    return started(launch_file, **given)[0]['ik_node']['parameters'][-1]


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


def test_the_workspace_is_that_of_the_named_tip(launch_file):
    programs, _ = started(launch_file, robot='humanoid', tip='left_palm', workspace='true')
    arguments = programs['ik_workspace']['arguments']
    assert arguments[arguments.index('--tip') + 1] == 'left_palm'
    assert 0.02 < float(arguments[arguments.index('--edge') + 1]) < 0.5  # m

"""Demonstration in RViz: robot_state_publisher, ik_node, RViz, and goals until there are others.

ros2 launch ik_node demo.launch.py robot:=arm_7r solver:=ccd

ros2 launch ik_node demo.launch.py robot:=arm_7r obstacles:=post

A recorded motion is played, see docs/playback.md, where one is named:

ros2 launch ik_node demo.launch.py robot:=humanoid motion:=/tmp/walk.yaml

For several robots, start it several times, each with its own namespace and prefix:

ros2 launch ik_node demo.launch.py robot:=arm_7r namespace:=left frame_prefix:=left/
"""

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import yaml
from launch.actions import (
    DeclareLaunchArgument,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.conditions import IfCondition
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from ik_node import IkError, KinematicTree
from ik_node.commands.demo.rviz_view import arm_of, fit, motion_points, shown_points
from ik_node.control.options import NodeOptions
from ik_node.kinematics.reach import reach
from ik_node.mocap.recording_files import read_recording
from ik_node.model.readers import FORMATS, read_model
from ik_node.ros.publishing.markers.shapes import shown_size
from ik_node.support.resources import obstacles_file, own_robots, robot_file, share_folder
from launch import LaunchContext, LaunchDescription

ARGUMENTS = [
    ('robot', 'arm_6r', f'a file, {FORMATS}, or one of {", ".join(own_robots())}'),
    ('base', '', 'base link of the chain; empty: the root link'),
    ('tip', '', 'tip link of the chain; empty: the only leaf, *tool* or *tcp*'),
    ('solver', '', 'the solver, one of the whole body for a robot with tasks; empty: that of the '
     'robot\'s own parameters, or dls'),
    ('obstacles', '', 'a YAML file of obstacles that the robot keeps away from, or post, of this '
     'package; empty: none'),
    ('motion', '', 'a recorded motion of the robot, .amc, .yaml or .csv, that ik_play plays again '
     'and again; empty: ik_node is started'),
    ('namespace', '', 'namespace of the nodes and their topics'),
    ('frame_prefix', '', 'prefix of link names in tf, such as left/'),
    ('rviz', 'true', 'whether to open RViz'),
    ('goals', 'true', 'whether to send goals until another node does'),
    ('workspace', 'false', 'whether to show the workspace of the tip, computed in some seconds; '
     'a robot with several tips needs tip:='),
]


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the rest waits for their values."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list:
    values = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    config = share_folder() / 'config'
    try:
        file = robot_file(values['robot'])
        tree = read_model(file)
        if values['motion']:
            return _play(file, tree, values)
        obstacles = str(obstacles_file(values['obstacles'])) if values['obstacles'] else ''
    except (IkError, FileNotFoundError) as error:
        raise RuntimeError(f'demo.launch.py: {error}') from error
    parameters: list = [str(config / 'demo.yaml')]
    of_robot = config / f'{file.stem}.yaml'
    if of_robot.is_file():
        parameters.append(str(of_robot))
    prefix, namespace = values['frame_prefix'], values['namespace']
    links = {f'{end}_link': values[end] for end in ('base', 'tip') if values[end]}
    own = yaml.safe_load(of_robot.read_text())['/**']['ros__parameters'] if (
        of_robot.is_file()) else {}
    base, tip = ({**own, **links}.get(f'{end}_link', '') for end in ('base', 'tip'))
    options = NodeOptions.read({**NodeOptions.defaults(), **{
        name: own[name] for name in ('root', 'root_pose') if name in own}})
    chain = None if 'tasks' in own else arm_of(tree, base, tip)
    points = functools.partial(shown_points, tree, chain, options)
    solver = {'solver': values['solver']} if values['solver'] else {}
    if obstacles:
        name = values['solver'] or own.get('solver', 'dls')
        solver.update({'obstacles_path': obstacles, f'{name}.avoid_collisions': True})
    # A moving root is placed in the world.
    fixed_frame = prefix + tree.root if options.root == 'fixed' else 'world'
    # The same text for both: robot_state_publisher takes it as a parameter only.
    description = {'robot_description': ParameterValue(tree.description, value_type=str)}
    prefixed = {'frame_prefix': ParameterValue(prefix, value_type=str)}
    return [
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             namespace=namespace, parameters=[{**description, **prefixed}]),
        Node(package='ik_node', executable='ik_node', namespace=namespace, output='screen',
             parameters=[*parameters, {**links, **description, **prefixed, **solver}]),
        Node(package='ik_node', executable='demo_goals', namespace=namespace, output='screen',
             parameters=[*parameters, links], condition=IfCondition(values['goals'])),
        OpaqueFunction(function=_show_workspace, args=[file, tree, base, tip, namespace, prefix],
                       condition=IfCondition(values['workspace'])),
        OpaqueFunction(function=_open_rviz,
                       args=[points, namespace, prefix, fixed_frame],
                       condition=IfCondition(values['rviz']))]


def _play(file: Path, tree: KinematicTree, values: dict[str, str]) -> list:
    """Play a recorded motion. Raises IkError for one that cannot be read."""
    recording = read_recording(values['motion'], tree)
    prefix, namespace = values['frame_prefix'], values['namespace']
    # With the joints of the root, where the motion has values of them.
    description = {'robot_description': ParameterValue(recording.tree.to_urdf(), value_type=str)}
    prefixed = {'frame_prefix': ParameterValue(prefix, value_type=str)}
    return [
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             namespace=namespace, parameters=[{**description, **prefixed}]),
        Node(package='ik_node', executable='ik_play', namespace=namespace, output='screen',
             arguments=[str(file), values['motion'], '--loop', '--no-description']),
        OpaqueFunction(function=_open_rviz,
                       args=[functools.partial(motion_points, recording), namespace, prefix,
                             prefix + recording.tree.root],
                       condition=IfCondition(values['rviz']))]


def _show_workspace(context: LaunchContext, file: Path, tree: KinematicTree, base: str, tip: str,
                    namespace: str, prefix: str) -> list:
    """Compute and publish the workspace of the tip."""
    try:
        chain = tree.chain(base or None, tip or None)
    except IkError as error:
        raise RuntimeError('demo.launch.py: workspace:=true shows what one tip reaches; name it '
                           f'with tip:=. {error}') from error
    return [Node(package='ik_node', executable='ik_workspace', namespace=namespace,
                 # Few voxels: quick to compute, and the robot stays visible.
                 arguments=[str(file), '--base', chain.base_link, '--tip', chain.tip_link,
                            '--edge', f'{0.1 * shown_size(reach(chain.arrays)[1]):.3g}',
                            '--publish', '--frame-prefix', prefix])]


def _open_rviz(context: LaunchContext, points: Callable[[], np.ndarray], namespace: str,
               prefix: str, fixed_frame: str) -> list:
    """Open RViz with a configuration of its own, which is removed at the end.

    points: returns what the first view has to show, (k, 3), m.
    """
    config = yaml.safe_load((share_folder() / 'config' / 'demo.rviz').read_text())
    fit(config, points())
    for display in config['Visualization Manager']['Displays']:
        if display['Class'] == 'rviz_default_plugins/RobotModel':
            display['TF Prefix'] = prefix.removesuffix('/')  # RViz puts a slash of its own behind
    with tempfile.NamedTemporaryFile('w', suffix='.rviz', delete=False) as fitted:
        yaml.safe_dump(config, fitted)
    file = Path(fitted.name)
    return [
        RegisterEventHandler(OnShutdown(
            on_shutdown=lambda event, context: file.unlink(missing_ok=True))),
        Node(package='rviz2', executable='rviz2', namespace=namespace,
             arguments=['-d', str(file), '-f', fixed_frame], on_exit=Shutdown())]

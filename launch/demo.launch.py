"""Demonstration in RViz: robot_state_publisher, ik_node, RViz, and goals until there are others.

ros2 launch ik_node demo.launch.py robot:=arm_7r solver:=ccd

For several robots, start it several times, each with its own namespace and prefix:

ros2 launch ik_node demo.launch.py robot:=arm_7r namespace:=left frame_prefix:=left/
"""

import tempfile
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
from ik_node.model.readers import FORMATS, read_model
from ik_node.resources import own_robots, robot_file, share_folder
from launch import LaunchContext, LaunchDescription

ARGUMENTS = [
    ('robot', 'arm_6r', f'a file, {FORMATS}, or one of {", ".join(own_robots())}'),
    ('base', '', 'base link of the chain; empty: the root link'),
    ('tip', '', 'tip link of the chain; empty: the only leaf, *tool* or *tcp*'),
    ('solver', '', 'the solver, one of the whole body for a robot with tasks; empty: that of the '
     'robot\'s own parameters, or dls'),
    ('namespace', '', 'namespace of the nodes and their topics'),
    ('frame_prefix', '', 'prefix of link names in tf, such as left/'),
    ('rviz', 'true', 'whether to open RViz'),
    ('goals', 'true', 'whether to send goals until another node does'),
    ('workspace', 'false', 'whether to show the workspace of the tip, computed in some seconds'),
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
    chosen = [part for end in ('base', 'tip') if (link := {**own, **links}.get(f'{end}_link'))
              for part in (f'--{end}', link)]
    solver = {'solver': values['solver']} if values['solver'] else {}
    # A moving root is placed in the world.
    fixed_frame = prefix + tree.root if own.get('root', 'fixed') == 'fixed' else 'world'
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
        Node(package='ik_node', executable='ik_workspace', namespace=namespace,
             # Few voxels: quick to compute, and the robot stays visible.
             arguments=[str(file), *chosen, '--edge', f'{0.1 * _size(tree):.3g}', '--publish',
                        '--frame-prefix', prefix],
             condition=IfCondition(values['workspace'])),
        OpaqueFunction(function=_open_rviz, args=[tree, namespace, prefix, fixed_frame],
                       condition=IfCondition(values['rviz']))]


def _open_rviz(context: LaunchContext, tree: KinematicTree, namespace: str, prefix: str,
               fixed_frame: str) -> list:
    """Open RViz with a configuration of its own, which is removed at the end."""
    file = Path(_rviz_config(share_folder() / 'config' / 'demo.rviz', tree, prefix))
    return [
        RegisterEventHandler(OnShutdown(
            on_shutdown=lambda event, context: file.unlink(missing_ok=True))),
        Node(package='rviz2', executable='rviz2', namespace=namespace,
             arguments=['-d', str(file), '-f', fixed_frame], on_exit=Shutdown())]


def _size(tree: KinematicTree) -> float:
    """Return how far the robot gets from its root as it stands at zero, m."""
    return max(0.3, *(float(np.linalg.norm(T[:3, 3])) for T in tree.forward().values()))


def _rviz_config(file: Path, tree: KinematicTree, prefix: str) -> str:
    """Return an RViz configuration whose view and grid fit the size of the robot."""
    size = _size(tree)
    height = max(float(T[2, 3]) for T in tree.forward().values())
    config = yaml.safe_load(file.read_text())
    view = config['Visualization Manager']['Views']['Current']
    view['Distance'] = 2.8 * size
    view['Focal Point']['Z'] = 0.45 * height
    for display in config['Visualization Manager']['Displays']:
        if display['Class'] == 'rviz_default_plugins/Grid':
            display['Cell Size'] = float(f'{size / 5.0:.0e}')
        elif display['Class'] == 'rviz_default_plugins/RobotModel':
            display['TF Prefix'] = prefix.removesuffix('/')  # RViz puts a slash of its own behind
    with tempfile.NamedTemporaryFile('w', suffix='.rviz', delete=False) as fitted:
        yaml.safe_dump(config, fitted)
    return fitted.name

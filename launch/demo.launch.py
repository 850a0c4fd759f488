"""The node at work in RViz: robot_state_publisher, ik_node, RViz and, until you have some, goals.

ros2 launch ik_node demo.launch.py robot:=arm_7r solver:=ccd

Several robots at a time are as many of it, each with a namespace and a prefix of its own:

ros2 launch ik_node demo.launch.py robot:=arm_7r namespace:=left frame_prefix:=left/
"""

import tempfile
from pathlib import Path

import numpy as np
import yaml
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from ik_node import IkError, KinematicTree
from ik_node.model.files import read_robot
from ik_node.resources import robot_file, share_folder
from launch import LaunchContext, LaunchDescription

ARGUMENTS = [
    ('robot', 'arm_6r', 'a URDF or xacro file, a .yaml of Denavit-Hartenberg rows, or one of '
     'arm_6r, arm_7r, planar_3r, scara, torso, panda, puma560'),
    ('base', '', 'where the chain begins; empty: the root link'),
    ('tip', '', 'the link that is to meet the goals; empty: the only leaf, *tool* or *tcp*'),
    ('solver', 'dls', 'the method'),
    ('namespace', '', 'of the nodes and their topics'),
    ('frame_prefix', '', 'what is put before the names of links in tf, as left/'),
    ('rviz', 'true', 'whether to open RViz'),
    ('goals', 'true', 'whether to send goals until somebody else does'),
    ('workspace', 'false', 'whether to show where the tip can get; found out first, in seconds'),
]


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the rest waits for their values."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list:
    given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    config = share_folder() / 'config'
    try:
        file = robot_file(given['robot'])
        tree = read_robot(file)
    except (IkError, FileNotFoundError) as error:
        raise RuntimeError(f'demo.launch.py: {error}') from error
    parameters: list = [str(config / 'demo.yaml')]
    of_robot = config / f'{file.stem}.yaml'
    if of_robot.is_file():
        parameters.append(str(of_robot))
    ends = {f'{end}_link': given[end] for end in ('base', 'tip') if given[end]}
    own = yaml.safe_load(of_robot.read_text())['/**']['ros__parameters'] if (
        of_robot.is_file()) else {}
    chosen = [part for end in ('base', 'tip') if (link := {**own, **ends}.get(f'{end}_link'))
              for part in (f'--{end}', link)]
    # The same text for both: robot_state_publisher takes it as a parameter only.
    description = {'robot_description': ParameterValue(tree.description, value_type=str)}
    prefix, namespace = given['frame_prefix'], given['namespace']
    prefixed = {'frame_prefix': ParameterValue(prefix, value_type=str)}
    return [
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             namespace=namespace, parameters=[{**description, **prefixed}]),
        Node(package='ik_node', executable='ik_node', namespace=namespace, output='screen',
             parameters=[*parameters, {**ends, **description, **prefixed,
                                       'solver': given['solver']}]),
        Node(package='ik_node', executable='demo_goals', namespace=namespace, output='screen',
             parameters=[*parameters, ends], condition=IfCondition(given['goals'])),
        Node(package='ik_node', executable='ik_workspace', namespace=namespace,
             # Few voxels: they are found out soon, and one sees the robot among them.
             arguments=[str(file), *chosen, '--edge', f'{0.1 * _size(tree):.3g}', '--publish',
                        '--frame-prefix', prefix],
             condition=IfCondition(given['workspace'])),
        Node(package='rviz2', executable='rviz2', namespace=namespace, arguments=[
            '-d', _rviz_config(config / 'demo.rviz', tree, prefix), '-f', prefix + tree.root],
             on_exit=Shutdown(), condition=IfCondition(given['rviz']))]


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

"""Demonstration in RViz: robot_state_publisher, ik_node, RViz, and goals until there are others.

ros2 launch ik_node demo.launch.py robot:=arm_7r solver:=ccd

ros2 launch ik_node demo.launch.py robot:=arm_7r obstacles:=post

A recorded motion is played, see docs/playback.md, where one is named:

ros2 launch ik_node demo.launch.py robot:=humanoid motion:=/tmp/walk.yaml

For several robots, start it several times, each with its own namespace and prefix:

ros2 launch ik_node demo.launch.py robot:=arm_7r namespace:=left frame_prefix:=left/
"""

import contextlib
import tempfile
from pathlib import Path
from shutil import which
from typing import Any, TypeAlias

import numpy as np
import yaml
from ament_index_python import get_package_prefix
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler, Shutdown
from launch.conditions import IfCondition
from launch.event_handlers import OnShutdown
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from ik_node import IkError
from ik_node.commands.demo.rviz_view import fit, motion_points, shown_points
from ik_node.control.options import BODY_SOLVERS, SERVO, SOLVERS, NodeOptions
from ik_node.kinematics.reach import extent
from ik_node.mocap.recording_files import read_recording
from ik_node.model.readers import FORMATS, read_model
from ik_node.ros.publishing.markers.shapes import shown_size
from ik_node.support.exceptions import OptionError, unknown
from ik_node.support.resources import obstacles_file, own_robots, robot_file, share_folder
from launch import LaunchContext, LaunchDescription

# Nodes, the fixed frame of RViz, and the points (k, 3), m, that its first view has to show.
Plan: TypeAlias = tuple[list[Node], str, np.ndarray]

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
    ('teleop', 'false', 'whether the robot follows a gamepad, by ik_teleop, in place of '
     'goals: see docs/teleop.md'),
    ('workspace', 'false', 'whether to show the workspace of the tip, computed in some seconds; '
     'a robot with several tips needs tip:='),
]
SWITCHES = ['true', 'false', 'True', 'False', '1', '0']  # what launch's conditions take


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the rest waits for their values."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text,
                                choices=SWITCHES if default in SWITCHES else None)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=_start)])


def _start(context: LaunchContext) -> list:
    """Check everything, then return the actions: launch ends nothing begun before an error."""
    values = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    wanted = {name for name in ('rviz', 'goals', 'teleop', 'workspace')
              if IfCondition(values[name]).evaluate(context)}
    try:
        nodes, *view = (_play if values['motion'] else _solve)(values, wanted)
        return nodes + (_open_rviz(values, *view) if 'rviz' in wanted else [])
    except (IkError, OSError) as error:
        raise RuntimeError(f'demo.launch.py: {error}') from error


def _solve(values: dict[str, str], wanted: set[str]) -> Plan:
    """Plan the node and its goals. Raises IkError and FileNotFoundError for wrong arguments."""
    file, config = robot_file(values['robot']), share_folder() / 'config'
    tree, of_robot = read_model(file), config / f'{file.stem}.yaml'
    parameters: list = [str(path) for path in (config / 'demo.yaml', of_robot) if path.is_file()]
    own = yaml.safe_load(of_robot.read_text())['/**']['ros__parameters'] if (
        of_robot.is_file()) else {}
    links = {f'{end}_link': values[end] for end in ('base', 'tip') if values[end]}
    chain = None if 'tasks' in own and not links and 'workspace' not in wanted else tree.chain(
        *({**own, **links}.get(f'{end}_link') for end in ('base', 'tip')))
    solver, solvers = values['solver'], BODY_SOLVERS if 'tasks' in own else SOLVERS
    if solver and solver not in solvers:
        raise OptionError(unknown('solver', solver, solvers))
    of_node = {**links, **({'solver': solver} if solver else {})}
    if values['obstacles']:
        of_node |= {'obstacles_path': str(obstacles_file(values['obstacles'])),
                    f'{solver or own.get("solver", "dls")}.avoid_collisions': True}
    if 'teleop' in wanted:
        of_node['motion'] = SERVO
    # The same text for both: robot_state_publisher takes it as a parameter only.
    described = _described(tree.description, values)
    nodes = [_node(values, 'robot_state_publisher', parameters=[described]),
             _node(values, 'ik_node', parameters=[*parameters, {**of_node, **described}])]
    if 'teleop' in wanted:
        nodes.append(_node(values, 'ik_teleop'))
    elif 'goals' in wanted:
        nodes.append(_node(values, 'demo_goals', parameters=[*parameters, links]))
    if chain is not None and 'workspace' in wanted:
        edge = 0.1 * shown_size(extent(chain.arrays).reach)  # few voxels: quick to compute
        nodes.append(_node(values, 'ik_workspace', arguments=[
            str(file), '--base', chain.base_link, '--tip', chain.tip_link, '--edge', f'{edge:.3g}',
            '--publish', '--frame-prefix', values['frame_prefix']]))
    options = NodeOptions.read({name: own[name] for name in ('root', 'root_pose') if name in own})
    # A moving root is placed in the world.
    fixed_frame = values['frame_prefix'] + tree.root if options.root == 'fixed' else 'world'
    return nodes, fixed_frame, shown_points(tree, None if 'tasks' in own else chain, options)


def _play(values: dict[str, str], wanted: set[str]) -> Plan:
    """Plan that a recorded motion is played. Raises as `_solve`."""
    file = robot_file(values['robot'])
    recording = read_recording(values['motion'], read_model(file))
    # With the joints of the root, where the motion has values of them.
    described = _described(recording.tree.to_urdf(), values)
    nodes = [_node(values, 'robot_state_publisher', parameters=[described]),
             _node(values, 'ik_play', arguments=[
                 str(file), values['motion'], '--loop', '--no-description'])]
    return nodes, values['frame_prefix'] + recording.tree.root, motion_points(recording)


def _described(text: str, values: dict[str, str]) -> dict[str, ParameterValue]:
    """Return the parameters of a robot: its description, and the prefix of its frames."""
    return {'robot_description': ParameterValue(text, value_type=str),
            'frame_prefix': ParameterValue(values['frame_prefix'], value_type=str)}


def _node(values: dict[str, str], executable: str, **more: Any) -> Node:
    """Return a node whose end ends all. Raises FileNotFoundError where it is not installed."""
    own = executable not in ('robot_state_publisher', 'rviz2')
    package = 'ik_node' if own else executable
    with contextlib.suppress(LookupError):
        if Path(get_package_prefix(package), 'lib', package, executable).is_file():
            return Node(package=package, executable=executable, exec_name=executable, **more,
                        namespace=values['namespace'], output='screen' if own else 'log',
                        # On SIGTERM and SIGKILL launch leaves its processes behind.
                        prefix=which('setpriv') and 'setpriv --pdeathsig TERM', on_exit=_ended)
    hint = '; rviz:=false starts the others without it' if package == 'rviz2' else ''
    raise FileNotFoundError(f'{executable} is not installed, or no setup file that knows it is '
                            f'sourced{hint}')


def _ended(event: ProcessExited, context: LaunchContext) -> Shutdown:
    """End all. Raises RuntimeError, for an exit status of 1, where the process has failed."""
    if event.returncode and not context.is_shutdown:
        raise RuntimeError(f'demo.launch.py: {event.process_name} has failed')
    return Shutdown()


def _open_rviz(values: dict[str, str], fixed_frame: str, points: np.ndarray) -> list:
    """Open RViz on points (k, 3), m, with a configuration of its own, removed at the end."""
    config = yaml.safe_load((share_folder() / 'config' / 'demo.rviz').read_text())
    fit(config, points)
    for display in config['Visualization Manager']['Displays']:
        if display['Class'] == 'rviz_default_plugins/RobotModel':
            # RViz puts a slash of its own behind.
            display['TF Prefix'] = values['frame_prefix'].removesuffix('/')
    folder = tempfile.TemporaryDirectory(prefix='ik_node_')
    file = Path(folder.name, 'demo.rviz')
    file.write_text(yaml.safe_dump(config))
    title = f'{Path(values["robot"]).stem} {values["namespace"]}'.rstrip() + ' - RViz'
    return [
        _node(values, 'rviz2', arguments=['-d', str(file), '-f', fixed_frame, '-t', title]),
        RegisterEventHandler(OnShutdown(on_shutdown=lambda event, context: folder.cleanup()))]

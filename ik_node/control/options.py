"""Options of the node: one table for checks, ROS parameters and documentation."""

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ik_node.model.body import ROOTS
from ik_node.model.chain import Chain
from ik_node.model.readers import FORMATS
from ik_node.model.tree import KinematicTree
from ik_node.solvers.registry import body_solver_names, built_in_names, solver_names
from ik_node.spatial import pose_from_rpy
from ik_node.support.bounds import MAX_BYTES
from ik_node.support.exceptions import OptionError, names
from ik_node.support.options import Options, option
from ik_node.support.resources import own_robots

BODY_SOLVERS = tuple(name for name in body_solver_names()
                       if name not in solver_names() or name in built_in_names())
"""The solvers of a whole body; the name of a plug-in is that of its solver of arms."""
SOLVERS = tuple(dict.fromkeys((*solver_names(), *BODY_SOLVERS)))
"""Those of arms, then those that solve for a whole body only."""
COUPLED_SOLVERS = ('dls', 'auto', *BODY_SOLVERS)
"""The solvers of arms that share joints; the first two stand for least_squares."""

AUTO = 'auto'  # the value of task_weights for the axes that the arm can serve
JUMP, JOINT, CARTESIAN, SERVO = MOTIONS = ('jump', 'joint', 'cartesian', 'servo')
NO_OUTPUT, TRAJECTORY, ACTION, POSITIONS = OUTPUTS = (
    'none', 'trajectory', 'follow_joint_trajectory', 'position_commands')
TWIST, JOINTS, POSE = COMMAND_TYPES = ('twist', 'joint', 'pose')
SIDE = 'side_joints'  # the group of joints that no arm has, and the prefix of its parameters
UNITLESS = 'unitless'  # the value of command_in_type for parts of the speeds of scale.*
JOY, KEYBOARD, PHONE = INPUTS = 'joy', 'keyboard', 'phone'
MODEL_PATHS = ('model_path', 'urdf_path', 'dh_path', 'mjcf_path')
"""The parameter of the robot's file, and its synonyms."""


def solves_arms(solver: str) -> bool:
    """Return whether a solver solves for an arm; some do, and for a whole body, too."""
    return solver not in BODY_SOLVERS or solver in solver_names()


def solves_body(solver: str, tasks: Sequence[str], root: str) -> bool:
    """Return whether a solver is used for the whole body, with these tasks and this root."""
    return solver in BODY_SOLVERS and (
        bool(tasks) or root != 'fixed' or not solves_arms(solver))


@dataclass(frozen=True)
class ModelOptions(Options):
    """Source of the robot: the text, else the file, else the topic."""

    robot_description: str = option(
        '', 'the robot as URDF text; empty: read from the file model_path, or received on the '
        'topic robot_description', longest=MAX_BYTES)
    model_path: str = option(
        '', f'file of the robot: {FORMATS}; or the name of a robot of this package, or of the '
        'package robot_descriptions, which is downloaded')
    urdf_path: str = option('', 'a synonym of model_path')
    dh_path: str = option('', 'a synonym of model_path')
    mjcf_path: str = option('', 'a synonym of model_path')
    xacro_args: Any = option(
        None, 'arguments of the xacro file, each as name:=value', kind=str, listed=True,
        optional=True)
    hold_complex_joints: bool = option(
        False, 'whether planar and floating joints are fixed; else they move as joints of '
        'one degree of freedom')
    soft_limits: bool = option(
        True, 'whether the soft limits of safety controllers narrow those of the joints')
    poses: str = option(
        '', 'file of named poses for start_pose: .yaml, .srdf with group states, or MJCF '
            'with keyframes')
    srdf_path: str = option(
        '', 'SRDF file, or MJCF, with the pairs of links that may touch one another; empty: the '
        '.srdf file beside that of the robot, with the same name, or the MJCF itself')
    obstacles_path: str = option(
        '', 'YAML file of obstacles, in the frame of the root link, or the world where the root '
        'moves; empty: none')
    reachability_map: str = option(
        '', 'reachability map (.reach.npz) of the robot, or of one of its arms, by which '
        '~/reachability_query is answered; empty: none')

    def path(self) -> str:
        """Return the file to read; '' for none. Raises OptionError for two different ones."""
        files = {name: path for name in MODEL_PATHS if (path := getattr(self, name))}
        if len(set(files.values())) > 1:
            raise OptionError(f'{" and ".join(files)} are synonyms and name different files, '
                              f'{names(files.values())}; set one of them, and "" for the others')
        return model_path(vars(self))


def model_path(parameters: Mapping[str, Any]) -> str:
    """Return the file of the robot in a node's parameters, name → value; '' for none.

    Robots of this package are found by their names.
    """
    path = next((str(path) for name in MODEL_PATHS if (path := parameters.get(name))), '')
    if is_name(path):
        with contextlib.suppress(FileNotFoundError):  # where they are not installed
            return str(own_robots().get(path, path))
    return path


def is_name(path: str) -> bool:
    """Return whether what stands for a file of a robot is a name."""
    return re.fullmatch(r'\w{1,80}', path) is not None and not Path(path).exists()


@dataclass(frozen=True)
class MotionOptions(Options):
    """Options of the motion of some joints, and of what a controller gets of it."""

    velocity_limits: Any = option(
        None, 'velocity limits, one number or one for each joint, base to tip; none: those of the '
        'description, and 1 rad/s or 0.25 m/s where it has none', 'rad/s or m/s',
        low=0.0, positive=True, per_joint=True, optional=True)
    acceleration_limits: Any = option(
        None, 'acceleration limits; none: those of the description, and full speed within 0.5 s '
        'where it has none', 'rad/s² or m/s²', low=0.0, positive=True, per_joint=True,
        optional=True)
    jerk_limits: Any = option(
        None, 'jerk limits; none: those of the description, and full acceleration within 0.1 s '
        'where it has none', 'rad/s³ or m/s³', low=0.0, positive=True, per_joint=True,
        optional=True)
    speed: float = option(
        1.0, 'factor of the speed of motions: at 0.5 they take twice as long on the same path',
        low=0.0, high=1.0, positive=True)
    output: str = option(
        NO_OUTPUT, 'what a controller gets of every motion, besides joint states: none; '
        'trajectory, for joint_trajectory_controller, or follow_joint_trajectory, for its action; '
        'or position_commands at publish_rate, for forward_command_controller, see docs/motion.md',
        choices=OUTPUTS)
    output_topic: str = option(
        '', 'the topic of output, such as /joint_trajectory_controller/joint_trajectory or '
        '/forward_position_controller/commands, or the name of the action')
    command_joints: Any = option(
        None, 'joints of the controller in its order, of position_commands; those that the arm '
        'does not have keep their values; none: those of the arm, base to tip', kind=str,
        listed=True, optional=True)
    path_tolerance: float = option(
        0.0, 'largest error of a joint on a trajectory of follow_joint_trajectory; 0: that of the '
        'controller', 'rad or m', low=0.0)
    goal_tolerance: float = option(
        0.0, 'largest error at its end; 0: that of the controller', 'rad or m', low=0.0)
    goal_time_tolerance: float = option(
        0.0, 'time that joints may need to come within goal_tolerance; 0: that of the controller',
        's', low=0.0, high=1e6)
    start_tolerance: float = option(
        0.05, 'with output and state_topic: largest distance of a measured joint from where a '
        'motion begins, beyond which the goal is refused; 0: any', 'rad or m', low=0.0)
    trajectory_topic: str = option(
        '', 'a synonym, for one release, of output_topic with the output trajectory')

    @property
    def command_output(self) -> tuple[str, str]:
        """The kind of output and its topic. Raises OptionError where they do not fit."""
        if self.trajectory_topic:
            if self.output != NO_OUTPUT or self.output_topic:
                raise OptionError('trajectory_topic must be empty with output and output_topic, '
                                  f'which take its place, not {self.trajectory_topic!r}')
            return TRAJECTORY, self.trajectory_topic
        if self.output != NO_OUTPUT and not self.output_topic:
            raise OptionError(f'output must be {NO_OUTPUT!r} without output_topic, not '
                              f'{self.output!r}: set that first')
        return self.output, self.output_topic if self.output != NO_OUTPUT else ''


@dataclass(frozen=True)
class ArmOptions(MotionOptions):
    """Options of one arm."""

    base_link: str = option('', 'base link of the chain; empty: the root link')
    tip_link: str = option(
        '', 'tip link of the chain, which meets the goals; empty: the only leaf, else the one '
        'named *tool* or *tcp*')
    tool: Any = option(
        (0.0,) * 6, 'pose of the tool in the frame of the tip link, x y z and roll pitch yaw about '
        'its fixed axes: goals are of the tool', 'm and rad', listed=True, length=6)
    solver: str = option(
        'dls', 'the solver: of one arm, or of the whole body with tasks; arms that share joints '
        'are solved by that of the body which one of them names, else by least_squares',
        choices=SOLVERS)
    task_weights: Any = option(
        (1.0,) * 6, 'weights of x y z of the position and of the orientation along the goal\'s '
        'axes; 0 leaves an axis free, for arms that cannot serve all six; auto: the axes that the '
        'arm can serve',
        low=0.0, listed=True, length=6, named=True)
    start_pose: Any = option(
        None, 'initial joint values, base to tip, or the name of one of the poses; none: zero, or '
        'the middle of limits that exclude it', 'rad or m', listed=True, optional=True,
        named=True)

    def chain(self, tree: KinematicTree) -> Chain:
        """Return the chain from base to tip link. Raises ModelError for links without one."""
        return tree.chain(self.base_link or None, self.tip_link or None, self.T_tip_tool)

    @property
    def T_tip_tool(self) -> np.ndarray:
        """The pose of the tool (4, 4), m, of the parameter tool."""
        return pose_from_rpy(self.tool[:3], self.tool[3:])


@dataclass(frozen=True)
class CollisionOptions(Options):
    """Options of every solver, of an arm or a body, besides its own: those of `make_solver`."""

    avoid_collisions: bool = option(
        False, 'whether a solution keeps away from the robot itself and from obstacles')
    margin: float = option(
        0.0, 'distance that it keeps, with avoid_collisions', 'm', low=0.0, high=1e3)


@dataclass(frozen=True)
class NodeOptions(Options):
    """Options of the node."""

    tasks: Any = option(
        None, 'names of the tasks that are solved together, each with its parameters <task>.type, '
        '<task>.link, …; they need a solver of the whole body; none: one goal for each arm',
        kind=str, listed=True, optional=True)
    root: str = option(
        'fixed', 'how the root link moves with the tasks: not at all; in the plane, by x, y and '
        'yaw; or freely', choices=tuple(ROOTS))
    on_failure: str = option(
        'hold', 'what to publish where a goal is not met: the last valid joint values, or the '
        'closest solution', choices=('hold', 'closest'))
    motion: str = option(
        'jump', 'how the joints move to the solution: at once; in joint space, within the limits '
        'of motion and synchronised; with the tip on a straight line and great arc; or as streams '
        'of commands say, see docs/servo.md: goals are then refused',
        choices=MOTIONS)
    publish_rate: float = option(
        30.0, 'rate of the joint states, besides those with every result; 0: none', 'Hz',
        low=0.0, high=10000.0)
    max_goal_age: float = option(
        0.0, 'largest age of a goal by its stamp; older goals are refused, those without a stamp '
        'are not; 0: any age', 's', low=0.0)
    joint_states_topic: str = option(
        'joint_states', 'topic of the joint states that the node publishes; empty: none are '
        'published')
    state_topic: str = option(
        '', 'topic of the joint states of the real robot, from which goals then start, and where '
        'joints are that no goal moves; empty: goals start from the last joint values of the node')
    world_frame: str = option(
        '', 'frame in which root_pose places the robot, for goals in it; published to tf where '
        'that is installed; empty: none')
    root_pose: Any = option(
        (0.0,) * 6, 'pose of the root link in world_frame, where a moving root starts: x y z, and '
        'roll pitch yaw about its fixed axes', 'm and rad', listed=True, length=6)
    frame_prefix: str = option(
        '', 'prefix of link names, as that of robot_state_publisher')
    tf_timeout: float = option(
        0.2, 'longest time that a goal waits for a frame that tf2 does not have yet at its stamp, '
        'and for the first values of state_topic; 0: none', 's', low=0.0, high=60.0)
    avoid_collisions: str = option(
        'check', 'what ~/compute_ik does for requests with avoid_collisions: check, so that only '
        'solutions free of collisions are returned; report a solution that is not checked with '
        'the code COLLISION_CHECKING_UNAVAILABLE; or ignore the flag, for clients that check '
        'solutions themselves, such as MoveIt\'s srv_kinematics_plugin',
        choices=('check', 'report', 'ignore'))
    obstacle_points_radius: float = option(
        0.01, 'radius of the ball about each point of ~/obstacle_points', 'm', low=0.0, high=1e3)
    publish_description: bool = option(
        False, 'whether to publish a model that the node has read itself on the topic '
        'robot_description')
    publish_solutions: bool = option(
        False, 'whether to publish every branch on ~/solutions, with solvers that list them')
    show_branches: bool = option(
        False, 'whether ~/markers show every branch of the last goal, with solvers that list them')
    interactive_marker: bool = option(
        True, 'whether there is an interactive marker at the tip, or for each task, in RViz, where '
        'interactive_markers is installed')

    @property
    def world(self) -> str:
        """The frame of a moving root's pose: world_frame, or 'world' where that is empty."""
        return self.world_frame or 'world'

    @property
    def T_world_root(self) -> np.ndarray:
        """T_world_root (4, 4), m, of the parameter root_pose."""
        return pose_from_rpy(self.root_pose[:3], self.root_pose[3:])


@dataclass(frozen=True)
class ServoOptions(Options):
    """Options of the motion servo, with the names that MoveIt Servo has for them."""

    command_type: str = option(
        TWIST, 'the commands that servo follows: twist, of ~/delta_twist_cmds; joint, velocities '
        'of ~/delta_joint_cmds; or pose, of ~/pose_target_cmds', choices=COMMAND_TYPES)
    command_in_type: str = option(
        UNITLESS, 'what twists and joint velocities are: unitless, where 1 is the speed of '
        'scale.linear, scale.rotational or scale.joint; or speed_units, m/s and rad/s',
        choices=(UNITLESS, 'speed_units'))
    incoming_command_timeout: float = option(
        0.1, 'age of the last command, by its stamp, from which servo brakes; without a stamp from '
        'its arrival', 's', low=0.0, high=60.0, positive=True)
    thread_priority: int = option(
        0, 'real-time priority (SCHED_FIFO) of the thread of servo, and of that of '
        'position_commands; 0: none', low=0, high=99)
    lock_memory: bool = option(
        False, 'whether servo keeps the memory of the node from being swapped out')


@dataclass(frozen=True)
class ScaleOptions(Options):
    """Speeds of unitless commands of 1."""

    linear: float = option(0.4, 'speed of the tip at a unitless command of 1', 'm/s', low=0.0,
                           high=1e3)
    rotational: float = option(0.8, 'angular speed of the tip at a unitless command of 1', 'rad/s',
                               low=0.0, high=1e3)
    joint: float = option(0.5, 'speed of a joint at a unitless command of 1', 'rad/s or m/s',
                          low=0.0, high=1e3)


@dataclass(frozen=True)
class StartOptions(Options):
    """Options that are fixed once the node runs."""

    arms: Any = option(
        None, 'names of several arms, each with its own goal topics and parameters <arm>.tip_link, '
        '…; those that share joints are solved together; none: one arm without a name', kind=str,
        listed=True, optional=True)
    autostart: bool = option(
        True, 'whether the node configures and activates itself')


@dataclass(frozen=True)
class TeleopOptions(Options):
    """Options of ik_teleop."""

    input: str = option(
        JOY, 'what commands: a gamepad by sensor_msgs/Joy on the topic joy, the keyboard of the '
        'terminal, or a phone by a page', choices=INPUTS)
    target: str = option('ik_node', 'the name of the node whose servo is commanded')
    arm: str = option('', 'the name of the arm, of several')
    frame: str = option('', 'frame of the twists; empty: the base link')
    speed: float = option(0.5, 'part of the speeds of scale.* at full deflection, or of a key',
                          low=0.0, high=1.0, positive=True)
    dead_zone: float = option(0.1, 'deflection below which an axis counts as at rest', low=0.0,
                              high=0.9)
    axes: Any = option(
        (1.0, 0.0, 4.0, 6.0, 7.0, 3.0), 'axes of the gamepad for x y z and for rotations about '
        'x y z; -1: none',
        listed=True, length=6, low=-1.0)
    signs: Any = option((1.0,) * 6, 'factors of these axes, -1 for the opposite direction',
                        listed=True, length=6, low=-1.0, high=1.0)
    dead_man_button: int = option(
        4, 'button that must be held for any command', low=0, high=255)
    gripper_joints: Any = option(
        None, 'joints of the gripper; none: it is not commanded', kind=str, listed=True,
        optional=True)
    open_button: int = option(0, 'button that moves them up', low=0, high=255)
    close_button: int = option(1, 'button that moves them down', low=0, high=255)
    joints: Any = option(
        None, 'joints that the keys 1 to 9 move, with command_type joint', kind=str, listed=True,
        optional=True)
    reach: float = option(0.2, 'how far the tip moves while a finger goes over the width of the '
                          'page', 'm', low=0.0, high=10.0, positive=True)
    host: str = option('127.0.0.1', 'where the page is served: this machine only, or a name or an '
                       'address by which phones reach it, which needs a certificate')
    port: int = option(8090, 'port of the page; 0: a free one', low=0, high=65535)
    certificate: str = option('', 'file of the certificate (PEM) of the page')
    private_key: str = option('', 'file of its private key; empty: it is in the same file')

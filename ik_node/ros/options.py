"""The node's own options, one table for checks, ROS parameters and documentation."""

from dataclasses import dataclass
from typing import Any

from ik_node.bounds import MAX_BYTES
from ik_node.options import Options, option
from ik_node.solvers.registry import solver_names

JUMP, JOINT, CARTESIAN = MOTIONS = ('jump', 'joint', 'cartesian')


@dataclass(frozen=True)
class ModelOptions(Options):
    """Where the robot comes from; the first that is given is taken, the topic if none is."""

    robot_description: str = option(
        '', 'the robot as URDF text; empty: taken from urdf_path, dh_path or the topic '
        'robot_description',
        kind=str, longest=MAX_BYTES)
    urdf_path: str = option(
        '', 'a .urdf or .xacro file to read the robot from', kind=str)
    dh_path: str = option(
        '', 'a .yaml file of Denavit-Hartenberg rows to read the robot from', kind=str)
    xacro_args: Any = option(
        None, 'arguments of the xacro file, each as name:=value', kind=str, listed=True,
        optional=True)
    hold_complex_joints: bool = option(
        False, 'whether planar and floating joints are held fixed; else they move as joints of '
        'one degree of freedom', kind=bool)
    poses: str = option(
        '', 'a file of named poses for start_pose: .yaml, or an .srdf with group states', kind=str)


@dataclass(frozen=True)
class ArmOptions(Options):
    """What one arm is and how it is asked."""

    base_link: str = option('', 'where the chain begins; empty: the root link', kind=str)
    tip_link: str = option(
        '', 'the link that is to meet the goals; empty: the only leaf, else the one named *tool* '
        'or *tcp*', kind=str)
    solver: str = option('dls', 'the method', kind=str, choices=solver_names())
    task_weights: Any = option(
        (1.0,) * 6, 'what a goal asks for, x y z of the position and of the orientation along the '
        'goal\'s axes; 0 leaves that axis free, for arms that cannot serve all six; auto: those '
        'that the arm can serve',
        low=0.0, listed=True, length=6, named=True)
    start_pose: Any = option(
        None, 'joint values at the start, base to tip, or the name of one of the poses; none: '
        'zero, or the middle of limits that exclude it', 'rad or m', listed=True, optional=True,
        named=True)
    velocity_limits: Any = option(
        None, 'how fast joints may move, one number or one for each joint, base to tip; none: what '
        'the description says, and 1 rad/s or 0.25 m/s where it says nothing', 'rad/s or m/s',
        low=0.0, positive=True, per_joint=True, optional=True)
    acceleration_limits: Any = option(
        None, 'how hard; none: full speed within 0.5 s', 'rad/s² or m/s²', low=0.0, positive=True,
        per_joint=True, optional=True)
    jerk_limits: Any = option(
        None, 'how suddenly; none: full acceleration within 0.1 s', 'rad/s³ or m/s³', low=0.0,
        positive=True, per_joint=True, optional=True)
    speed: float = option(
        1.0, 'slows motions down: at 0.5 they take twice as long on the same way',
        low=0.0, high=1.0, positive=True)
    trajectory_topic: str = option(
        '', 'where to publish every motion as a JointTrajectory, as '
        '/arm_controller/joint_trajectory; empty: nowhere', kind=str)


@dataclass(frozen=True)
class NodeOptions(Options):
    """How the node behaves."""

    on_failure: str = option(
        'hold', 'what to publish where a goal is not met: the last good joint values, or the '
        'closest found', kind=str, choices=('hold', 'closest'))
    motion: str = option(
        'jump', 'how the joints get to the answer: at once; in joint space, within the limits of '
        'motion and synchronised; or with the tip on a straight line and great arc', kind=str,
        choices=MOTIONS)
    publish_rate: float = option(
        30.0, 'how often the joint states are published besides with every answer; 0: never', 'Hz',
        low=0.0, high=10000.0)
    max_goal_age: float = option(
        0.0, 'how old a goal may be by its stamp; older ones are refused, those without a stamp '
        'never are; 0: any age', 's', low=0.0)
    state_topic: str = option(
        '', 'where the joint states of the real robot come in, which goals then start from; empty: '
        'the robot is where it was sent', kind=str)
    world_frame: str = option(
        '', 'a frame in which root_pose places the robot, for goals in it; published to tf where '
        'that is installed; empty: none', kind=str)
    root_pose: Any = option(
        (0.0,) * 6, 'where the root link stands in world_frame: x y z, and roll pitch yaw about '
        'its fixed axes', 'm and rad', listed=True, length=6)
    frame_prefix: str = option(
        '', 'what robot_state_publisher puts before the names of links', kind=str)
    tf_timeout: float = option(
        0.2, 'how long a goal waits at most for a frame that tf2 does not know yet at its stamp; '
        '0: not at all', 's', low=0.0, high=60.0)
    publish_description: bool = option(
        False, 'whether to publish a model the node has read itself on the topic '
        'robot_description', kind=bool)
    publish_solutions: bool = option(
        False, 'whether to publish every branch on ~/solutions, with solvers that know them',
        kind=bool)
    show_branches: bool = option(
        False, 'whether ~/markers show every branch of the last goal, with solvers that know them',
        kind=bool)
    interactive_marker: bool = option(
        True, 'whether there is a handle at the tip to drag in RViz, where interactive_markers is '
        'installed', kind=bool)


@dataclass(frozen=True)
class StartOptions(Options):
    """What is fixed once the node runs."""

    arms: Any = option(
        None, 'names of several arms: each has its own goal topics and the parameters '
        '<arm>.tip_link, … ; none: one arm without a name', kind=str, listed=True, optional=True)
    autostart: bool = option(
        True, 'whether the node configures and activates itself', kind=bool)

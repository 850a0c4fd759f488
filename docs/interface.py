"""The topics and services of the node as tables, the source of docs/topics.md.

A test compares them with a running node. Names are relative to the node's namespace, those after
"~/" to its name.
"""

from typing import NamedTuple


class Topic(NamedTuple):
    """A topic that the node subscribes to or publishes on."""

    name: str
    """In brackets where it is the value of a parameter of that name."""
    kind: str
    """The type of its messages."""
    text: str
    depth: int = 10
    reliable: bool = True
    latched: bool = False
    """Whether late subscribers get the last message: transient local."""


class Service(NamedTuple):
    """A service that the node offers."""

    name: str
    kind: str
    text: str


GOALS = (
    Topic('goal_pose', 'geometry_msgs/msg/PoseStamped', 'a pose for the tip; the latest wins',
          depth=1),
    Topic('goal_point', 'geometry_msgs/msg/PointStamped', 'a position only', depth=1),
    Topic('goal_path', 'nav_msgs/msg/Path', 'poses in sequence, each in its own frame or '
          'in the path\'s', depth=1),
    Topic('goal_poses', 'geometry_msgs/msg/PoseArray', 'the same, all in one frame', depth=1),
    Topic('goal_joints', 'sensor_msgs/msg/JointState', 'joint values by name; joints left out keep '
          'their values', depth=1),
)
"""Of each arm: with the parameter `arms` they are `left/goal_pose` and so on."""

TASK_GOALS = (
    Topic('[tasks]/goal_pose', 'geometry_msgs/msg/PoseStamped', 'the target of a task of the type '
          'pose, orientation or relative_pose', depth=1),
    Topic('[tasks]/goal_point', 'geometry_msgs/msg/PointStamped', 'the target of a task of the '
          'type position, look_at, or center_of_mass with a target', depth=1),
)
"""Of each task: with the parameter `tasks`."""

SERVO = (
    Topic('~/delta_twist_cmds', 'geometry_msgs/msg/TwistStamped', 'twists of the tip, with '
          '`command_type` twist', depth=1),
    Topic('~/delta_joint_cmds', 'control_msgs/msg/JointJog', 'joint velocities, with '
          '`command_type` joint, where control_msgs is installed', depth=1),
    Topic('~/pose_target_cmds', 'geometry_msgs/msg/PoseStamped', 'poses of the tip, with '
          '`command_type` pose', depth=1),
)
"""Of each arm while `motion` is servo: with the parameter `arms` `~/left/delta_twist_cmds`, …"""

INPUTS = (
    Topic('robot_description', 'std_msgs/msg/String', 'URDF, where no parameter gives the '
          'robot; an identical text is ignored, another replaces the robot', depth=1,
          latched=True),
    Topic('~/obstacles', 'visualization_msgs/msg/MarkerArray', 'what solvers with '
          '`avoid_collisions` keep away from, see [collisions.md](collisions.md#by-topic)',
          depth=100),
    Topic('~/obstacle_points', 'sensor_msgs/msg/PointCloud2', 'points to keep away from; a newer '
          'cloud replaces the one before', depth=5, reliable=False),
    Topic('~/reachability_query', 'geometry_msgs/msg/PoseArray', 'poses of the tip, scored by '
          '`reachability_map`'),
    *(Topic(name, f'moveit_msgs/msg/{kind}', f'{text}, where moveit_msgs is installed, see '
            '[collisions.md](collisions.md#by-topic)', depth=100) for name, kind, text in (
        ('collision_object', 'CollisionObject', 'an object to keep away from'),
        ('attached_collision_object', 'AttachedCollisionObject', 'an object on a link'),
        ('planning_scene', 'PlanningScene', 'objects of either kind'))),
    Topic('[state_topic]', 'sensor_msgs/msg/JointState', 'joint states of the real robot, from '
          'which goals start', depth=5, reliable=False),
)

OUTPUTS = (
    Topic('joint_states', 'sensor_msgs/msg/JointState', 'every moving joint, mimics too: at '
          'activation, with every result, and at `publish_rate`; with velocities unless `motion` '
          'is `jump`; on another topic, or none, by `joint_states_topic`'),
    Topic('~/root_pose', 'geometry_msgs/msg/PoseStamped', 'pose of the root link in the world, '
          'where the parameter `root` lets it move: with all joint states'),
    Topic('~/status', 'diagnostic_msgs/msg/DiagnosticStatus', 'one for each goal, after its joint '
          'states; of servo where it changes'),
    Topic('~/servo_status', 'moveit_msgs/msg/ServoStatus', 'the status of servo, while `motion` is '
          'servo, where moveit_msgs is installed'),
    Topic('~/tip_pose', 'geometry_msgs/msg/PoseStamped', 'where the tip is, while `motion` is '
          'servo, at up to 100 Hz where there are subscribers; with `arms` or `tasks` '
          '`~/left/tip_pose`, …', depth=1),
    Topic('/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray', 'once a second: rates, failures, '
          'percentiles of solve and answer times, warnings, and a report of each task'),
    Topic('~/markers', 'visualization_msgs/msg/MarkerArray', 'goals, trails of tips, and other '
          'markers for RViz', depth=1),
    Topic('~/solutions', 'trajectory_msgs/msg/JointTrajectory', 'every branch inside the limits, '
          'one point each, the nearest first: with each result where `publish_solutions` is true, '
          'and on demand by `~/solve_all`'),
    Topic('~/reachability', 'sensor_msgs/msg/PointCloud2', 'x, y, z and score of each pose of a '
          'query, in its frame; see [reachability.md](reachability.md#in-the-node)'),
    Topic('[output_topic]', 'trajectory_msgs/msg/JointTrajectory', 'every motion, for a '
          'controller, with `output` trajectory; with position_commands '
          'std_msgs/msg/Float64MultiArray at `publish_rate`'),
    Topic('robot_description', 'std_msgs/msg/String', 'a model that the node has read itself, '
          'where `publish_description` is true', depth=1, latched=True),
)

SERVICES = (
    Service('~/reset', 'std_srvs/srv/Trigger', 'go to the start pose: at once, or in joint space '
            'unless `motion` is `jump`'),
    Service('~/enable', 'std_srvs/srv/SetBool', 'false: goals are refused, and the arm brakes'),
    Service('~/solve_all', 'std_srvs/srv/Trigger', 'publishes the branches of the last goal on '
            '`~/solutions`; the message has their number and the family of the arm'),
    Service('~/pause_servo', 'std_srvs/srv/SetBool', 'true: servo brakes and ignores commands; '
            'false: it follows them again'),
    Service('~/switch_command_type', 'moveit_msgs/srv/ServoCommandType', 'sets `command_type`; '
            'where moveit_msgs is installed'),
    Service('~/compute_ik', 'moveit_msgs/srv/GetPositionIK', 'solves a goal once from a given '
            'start, without motion; where moveit_msgs is installed'),
)

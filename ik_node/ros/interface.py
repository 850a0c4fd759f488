"""The topics and services of the node, as a table: what docs/topics.md is made of.

A test holds it to what a running node really has. Names are relative to the node's namespace, those
after "~/" to its name.
"""

from typing import NamedTuple


class Topic(NamedTuple):
    """A topic that the node listens to, or publishes on."""

    name: str
    """In brackets where a parameter of that name says it."""
    kind: str
    """The type of its messages."""
    text: str
    depth: int = 10
    reliable: bool = True
    latched: bool = False
    """Whether who comes late gets the last message: transient local."""

    @property
    def qos(self) -> str:
        """Return its quality of service in words."""
        return (f'{"reliable" if self.reliable else "best effort"}, '
                f'{"transient local" if self.latched else "volatile"}, {self.depth}')


class Service(NamedTuple):
    """A service that the node offers."""

    name: str
    kind: str
    text: str


GOALS = (
    Topic('goal_pose', 'geometry_msgs/msg/PoseStamped', 'a pose for the tip; the latest wins',
          depth=1),
    Topic('goal_point', 'geometry_msgs/msg/PointStamped', 'a position only', depth=1),
    Topic('goal_path', 'nav_msgs/msg/Path', 'poses one after the other, each in its own frame or '
          'in the path\'s', depth=1),
    Topic('goal_poses', 'geometry_msgs/msg/PoseArray', 'the same, all in one frame', depth=1),
)
"""Of each arm: with the parameter `arms` they are `left/goal_pose` and so on."""

INPUTS = (
    Topic('robot_description', 'std_msgs/msg/String', 'URDF, where no parameter says where the '
          'robot comes from; the same text again is ignored, another makes another robot', depth=1,
          latched=True),
    Topic('[state_topic]', 'sensor_msgs/msg/JointState', 'where the real robot is; goals start '
          'from there', depth=5, reliable=False),
)

OUTPUTS = (
    Topic('joint_states', 'sensor_msgs/msg/JointState', 'every moving joint, mimics too: at the '
          'start, with every answer, and at `publish_rate`; with velocities where joints move'),
    Topic('~/status', 'diagnostic_msgs/msg/DiagnosticStatus', 'one for each goal, after its joint '
          'states'),
    Topic('/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray', 'once a second: rates, failures, '
          'percentiles of solve and answer times, what is odd'),
    Topic('~/markers', 'visualization_msgs/msg/MarkerArray', 'goals, trails of tips, and what '
          'else is shown in RViz', depth=1),
    Topic('~/solutions', 'trajectory_msgs/msg/JointTrajectory', 'every branch inside the limits, '
          'one point each, the nearest first: with each answer where `publish_solutions` is true, '
          'and on demand by `~/solve_all`'),
    Topic('[trajectory_topic]', 'trajectory_msgs/msg/JointTrajectory', 'every motion, for a '
          'controller'),
    Topic('robot_description', 'std_msgs/msg/String', 'a model that the node has read itself, '
          'where `publish_description` is true', depth=1, latched=True),
)

SERVICES = (
    Service('~/reset', 'std_srvs/srv/Trigger', 'back to the start pose: at once, or in joint space '
            'where joints move'),
    Service('~/enable', 'std_srvs/srv/SetBool', 'false: goals are refused, and the arm freezes '
            'where it is'),
    Service('~/solve_all', 'std_srvs/srv/Trigger', 'publishes the branches of the last goal on '
            '`~/solutions`; says how many, and the kind of arm'),
    Service('~/compute_ik', 'moveit_msgs/srv/GetPositionIK', 'solves once, from a goal and a '
            'start, and moves nothing; where moveit_msgs is installed'),
)

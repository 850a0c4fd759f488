"""The topics of goals, and the qualities of service that the node and its clients share."""

from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
LATEST = QoSProfile(depth=1)  # reliable, volatile: only the newest message counts

_GOALS = {PoseStamped: 'goal_pose', PointStamped: 'goal_point', Path: 'goal_path',
          PoseArray: 'goal_poses', JointState: 'goal_joints'}


def goal_topic(kind: type, name: str) -> str:
    """Return the topic of goals of a type of messages for an arm or a task, by its name."""
    return f'{name}/{_GOALS[kind]}'.lstrip('/')

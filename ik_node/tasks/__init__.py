"""Tasks of a body, each with residual, Jacobian, weight and priority.

They know frames and joint values; how several are met together is a matter of `solvers`.
"""

from ik_node.tasks.aim import AlignAxis, LookAt
from ik_node.tasks.base import Task
from ik_node.tasks.center_of_mass import CenterOfMass
from ik_node.tasks.custom import CustomTask
from ik_node.tasks.distance import Distance, Spring
from ik_node.tasks.force import Force
from ik_node.tasks.orientation import Orientation
from ik_node.tasks.point_on import HalfSpace, PointOnLine, PointOnPlane
from ik_node.tasks.pose import Pose
from ik_node.tasks.position import Position
from ik_node.tasks.posture import Posture
from ik_node.tasks.relative_pose import RelativePose

__all__ = ['AlignAxis', 'CenterOfMass', 'CustomTask', 'Distance', 'Force', 'HalfSpace', 'LookAt',
           'Orientation', 'PointOnLine', 'PointOnPlane', 'Pose', 'Position', 'Posture',
           'RelativePose', 'Spring', 'Task']

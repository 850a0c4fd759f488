"""Tasks of a body, each with residual, Jacobian, weight and priority.

They know frames and joint values; how several are met together is a matter of `solvers`.
"""

from ik_node.tasks.aim import AlignAxis, LookAt
from ik_node.tasks.base import Task
from ik_node.tasks.center_of_mass import CenterOfMass
from ik_node.tasks.custom import CustomTask
from ik_node.tasks.distance import Distance, Force, Spring
from ik_node.tasks.point_on import HalfSpace, PointOnLine, PointOnPlane
from ik_node.tasks.pose import Orientation, Pose, Position, RelativePose
from ik_node.tasks.posture import Posture

__all__ = ['AlignAxis', 'CenterOfMass', 'CustomTask', 'Distance', 'Force', 'HalfSpace', 'LookAt',
           'Orientation', 'PointOnLine', 'PointOnPlane', 'Pose', 'Position', 'Posture',
           'RelativePose', 'Spring', 'Task']

"""A workspace for RViz: one coloured cube for every reachable voxel."""

import sys
from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import Point, Vector3
from rclpy.node import Node
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.ros.outputs import LATCHED
from ik_node.ros.run import run
from ik_node.workspace.survey import Workspace

TOPIC = 'workspace'

# viridis at 0, 1/8 … 1 (Smith & van der Walt, matplotlib); between them straight lines will do.
_VIRIDIS = np.array([
    (0.267, 0.005, 0.329), (0.283, 0.141, 0.458), (0.230, 0.322, 0.546), (0.173, 0.449, 0.558),
    (0.128, 0.567, 0.551), (0.158, 0.684, 0.502), (0.369, 0.789, 0.383), (0.678, 0.864, 0.190),
    (0.993, 0.906, 0.144)])
_PARTLY, _WHOLE = (0.66, 0.79, 0.91), (0.18, 0.44, 0.69)
_OPACITY = {2: 0.8, 3: 0.6}
_PART = {2: 1.0, 3: 0.25}     # of the edge: one has to look into a solid, and see the arm in it
_THIN = 0.1                   # of the edge: cubes of a planar arm are tiles


def workspace_markers(workspace: Workspace, figure: str = 'reachable',
                      frame_prefix: str = '') -> MarkerArray:
    """Return one CUBE_LIST, in the frame of the chain's base, with a colour for every voxel.

    figure: one of `FIGURES`; manipulability and conditioning are coloured up to the best found,
    dexterity up to 1. The time stamp is zero: the latest transform is meant. Raises InputError as
    `Workspace.values`.
    """
    voxels = workspace.voxels
    marker = Marker(header=Header(frame_id=frame_prefix + workspace.chain.base_link), ns=TOPIC,
                    type=Marker.CUBE_LIST, action=Marker.ADD)
    marker.pose.orientation.w = 1.0
    part = _PART.get(voxels.dimension, 1.0)
    x, y, z = (voxels.edge * (_THIN if flat else part) for flat in voxels.flat)
    marker.scale = Vector3(x=x, y=y, z=z)
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in workspace.centres.tolist()]
    opacity = _OPACITY.get(voxels.dimension, 1.0)
    marker.color = ColorRGBA(r=1.0, g=1.0, b=1.0, a=opacity)
    marker.colors = [ColorRGBA(r=r, g=g, b=b, a=opacity)
                     for r, g, b in _colors(workspace.values(figure), figure).tolist()]
    return MarkerArray(markers=[marker])


class WorkspacePublisher(Node):
    """Publishes the markers once; who comes later gets them too."""

    def __init__(self, markers: MarkerArray) -> None:
        """Publish on the topic `workspace`, reliable and transient local."""
        super().__init__('ik_workspace')
        self._publisher = self.create_publisher(MarkerArray, TOPIC, LATCHED)
        self._publisher.publish(markers)
        count = sum(len(marker.points) for marker in markers.markers)
        self.get_logger().info(f'{count} voxels on {self._publisher.topic_name}; Ctrl-C ends')


def publish(markers: MarkerArray, arguments: list[str] | None = None) -> int:
    """Publish markers until told to stop; return the exit code. arguments: ROS's own."""
    make: Callable[[], Node] = lambda: WorkspacePublisher(markers)  # noqa: E731
    return run(make, [sys.argv[0], *(arguments or [])])


def _colors(values: np.ndarray, figure: str) -> np.ndarray:
    """Return colours (k, 3), 0 to 1, of the values (k,) of a figure."""
    if figure == 'reachable':
        return np.where(values[:, None] == 1.0, _WHOLE, _PARTLY)
    most = 1.0 if figure == 'dexterity' else float(values.max(initial=0.0)) or 1.0
    places = np.linspace(0.0, 1.0, len(_VIRIDIS))
    return np.column_stack([np.interp(values / most, places, channel) for channel in _VIRIDIS.T])

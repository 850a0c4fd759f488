"""Markers for RViz: one coloured cube for every reachable voxel, an arrow for each base pose."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Vector3
from rclpy.node import Node
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.run import run
from ik_node.ros.topics import LATCHED
from ik_node.workspace.analysis import Workspace
from ik_node.workspace.picture import figure_colors
from ik_node.workspace.placement import Placement

TOPIC = 'workspace'

_OPACITY = {2: 0.8, 3: 0.6}
_PART = {2: 1.0, 3: 0.12}     # of the edge: gaps, so that the arm inside a solid is visible
_THIN = 0.1                   # of the edge: cubes of a planar arm are tiles


def workspace_markers(workspace: Workspace, figure: str = 'reachable',
                      frame_prefix: str = '') -> MarkerArray:
    """Return one CUBE_LIST, in the frame of the chain's base, with a colour for every voxel.

    figure: one of `FIGURES`; manipulability and conditioning are coloured up to the best found,
    dexterity up to 1. The time stamp is zero: RViz uses the latest transform. Raises InputError as
    `Workspace.values`.
    """
    voxels = workspace.voxels
    marker = Marker(header=Header(frame_id=frame_prefix + workspace.chain.base_link), ns=TOPIC,
                    type=Marker.CUBE_LIST, action=Marker.ADD)
    marker.pose.orientation.w = 1.0
    part = _PART.get(voxels.dimension, 1.0)
    x, y, z = (voxels.edge * (_THIN if fixed else part) for fixed in voxels.fixed_axes)
    marker.scale = Vector3(x=x, y=y, z=z)
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in workspace.centres.tolist()]
    opacity = _OPACITY.get(voxels.dimension, 1.0)
    marker.color = ColorRGBA(r=1.0, g=1.0, b=1.0, a=opacity)
    marker.colors = [ColorRGBA(r=r, g=g, b=b, a=opacity)
                     for r, g, b in figure_colors(workspace.values(figure), figure).tolist()]
    return MarkerArray(markers=[marker])


def base_markers(bases: Sequence[Placement], frame_id: str) -> MarkerArray:
    """Return an arrow along the x axis of each base pose, in the colour of its score."""
    colors = figure_colors(np.array([base.score for base in bases]), 'dexterity').tolist()
    return MarkerArray(markers=[
        Marker(header=Header(frame_id=frame_id), ns='base_poses', id=k, type=Marker.ARROW,
               action=Marker.ADD, pose=matrix_to_pose(base.T_world_base),
               scale=Vector3(x=0.2, y=0.03, z=0.03), color=ColorRGBA(r=r, g=g, b=b, a=1.0))
        for k, (base, (r, g, b)) in enumerate(zip(bases, colors))])


class WorkspacePublisher(Node):
    """Publishes the markers once, latched for late subscribers."""

    def __init__(self, markers: MarkerArray, **arguments: Any) -> None:
        super().__init__('ik_workspace', **arguments)
        self._publisher = self.create_publisher(MarkerArray, TOPIC, LATCHED)
        self._publisher.publish(markers)
        count = sum(len(marker.points) or 1 for marker in markers.markers)
        self.get_logger().info(f'{count} voxels or base poses on {self._publisher.topic_name}; '
                               'Ctrl-C ends')


def publish(markers: MarkerArray, arguments: list[str] | None = None) -> int:
    """Publish markers until SIGINT or SIGTERM; return the exit code. arguments: ROS's own."""
    make: Callable[[], Node] = lambda: WorkspacePublisher(markers)  # noqa: E731
    return run(make, [sys.argv[0], *(arguments or [])])

"""What receives the messages of a node from a connection."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from visualization_msgs.msg import MarkerArray

from ik_node.ros.clients.client import Report


class Listener(Protocol):
    """Receives the node's messages, in the connection's thread."""

    def on_description(self, text: str) -> None:
        """Receive a robot as URDF text."""

    def on_joints(self, values: Mapping[str, float]) -> None:
        """Receive joint values, rad or m."""

    def on_root_pose(self, T_world_root: np.ndarray) -> None:
        """Receive the pose (4, 4), m, of a moving root; it follows the joint values."""

    def on_report(self, report: Report) -> None:
        """Receive the outcome of a goal, except of joint values that this client has sent."""

    def on_markers(self, message: MarkerArray) -> None:
        """Receive markers: the same message again as long as the node publishes equal ones."""

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        """Receive changed parameters, {name: value}."""

    def on_error(self, line: str) -> None:
        """Receive a line about a defect in one of the others, which go on."""

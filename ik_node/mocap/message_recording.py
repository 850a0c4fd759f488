"""Reads recorded motions from printed ROS messages, JointTrajectory or JointState."""

from pathlib import Path

from ik_node.mocap.joint_state_recording import is_joint_state, read_joint_states
from ik_node.mocap.printed_messages import read_messages
from ik_node.mocap.recording import Recording
from ik_node.mocap.trajectory_recording import read_trajectories
from ik_node.model.tree import KinematicTree


def read_printed(path: Path, tree: KinematicTree) -> Recording:
    """Read a motion of a robot from printed messages, all of the kind of the first.

    Raises ModelError for an invalid file, naming the entry, or the line where it is not YAML.
    """
    messages = read_messages(path)
    read = read_joint_states if is_joint_state(messages[0].values) else read_trajectories
    return read(messages, tree, f'the motion {str(path)!r}')

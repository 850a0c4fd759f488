"""A robot from whatever file says what it is."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from ik_node.model.tree import KinematicTree

_DH_SUFFIXES = ('.yaml', '.yml')


def is_dh_file(file: str | PathLike[str]) -> bool:
    """Tell whether a file is a table of Denavit-Hartenberg rows, by its name."""
    return Path(file).suffix.lower() in _DH_SUFFIXES


def read_robot(file: str | PathLike[str], xacro_args: Mapping[str, object] | None = None, *,
               hold_complex_joints: bool = False) -> KinematicTree:
    """Read a robot from a .urdf or .xacro file, or from a .yaml of Denavit-Hartenberg rows.

    xacro_args and hold_complex_joints: as for `KinematicTree.from_urdf`. Raises ModelError.
    """
    if is_dh_file(file):
        return KinematicTree.from_dh(file)
    return KinematicTree.from_urdf(Path(file), xacro_args, hold_complex_joints=hold_complex_joints)

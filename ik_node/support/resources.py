"""Locations of data files: robots, parameters, launch files."""

import contextlib
import os
import sys
from pathlib import Path

from ik_node.support.archives import is_member
from ik_node.support.downloads import Download, is_described

MESSAGE_MESHES = 'ik_node_meshes_'  # begins the names of folders with the meshes of messages
_PACKAGE = 'ik_node'
_PATHS = 'ROS_PACKAGE_PATH', 'GZ_SIM_RESOURCE_PATH', 'SDF_PATH'  # of folders with packages
_OBSTACLES = '.obstacles.yaml'  # the end of the names of such files


def share_folder() -> Path:
    """Return the folder that holds urdf/ and config/: the checkout, or where it was installed.

    Raises FileNotFoundError where the package was installed without them.
    """
    folders = [Path(__file__).parents[2], *installed_package(_PACKAGE),
               Path(sys.prefix) / 'share' / _PACKAGE]
    for folder in folders:
        if (folder / 'urdf').is_dir():
            return folder
    raise FileNotFoundError('the robots of ik_node are not installed; looked in '
                            f'{", ".join(str(folder) for folder in folders)}')


def installed_package(name: str) -> list[Path]:
    """Return the share folder of a package in ament's index; empty where there is none."""
    with contextlib.suppress(Exception):  # ROS 2 not sourced, or package not installed
        from ament_index_python import get_package_share_path
        return [Path(get_package_share_path(name))]
    return []


def package_path() -> list[Path]:
    """Return the folders of ROS_PACKAGE_PATH, and those of Gazebo and SDF."""
    return [Path(folder) for name in _PATHS for folder in os.environ.get(name, '').split(os.pathsep)
            if folder]


def own_robots() -> dict[str, Path]:
    """Return the robots of this package, name → file; every file there is a model."""
    share = share_folder()
    return {file.stem: file for folder in ('urdf', 'config/dh')
            for file in sorted((share / folder).iterdir()) if file.is_file()}


def obstacles_file(obstacles: str) -> Path:
    """Return a file of obstacles: a path, or one of this package by its name, such as post.

    Raises FileNotFoundError, with the names, for anything else.
    """
    own = {file.name.removesuffix(_OBSTACLES): file
           for file in sorted((share_folder() / 'config').glob(f'*{_OBSTACLES}'))}
    path = own.get(obstacles, Path(obstacles))
    if not path.is_file():
        raise FileNotFoundError(f'there are no obstacles {obstacles!r}: neither a file, nor one '
                                f'of {", ".join(own)}')
    return path.resolve()


def robot_file(robot: str) -> Path:
    """Return the file of a robot, given as the user of a command gives it.

    robot: a path, also to a file in a zip archive; one of the names under urdf/ or config/dh/; or a
    name of the package robot_descriptions, which is downloaded on demand. Raises ModelError where
    that fails, and FileNotFoundError, with the names, for anything else.
    """
    path = Path(robot)
    if path.is_file() or is_member(path):
        return path
    own = own_robots()
    if robot in own:
        return own[robot]
    if is_described(robot):
        return Download(robot).wait(lambda words: print(f'{robot}: {words}', file=sys.stderr))
    raise FileNotFoundError(f'there is no robot {robot!r}: neither a file, nor one of '
                            f'{", ".join(own)}, nor one of the package robot_descriptions, such as '
                            'panda_description')

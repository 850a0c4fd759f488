"""Puts an installed package before the sources that pytest runs in."""

import importlib.machinery
import os
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[1]


def paths_of_installed(paths, sources):
    """Return the paths without the folder of the sources where the package is in another as well.

    `python -m pytest`, as colcon calls it, puts the folder it is called in first: there the kernels
    are not compiled.
    """
    others = [path for path in paths if Path(path).resolve() != sources.resolve()]
    return others if importlib.machinery.PathFinder.find_spec('ik_node.spatial', [
        str(Path(path, 'ik_node')) for path in others]) else paths


def use_installed():
    """Import the installed package where there is one, in the processes of tests too."""
    paths = paths_of_installed(sys.path, SOURCES)
    if paths is not sys.path:
        sys.path[:] = paths
        os.environ['PYTHONSAFEPATH'] = '1'  # from Python 3.11 on


def python_path():
    """Return PYTHONPATH for a process that finds what this one does, a ROS install among it."""
    return os.pathsep.join(map(os.path.abspath, sys.path))

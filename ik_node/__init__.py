"""Inverse kinematics for ROS 2 and plain Python.

>>> from ik_node import KinematicTree, make_solver
>>> chain = KinematicTree.from_urdf('robot.urdf').chain()
>>> result = make_solver('dls', chain).solve(chain.forward(chain.neutral()))
"""

import importlib.util

from ik_node.support import plain

__version__ = '0.3.0'

if plain.is_wanted():
    plain.use_sources()

TYPE_CHECKING = False  # without typing, which takes long to import: see commands.entry_points
if TYPE_CHECKING:
    from ik_node.model.amc import read_amc
    from ik_node.model.chain import Chain
    from ik_node.model.joints import Joint
    from ik_node.model.pose_library import read_poses
    from ik_node.model.tree import KinematicTree
    from ik_node.solvers.goal import Goal
    from ik_node.solvers.registry import (
        body_solver_names,
        make_body_solver,
        make_solver,
        solver_names,
    )
    from ik_node.solvers.result import Result, StopReason
    from ik_node.support.exceptions import (
        IkError,
        InputError,
        ModelError,
        OptionError,
        UnsupportedError,
    )

__all__ = ['Chain', 'Goal', 'IkError', 'InputError', 'Joint', 'KinematicTree', 'ModelError',
           'OptionError', 'Result', 'StopReason', 'UnsupportedError', 'body_solver_names',
           'make_body_solver', 'make_solver', 'read_amc', 'read_poses', 'solver_names']

# Imported with the first use: the commands handle signals before numpy is loaded.
_HOMES = {'Chain': 'model.chain', 'Goal': 'solvers.goal', 'IkError': 'support.exceptions',
          'InputError': 'support.exceptions', 'Joint': 'model.joints',
          'KinematicTree': 'model.tree', 'ModelError': 'support.exceptions',
          'OptionError': 'support.exceptions', 'Result': 'solvers.result',
          'StopReason': 'solvers.result', 'UnsupportedError': 'support.exceptions',
          'body_solver_names': 'solvers.registry',
          'make_body_solver': 'solvers.registry', 'make_solver': 'solvers.registry',
          'read_amc': 'model.amc', 'read_poses': 'model.pose_library',
          'solver_names': 'solvers.registry'}


def __getattr__(name: str) -> object:
    """Import what belongs to the public API, or a subpackage."""
    if name in _HOMES:
        value: object = getattr(importlib.import_module(f'{__name__}.{_HOMES[name]}'), name)
        globals()[name] = value
        return value
    if not name.startswith('__') and importlib.util.find_spec(f'{__name__}.{name}') is not None:
        return importlib.import_module(f'{__name__}.{name}')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    """List the public API before it is imported, too."""
    return sorted({*globals(), *__all__})

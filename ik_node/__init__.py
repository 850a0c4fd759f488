"""Inverse kinematics for ROS 2 and plain Python.

>>> from ik_node import KinematicTree, make_solver
>>> chain = KinematicTree.from_urdf('robot.urdf').chain()
>>> result = make_solver('dls', chain).solve(chain.forward(chain.neutral()))
"""

from ik_node.exceptions import IkError, ModelError
from ik_node.model.chain import Chain
from ik_node.model.tree import KinematicTree
from ik_node.solvers.goal import Goal
from ik_node.solvers.registry import make_solver, solver_names
from ik_node.solvers.result import Result, StopReason

__all__ = ['Chain', 'Goal', 'IkError', 'KinematicTree', 'ModelError', 'Result', 'StopReason',
           'make_solver', 'solver_names']

"""The API of plug-in solvers, which are entry points of the group `ik_node.solvers`.

>>> from dataclasses import dataclass
>>> from ik_node.plugins import Found, Solver, SolverOptions, StopReason, option

`Solver` documents the methods to override, docs/adding_a_solver.md the installation.
"""

import math
from typing import Any

import numpy as np

from ik_node.model.chain import Chain, check_chain
from ik_node.solvers import goal as goals
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.kernel.arm_kernel import verifier_of
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.result import Result, StopReason
from ik_node.solvers.solver_output import Found
from ik_node.support import clock
from ik_node.support.arguments import vector
from ik_node.support.exceptions import IkError, InputError, OptionError, UnsupportedError, shown
from ik_node.support.options import option

__all__ = ['Chain', 'Found', 'Goal', 'IkError', 'InputError', 'OptionError', 'Result', 'Solver',
           'SolverOptions', 'StopReason', 'UnsupportedError', 'is_over', 'nearest_turn', 'option',
           'pose_error']


def pose_error(chain: Chain, goal: Any, q: Any) -> np.ndarray:
    """Return [p_goal − p; log(R_goal Rᵀ)] (6,) along the goal's axes, m and rad.

    goal: `Goal` or pose T_base_goal (4, 4), m; its weights are not in the error, but where only one
    rotation has a weight, its component is the tip's heading about that axis. q: (n,) rad or m.
    Raises InputError for a malformed goal or q.
    """
    check_chain(chain)
    wanted = as_goal(goal)
    return goals.pose_error(wanted.pose, chain.forward(q), wanted.weights)


def nearest_turn(chain: Chain, q0: Any, q: Any) -> np.ndarray:
    """Return q (n,) by whole turns inside the limits nearest q0 (n,), where turns change nothing.

    rad or m. Raises InputError for a malformed q0 or q.
    """
    check_chain(chain)
    start, turned = (vector(value, chain.n_joints, name)
                     for value, name in ((q0, 'q0'), (q, 'q')))
    verifier_of(chain).nearest_turn(start, turned)
    chain.shorten_rotations(turned)
    return turned


def is_over(deadline: float = math.inf) -> bool:
    """Return whether a search must end: its time is over, or it has been cancelled.

    deadline: by `time.perf_counter`, s. Raises InputError for what is not a number.
    """
    try:
        return bool(clock.is_over(float(deadline)))
    except Exception as error:  # whatever the methods of an object raise
        raise InputError(f'deadline must be a number, not {shown(deadline)}') from error

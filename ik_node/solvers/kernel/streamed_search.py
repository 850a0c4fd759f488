"""Searches from joint values in the order and units of a caller, for goals that are streamed."""

from typing import Any

import cython

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.kernel.arm_kernel import Search
from ik_node.spatial.rotations import EXACT
from ik_node.support import arrays, checks
from ik_node.support.arrays import InMatrix, Memory, OutVector


class StreamedSearch:
    """A search of a solver, from joint values of which some are those of its chain.

    Limits are as wide as the initial guess needs: a joint outside goes no farther.
    """

    search: Search

    def __init__(self, solver: Any, count: int, columns: Any, scale: Any) -> None:
        """Take an iterative solver, of whose chain the limits are widened.

        count: k, of the values. columns: (n,) where those of its joints are. scale: (n,) rad or m
        of one unit of each; 0 of joints that are held at zero.
        """
        self.search, self.memory, self.count = solver._entry, Memory(), count
        self.columns, self.scale = self.memory.integers(columns), self.memory.vector(scale)
        self.own, self.tolerance = ChainRecord(solver.chain.arrays), float(EXACT)
        self.idle: list[Any] = []  # chains that no thread uses
        self.arguments = solver, count, columns, scale

    def __reduce__(self) -> tuple[Any, ...]:
        return StreamedSearch, self.arguments

    def solve(self, T_base_goal: InMatrix, position_weight: float, orientation_weight: float,
              values: OutVector) -> bool:
        """Replace the values of joints that move by the best that is found from them.

        T_base_goal: (4, 4), m. values: (k,) or more. Returns false, and leaves them as they are,
        where they are too few or not finite, and where the goal is no exact pose.
        """
        own, columns, scale = self.own, self.columns, self.scale
        if values.shape[0] < self.count or not checks.is_pose(T_base_goal, self.tolerance):
            return False
        try:
            chain: ChainRecord = self.idle.pop()
        except IndexError:
            chain = ChainRecord(self.arguments[0].chain.arrays)
        work = self.search.scratch()
        arrays.read_pose(T_base_goal, work.task.T)
        for i in range(6):
            work.task.weights[i] = position_weight if i < 3 else orientation_weight
        work.task.prepare()
        for k in range(own.n):
            value = values[columns[k]] * scale[k]
            work.q0[k] = value
            chain.lower[k], chain.upper[k] = min(own.lower[k], value), max(own.upper[k], value)
        with cython.nogil:
            self.search.find(chain, work)
        finite = work.end != codes.INVALID
        for k in range(own.n):
            if finite and scale[k] > 0.0:
                values[columns[k]] = work.best[k] / scale[k]
        self.search.leave(work)
        self.idle.append(chain)
        return finite

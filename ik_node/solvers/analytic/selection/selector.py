"""The preferred solutions of a closed form, for one goal or many."""

from collections.abc import Callable

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.solvers import search
from ik_node.solvers.analytic.selection.selection import Selection
from ik_node.support import checks
from ik_node.support.arrays import (
    InputMatrix,
    InputPoses,
    InputVector,
    OutputMatrix,
    OutputVector,
)


class Selector:
    """Selects solutions. Threads may use it at the same time: each has its own `Selection`."""

    make: Callable[[], Selection]
    """Returns a new one."""
    idle: list

    def __init__(self, make: Callable[[], Selection]) -> None:
        """Prepare."""
        self.make, self.idle = make, [make()]

    def solve(self, T_base_goal: InputMatrix, weights: InputVector, parameters: OutputVector,
              q0: InputVector, q: OutputVector) -> tuple:
        """Write the preferred solution for a goal into q (n,); return its record.

        That is (end, position error, orientation error), m and rad, see `Selection`. T_base_goal
        (4, 4), m, weights (6,): of a checked goal. parameters (p,): the redundancy parameters, rad
        or m; they are written where the selection searches them. q0 (n,): inside the limits.
        Raises ValueError for arrays of other lengths.
        """
        selection = self._take()
        checks.check_lengths(
            T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4 and weights.shape[0] == 6
            and parameters.shape[0] == selection.family.structure.parameters
            and q0.shape[0] == selection.chain.n and q.shape[0] == selection.chain.n)
        with cython.nogil:
            solve_one(selection, T_base_goal, weights, parameters, q0, q)
        self.idle.append(selection)
        return selection.end, selection.position, selection.orientation

    def solve_batch(self, T_base_goal: InputPoses, weights: InputVector, parameters: OutputMatrix,
                    q0: InputMatrix, q: OutputMatrix, records: OutputMatrix) -> None:
        """Do as `solve` for goals (m, 4, 4) of the same weights; records (m, 3).

        parameters (m, p), q0 (m, n), q (m, n).
        """
        selection, m = self._take(), T_base_goal.shape[0]
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and weights.shape[0] == 6
            and parameters.shape[0] == m and q0.shape[0] == m and q.shape[0] == m
            and parameters.shape[1] == selection.family.structure.parameters
            and q0.shape[1] == selection.chain.n and q.shape[1] == selection.chain.n
            and records.shape[0] == m and records.shape[1] == 3)
        with cython.nogil:
            for i in range(m):
                solve_one(selection, T_base_goal[i], weights, parameters[i], q0[i], q[i])
                records[i, 0] = selection.end
                records[i, 1] = selection.position
                records[i, 2] = selection.orientation
        self.idle.append(selection)

    def _take(self) -> Selection:
        """Return a selection that no other thread uses."""
        try:
            return self.idle.pop()
        except IndexError:
            return self.make()


def solve_one(selection: Selection, T_base_goal: InputMatrix, weights: InputVector,
              parameters: OutputVector, q0: InputVector, q: OutputVector) -> None:
    """Select for one goal, see `Selector.solve`."""
    search.load_goal(selection.task, T_base_goal, weights)
    for k in range(parameters.shape[0]):
        selection.parameters[k] = parameters[k]
    for k in range(selection.chain.n):
        selection.q0[k] = q0[k]
    selection.solve()
    for k in range(parameters.shape[0]):
        parameters[k] = selection.parameters[k]
    for k in range(selection.chain.n):
        q[k] = selection.q[k]

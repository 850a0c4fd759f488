"""The end of a failed search without a proof that the goal cannot be met."""

from ik_node.kinematics import forward, jacobian
from ik_node.kinematics.forward import Chain
from ik_node.solvers import codes, linear, search
from ik_node.solvers.method import Method
from ik_node.solvers.restarts import Table
from ik_node.solvers.settings import Record, Settings, Work
from ik_node.solvers.task import Task

NEARLY_SINGULAR = 1e-2  # smallest over largest singular value of a singular configuration


def approach(chain: Chain, method: Method, settings: Settings, table: Table, task: Task,
             plain: Task, work: Work, record: Record) -> int:
    """Continue from the best configuration of a failed search while the error falls. Return 0.

    Attempts end as soon as a restart is more promising, usually before the least error. Settings
    and method are more patient ones.
    """
    beyond, iterations, attempts = record.end == codes.BEYOND, record.iterations, record.attempts
    error, position, orientation = record.error, record.position, record.orientation
    for k in range(chain.n):
        work.q0[k] = work.best[k]
    search.try_starts(chain, method, settings, table, task, plain, work, 1, record)
    if record.end != codes.CONVERGED:
        record.end = codes.BEYOND if beyond else codes.STALLED
        if record.error >= error:
            for k in range(chain.n):
                work.best[k] = work.q0[k]
            record.position, record.orientation = position, orientation
    record.iterations, record.attempts = iterations, attempts
    return 0


def is_singular(chain: Chain, length: float, task: Task, work: Work) -> bool:
    """Tell whether at work.best no joint moves the tip along some constrained axis.

    length: that counts as a radian, m. A search that fails there proves nothing about solutions,
    inside the limits or outside.
    """
    F, J, W, G, n = work.frames, work.J, work.W, task.T, chain.n
    forward.chain_frames(chain, work.best, F)
    jacobian.chain_jacobian(chain, F, F[chain.m], J)
    for k in range(n):
        for i in range(6):
            first = 0 if i < 3 else 3
            axis = i - first
            along = (G[0][axis] * J[k][first] + G[1][axis] * J[k][first + 1]
                     + G[2][axis] * J[k][first + 2])
            if i < 3:
                along /= length
            W[k][i] = along if task.weights[i] > 0.0 else 0.0
    largest = linear.row_svd(W, n, W, work.U)
    most = min(task.rows, n)  # singular values
    for i in range(6):
        if linear.row_length(W, n, i) >= NEARLY_SINGULAR * largest:
            most -= 1
    return most > 0

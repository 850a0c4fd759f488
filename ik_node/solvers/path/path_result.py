"""The result of a path: poses that cannot be met get a configuration too, and every step counts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ik_node.solvers.path.planner import ClosedForm, PathPlanner
from ik_node.solvers.path.problem import PathProblem
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Found


def plan(problem: PathProblem, closed_form: ClosedForm) -> Found:
    """Return the path chosen for a problem, as arrays; closed_form: see `PathPlanner`.

    A pose succeeds when it is met, by forward kinematics, and no joint moves more than the largest
    step from the pose before. One that is met after a longer step has the reason CONVERGED without
    success, after one that touches something COLLISION; one that is not met has the reason of the
    solver.
    """
    planner = PathPlanner(problem, closed_form)
    q, met = planner.plan()
    m = len(q)
    reason = np.full(m, StopReason.CONVERGED, dtype=object)
    reason[~met] = StopReason.TIMEOUT
    method = np.full(m, '', dtype=object)
    counts = np.zeros((2, m), dtype=np.int64)
    failures = planner.failures(np.flatnonzero(~met).tolist())
    for i, found in failures.items():
        reason[i], method[i] = found.reason, found.method
        counts[:, i] = found.iterations, found.restarts
    q = _filled(problem, q, met, failures)
    q = np.clip(q, problem.chain.lower, problem.chain.upper)  # whole turns are rounded
    errors = problem.errors(q)
    reached = np.all(errors <= problem.tolerances, axis=1)
    reason[reached] = StopReason.CONVERGED
    reason[~reached & (reason == StopReason.CONVERGED)] = StopReason.STALLED
    start = q[:1] if problem.q0 is None else problem.q0[None]
    blocked = problem.blocked(np.concatenate([start, q]) if m else q)[1:]
    if problem.q0 is None or not problem.joined:
        blocked[:1] = False
    reason[reached & blocked] = StopReason.COLLISION
    success = reached & ~problem.too_far(np.diff(q, axis=0, prepend=start)) & ~blocked
    columns: tuple[Any, ...] = q, success, reason, *errors.T, *counts, method
    return Found(*columns)


def _filled(problem: PathProblem, q: np.ndarray, met: np.ndarray,
            failures: Mapping[int, Any]) -> np.ndarray:
    """Return a path (m, n) with configurations for the poses that are not met.

    Of such poses in a row between two that are met, each gets the one that comes closest to the
    pose, while the steps up to the next met pose stay within the largest; else one on the line
    between these two. Where no such steps lead from one to the other, the row ends near the next.
    After the deadline all of them are on that line.
    """
    q, most = q.copy(), np.minimum(problem.most, problem.bound)
    present = np.flatnonzero(met)
    for i in np.flatnonzero(~met).tolist():
        before, k = q[i - 1] if i else problem.q0, int(np.searchsorted(present, i))
        if k < len(present):
            after, left = q[present[k]], int(present[k]) - i
            start = after if before is None else before + (after - before) / (left + 1)
            start = after + np.clip(start - after, -left * most, left * most)
        elif before is not None:
            after, left, start = None, 0, before
        else:
            q[i] = failures[i].q if i in failures else problem.chain.neutral()
            continue
        q[i] = start
        if problem.is_late:
            continue
        near = problem.near_pose(i, start)[0]
        close = before is None or (np.abs(near - before) <= most).all()
        if close and (after is None or (np.abs(near - after) <= left * most).all()):
            q[i] = near
    return q

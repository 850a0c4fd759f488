"""Steps after which the tasks of the first level hold although they are curved.

Near a singularity some joints move far for a small step of the tasks, and what is neglected, of
second order, is as large as the step. What the rows miss by it is asked for in addition, by the
same factors [Nocedal & Wright, Numerical Optimization, 18.3: second-order correction]; where that
does not converge, the step is shortened.
"""

import math

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.solvers.body import limits as limited
from ik_node.solvers.body import stacked_tasks as problems
from ik_node.solvers.body.levels import cascade as cascades
from ik_node.solvers.body.levels.cascade import Cascade
from ik_node.solvers.body.limits import Limits
from ik_node.solvers.body.stacked_tasks import Found, Problem
from ik_node.solvers.body.step_work import StepWork
from ik_node.support.arrays import Vector
from ik_node.tasks.body_task import TaskWork

CORRECTIONS = 40
CONVERGING = 0.8   # what an excess has to shrink to in a correction
SHORTER = 6        # times that a step is shortened which cannot be corrected
SHORTEN = 0.5
CURVED = 1e-8      # m, rad: what a task may miss by its curvature, and which part of all that
PART = 0.1         # it misses
INF = math.inf


def correct(tree: Tree, problem: Problem, limits: Limits, task: TaskWork, work: StepWork,
            cascade: Cascade, found: Found, q: Vector, dt: float, all_rows: bool) -> None:
    """Correct the step of a cascade from q (n,), work.x (n,) over the scale of the joints.

    work.e_here (m,) is what the rows miss at q, work.e what the step was to do about it. all_rows:
    whether two-sided rows have to hold, too. Corrections grow from 0 with what a task
    misses beyond what is allowed, so that the step is a continuous function of q.
    """
    most = begin(problem, limits, work)
    for _ in range(SHORTER):
        if converge(tree, problem, limits, task, work, cascade, found, q, all_rows) <= 1.0:
            break
        most *= SHORTEN
        limited.set_bounds(limits, work, q, dt, most)
        cascades.solve(cascade, work.A, work.e, work.lower, work.upper, work.x)
        begin(problem, limits, work)


def begin(problem: Problem, limits: Limits, work: StepWork) -> float:
    """Ask for no more than the rows do; return the largest change of the step."""
    largest = 0.0
    for i in range(problem.m):
        work.e_wanted[i] = work.e[i]
    for k in range(work.n):
        largest = max(largest, math.fabs(limits.scale[k] * work.x[k]))
    return largest


def converge(tree: Tree, problem: Problem, limits: Limits, task: TaskWork, work: StepWork,
             cascade: Cascade, found: Found, q: Vector, all_rows: bool) -> float:
    """Correct the step until it holds, or gets no better; return the excess, 1 at most if held."""
    excess, before = 2.0, INF
    for _ in range(CORRECTIONS):
        rows_there(tree, problem, limits, task, work, found, q)
        excess = ask_for_more(problem, work, all_rows)
        if excess == 0.0 or (excess > 1.0 and not excess < CONVERGING * before):
            break
        before = excess
        cascades.solve(cascade, work.A, work.e_wanted, work.lower, work.upper, work.x)
        if excess <= 1.0:
            break
    return excess


def rows_there(tree: Tree, problem: Problem, limits: Limits, task: TaskWork, work: StepWork,
               found: Found, q: Vector) -> None:
    """Write what the first level misses after the step into e_trial."""
    for k in range(tree.n):
        work.trial[k] = q[k] + limits.scale[k] * work.x[k]
    trees.tree_frames(tree, work.trial, task.frames, task.axes)
    problems.level_rows(problem, 0, tree, task, work.trial, work.A_trial, work.e_trial, found)


def ask_for_more(problem: Problem, work: StepWork, all_rows: bool) -> float:
    """Add what rows miss besides what the linear step does to e_wanted.

    Return how much that is for the worst task, over what is allowed and beyond it; 0 for none.
    """
    there, left, most, first = work.e_trial, work.left, 0.0, 0
    for i in range(problem.first_row[1]):
        left[i] = work.e_here[i] + (work.e_wanted[i] - work.e[i])
    for k in range(work.n):
        if work.x[k] != 0.0:
            for i in range(problem.first_row[1]):
                left[i] -= work.A[k][i] * work.x[k]
    for index in range(problem.first_task[1]):
        end, curved2, missed2 = first + problem.sizes[index], 0.0, 0.0
        for i in range(first, end):
            if all_rows or problem.one_sided[i]:
                missed = lacking(problem, i, left[i])
                curved = lacking(problem, i, there[i]) - missed
                curved2 += curved * curved
                missed2 += missed * missed
        allowed = CURVED + PART * math.sqrt(missed2)
        excess = math.sqrt(curved2) / allowed - 1.0
        if excess > 0.0:
            most, part = max(most, excess), min(excess, 1.0)
            for i in range(first, end):
                if all_rows or problem.one_sided[i]:
                    work.e_wanted[i] += part * (there[i] - left[i])
        first = end
    return most


def lacking(problem: Problem, i: int, e: float) -> float:
    """Return e of row i; 0 where it is one-sided and holds."""
    return 0.0 if problem.one_sided[i] and e < 0.0 else e

"""All solutions for a pose: branches refined on the true arm, verified, without duplicates.

`solutions`, `solutions_of_pose` and `all_solutions` are templates: `branches` and
`preferred_solution` stand for those of a family, bound in `kernels`.
"""

import math

from ik_node._jit import Integers, Matrix, Stack, Vector, njit
from ik_node.kinematics.forward import ChainArrays
from ik_node.kinematics.spatial_kernels import is_pose
from ik_node.solvers.analytic.families.branches import branches
from ik_node.solvers.analytic.refinement.branch import (
    allowed_excess,
    invalidate_frames,
    limit_excess,
    refine_branch,
    wrap_to_nearest,
)
from ik_node.solvers.analytic.refinement.buffers import Buffers, copy_to, lay_out
from ik_node.solvers.analytic.refinement.newton import across_fold
from ik_node.solvers.analytic.refinement.solution import (
    PRECISE,
    has_self_motion,
    self_motion_inside_limits,
    within_tolerances,
)
from ik_node.solvers.analytic.selection.best_solution import preferred_solution
from ik_node.solvers.analytic.structure import may_be_off
from ik_node.solvers.search import residual
from ik_node.solvers.settings import Settings
from ik_node.solvers.task import Task, make_task

INSIDE, ANYWHERE, BEST, NOMINAL = range(4)  # values of `mode`

_SAME = 1e-6          # rad or m: solutions nearer to each other are duplicates


def solutions(structure_codes: Integers, structure_numbers: Vector, codes: Integers,
              numbers: Vector, poses: Stack, weights: Vector, parameters: Matrix, starts: Matrix,
              margin: float, mode: int, scratch: Vector, out: Stack, records: Matrix) -> None:
    """Write solutions for poses (m, 4, 4) into out (m, k, n), k at most MOST_SOLUTIONS.

    structure_codes, structure_numbers: of `structure.pack_structure`. codes, numbers: of
    `packing.pack`, chain and settings. weights (6,): see `Goal`. parameters (m, p), or (1, p) for
    all poses: see `branches`. starts (m, n): reference for whole turns. mode: INSIDE the limits,
    ANYWHERE, BEST for the preferred solution only, NOMINAL for the branches of the nominal arm.
    records (m, 3) receives the number of solutions and, with BEST, position and orientation error
    of the solution.
    """
    chain, settings, buffers = lay_out(structure_codes, codes, numbers, scratch, starts.shape[1])
    for i in range(poses.shape[0]):
        own = parameters[min(i, parameters.shape[0] - 1)]
        if mode == NOMINAL:
            records[i, 0] = branches(structure_codes, structure_numbers, poses[i], own,
                                     starts[i], buffers.closed_form, out[i])
            continue
        task = make_task(poses[i], weights)
        if mode == BEST:
            records[i, 0], records[i, 1], records[i, 2] = preferred_solution(
                structure_codes, structure_numbers, chain, settings, task, own, starts[i],
                margin, buffers, out[i, 0])
            continue
        count = all_solutions(structure_codes, structure_numbers, chain, settings, task, own,
                              starts[i], mode == INSIDE, buffers, out[i])
        records[i, 0] = count
        for j in range(count, out.shape[1]):
            for k in range(out.shape[2]):
                out[i, j, k] = math.nan


def solutions_of_pose(structure_codes: Integers, structure_numbers: Vector, codes: Integers,
                      numbers: Vector, T_base_goal: Matrix, weights: Vector, parameters: Vector,
                      q0: Vector, tolerance: float, within: bool, scratch: Vector,
                      out: Matrix) -> int:
    """Write every solution for one pose (4, 4) into out (k, n); return their number.

    −1 for an array that is not within a tolerance of a pose, see `spatial.is_pose`. within:
    whether INSIDE the limits. q0 (n,): reference for whole turns. The others: see `solutions`.
    """
    if not is_pose(T_base_goal, tolerance):
        return -1
    chain, settings, buffers = lay_out(structure_codes, codes, numbers, scratch, q0.shape[0])
    return all_solutions(structure_codes, structure_numbers, chain, settings,
                         make_task(T_base_goal, weights), parameters, q0, within, buffers, out)


def all_solutions(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
                  settings: Settings, task: Task, parameters: Vector, q0: Vector, within: bool,
                  buffers: Buffers, out: Matrix) -> int:
    """Write every solution for a goal into out (k, n); return their number."""
    trial, errors = buffers.trial, buffers.errors
    count = branches(structure_codes, structure_numbers, task.T_base_goal, parameters, q0,
                     buffers.closed_form, buffers.branches)
    # On an exact arm, refinement leaves a branch outside the limits where it is.
    shaky = may_be_off(structure_codes, structure_numbers)
    room = allowed_excess(structure_codes, structure_numbers)
    kept, precise = 0, 0
    invalidate_frames(chain, buffers)
    for i in range(count):
        copy_to(trial, buffers.branches[i])
        if within:
            wrap_to_nearest(chain, q0, trial)
            if limit_excess(chain, trial) > room and not has_self_motion(chain, buffers, trial):
                continue
        error, met = refine_branch(chain, settings, task, buffers, q0, trial)
        if met and within and limit_excess(chain, trial) > 0.0:
            met = self_motion_inside_limits(chain, task, buffers, trial) <= PRECISE
            error, position, orientation = residual(chain, task, buffers.work, trial)
            met = met and within_tolerances(settings, position, orientation)
        if met:
            kept, precise = _keep(chain, within, trial, error, errors, kept, precise, out)
    if shaky:
        first, last = 0, kept
        while first < last and kept < out.shape[0]:  # twins of twins as well
            for i in range(first, last):
                if across_fold(chain, task, buffers.work, buffers.held, out[i], -1, trial):
                    invalidate_frames(chain, buffers)
                    error, met = refine_branch(chain, settings, task, buffers, q0, trial)
                    if met:
                        kept, precise = _keep(chain, within, trial, error, errors, kept, precise,
                                               out)
            first, last = last, kept
    if 0 < precise < kept:  # configurations just within the tolerances are dropped
        kept = 0
        for i in range(out.shape[0]):
            if kept == precise:
                break
            if errors[i] <= PRECISE:
                copy_to(out[kept], out[i])
                kept += 1
    return kept


@njit
def _keep(chain: ChainArrays, within: bool, q: Vector, error: float, errors: Vector, kept: int,
          precise: int, out: Matrix) -> tuple[int, int]:
    """Add a solution if it is new; return the numbers of all and of precise ones."""
    if kept == out.shape[0] or (within and limit_excess(chain, q) > 0.0):
        return kept, precise
    for i in range(kept):
        if _same(chain, q, out[i]):
            return kept, precise
    copy_to(out[kept], q)
    errors[kept] = error
    return kept + 1, precise + (1 if error <= PRECISE else 0)


@njit
def _same(chain: ChainArrays, a: Vector, b: Vector) -> bool:
    """Tell whether two configurations are equal, whole turns aside."""
    turn, turns = 2.0 * math.pi, chain.turns
    for k in range(a.shape[0]):
        off = abs(a[k] - b[k])
        if off > _SAME:
            if not turns[k] or off < turn - _SAME:  # the usual case, without a division
                return False
            if abs(off - turn * round(off / turn)) > _SAME:
                return False
    return True

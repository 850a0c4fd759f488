"""Branches made answers: on the true arm, inside the limits, each one once, checked."""

import math

from ik_node._jit import njit
from ik_node.solvers.analytic.branches import branches
from ik_node.solvers.analytic.desk import copy_to, lay_out
from ik_node.solvers.analytic.finishing import bring_near, finish, forget, overshoot, room_of
from ik_node.solvers.analytic.form import may_be_off
from ik_node.solvers.analytic.polish import across_fold
from ik_node.solvers.analytic.sharpening import VERIFIED, on_continuum, slid_inside
from ik_node.solvers.task import make_task

_SAME = 1e-6          # rad or m, of two answers that are one


@njit
def all_answers(form_codes, form_numbers, codes, numbers, T_base_goal, weights, given, q0, within,
                scratch, out):
    """Write every answer for a goal into out (k, n), k at most MOST_ANSWERS; return how many.

    form_codes, form_numbers: of `form.pack_form`. codes, numbers: of `packing.pack`, chain and
    settings. T_base_goal (4, 4), weights (6,): see `Goal`. given: see `branches`. q0 (n,): what
    answers are nearest to by whole turns. within: whether the limits matter.
    """
    chain, settings, desk = lay_out(form_codes, codes, numbers, scratch, q0.shape[0])
    return _all(form_codes, form_numbers, chain, settings, make_task(T_base_goal, weights),
                given, q0, within, desk, out)


@njit
def all_answers_batch(form_codes, form_numbers, codes, numbers, poses, weights, given, q0, within,
                      scratch, out, counts):
    """Write every answer for poses (m, 4, 4) into out (m, k, n), the rest NaN, counts (m,)."""
    chain, settings, desk = lay_out(form_codes, codes, numbers, scratch, q0.shape[0])
    for i in range(poses.shape[0]):
        counts[i] = _all(form_codes, form_numbers, chain, settings, make_task(poses[i], weights),
                         given, q0, within, desk, out[i])
        for j in range(counts[i], out.shape[1]):
            for k in range(out.shape[2]):
                out[i, j, k] = math.nan


@njit
def _all(form_codes, form_numbers, chain, settings, task, given, q0, within, desk, out):
    trial, errors = desk.trial, desk.errors
    count = branches(form_codes, form_numbers, task.T_base_goal, given, q0, desk.form, desk.found)
    # Of an ideal arm that is the true one a branch outside the limits stays there.
    shaky = may_be_off(form_codes, form_numbers)
    room = room_of(form_codes, form_numbers)
    kept, verified = 0, 0
    forget(chain, desk)
    for i in range(count):
        copy_to(trial, desk.found[i])
        if within:
            bring_near(chain, q0, trial)
            if overshoot(chain, trial) > room and not on_continuum(chain, desk, trial):
                continue
        error, met = finish(chain, settings, task, desk, q0, trial)
        if met and within and overshoot(chain, trial) > 0.0:
            error = slid_inside(chain, task, desk, trial)
            met = error <= VERIFIED
        if met:
            kept, verified = _keep(chain, within, trial, error, errors, kept, verified, out)
    if shaky:
        first, last = 0, kept
        while first < last and kept < out.shape[0]:  # twins of twins, too
            for i in range(first, last):
                if across_fold(chain, task, desk.work, desk.held, out[i], -1, trial):
                    forget(chain, desk)
                    error, met = finish(chain, settings, task, desk, q0, trial)
                    if met:
                        kept, verified = _keep(chain, within, trial, error, errors, kept, verified,
                                               out)
            first, last = last, kept
    if 0 < verified < kept:  # what is just within the tolerances is no branch beside true ones
        kept = 0
        for i in range(out.shape[0]):
            if kept == verified:
                break
            if errors[i] <= VERIFIED:
                copy_to(out[kept], out[i])
                kept += 1
    return kept


@njit
def _keep(chain, within, q, error, errors, kept, verified, out):
    """Add an answer to those kept, if it is new; return how many there are, and verified ones."""
    if kept == out.shape[0] or (within and overshoot(chain, q) > 0.0):
        return kept, verified
    for i in range(kept):
        if _same(chain, q, out[i]):
            return kept, verified
    copy_to(out[kept], q)
    errors[kept] = error
    return kept + 1, verified + (1 if error <= VERIFIED else 0)


@njit
def _same(chain, a, b):
    """Tell whether two postures are one, whole turns aside."""
    for k in range(a.shape[0]):
        off = a[k] - b[k]
        if chain.turns[k]:
            off -= 2.0 * math.pi * round(off / (2.0 * math.pi))
        if abs(off) > _SAME:
            return False
    return True

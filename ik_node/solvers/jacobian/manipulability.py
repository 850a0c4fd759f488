"""Manipulability as a secondary objective in the null space [Yoshikawa 1985]."""

from ik_node.kinematics import forward, jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import linear
from ik_node.solvers import task as tasks
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.settings import Settings, Scratch
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Vector

APART = 1e-5  # rad or m: step of the central differences


def manipulability(chain: ChainRecord, task: TipTask, settings: Settings, work: Scratch,
                   q: Vector) -> float:
    """Return w = √det(J Jᵀ) of the constrained rows at q (n,), lengths in units of the arm length.

    The Jacobian is the tip's, without joint weights or weights of rows. w is 0 where there are
    more rows than joints. work.frames, R, e, V, J and A are scratch.
    """
    F, J, weights = work.frames, work.J, task.weights
    tip = F[chain.m]
    forward.chain_frames(chain, q, F)
    tasks.task_error(task, tip, work.R, work.e, work.V)
    jacobian.chain_jacobian(chain, F, tip, J)
    tasks.task_jacobian(task, work.e, work.R, chain.n, J)
    for i in range(6):
        unit = weights[i] * (settings.length if i < 3 else 1.0)
        if unit > 0.0:
            for k in range(chain.n):
                J[k][i] /= unit
    linear.gram(J, chain.n, work.A)
    return linear.volume(work.A) if linear.cholesky(work.A) > 0.0 else 0.0


def manipulability_gradient(chain: ChainRecord, task: TipTask, settings: Settings,
                            own: JacobianSettings, work: Scratch, q: Vector) -> None:
    """Write manipulability_gain · ∂w/∂q, by √weight q, into work.ascent (n,); work is then q's.

    By central differences, though `∂w/∂qᵢ = w tr(J⁺ ∂J/∂qᵢ)` is known: J may have columns
    shared by mimics, axes that rotate with a spherical joint, and rows that rotate with the error.
    """
    ascent, gain = work.ascent, own.manipulability_gain / (2.0 * APART)
    for k in range(chain.n):
        here = q[k]
        q[k] = here + APART
        above = manipulability(chain, task, settings, work, q)
        q[k] = here - APART
        below = manipulability(chain, task, settings, work, q)
        q[k] = here
        ascent[k] = gain * (above - below) * settings.scale[k] * work.unit[k]
    forward.chain_frames(chain, q, work.frames)
    tasks.task_error(task, work.frames[chain.m], work.R, work.e, work.V)

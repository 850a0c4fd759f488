"""Manipulability as a secondary objective in the null space [Yoshikawa 1985]."""

from ik_node._jit import Vector, rare
from ik_node.kinematics.forward import ChainArrays, chain_frames
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.linear import cholesky, gram, volume
from ik_node.solvers.settings import Settings, Work
from ik_node.solvers.task import Task, task_error, task_jacobian

_APART = 1e-5  # rad or m: step of the central differences


@rare
def manipulability(chain: ChainArrays, task: Task, settings: Settings, work: Work,
                   q: Vector) -> float:
    """Return w = √det(J Jᵀ) of the constrained rows at q (n,), lengths in units of the arm length.

    The Jacobian is the tip's, without joint weights or weights of rows. w is 0 where there are
    more rows than joints. work.frames, R, e, V, J and A are scratch.
    """
    F, J, weights = work.frames, work.J, task.weights
    chain_frames(chain, q, F)
    task_error(task, F[-1], work.R, work.e, work.V)
    chain_jacobian(chain, F, F[-1], J)
    task_jacobian(task, work.e, work.R, J)
    for i in range(6):
        unit = weights[i] * (settings.length if i < 3 else 1.0)
        if unit > 0.0:
            for k in range(J.shape[1]):
                J[i, k] /= unit
    gram(J, work.A)
    return volume(work.A) if cholesky(work.A) > 0.0 else 0.0


@rare
def manipulability_gradient(chain: ChainArrays, task: Task, settings: Settings, work: Work,
                            q: Vector) -> None:
    """Write manipulability_gain · ∂w/∂q, by √weight q, into work.ascent (n,); work is then q's.

    By central differences, though `∂w/∂qᵢ = w tr(J⁺ ∂J/∂qᵢ)` is known: J may have columns
    shared by mimics, axes that rotate with a spherical joint, and rows that rotate with the error.
    """
    ascent, gain = work.ascent, settings.method.manipulability_gain / (2.0 * _APART)
    for k in range(q.shape[0]):
        here = q[k]
        q[k] = here + _APART
        above = manipulability(chain, task, settings, work, q)
        q[k] = here - _APART
        below = manipulability(chain, task, settings, work, q)
        q[k] = here
        ascent[k] = gain * (above - below) * settings.scale[k] * work.unit[k]
    chain_frames(chain, q, work.frames)
    task_error(task, work.frames[-1], work.R, work.e, work.V)

"""The control term: motion in the null space of the task [Parent 5.25–5.31]."""

import math

from ik_node._jit import Vector, njit
from ik_node.solvers.jacobian.linear import shortest_step
from ik_node.solvers.settings import Settings, Work
from ik_node.solvers.task import Task


@njit
def bias_gradient(settings: Settings, work: Work, q: Vector, z: Vector) -> bool:
    """Write z = ∂H/∂θ into z (n,); return whether any of it is not 0.

    H = Σ aᵢ |dᵢ|^ψ with d = θ − θc, less the gain times the manipulability, whose gradient is in
    work.ascent; the sum's is ψ aᵢ |dᵢ|^(ψ−1) sign dᵢ. The text's 5.27 prints the square of the
    deviation, which pushes the wrong way below θc. With joint weights w it is the gradient by √w θ.
    Prismatic joints count in the units of `work.unit`.
    """
    exponent, gains = settings.method.bias_exponent, settings.method.bias_gain
    targets, scale, ascent = settings.method.bias_target, settings.scale, work.ascent
    unit = work.unit
    wanted, ascends = False, settings.method.manipulability_gain > 0.0
    for k in range(q.shape[0]):
        d = (q[k] - targets[k]) / unit[k]
        z[k] = -ascent[k] if ascends else 0.0
        if gains[k] != 0.0 and d != 0.0:
            size = abs(d) if exponent == 2.0 else abs(d) ** (exponent - 1.0)
            z[k] += math.copysign(exponent * gains[k] * size, d) * scale[k]
        wanted = wanted or z[k] != 0.0
    return wanted


@njit
def add_bias(task: Task, settings: Settings, work: Work, strength: float, q: Vector) -> float:
    """Add strength · (J⁺J − I) z to work.dq (n,) and return the largest entry added.

    J⁺J is formed without damping, as a true projector, so that the bias does not move the tip
    [Parent 5.26]. The default bias is omitted where the task determines every free joint.
    """
    J, z, Jz, null, free = work.J, work.z, work.Jz, work.null, work.free
    count = 0
    for k in range(q.shape[0]):
        if free[k]:
            count += 1
    if strength == 0.0 or (count <= task.rows and not settings.method.biased):
        return 0.0
    if not bias_gradient(settings, work, q, z):
        return 0.0
    for i in range(6):
        total = 0.0
        for k in range(q.shape[0]):
            total += J[i, k] * z[k]
        Jz[i] = total
    shortest_step(J, Jz, settings.method.factorization, settings.method.rank_tolerance, work, null)
    largest, dq = 0.0, work.dq
    for k in range(q.shape[0]):
        if free[k]:
            pull = strength * (null[k] - z[k])
            largest = max(largest, abs(pull))
            dq[k] += pull
    return largest

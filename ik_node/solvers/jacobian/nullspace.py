"""The control term: motion in the null space of the task [Parent 5.25–5.31]."""

import math

from ik_node.solvers import linear
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.settings import Settings, Scratch
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Vector


def bias_gradient(settings: Settings, own: JacobianSettings, n: int, work: Scratch, q: Vector,
                  z: Vector) -> bool:
    """Write z = ∂H/∂θ into z (n,); return whether any of it is not 0.

    H = Σ aᵢ |dᵢ|^ψ with d = θ − θc, less the gain times the manipulability, whose gradient is in
    work.ascent; the sum's is ψ aᵢ |dᵢ|^(ψ−1) sign dᵢ. The text's 5.27 prints the square of the
    deviation, which pushes the wrong way below θc. With joint weights w it is the gradient by √w θ.
    Prismatic joints count in the units of `work.unit`.
    """
    exponent, gains, targets = own.bias_exponent, own.bias_gain, own.bias_target
    scale, ascent, unit = settings.scale, work.ascent, work.unit
    wanted, ascends = False, own.manipulability_gain > 0.0
    for k in range(n):
        d = (q[k] - targets[k]) / unit[k]
        z[k] = -ascent[k] if ascends else 0.0
        if gains[k] != 0.0 and d != 0.0:
            size = math.fabs(d) if exponent == 2.0 else math.fabs(d) ** (exponent - 1.0)
            z[k] += math.copysign(exponent * gains[k] * size, d) * scale[k]
        wanted = wanted or z[k] != 0.0
    return wanted


def add_bias(task: TipTask, settings: Settings, own: JacobianSettings, n: int, work: Scratch,
             strength: float, q: Vector) -> float:
    """Add strength · (J⁺J − I) z to work.dq (n,) and return the largest entry added.

    J⁺J is formed without damping, as a true projector, so that the bias does not move the tip
    [Parent 5.26]. The default bias is omitted where the task determines every free joint.
    """
    J, z, Jz, null, free, dq = work.J, work.z, work.Jz, work.null, work.free, work.dq
    count = 0
    for k in range(n):
        if free[k]:
            count += 1
    if strength == 0.0 or (count <= task.rows and not own.biased):
        return 0.0
    if not bias_gradient(settings, own, n, work, q, z):
        return 0.0
    for i in range(6):
        total = 0.0
        for k in range(n):
            total += J[k][i] * z[k]
        Jz[i] = total
    linear.shortest_step(J, n, Jz, own.factorization, own.rank_tolerance, work, null)
    largest = 0.0
    for k in range(n):
        if free[k]:
            pull = strength * (null[k] - z[k])
            largest = max(largest, math.fabs(pull))
            dq[k] += pull
    return largest

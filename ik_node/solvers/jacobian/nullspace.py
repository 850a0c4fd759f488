"""Secondary objectives of the Jacobian family: a bias in the null space, and manipulability."""

import math
from typing import Any

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.model.chain import Chain
from ik_node.solvers import codes
from ik_node.solvers.kernel import linear, search
from ik_node.solvers.kernel.arm_kernel import Verifier
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support.arrays import InMatrix, InVector, Memory, Vector

APART = 1e-5  # rad or m: step of the central differences


class JacobianSettings:
    """The family's options as numbers."""

    def __init__(self, options: Any, chain: Chain, default_gain: float = 0.0,
                 factorization: int = codes.AUTO) -> None:
        """Copy `JacobianOptions`; default_gain: of the bias, where they have none.

        - biased: whether a bias is requested: then iterations continue until it has converged.
        - alternate: whether the Jacobian is taken at the goal instead of the tip.
        """
        gain, ascends = options.bias_gain, options.manipulability_gain > 0.0
        if gain is None:  # a default bias must not oppose a requested objective
            gain = 0.0 if ascends else default_gain
        gains = np.full(chain.n_joints, gain, dtype=float)
        targets = np.zeros(chain.n_joints)
        if options.bias_target is None:
            limited = np.isfinite(chain.lower) & np.isfinite(chain.upper)
            targets[limited] = 0.5 * (chain.lower[limited] + chain.upper[limited])
            gains[~limited] = 0.0
        else:
            targets[:] = options.bias_target
        self.memory = memory = Memory()
        self.bias_target, self.bias_gain = memory.vector(targets), memory.vector(gains)
        self.bias_exponent = options.bias_exponent
        self.biased = ascends or (options.bias_gain is not None and bool(gains.any()))
        self.alternate = options.jacobian == 'goal'
        self.rank_tolerance, self.factorization = options.rank_tolerance, factorization
        self.manipulability_gain = options.manipulability_gain
        self.path_step = math.inf if options.path_step is None else options.path_step


def bias_gradient(settings: Settings, own: JacobianSettings, n: int, work: ArmData, q: Vector,
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


def add_bias(task: TipTask, settings: Settings, own: JacobianSettings, n: int, work: ArmData,
             strength: float, q: Vector) -> float:
    """Add strength · (J⁺J − I) z to work.dq (n,), the control term [Parent 5.25–5.31].

    J⁺J is formed without damping, as a true projector, so that the bias does not move the tip
    [Parent 5.26]. The default bias is omitted where the task determines every free joint, and
    limited by `proportionate`. Return the largest entry added.
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
        null[k] -= z[k]
    if not own.biased:
        strength = proportionate(settings, n, work, strength, q)
    for k in range(n):
        if free[k]:
            pull = strength * null[k]
            largest = max(largest, math.fabs(pull))
            dq[k] += pull
    return largest


def proportionate(settings: Settings, n: int, work: ArmData, strength: float, q: Vector) -> float:
    """Return the strength, reduced so that the bias moves joints no farther than the goal does.

    With Δq the step from q (n,), b = work.null the bias and q̄ = work.begun, where the attempt
    began, it is the largest s with |q + Δq + s b − q̄|ₖ ≤ maxⱼ |q + Δq − q̄|ⱼ for every joint k.
    """
    null, moved, most = work.null, work.z, 0.0
    for k in range(n):
        moved[k] = (q[k] - work.begun[k]) / (settings.scale[k] * work.unit[k]) + work.dq[k]
        most = max(most, math.fabs(moved[k]))
    for k in range(n):
        room = most - math.copysign(moved[k], moved[k] * null[k])
        if work.free[k] and strength * math.fabs(null[k]) > room:
            strength = room / math.fabs(null[k])
    return strength


def manipulability(chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                   q: Vector) -> float:
    """Return w = √det(J Jᵀ) of the constrained rows at q (n,), lengths in arm lengths.

    The Jacobian is the tip's, without joint weights or weights of rows. w is 0 where there are
    more rows than joints. work.frames, R, e, V, J and A are scratch.
    """
    J, weights = work.J, task.weights
    search.residual(chain, task, work, q)
    search.rows(chain, task, work)
    for i in range(6):
        unit = weights[i] * (settings.length if i < 3 else 1.0)
        if unit > 0.0:
            for k in range(chain.n):
                J[k][i] /= unit
    linear.gram(J, chain.n, work.A)
    return linear.volume(work.A) if linear.cholesky(work.A) > 0.0 else 0.0


def manipulability_gradient(chain: ChainRecord, task: TipTask, settings: Settings,
                            gain: float, work: ArmData, q: Vector) -> None:
    """Write gain · ∂w/∂q, by √weight q, into work.ascent (n,); work is then q's.

    By central differences, though `∂w/∂qᵢ = w tr(J⁺ ∂J/∂qᵢ)` is known: J may have columns
    shared by mimics, axes that rotate with a spherical joint, and rows that rotate with the error.
    """
    ascent, factor = work.ascent, gain / (2.0 * APART)
    for k in range(chain.n):
        here = q[k]
        q[k] = here + APART
        above = manipulability(chain, task, settings, work, q)
        q[k] = here - APART
        below = manipulability(chain, task, settings, work, q)
        q[k] = here
        ascent[k] = factor * (above - below) * settings.scale[k] * work.unit[k]
    search.residual(chain, task, work, q)


class Manipulability(Verifier):
    """The manipulability of a chain, and its gradient."""

    def __init__(self, chain: ChainRecord, settings: Settings) -> None:
        super().__init__(chain)
        self.settings = settings

    def at(self, T_base_goal: InMatrix, weights: InVector,
           q: InVector) -> tuple[float, np.ndarray]:
        """Return √det(J Jᵀ) at q (n,), see `manipulability`, and its gradient (n,)."""
        work, n = self.begin(T_base_goal, weights, q), self.chain.n
        for k in range(n):
            work.unit[k] = 1.0
        manipulability_gradient(self.chain, work.task, self.settings, 1.0, work, work.q0)
        ascent = np.array([work.ascent[k] / self.settings.scale[k] for k in range(n)])
        found = manipulability(self.chain, work.task, self.settings, work, work.q0)
        self.idle.append(work)
        return found, ascent

"""The steps of the Jacobian family: pseudoinverse, damped least squares, transpose."""

import math
from typing import Any

from ik_node.model.chain import Chain
from ik_node.solvers import codes
from ik_node.solvers.jacobian import loop
from ik_node.solvers.jacobian.loop import JacobianMethod
from ik_node.solvers.jacobian.nullspace import JacobianSettings
from ik_node.solvers.kernel import linear
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.support.arrays import Vector

# The floor that Sugihara adds, so that λ does not vanish at the goal. Tried over 1e-10 to 1e-6 on
# the arms of the benchmark: flat near this value.
FLOOR = 1e-8

DEFAULT_GAIN = 0.1  # of the bias of damped least squares

# Nakamura's λ0 and w0. With metres in units of the arm length, the manipulability of arms with six
# joints and more is 0.02 to 0.08 in the median and at most 0.1 to 0.2. Tried over 0.01 to 0.1 and
# 0.003 to 0.03: with more damping fewer goals near singular configurations are met.
LARGEST_DAMPING = 0.01
LOW_MANIPULABILITY = 0.01

NEGLIGIBLE = 1e-10  # singular values below this fraction of the largest are ignored


class Pseudoinverse(JacobianMethod):
    """Δq = J⁺ e: the shortest step that removes the error; unbounded near singularities."""

    def __init__(self, options: Any, chain: Chain) -> None:
        super().__init__(JacobianSettings(
            options, chain, factorization=codes.FACTORIZATIONS[options.factorization]))

    def step(self, settings: Settings, n: int, work: ArmData, V: Vector) -> None:
        """Write J⁺ V into work.dq [Parent 5.23]."""
        linear.shortest_step(work.J, n, V, self.own.factorization, self.own.rank_tolerance, work,
                             work.dq)


class DampedLeastSquares(JacobianMethod):
    """Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e: bounded steps near singular configurations; the default."""

    def __init__(self, options: Any, chain: Chain) -> None:
        super().__init__(JacobianSettings(options, chain, DEFAULT_GAIN))
        self.damping_rule, self.damping = codes.CONSTANT, 0.0
        if options.damping is None:
            self.damping_rule = codes.DAMPING_RULES[options.damping_rule]
        else:
            self.damping = options.damping
        self.error_share, self.max_angle = options.error_share, options.max_angle

    def step(self, settings: Settings, n: int, work: ArmData, V: Vector) -> None:
        """Write `Jᵀ (J Jᵀ + λ² D)⁻¹ V` into work.dq [Parent 5.24].

        With the user's λ, D is the unit matrix. With a λ that a rule adapts, D = diag(length², 1),
        so that nothing depends on how large the arm is.
        """
        if self.damping_rule == codes.SELECTIVE:
            selective_step(settings, self.max_angle, n, work, V)
            return
        if self.damping_rule == codes.CONSTANT:
            along = about = self.damping * self.damping
        else:
            about = squared_damping(settings, self, n, work, V)
            along = about * settings.length * settings.length
        if not linear.damped_step(work.J, n, V, along, about, work, work.dq):
            # λ = 0 where J has not full rank
            linear.shortest_step(work.J, n, V, self.own.factorization, self.own.rank_tolerance,
                                 work, work.dq)


class Transpose(JacobianMethod):
    """Δq = α Jᵀ e: no inverse, and many more iterations."""

    def __init__(self, options: Any, chain: Chain) -> None:
        super().__init__(JacobianSettings(options, chain))
        self.alpha = 0.0 if options.alpha is None else options.alpha
        self.alpha_scale = options.alpha_scale

    def step(self, settings: Settings, n: int, work: ArmData, V: Vector) -> None:
        """Write α Jᵀ V into work.dq.

        α is the user's, stable below 2/σ_max² only (the text's 0.1 diverges on its own arm), or
        Buss's `⟨V, J Jᵀ V⟩ / ⟨J Jᵀ V, J Jᵀ V⟩`, the best step along that direction [Buss 2004,
        eq. 7], times the user's scale. With Buss's, every step after the first is conjugate to the
        one before it [Polak & Ribière 1969]: in a narrow valley that saves nine steps in ten.
        """
        J, dq, alpha = work.J, work.dq, self.alpha
        linear.times_transpose(J, n, V, dq)
        if alpha > 0.0:
            for k in range(n):
                dq[k] *= alpha
            return
        conjugate(n, work, dq)
        along, length = 0.0, 0.0
        for i in range(6):
            moved = 0.0
            for k in range(n):
                moved += J[k][i] * dq[k]
            along += V[i] * moved
            length += moved * moved
        alpha = self.alpha_scale * along / length if length > 0.0 else 0.0
        for k in range(n):
            dq[k] *= alpha


def conjugate(n: int, work: ArmData, slope: Vector) -> None:
    """Turn slope (n,), which is Jᵀ V, in place into a direction conjugate to the previous one."""
    change, before, down = 0.0, 0.0, 0.0
    for k in range(n):
        change += slope[k] * (slope[k] - work.slope[k])
        before += work.slope[k] * work.slope[k]
        if not work.free[k]:
            work.direction[k] = 0.0
    share = max(0.0, change / before) if before > 0.0 else 0.0
    for k in range(n):
        work.direction[k] = slope[k] + share * work.direction[k]
        down += slope[k] * work.direction[k]
        work.slope[k] = slope[k]
    if down > 0.0:
        for k in range(n):
            slope[k] = work.direction[k]


def squared_damping(settings: Settings, own: DampedLeastSquares, n: int, work: ArmData,
                    V: Vector) -> float:
    """Return λ² for the error V (6,), metres counted in lengths of the arm; work.A is scratch.

    With E = ½ |error|²: `share · E` [Chan & Lawrence 1988], which vanishes at the goal;
    `share · E + floor` [Sugihara, IEEE T-RO 27 (2011) 984, eq. 17]; or from the manipulability w,
    `λ0² (1 − w/w0)²` below w0 and nothing above [Nakamura & Hanafusa 1986].
    """
    if own.damping_rule == codes.NAKAMURA:
        return _near_singular(settings, n, work)
    energy = own.error_share * loop.task_energy(settings, V)
    return energy + FLOOR if own.damping_rule == codes.SUGIHARA else energy


def _near_singular(settings: Settings, n: int, work: ArmData) -> float:
    """Return λ² by Nakamura's rule; the manipulability is that of the free joints."""
    A, square = work.A, settings.length * settings.length
    linear.gram(work.J, n, A)
    for i in range(6):
        for j in range(i + 1):
            if j < 3:
                A[i][j] /= square if i < 3 else settings.length
    w = linear.volume(A) if linear.cholesky(A) > 0.0 else 0.0
    lack = max(0.0, 1.0 - w / LOW_MANIPULABILITY)
    return LARGEST_DAMPING * LARGEST_DAMPING * lack * lack


def selective_step(settings: Settings, max_angle: float, n: int, work: ArmData,
                   V: Vector) -> None:
    """Write the step towards V (6,) of selectively damped least squares into work.dq.

    The component of the pseudoinverse's step along each singular vector, φᵢ = σᵢ⁻¹ αᵢ vᵢ with αᵢ =
    uᵢᵀ V, is clamped separately: no joint may change by more than γᵢ = γ_max min(1, Nᵢ/Mᵢ). Nᵢ =
    |uᵢ| is how far the tip goes, Mᵢ = σᵢ⁻¹ Σⱼ |vᵢⱼ| ρⱼ how far the joints would take it, each
    alone, ρⱼ being the length of column j: near a singular configuration they counteract each
    other, and Nᵢ ≪ Mᵢ. The sum is clamped to γ_max [Buss & Kim, J. Graphics Tools 10:3 (2005) 37].

    The paper's several end effectors, whose lengths are added up, are here the tip's position, in
    lengths of the arm, and its orientation. It is Δq that is clamped, with joint weights, too.
    """
    J, W, U, dq, scale, column_lengths = work.J, work.W, work.U, work.dq, settings.scale, work.null
    per_length = 1.0 / settings.length
    for k in range(n):
        dq[k] = 0.0
        for i in range(6):
            W[k][i] = J[k][i] * per_length if i < 3 else J[k][i]
        # Σ ρ: how far joint k alone moves the tip's position, and its orientation
        column_lengths[k] = (math.sqrt(W[k][0] * W[k][0] + W[k][1] * W[k][1] + W[k][2] * W[k][2])
                  + math.sqrt(W[k][3] * W[k][3] + W[k][4] * W[k][4] + W[k][5] * W[k][5]))
    largest = linear.row_svd(W, n, W, U)
    for i in range(6):
        sigma = linear.row_length(W, n, i)  # W[i] = σ vᵢ
        if sigma <= NEGLIGIBLE * largest:
            continue
        N = (math.sqrt(U[0][i] * U[0][i] + U[1][i] * U[1][i] + U[2][i] * U[2][i])
             + math.sqrt(U[3][i] * U[3][i] + U[4][i] * U[4][i] + U[5][i] * U[5][i]))
        alpha = per_length * (U[0][i] * V[0] + U[1][i] * V[1] + U[2][i] * V[2]) + (
            U[3][i] * V[3] + U[4][i] * V[4] + U[5][i] * V[5])
        share = alpha / (sigma * sigma)
        M, furthest = 0.0, 0.0
        for k in range(n):
            M += math.fabs(W[k][i]) * column_lengths[k] / (sigma * sigma)
            furthest = max(furthest, math.fabs(share * W[k][i] * scale[k]))
        allowed = max_angle * min(1.0, N / M)
        if furthest > allowed:
            share *= allowed / furthest
        for k in range(n):
            dq[k] += share * W[k][i]
    furthest = 0.0
    for k in range(n):
        furthest = max(furthest, math.fabs(dq[k] * scale[k]))
    if furthest > max_angle:
        for k in range(n):
            dq[k] *= max_angle / furthest

"""Selectively damped least squares [Buss & Kim, J. Graphics Tools 10:3 (2005) 37]."""

import math

from ik_node.solvers import linear
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.settings import Settings, Scratch
from ik_node.support.arrays import Vector

NEGLIGIBLE = 1e-10  # singular values below this fraction of the largest are ignored


def selective_step(settings: Settings, own: JacobianSettings, n: int, work: Scratch,
                   V: Vector) -> None:
    """Write the selectively damped step towards V (6,) into work.dq.

    The component of the pseudoinverse's step along each singular vector, φᵢ = σᵢ⁻¹ αᵢ vᵢ with αᵢ =
    uᵢᵀ V, is clamped separately: no joint may change by more than γᵢ = γ_max min(1, Nᵢ/Mᵢ). Nᵢ =
    |uᵢ| is how far the tip goes, Mᵢ = σᵢ⁻¹ Σⱼ |vᵢⱼ| ρⱼ how far the joints would take it, each
    alone, ρⱼ being the length of column j: near a singular configuration they counteract each
    other, and Nᵢ ≪ Mᵢ. The sum is clamped to γ_max.

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
        allowed = own.max_angle * min(1.0, N / M)
        if furthest > allowed:
            share *= allowed / furthest
        for k in range(n):
            dq[k] += share * W[k][i]
    furthest = 0.0
    for k in range(n):
        furthest = max(furthest, math.fabs(dq[k] * scale[k]))
    if furthest > own.max_angle:
        for k in range(n):
            dq[k] *= own.max_angle / furthest

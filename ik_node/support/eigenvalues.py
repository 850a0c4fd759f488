"""Eigenvalues of a real matrix, by the QR iteration."""

import math

from ik_node.support.arrays import Sixteens, Vector

INF = math.inf
_EPSILON = 2.220446049250313e-16
_PATIENCE = 10        # steps without a deflation before an exceptional shift breaks a cycle
_STEPS = 640          # in all; about two for each eigenvalue are the rule


def eigenvalues(A: Sixteens, real: Vector, imaginary: Vector) -> int:
    """Write the eigenvalues of A (16, 16) into real and imaginary (16,) each; return how many.

    Hessenberg form by reflections, then the QR iteration with Francis' double shift
    [Golub & Van Loan 7.4.2, 7.5.6; EISPACK's orthes and hqr]. A is overwritten. Where the
    iteration does not settle within its bound, only those found till then are written.
    """
    _to_hessenberg(A)
    norm = 0.0
    for i in range(16):
        for j in range(max(i - 1, 0), 16):
            norm += math.fabs(A[i][j])
    if not norm < INF:
        return 0
    found, steps, stuck = 0, 0, 0
    high = 15
    while high >= 0 and steps < _STEPS:
        low = _first_of_block(A, high, norm)
        if low == high:
            real[found], imaginary[found] = A[high][high], 0.0
            found, high, stuck = found + 1, high - 1, 0
            continue
        a, b = A[high - 1][high - 1], A[high - 1][high]
        c, d = A[high][high - 1], A[high][high]
        if low == high - 1:
            real[found], imaginary[found], real[found + 1], imaginary[found + 1] = _pair(a, b, c, d)
            found, high, stuck = found + 2, high - 2, 0
            continue
        # Trace and determinant of the trailing 2×2 block: the sum and product of both shifts.
        total, product = a + d, a * d - b * c
        if stuck > 0 and stuck % _PATIENCE == 0:
            size = math.fabs(c) + math.fabs(A[high - 1][high - 2])
            total, product = 1.5 * size, size * size
        _francis_step(A, low, high, total, product)
        steps, stuck = steps + 1, stuck + 1
    return found


def _first_of_block(A: Sixteens, high: int, norm: float) -> int:
    """Return the first row of the block of the Hessenberg A that ends at a row and is not split."""
    low = high
    while low > 0:
        size = math.fabs(A[low - 1][low - 1]) + math.fabs(A[low][low])
        if math.fabs(A[low][low - 1]) <= _EPSILON * (size if size > 0.0 else norm):
            break
        low -= 1
    return low


def _pair(a: float, b: float, c: float, d: float) -> tuple[float, float, float, float]:
    """Return the eigenvalues of a matrix ((a, b), (c, d)): real and imaginary part of each."""
    half = 0.5 * (a - d)
    square = half * half + b * c
    root = math.sqrt(math.fabs(square))
    if square < 0.0:
        return d + half, root, d + half, -root
    # The larger one first, the other from the product: no digits cancel.
    far = half + math.copysign(root, half)
    return d + far, 0.0, d - b * c / far if far != 0.0 else d, 0.0


def _to_hessenberg(A: Sixteens) -> None:
    """Overwrite A (16, 16) with an upper Hessenberg matrix of the same eigenvalues.

    The reflections I − 2 u uᵀ/(uᵀu) that zero a column below its subdiagonal
    [Golub & Van Loan 7.4.2]; u is kept in that column until it has done its work.
    """
    for k in range(14):
        length2 = 0.0
        for i in range(k + 2, 16):
            length2 += A[i][k] * A[i][k]
        if length2 == 0.0:
            continue
        head = A[k + 1][k]
        alpha = -math.copysign(math.sqrt(head * head + length2), head)
        A[k + 1][k] = head - alpha
        scale = 2.0 / (A[k + 1][k] * A[k + 1][k] + length2)
        for j in range(k + 1, 16):
            share = 0.0
            for i in range(k + 1, 16):
                share += A[i][k] * A[i][j]
            share *= scale
            for i in range(k + 1, 16):
                A[i][j] -= share * A[i][k]
        for i in range(16):
            share = 0.0
            for j in range(k + 1, 16):
                share += scale * A[i][j] * A[j][k]
            for j in range(k + 1, 16):
                A[i][j] -= share * A[j][k]
        A[k + 1][k] = alpha
        for i in range(k + 2, 16):
            A[i][k] = 0.0


def _francis_step(A: Sixteens, low: int, high: int, total: float, product: float) -> None:
    """Do one step of QR with both shifts on rows and columns low … high of the Hessenberg A.

    (A − s₁)(A − s₂) = Q R, A ← Qᵀ A Q, given s₁ + s₂ and s₁ s₂, by its first column alone: a
    bulge of 3×3 reflections is chased down the subdiagonal [Golub & Van Loan 7.5.1].
    """
    x = A[low][low] * (A[low][low] - total) + A[low][low + 1] * A[low + 1][low] + product
    y = A[low + 1][low] * (A[low][low] + A[low + 1][low + 1] - total)
    z = A[low + 1][low] * A[low + 2][low + 1]
    for k in range(low, high):
        three = k < high - 1
        if k > low:
            x, y, z = A[k][k - 1], A[k + 1][k - 1], A[k + 2][k - 1] if three else 0.0
        size = math.fabs(x) + math.fabs(y) + math.fabs(z)
        if size == 0.0:
            continue
        x, y, z = x / size, y / size, z / size
        alpha = -math.copysign(math.sqrt(x * x + y * y + z * z), x)
        if k > low:
            A[k][k - 1], A[k + 1][k - 1] = alpha * size, 0.0
            if three:
                A[k + 2][k - 1] = 0.0
        x -= alpha
        _reflect(A, k, low, high, three, y / x, z / x, -x / alpha)


def _reflect(A: Sixteens, k: int, low: int, high: int, three: bool, v: float, w: float,
             beta: float) -> None:
    """Apply the reflection 1 − β u uᵀ to rows and columns k … k + 2, u = (1, v, w).

    Only what the bulge touches changes. three: else the last two rows and columns, u = (1, v).
    """
    for j in range(k, high + 1):
        share = A[k][j] + v * A[k + 1][j]
        if three:
            share += w * A[k + 2][j]
            A[k + 2][j] -= beta * share * w
        A[k][j] -= beta * share
        A[k + 1][j] -= beta * share * v
    for i in range(low, min(k + 3, high) + 1):
        share = A[i][k] + v * A[i][k + 1]
        if three:
            share += w * A[i][k + 2]
            A[i][k + 2] -= beta * share * w
        A[i][k] -= beta * share
        A[i][k + 1] -= beta * share * v

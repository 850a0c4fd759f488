"""Eigenvalues, quotients and null spaces of small real matrices, in the memory of the caller."""

import math

import numpy as np

from ik_node._jit import Matrix, Vector, inline, njit, plain_code

_EPSILON = 2.220446049250313e-16
_PATIENCE = 10        # steps without a deflation before an exceptional shift breaks a cycle
_STEPS_PER_ROOT = 40  # in all; about two are the rule


@njit
def eigenvalues(A: Matrix, real: Vector, imaginary: Vector) -> int:
    """Write the eigenvalues of A (n, n) into real (n,) and imaginary (n,); return how many.

    Hessenberg form by reflections, then the QR iteration with Francis' double shift
    [Golub & Van Loan 7.4.2, 7.5.6; EISPACK's orthes and hqr]. A is overwritten. Where the
    iteration does not settle within its bound, only those found till then are written.
    """
    n = A.shape[0]
    _to_hessenberg(A)
    norm = 0.0
    for i in range(n):
        for j in range(max(i - 1, 0), n):
            norm += abs(A[i, j])
    if not norm < math.inf:
        return 0
    found, steps, stuck = 0, 0, 0
    high = n - 1
    while high >= 0 and steps < _STEPS_PER_ROOT * n:
        low = high
        while low > 0:
            size = abs(A[low - 1, low - 1]) + abs(A[low, low])
            if abs(A[low, low - 1]) <= _EPSILON * (size if size > 0.0 else norm):
                break
            low -= 1
        if low == high:
            real[found], imaginary[found] = A[high, high], 0.0
            found, high, stuck = found + 1, high - 1, 0
            continue
        # Trace and determinant of the trailing 2×2 block: the sum and product of both shifts.
        a, b, c, d = A[high - 1, high - 1], A[high - 1, high], A[high, high - 1], A[high, high]
        if low == high - 1:
            half = 0.5 * (a - d)
            square = half * half + b * c
            root = math.sqrt(abs(square))
            if square >= 0.0:
                # The larger one first, the other from the product: no digits cancel.
                far = half + math.copysign(root, half)
                real[found], real[found + 1] = d + far, d - b * c / far if far != 0.0 else d
                imaginary[found], imaginary[found + 1] = 0.0, 0.0
            else:
                real[found], real[found + 1] = d + half, d + half
                imaginary[found], imaginary[found + 1] = root, -root
            found, high, stuck = found + 2, high - 2, 0
            continue
        total, product = a + d, a * d - b * c
        if stuck > 0 and stuck % _PATIENCE == 0:
            size = abs(c) + abs(A[high - 1, high - 2])
            total, product = 1.5 * size, size * size
        _francis_step(A, low, high, total, product)
        steps, stuck = steps + 1, stuck + 1
    return found


@njit
def _to_hessenberg(A: Matrix) -> None:
    """Overwrite A (n, n) with an upper Hessenberg matrix of the same eigenvalues.

    The reflections I − 2 u uᵀ/(uᵀu) that zero a column below its subdiagonal
    [Golub & Van Loan 7.4.2]; u is kept in that column until it has done its work.
    """
    n = A.shape[0]
    for k in range(n - 2):
        length2 = 0.0
        for i in range(k + 2, n):
            length2 += A[i, k] * A[i, k]
        if length2 == 0.0:
            continue
        head = A[k + 1, k]
        alpha = -math.copysign(math.sqrt(head * head + length2), head)
        A[k + 1, k] = head - alpha
        scale = 2.0 / (A[k + 1, k] * A[k + 1, k] + length2)
        for j in range(k + 1, n):
            share = 0.0
            for i in range(k + 1, n):
                share += A[i, k] * A[i, j]
            share *= scale
            for i in range(k + 1, n):
                A[i, j] -= share * A[i, k]
        for i in range(n):
            share = 0.0
            for j in range(k + 1, n):
                share += scale * A[i, j] * A[j, k]
            for j in range(k + 1, n):
                A[i, j] -= share * A[j, k]
        A[k + 1, k] = alpha
        for i in range(k + 2, n):
            A[i, k] = 0.0


@plain_code(_to_hessenberg)
def _to_hessenberg_by_rows(A: Matrix) -> None:
    """Do as `_to_hessenberg`."""
    n = A.shape[0]
    for k in range(n - 2):
        length2 = 0.0
        for x in A[k + 2:, k].tolist():
            length2 += x * x
        if length2 == 0.0:
            continue
        head = float(A[k + 1, k])
        alpha = -math.copysign(math.sqrt(head * head + length2), head)
        A[k + 1, k] = head - alpha
        scale = 2.0 / (A[k + 1, k] * A[k + 1, k] + length2)
        u, share = A[k + 1:, k], np.zeros(n - k - 1)
        for i in range(k + 1, n):
            share += A[i, k] * A[i, k + 1:]
        share *= scale
        A[k + 1:, k + 1:] -= share * u[:, None]
        share = np.zeros(n)
        for j in range(k + 1, n):
            share += scale * A[:, j] * A[j, k]
        A[:, k + 1:] -= share[:, None] * u
        A[k + 1, k] = alpha
        A[k + 2:, k] = 0.0


@njit
def _francis_step(A: Matrix, low: int, high: int, total: float, product: float) -> None:
    """Do one step of QR with both shifts on rows and columns low … high of the Hessenberg A.

    (A − s₁)(A − s₂) = Q R, A ← Qᵀ A Q, given s₁ + s₂ and s₁ s₂, by its first column alone: a
    bulge of 3×3 reflections is chased down the subdiagonal [Golub & Van Loan 7.5.1].
    """
    x = A[low, low] * (A[low, low] - total) + A[low, low + 1] * A[low + 1, low] + product
    y = A[low + 1, low] * (A[low, low] + A[low + 1, low + 1] - total)
    z = A[low + 1, low] * A[low + 2, low + 1]
    for k in range(low, high):
        three = k < high - 1
        if k > low:
            x, y, z = A[k, k - 1], A[k + 1, k - 1], A[k + 2, k - 1] if three else 0.0
        size = abs(x) + abs(y) + abs(z)
        if size == 0.0:
            continue
        x, y, z = x / size, y / size, z / size
        alpha = -math.copysign(math.sqrt(x * x + y * y + z * z), x)
        if k > low:
            A[k, k - 1], A[k + 1, k - 1] = alpha * size, 0.0
            if three:
                A[k + 2, k - 1] = 0.0
        x -= alpha
        v, w = y / x, z / x
        _reflect(A, k, low, high, v, w, -x / alpha)


@inline
def _reflect(A: Matrix, k: int, low: int, high: int, v: float, w: float, beta: float) -> None:
    """Apply the reflection 1 − β u uᵀ to rows and columns k … k + 2, u = (1, v, w).

    To two of them at the end; only what the bulge touches changes.
    """
    three = k < high - 1
    for j in range(k, high + 1):
        share = A[k, j] + v * A[k + 1, j]
        if three:
            share += w * A[k + 2, j]
            A[k + 2, j] -= beta * share * w
        A[k, j] -= beta * share
        A[k + 1, j] -= beta * share * v
    for i in range(low, min(k + 3, high) + 1):
        share = A[i, k] + v * A[i, k + 1]
        if three:
            share += w * A[i, k + 2]
            A[i, k + 2] -= beta * share * w
        A[i, k] -= beta * share
        A[i, k + 1] -= beta * share * v


@plain_code(_reflect)
def _reflect_by_rows(A: Matrix, k: int, low: int, high: int, v: float, w: float,
                     beta: float) -> None:
    """Do as `_reflect`."""
    three = k < high - 1
    for lines in (A[:, k:high + 1], A.T[:, low:min(k + 3, high) + 1]):  # rows, then columns
        share = lines[k] + v * lines[k + 1]
        if three:
            share += w * lines[k + 2]
        share *= beta
        if three:
            lines[k + 2] -= share * w
        lines[k] -= share
        lines[k + 1] -= share * v


@njit
def divide_by(M: Matrix, V: Matrix) -> float:
    """Replace V (m, n) by V M⁻¹; M (n, n) is overwritten by its factors.

    Gaussian elimination on columns, with column pivoting. Return the smallest pivot over the
    largest; 0 where M is singular, and V then is of no use.
    """
    n, rows = M.shape[0], V.shape[0]
    smallest, largest = math.inf, 0.0
    for k in range(n):
        pivot = k
        for j in range(k + 1, n):
            if abs(M[k, j]) > abs(M[k, pivot]):
                pivot = j
        for i in range(n):
            M[i, k], M[i, pivot] = M[i, pivot], M[i, k]
        for i in range(rows):
            V[i, k], V[i, pivot] = V[i, pivot], V[i, k]
        head = M[k, k]
        if not abs(head) > 0.0:  # true for NaN as well
            return 0.0
        smallest, largest = min(smallest, abs(head)), max(largest, abs(head))
        for j in range(k + 1, n):
            factor = M[k, j] / head
            for i in range(k + 1, n):
                M[i, j] -= factor * M[i, k]
            for i in range(rows):
                V[i, j] -= factor * V[i, k]
    for k in range(n - 1, -1, -1):
        for i in range(rows):
            V[i, k] /= M[k, k]
        for j in range(k):
            for i in range(rows):
                V[i, j] -= M[k, j] * V[i, k]
    return smallest / largest


@plain_code(divide_by)
def _divide_by_rows(M: Matrix, V: Matrix) -> float:
    """Do as `divide_by`."""
    n = M.shape[0]
    smallest, largest = math.inf, 0.0
    for k in range(n):
        pivot, sizes = k, np.abs(M[k]).tolist()
        for j in range(k + 1, n):
            if sizes[j] > sizes[pivot]:
                pivot = j
        if pivot != k:
            M[:, [k, pivot]], V[:, [k, pivot]] = M[:, [pivot, k]], V[:, [pivot, k]]
        head = float(M[k, k])
        if not abs(head) > 0.0:
            return 0.0
        smallest, largest = min(smallest, abs(head)), max(largest, abs(head))
        factors = M[k, k + 1:] / head
        M[k + 1:, k + 1:] -= factors * M[k + 1:, k, None]
        V[:, k + 1:] -= factors * V[:, k, None]
    for k in range(n - 1, -1, -1):
        V[:, k] /= M[k, k]
        V[:, :k] -= M[k, :k] * V[:, k, None]
    return smallest / largest


@njit
def null_vector(M: Matrix, order: Vector, v: Vector) -> float:
    """Write v (12,) with M v ≈ 0 for a singular M (12, 12), which is overwritten.

    Gaussian elimination with complete pivoting, the last pivot taken as 0; order (12,) is scratch.
    Return the eleventh pivot over the first: where it is 0 as well, v is one vector of many.
    """
    n = M.shape[0]
    for j in range(n):
        order[j], v[j] = j, 0.0
    for k in range(n - 1):
        best, row, column = 0.0, k, k
        for i in range(k, n):
            for j in range(k, n):
                if abs(M[i, j]) > best:
                    best, row, column = abs(M[i, j]), i, j
        if best == 0.0:  # nor does NaN compare as larger
            v[int(order[n - 1])] = 1.0
            return 0.0
        order[k], order[column] = order[column], order[k]
        for j in range(k, n):
            M[k, j], M[row, j] = M[row, j], M[k, j]
        for i in range(n):
            M[i, k], M[i, column] = M[i, column], M[i, k]
        for i in range(k + 1, n):
            factor = M[i, k] / M[k, k]
            for j in range(k + 1, n):
                M[i, j] -= factor * M[k, j]
    v[int(order[n - 1])] = 1.0
    for k in range(n - 2, -1, -1):
        total = 0.0
        for j in range(k + 1, n):
            total -= M[k, j] * v[int(order[j])]
        v[int(order[k])] = total / M[k, k]
    return abs(M[n - 2, n - 2] / M[0, 0])


@plain_code(null_vector)
def _null_vector_by_rows(M: Matrix, order: Vector, v: Vector) -> float:
    """Do as `null_vector`."""
    n = M.shape[0]
    order[:], v[:] = np.arange(n), 0.0
    for k in range(n - 1):
        sizes = np.abs(M[k:, k:])
        sizes[~(sizes > 0.0)] = 0.0  # NaN
        at = int(sizes.argmax())
        row, column = k + at // (n - k), k + at % (n - k)
        if sizes[row - k, column - k] == 0.0:
            v[int(order[n - 1])] = 1.0
            return 0.0
        order[[k, column]] = order[[column, k]]
        M[[k, row], k:] = M[[row, k], k:]
        M[:, [k, column]] = M[:, [column, k]]
        factors = M[k + 1:, k] / M[k, k]
        M[k + 1:, k + 1:] -= factors[:, None] * M[k, k + 1:]
    columns = [int(k) for k in order]
    values = [1.0] * n
    for k in range(n - 2, -1, -1):
        total, row_k = 0.0, M[k].tolist()
        for j in range(k + 1, n):
            total -= row_k[j] * values[j]
        values[k] = total / row_k[k]
    v[columns] = values
    return abs(float(M[n - 2, n - 2]) / float(M[0, 0]))


@njit
def left_null_space(Q: Matrix, N: Matrix) -> None:
    """Write orthonormal rows N (6, 14) with N Q = 0 but for the first column of Q (14, 9).

    QR by reflections [Golub & Van Loan 5.2.1], which are left in the other eight columns.
    """
    for k in range(8):
        length2 = 0.0
        for i in range(k, 14):
            length2 += Q[i, k + 1] * Q[i, k + 1]
        length = math.sqrt(length2)
        # u = x ± |x| e, scaled so that the reflection is 1 − u uᵀ.
        Q[k, k + 1] += math.copysign(length, Q[k, k + 1])
        square = length * abs(Q[k, k + 1])
        scale = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
        for i in range(k, 14):
            Q[i, k + 1] *= scale
        for j in range(k + 2, 9):
            share = 0.0
            for i in range(k, 14):
                share += Q[i, k + 1] * Q[i, j]
            for i in range(k, 14):
                Q[i, j] -= share * Q[i, k + 1]
    for r in range(6):
        for i in range(14):
            N[r, i] = 1.0 if i == r + 8 else 0.0
        for k in range(7, -1, -1):
            share = 0.0
            for i in range(k, 14):
                share += Q[i, k + 1] * N[r, i]
            for i in range(k, 14):
                N[r, i] -= share * Q[i, k + 1]

import numpy as np
import pytest

from ik_node.solvers.codes import AUTO
from ik_node.solvers.jacobian.solvers import RANK_TOLERANCE
from plain_kernels import plain

linear, linear_systems, settings = plain('solvers.kernel.linear', 'support.linear_systems',
                                         'solvers.kernel.settings')


def pinv_step(J, V):
    n = J.shape[1]
    work, dq = settings.ArmData(n, n), [0.0] * n
    linear.shortest_step(J.T.tolist(), n, np.asarray(V, dtype=float).tolist(), AUTO,
                         RANK_TOLERANCE, work, dq)
    return np.array(dq)


def row_svd(J):
    """Return the largest singular value, W (6, n) and U (6, 6)."""
    n = J.shape[1]
    W, U = np.zeros((n, 6)).tolist(), np.zeros((6, 6)).tolist()
    largest = linear.row_svd(J.T.tolist(), n, W, U)
    return largest, np.array(W).T, np.array(U)


def with_singular_values(values, n, rng):
    """Return a random J (6, n) with the given singular values."""
    U, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    V, _ = np.linalg.qr(rng.normal(size=(n, n)))
    S = np.zeros((6, n))
    S[range(len(values)), range(len(values))] = values
    return U @ S @ V.T


@pytest.mark.parametrize('smallest', [0.0, 1e-12, 1e-7])
def test_small_singular_values_are_dropped(smallest):
    rng = np.random.default_rng(41)
    for n in (6, 7):
        J = with_singular_values([2.0, 1.5, 1.0, 0.7, 0.3, smallest], n, rng)
        V = rng.normal(size=6)
        expected = np.linalg.pinv(J, rcond=1e-5) @ V
        assert pinv_step(J, V) == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize('smallest', [1e-1, 1e-2, 1e-3, 1e-4])
def test_others_are_not(smallest):
    rng = np.random.default_rng(42)
    J = with_singular_values([2.0, 1.5, 1.0, 0.7, 0.3, smallest], 7, rng)
    V = rng.normal(size=6)
    assert pinv_step(J, V) == pytest.approx(np.linalg.pinv(J) @ V, rel=1e-5)


def test_lu_takes_the_largest_pivot():
    # Without pivoting the leading zero of [[0, 1], [1, 0]] would stop it.
    rng = np.random.default_rng(48)
    A = rng.normal(size=(6, 6))
    A = A + A.T
    A[0, 0] = 1e-300
    b, x = rng.normal(size=6), [0.0] * 6
    assert linear_systems.lu_solve(np.tril(A).tolist(), b.tolist(), x)
    assert x == pytest.approx(np.linalg.solve(A, b), rel=1e-9)


@pytest.mark.parametrize('n', [2, 6, 9])
def test_the_row_svd_has_numpys_singular_values_to_the_last_digits(n):
    rng = np.random.default_rng(44)
    values = [3.0, 1.0, 1e-3, 1e-6, 1e-9, 1e-12][:min(n, 6)]
    J = with_singular_values(values, n, rng)
    largest, W, U = row_svd(J)
    assert largest == pytest.approx(3.0)
    assert U @ U.T == pytest.approx(np.eye(6), abs=1e-14)
    assert U @ W == pytest.approx(J, abs=1e-14)
    found = np.sort(np.linalg.norm(W, axis=1))[::-1][:len(values)]
    expected = np.linalg.svd(J, compute_uv=False)[:len(values)]
    assert found == pytest.approx(expected, rel=0.0, abs=1e-14)
    assert found == pytest.approx(values, rel=0.0, abs=1e-14)


def test_the_row_svd_has_small_singular_values_to_the_last_digits_where_rows_differ_in_size():
    # Rows at right angles of these lengths: the lengths are the singular values, exactly.
    rng = np.random.default_rng(45)
    lengths = np.array([3.0, 1.0, 1e-3, 1e-6, 1e-9, 1e-12])
    Q, _ = np.linalg.qr(rng.normal(size=(9, 6)))
    _, W, _ = row_svd(lengths[:, None] * Q.T)
    assert np.sort(np.linalg.norm(W, axis=1))[::-1] == pytest.approx(lengths, rel=1e-14)


def test_cholesky_returns_zero_for_what_is_not_positive_definite():
    assert linear.cholesky(np.diag([1.0, 1.0, -1.0, 1.0, 1.0, 1.0]).tolist()) == 0.0
    assert linear.cholesky(np.eye(6).tolist()) == 1.0

"""Motion of least energy under constraints and bounds, against its equations and scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from ik_node.solvers.kernel.qp.hierarchical_qp import Cascade

BOUND = 0.5
SINGULAR = 1e-3


def least_energy(M, f, A, e, one_sided, lower, upper):
    """Return the x (n,) that minimises xᵀ M x / 2 − fᵀ x with A x = e, or ≥ e, in bounds."""
    cascade = Cascade(len(f), [len(e)] if len(e) else [], one_sided, True)
    return cascade.run(A, e, lower, upper, 0.0, SINGULAR, M, f)


def program(seed):
    """Return M, f, A, e, one_sided, lower, upper that some x satisfies."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 20))
    equal, unequal = int(rng.integers(0, n // 2 + 1)), int(rng.integers(0, 4))
    B = rng.normal(size=(n, n))
    A = rng.normal(size=(equal + unequal, n))
    inside = rng.uniform(-BOUND, BOUND, n)
    e = A @ inside
    e[equal:] -= rng.uniform(0.0, 0.2, unequal)
    bound = np.full(n, BOUND)
    return (B @ B.T + 0.1 * np.eye(n), 3.0 * rng.normal(size=n), A, e,
            np.arange(equal + unequal) >= equal, -bound, bound)


TWO_SIDED, ONE_SIDED = np.array([False]), np.array([True])


def test_rows_that_no_joint_moves_leave_the_motion_as_it_is():
    M, f = np.diag([1.0, 2.0]), np.array([0.3, 0.4])
    for sides in (TWO_SIDED, ONE_SIDED):
        x = least_energy(M, f, np.zeros((1, 2)), np.ones(1), sides, -np.ones(2), np.ones(2))
        assert x == pytest.approx([0.3, 0.2])


def test_a_stiffness_beyond_the_digits_of_the_mass_is_solved():
    stiff = np.ones(3) / np.sqrt(3.0)
    M = 1e-9 * np.eye(3) + 1e9 * np.outer(stiff, stiff)
    M[0, 0] -= 1e-7  # as rounding has it: no longer definite
    x = least_energy(M, 1e9 * stiff, np.empty((0, 3)), np.empty(0), np.empty(0, dtype=bool),
                     -np.ones(3), np.ones(3))
    assert stiff @ x == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize('seed', range(40))
def test_it_finds_the_minimum_that_scipy_finds(seed):
    M, f, A, e, one_sided, lower, upper = program(seed)
    x = least_energy(M, f, A, e, one_sided, lower, upper)
    assert np.abs(A[~one_sided] @ x - e[~one_sided]).max(initial=0.0) < 1e-8
    assert (A[one_sided] @ x - e[one_sided]).min(initial=0.0) > -1e-8
    assert (lower <= x).all()
    assert (x <= upper).all()

    def cost(x):
        return 0.5 * x @ M @ x - f @ x
    found = minimize(cost, x, jac=lambda x: M @ x - f, method='SLSQP',
                     bounds=list(zip(lower, upper)), options={'ftol': 1e-14, 'maxiter': 300},
                     constraints=[{'type': kind, 'fun': lambda x, rows=rows: (A @ x - e)[rows]}
                                  for kind, rows in (('eq', ~one_sided), ('ineq', one_sided))])
    assert cost(x) <= found.fun + 1e-7 * (1.0 + abs(found.fun))


@pytest.mark.parametrize('seed', range(10))
def test_free_motion_is_that_of_the_weighted_pseudoinverse(seed):
    rng = np.random.default_rng(seed)
    B, A, e, bound = (rng.normal(size=(9, 9)), rng.normal(size=(4, 9)), rng.normal(size=4),
                      np.full(9, 1e9))
    M, f = B @ B.T + 0.1 * np.eye(9), rng.normal(size=9)
    W = np.linalg.inv(M)
    multipliers = np.linalg.solve(A @ W @ A.T, e - A @ W @ f)
    x = least_energy(M, f, A, e, np.zeros(4, dtype=bool), -bound, bound)
    assert x == pytest.approx(W @ (f + A.T @ multipliers), abs=1e-8)


def test_a_bound_is_released_when_the_motion_leaves_it():
    M, f = np.eye(2), np.array([1.0, 0.0])
    A, e = np.array([[1.0, 1.0]]), np.array([2.0])
    lower, upper = np.array([-9.0, -9.0]), np.array([0.5, 9.0])
    assert least_energy(M, f, A, e, TWO_SIDED, lower, upper) == pytest.approx([0.5, 1.5])
    assert least_energy(M, f, A, e, TWO_SIDED, -np.full(2, 9.0), np.full(2, 9.0)) == pytest.approx(
        [1.5, 0.5])
    # One-sided: x + y ≥ 0.5 holds on its own; x + y ≥ 2 does not.
    wide = lower + 99.0
    assert least_energy(M, f, A, np.array([0.5]), ONE_SIDED, lower, wide) == pytest.approx([1, 0])
    assert least_energy(M, f, A, e, ONE_SIDED, lower, wide) == pytest.approx([1.5, 0.5])


def test_a_row_that_pulls_a_joint_back_from_its_bound_is_met():
    # Freely (1, 0), beyond the bound. There y − x ≥ 1 would need y = 1.5, and pulls x back to 0.
    x = least_energy(np.eye(2), np.array([1.0, 0.0]), np.array([[-1.0, 1.0]]), np.ones(1),
                     ONE_SIDED, np.full(2, -9.0), np.array([0.5, 9.0]))
    assert x == pytest.approx([0.0, 1.0])


def test_what_cannot_be_satisfied_is_met_as_far_as_it_goes():
    M, f, lower, upper = np.eye(2), np.zeros(2), np.full(2, -1.0), np.full(2, 1.0)
    row = np.array([[1.0, 0.0]])
    for sides in (TWO_SIDED, ONE_SIDED):  # x = 2, x ≥ 2: beyond the bound
        x = least_energy(M, f, row, np.array([2.0]), sides, lower, upper)
        assert x == pytest.approx([1.0, 0.0])
    twice = np.array([[1.0, 0.0], [1.0, 0.0]])
    x = least_energy(M, f, twice, np.array([0.1, 0.2]), np.zeros(2, dtype=bool), lower, upper)
    assert x == pytest.approx([0.15, 0.0])

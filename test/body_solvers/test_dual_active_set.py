"""The dual active-set method, against the conditions of a minimum and scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from ik_node.solvers.body.dual_active_set import least_energy
from ik_node.solvers.body.quadratic import Constraints, constrained_least_squares

BOUND = 0.5


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


def test_rows_that_no_joint_moves_have_no_solution():
    M, none = np.eye(2), np.zeros((1, 2))
    for one_sided in (False, True):
        assert least_energy(M, np.zeros(2), none, np.ones(1), np.array([one_sided]),
                            -np.ones(2), np.ones(2)) is None


def test_rows_that_depend_on_each_other_leave_the_least_squares_solution():
    A = np.full((2, 3), 1e4)
    x = constrained_least_squares(A, np.full(2, 3e4), np.zeros(3), np.eye(3), Constraints(
        -np.full(3, 9.0), np.full(3, 9.0), np.empty((0, 3)), np.empty(0)), 1e-14)
    assert x == pytest.approx(np.ones(3), abs=1e-6)


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


def test_what_cannot_be_satisfied_has_no_minimum():
    M, f = np.eye(2), np.zeros(2)
    lower, upper = np.full(2, -1.0), np.full(2, 1.0)
    row = np.array([[1.0, 0.0]])
    for one_sided in (False, True):  # x = 2, x ≥ 2: beyond the bound
        assert least_energy(M, f, row, np.array([2.0]), np.array([one_sided]), lower, upper) is None
    twice = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert least_energy(M, f, twice, np.array([0.1, 0.2]), np.array([False, False]), lower,
                        upper) is None


def test_without_constraints_it_is_the_solution_of_the_equations():
    M, f = np.diag([1.0, 2.0]), np.array([3.0, 4.0])
    none = np.empty((0, 2)), np.empty(0), np.empty(0, dtype=bool)
    unbound = np.full(2, np.inf)
    assert least_energy(M, f, *none, -unbound, unbound) == pytest.approx([3.0, 2.0])

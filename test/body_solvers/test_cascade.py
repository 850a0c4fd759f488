"""Steps over levels, against brute force over active sets and pseudoinverses."""

import itertools

import numpy as np
import pytest

from ik_node.solvers.kernel.qp.hierarchical_qp import Cascade

DAMPING, FLOOR = 1e-3, 1e-12


def minimum(H, g, C, d, E, f):
    """Return the x that minimises xᵀ H x / 2 − gᵀ x with C x ≥ d, E x = f, over all active sets."""
    n, best, found = len(g), np.inf, None
    for count in range(n - len(E) + 1):
        for active in itertools.combinations(range(len(C)), count):
            N, b = np.vstack([E, C[list(active)]]), np.concatenate([f, d[list(active)]])
            if len(N) and np.linalg.matrix_rank(N, tol=1e-9) < len(N):
                continue
            K = np.block([[H, -N.T], [N, np.zeros((len(N), len(N)))]])
            x = np.linalg.solve(K, np.concatenate([g, b]))[:n]
            cost = 0.5 * x @ H @ x - g @ x
            if (C @ x >= d - 1e-9).all() and cost < best:
                best, found = cost, x
    return found


def by_brute_force(rows, A, e, one_sided, lower, upper):
    """Return the step of levels, each by brute force; held rows that depend on others left out."""
    n = len(lower)
    x, E, f = np.clip(0.0, lower, upper), np.zeros((0, n)), np.zeros(0)
    C, d, cost = np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([lower, -upper]), 0.0
    for part in np.split(np.arange(len(e)), np.cumsum(rows)[:-1]):
        J, r, sides = A[part], e[part], one_sided[part]
        missed, k = np.where(sides & (r < 0.0), 0.0, r), int(sides.sum())
        cost += 0.5 * missed @ missed  # of the level and those before
        damping2 = DAMPING * cost + FLOOR * (J * J).sum(axis=1).max()
        H = np.eye(n + k)
        H[:n, :n] = J[~sides].T @ J[~sides] + damping2 * np.eye(n)
        g = np.concatenate([J[~sides].T @ r[~sides] + damping2 * x, np.zeros(k)])
        slack = np.block([[C, np.zeros((len(C), k))], [J[sides], np.eye(k)]])
        x = minimum(H, g, slack, np.concatenate([d, r[sides]]),
                    np.hstack([E, np.zeros((len(E), k))]), f)[:n]
        for row in J[~sides]:
            more = np.vstack([E, row])
            if np.linalg.matrix_rank(more, tol=1e-7) == len(more):
                E, f = more, np.append(f, row @ x)
        C = np.vstack([C, J[sides]])
        d = np.concatenate([d, np.minimum(r[sides], J[sides] @ x) - 1e-10])
    return x


def random_levels(seed):
    """Return rows by level, A, e, one-sided, lower, upper; some rows depend on others."""
    rng = np.random.default_rng(seed)
    n, rows = int(rng.integers(2, 5)), [int(m) for m in rng.integers(1, 3, rng.integers(1, 4))]
    A = rng.normal(size=(sum(rows), n))
    e = rng.normal(size=len(A)) * 10 ** rng.uniform(-2.0, 0.3)
    if seed % 3 == 0:
        A[-1] = A[0]
    one_sided = rng.uniform(size=len(A)) < (0.4 if seed % 2 else 0.0)
    return rows, A, e, one_sided, -rng.uniform(0.05, 1.0, n), rng.uniform(0.05, 1.0, n)


def step(rows, A, e, one_sided, lower, upper, damping=DAMPING):
    return Cascade(A.shape[1], rows, one_sided).run(A, e, lower, upper, damping)


@pytest.mark.parametrize('seed', range(60))
def test_each_level_is_the_minimum_that_brute_force_finds(seed):
    rows, A, e, one_sided, lower, upper = random_levels(seed)
    x = step(rows, A, e, one_sided, lower, upper)
    assert x == pytest.approx(by_brute_force(rows, A, e, one_sided, lower, upper), abs=1e-6)
    assert (lower <= x).all()
    assert (x <= upper).all()


@pytest.mark.parametrize('seed', range(10))
def test_free_levels_are_projected_into_null_spaces(seed):
    rng = np.random.default_rng(seed)
    A, e, n = rng.normal(size=(9, 12)), rng.normal(size=9), 12
    bound, x, N = np.full(n, 1e9), np.zeros(n), np.eye(n)
    for k in range(0, 9, 3):  # [Siciliano & Slotine 1991]
        J, r = A[k:k + 3], e[k:k + 3]
        x = x + np.linalg.pinv(J @ N) @ (r - J @ x)
        N = N - np.linalg.pinv(J @ N) @ (J @ N)
    found = step([3, 3, 3], A, e, np.zeros(9, dtype=bool), -bound, bound, damping=0.0)
    assert found == pytest.approx(x, abs=1e-9)


@pytest.mark.parametrize('seed', range(20))
def test_a_lower_level_does_not_disturb_a_higher_one_whatever_the_bounds(seed):
    rng = np.random.default_rng(seed)
    A, e, n = rng.normal(size=(14, 20)), rng.normal(size=14), 20
    bound, two_sided = rng.uniform(0.01, 0.3, n), np.zeros(14, dtype=bool)
    alone = step([6], A[:6], e[:6], two_sided[:6], -bound, bound)
    both = step([6, 8], A, e, two_sided, -bound, bound)
    assert A[:6] @ both == pytest.approx(A[:6] @ alone, abs=1e-9)
    assert np.linalg.norm(A[6:] @ both - e[6:]) <= np.linalg.norm(A[6:] @ alone - e[6:]) + 1e-9


@pytest.mark.parametrize('angle', [0.0, 1e-12, 1e-9, 1e-7, 1e-6, 4e-6, 9e-6, 2.1e-5, 1e-4])
def test_a_step_changes_continuously_through_a_singularity(angle):
    # Two rows that become one: the second joint is free where they are.
    def at(angle):
        A = np.array([[1.0, 0.0, 0.0], [np.cos(angle), np.sin(angle), 0.0], [0.0, 1.0, 0.0]])
        return step([2, 1], A, np.array([0.0, 0.0, 0.1]), np.zeros(3, dtype=bool), -np.ones(3),
                    np.ones(3))
    assert at(angle) == pytest.approx(at(angle + 1e-12), abs=1e-6)
    assert abs(at(angle)[1] - (0.1 if angle < 1e-7 else at(angle)[1])) < 1e-4
    if angle > 2e-5:
        assert at(angle)[1] == pytest.approx(0.0, abs=1e-9)


def test_joints_without_room_stay_and_bounds_that_leave_0_out_are_kept():
    x = step([1], np.array([[1.0, 1.0, 1.0]]), np.array([1.0]), np.array([False]),
             np.array([0.0, 0.1, -1.0]), np.array([0.0, 0.2, 1.0]))
    assert x[0] == 0.0
    assert 0.1 <= x[1] <= 0.2
    assert x.sum() == pytest.approx(1.0, abs=1e-2)


@pytest.mark.parametrize('part', [1e-12, 1e-11, 1e-10, 1e-9])
def test_a_joint_at_its_bound_does_not_stop_what_moves_it_by_a_rounding_error(part):
    # What the first row leaves free moves the first joint by that part of the third.
    lower, upper = np.array([0.0, -1.0, -1.0]), np.ones(3)
    for sign in (-1.0, 1.0):
        A = np.array([[1.0, 0.0, sign * part], [0.0, 0.0, 1.0]])
        x = step([1, 1], A, np.array([0.0, 0.1]), np.zeros(2, dtype=bool), lower, upper,
                 damping=0.0)
        assert x == pytest.approx([0.0, 0.0, 0.1], abs=1e-9)
        assert x[0] >= 0.0

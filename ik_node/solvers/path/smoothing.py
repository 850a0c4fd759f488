"""Smoothing of a path of a redundant arm: the null space brings the configurations together.

Minimises E = Σ |S (qᵢ₊₁ − qᵢ)|² over self-motions qᵢ + Nᵢ zᵢ, by Gauss–Newton steps: a block
tridiagonal system for all zᵢ at once. Each step is followed by a projection onto the poses.
"""

import numpy as np

from ik_node.solvers.path.problem import PathProblem

_ROUNDS = 12
_SHRINK = (1.0, 0.5, 0.2)
_FARTHEST = 0.5     # rad or m: largest change of a joint in a round
_ENOUGH = 0.01      # of the energy: less progress ends the smoothing
_RIGID = 1e-6       # added to the diagonal
_AT_ONCE = 16       # null spaces from one look at the clock to the next


def smoothed(problem: PathProblem, q: np.ndarray, joined: np.ndarray) -> np.ndarray:
    """Return a smoother path for q (m, n) that meets all poses that q meets.

    joined (m,): whether the step to a pose counts, from the pose before, for the first from q0.
    """
    joined = joined.astype(float)
    least = _energy(problem, q, joined)
    for _ in range(_ROUNDS):
        if problem.is_late:
            break
        N = _null_spaces(problem, q)
        if N is None:
            break
        step = _step(problem, q, joined, N)
        before = least
        for shrink in _SHRINK:
            guess = np.clip(q + shrink * step, problem.chain.lower, problem.chain.upper)
            found, met = problem.near(guess)
            found = np.where(met[:, None], found, q)
            energy = _energy(problem, found, joined)
            if energy < least:
                q, least = found, energy
                break
        if least > (1.0 - _ENOUGH) * before:
            break
    return q


def _steps(problem: PathProblem, q: np.ndarray) -> np.ndarray:
    """Return the steps (m, n) to each pose; from q0 to the first, else none."""
    first = q[0] if problem.q0 is None else problem.q0
    return np.diff(q, axis=0, prepend=first[None])


def _energy(problem: PathProblem, q: np.ndarray, joined: np.ndarray) -> float:
    steps = problem.scale * _steps(problem, q)
    return float((joined * (steps * steps).sum(axis=1)).sum())


def _step(problem: PathProblem, q: np.ndarray, joined: np.ndarray, N: np.ndarray) -> np.ndarray:
    """Return the change (m, n) of the configurations in their null spaces N (m, n, r)."""
    N = problem.scale[:, None] * N
    m, _, r = N.shape
    pulls = joined[:, None] * problem.scale * _steps(problem, q)
    after = np.append(joined[1:], 0.0)
    force = np.append(pulls[1:], np.zeros((1, q.shape[1])), axis=0) - pulls
    diagonal = ((joined + after)[:, None, None] * (N.transpose(0, 2, 1) @ N)
                + _RIGID * np.eye(r))
    beside = -after[:-1, None, None] * (N[1:].transpose(0, 2, 1) @ N[:-1])
    bands = np.zeros((2 * r, m * r))
    for a in range(r):
        for b in range(r):
            if a >= b:
                bands[a - b, b::r] = diagonal[:, a, b]
            bands[r + a - b, b:(m - 1) * r:r] = beside[:, a, b]
    from scipy.linalg import solveh_banded  # late: a third of a node's start
    z = solveh_banded(bands[:m * r], (N.transpose(0, 2, 1) @ force[:, :, None]).reshape(-1),
                      lower=True)
    change = (N @ z.reshape(m, r, 1))[:, :, 0] / problem.scale
    most = np.abs(change).max(axis=1, keepdims=True)
    return change * np.minimum(1.0, _FARTHEST / np.maximum(most, 1e-12))


def _null_spaces(problem: PathProblem, q: np.ndarray) -> np.ndarray | None:
    """Return bases (m, n, r) of the self-motions at q (m, n); None after the deadline."""
    m, n = q.shape
    first = min(int((problem.weights[0] > 0.0).sum()), n - 1)
    found = np.empty((m, n, n - first))
    for begin in range(0, m, _AT_ONCE):
        if problem.is_late:
            return None
        part = slice(begin, begin + _AT_ONCE)
        _, _, V = np.linalg.svd([problem.projection.rows(*one)[1] for one in zip(
            problem.poses[part], (problem.weights[part] > 0.0).astype(float), q[part])])
        found[part] = V[:, first:].transpose(0, 2, 1)
    return found

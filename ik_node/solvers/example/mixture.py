"""A Gaussian mixture of configurations in their principal components.

Configurations of a motion lie near a plane of few dimensions. Principal components span it, a
mixture of normal distributions says what is likely in it [Tipping & Bishop 1999; Dempster, Laird &
Rubin 1977], and what is left out is noise of equal variance in all directions.
"""

import math
from typing import NamedTuple

import numpy as np

_WHOLE = 0.99        # of the variance, in the components that are kept
_ITERATIONS = 40     # of expectation maximisation
_LEAST = 1e-4        # of the mean variance: what a direction without variation has


class Normal(NamedTuple):
    """One normal distribution of a mixture."""

    log_weight: float
    """Logarithm of its share, less that of its norm."""
    mean: np.ndarray
    """(n,)."""
    covariance: np.ndarray
    """(n, n)."""
    precision: np.ndarray
    """(n, n), its inverse."""

    def log_likelihood(self, q: np.ndarray) -> float:
        """Return the logarithm of its share of the density at q (n,), up to a constant."""
        off = q - self.mean
        return float(self.log_weight - 0.5 * off @ self.precision @ off)


def fit_mixture(q: np.ndarray, components: int | None, clusters: int,
                seed: int) -> list[Normal]:
    """Return the mixture of configurations q (k, n), by principal components and EM."""
    centre = q.mean(axis=0)
    _, sigma, axes = np.linalg.svd(q - centre, full_matrices=False)
    variances = sigma ** 2 / len(q)
    total = float(variances.sum())
    if components is None:
        components = 1 + int(np.searchsorted(np.cumsum(variances), _WHOLE * total))
    kept = min(components, len(variances))
    least = max(_LEAST * total / q.shape[1], 1e-12)
    noise = max(float(variances[kept:].sum()) / max(q.shape[1] - kept, 1), least)
    W = axes[:kept]
    z = (q - centre) @ W.T
    normals = []
    for share, mean, covariance in _expectation_maximisation(z, clusters, least, seed):
        whole = W.T @ covariance @ W + noise * np.eye(q.shape[1])
        precision = np.linalg.inv(whole)
        normals.append(Normal(math.log(share) - 0.5 * np.linalg.slogdet(whole)[1],
                              centre + mean @ W, whole, precision))
    return normals


def _expectation_maximisation(z: np.ndarray, clusters: int, least: float, seed: int,
                              ) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Return shares, means (d,) and covariances (d, d) of a mixture for points z (k, d)."""
    from scipy.cluster.vq import kmeans2  # late: it takes a third of a second
    k, d = z.shape
    clusters = min(clusters, max(1, k // (d + 1)))
    _, label = kmeans2(z, clusters, minit='++', seed=np.random.default_rng(seed))
    shares = np.eye(clusters)[label]
    found: list[tuple[float, np.ndarray, np.ndarray]] = []
    for _ in range(_ITERATIONS):
        found = []
        for weights in shares.T:
            count = max(float(weights.sum()), 1e-9)
            mean = weights @ z / count
            off = z - mean
            found.append((count / k, mean, (weights[:, None] * off).T @ off / count
                          + least * np.eye(d)))
        logs = np.stack([_log_density(z, *one) for one in found], axis=1)
        logs -= logs.max(axis=1, keepdims=True)
        shares, before = np.exp(logs), shares
        shares /= shares.sum(axis=1, keepdims=True)
        if np.abs(shares - before).max() < 1e-4:
            break
    return [one for one in found if one[0] * k >= 0.5] or found[:1]


def _log_density(z: np.ndarray, share: float, mean: np.ndarray,
                 covariance: np.ndarray) -> np.ndarray:
    """Return the logarithm of a share of the density at points z (k, d), up to a constant."""
    L = np.linalg.cholesky(covariance)
    whitened = np.linalg.solve(L, (z - mean).T)
    return math.log(max(share, 1e-300)) - np.log(np.diag(L)).sum() - 0.5 * (whitened ** 2).sum(
        axis=0)

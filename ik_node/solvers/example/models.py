"""Models: the joint values that follow from examples for a goal."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node.solvers.example.examples import Examples, Features
from ik_node.solvers.goal import Goal

_AS_NEAR = 1.5      # of the distance of the nearest example: others count as equally near
_CANDIDATES = 128   # configurations between examples, of which some become pseudo-examples
_ALL_AT_ONCE = 256  # examples: rbf interpolates so many by one system of equations
_STEPS = 12         # of the most likely configuration
_STILL = 1e-6       # rad or m
_LONGEST = 0.5      # rad or m, of a step: the goal is linearised
_LOOSE = 1e-8       # squared error per variance of a goal that is met
_WHOLE = 0.99       # of the variance, in the components of a mixture that are kept
_ITERATIONS = 40    # of expectation maximisation
_LEAST = 1e-4       # of the mean variance: what a direction without variation has


class Neighbours:
    """A tree of the examples' points; `nearest` uses nothing else."""

    def __init__(self, examples: Examples, features: Features, count: int) -> None:
        from scipy.spatial import cKDTree  # late: it takes a third of a second
        self._examples, self._count = examples, min(count, len(examples.q))
        self.points = examples.points(features, examples.poses)
        self._tree: Any = cKDTree(self.points)

    def nearest(self, point: np.ndarray) -> int:
        """Return the number of the example nearest to a point (d,)."""
        return int(self._tree.query(point)[1])

    def configuration(self, goal: Goal, point: np.ndarray, q0: np.ndarray) -> np.ndarray:
        """Return the nearest example; of those that are as near, the one nearest to q0."""
        away, index = self._tree.query(point, k=self._count)
        away, index = np.atleast_1d(away), np.atleast_1d(index)
        near = index[away <= _AS_NEAR * away[0]]
        moved = np.abs(self._examples.q[near] - q0).max(axis=1)
        return np.array(self._examples.q[near[int(np.argmin(moved))]])


class RadialBasisFunctions:
    """A linear part by least squares, and radial basis functions |x − xᵢ| on what it misses.

    After Rose, Sloan & Cohen 2001, with the linear kernel, which has no width to be chosen.
    """

    def __init__(self, examples: Examples, features: Features, options: Any) -> None:
        self._options = options
        self._x, self._q = examples.points(features, examples.poses), examples.q
        self._fit()
        if options.pseudo_examples:
            self._add_pseudo_examples(examples, features)

    def configuration(self, goal: Goal, point: np.ndarray, q0: np.ndarray) -> np.ndarray:
        """Return the interpolated joint values (n,)."""
        return point @ self._linear + self._constant + self._rest(point[None])[0]

    def _fit(self) -> None:
        from scipy.interpolate import RBFInterpolator  # late: it takes a third of a second
        x, q = self._x, self._q
        middle, mean = x.mean(axis=0), q.mean(axis=0)
        self._linear = np.linalg.lstsq(x - middle, q - mean, rcond=1e-6)[0]
        self._constant = mean - middle @ self._linear
        whole = len(x) <= _ALL_AT_ONCE
        self._rest = RBFInterpolator(
            x, q - x @ self._linear - self._constant, kernel='linear', degree=0,
            neighbors=None if whole else min(self._options.neighbours, len(x)),
            smoothing=self._options.smoothing)

    def _add_pseudo_examples(self, examples: Examples, features: Features) -> None:
        """Add configurations halfway between examples whose poses the interpolation misses most."""
        between = examples.between(_CANDIDATES)
        if not len(between):
            return
        poses = np.array([examples.forward(q) for q in between])
        points = examples.points(features, poses)
        guesses = points @ self._linear + self._constant + self._rest(points)
        reached = examples.points(features, np.array([examples.forward(q) for q in guesses]))
        missed = np.linalg.norm(reached - points, axis=1)
        worst = np.argsort(-missed, kind='stable')[:self._options.pseudo_examples]
        self._x = np.vstack([self._x, points[worst]])
        self._q = np.vstack([self._q, between[worst]])
        self._fit()


class GaussianMixture:
    """The configuration that meets the goal and is most likely, by iterated projection.

    For each normal distribution N(μ, Σ) of the mixture: q ← μ + Σ Jᵀ (J Σ Jᵀ)⁻¹ (e + J (q − μ)),
    the most likely of the configurations that meet the linearised goal, from the nearest example
    until q stays.
    """

    def __init__(self, examples: Examples, options: Any, neighbours: Neighbours,
                 limits: tuple[np.ndarray, np.ndarray],
                 rows: Callable[[Goal, np.ndarray], tuple[np.ndarray, np.ndarray]]) -> None:
        """Fit the mixture.

        limits: lower and upper (n,). rows: returns the error (6,) and its Jacobian (6, n) at q.
        """
        self._neighbours, self._limits, self._rows = neighbours, limits, rows
        self._mixture = fit_mixture(examples.q, options.components, options.clusters,
                                    options.seed)

    def configuration(self, goal: Goal, point: np.ndarray, q0: np.ndarray) -> np.ndarray:
        """Return the most likely joint values (n,)."""
        start = self._neighbours.configuration(goal, point, q0)
        best, most = start, -math.inf
        for normal in self._mixture:
            q = start
            for _ in range(_STEPS):
                e, J = self._rows(goal, q)
                JS = J @ normal.covariance
                gain = np.linalg.solve(JS @ J.T + _LOOSE * np.eye(6), JS).T
                step = normal.mean + gain @ (e + J @ (q - normal.mean)) - q
                longest = np.abs(step).max()
                q = np.clip(q + min(1.0, _LONGEST / max(longest, _STILL)) * step, *self._limits)
                if longest < _STILL:
                    break
            e, _ = self._rows(goal, q)
            likelihood = normal.log_likelihood(q) - 0.5 * float(e @ e) / _LOOSE
            if likelihood > most:
                best, most = q, likelihood
        return np.array(best)


Model = Neighbours | RadialBasisFunctions | GaussianMixture
"""`configuration` returns (n,) joint values for a goal with the point (d,), see `Examples`."""


class Normal(NamedTuple):
    """One normal distribution of a mixture."""

    log_weight: float  # logarithm of its share, less that of its norm
    mean: np.ndarray  # (n,)
    covariance: np.ndarray  # (n, n)
    precision: np.ndarray  # (n, n), its inverse

    @classmethod
    def of(cls, share: float, mean: np.ndarray, covariance: np.ndarray) -> 'Normal':
        """Return the distribution with a share of the mixture."""
        return cls(math.log(max(share, 1e-300)) - 0.5 * np.linalg.slogdet(covariance)[1], mean,
                   covariance, np.linalg.inv(covariance))

    def log_likelihood(self, q: np.ndarray) -> Any:
        """Return the logarithm of its share of the density at q (…, n), up to a constant (…)."""
        off = q - self.mean
        return self.log_weight - 0.5 * ((off @ self.precision) * off).sum(axis=-1)


def fit_mixture(q: np.ndarray, components: int | None, clusters: int,
                seed: int) -> list[Normal]:
    """Return a Gaussian mixture of configurations q (k, n) in their principal components.

    Configurations of a motion lie near a plane of few dimensions. Principal components span it, a
    mixture of normal distributions says what is likely in it [Tipping & Bishop 1999; Dempster,
    Laird & Rubin 1977], and what is left out is noise of equal variance in all directions.
    """
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
    return [Normal.of(share, centre + mean @ W,
                      W.T @ covariance @ W + noise * np.eye(q.shape[1]))
            for share, mean, covariance in _expectation_maximisation(z, clusters, least, seed)]


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
        logs = np.stack([Normal.of(*one).log_likelihood(z) for one in found], axis=1)
        logs -= logs.max(axis=1, keepdims=True)
        shares, before = np.exp(logs), shares
        shares /= shares.sum(axis=1, keepdims=True)
        if np.abs(shares - before).max() < 1e-4:
            break
    return [one for one in found if one[0] * k >= 0.5] or found[:1]

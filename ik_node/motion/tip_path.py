"""Paths of a tip: lines and great arcs between poses, curves through many, and closed paths."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ik_node.model.chain import Chain
from ik_node.motion.interpolation import between_poses
from ik_node.spatial import rotation_log

# Corners that are passed on a curve; at others the tip rests.
GENTLE = math.radians(20.0)  # at most so sharp,
BULGE = 0.002                # m or rad: and leading the curve off the straight lines by no more
_NOTHING = 1e-9              # m or rad: the same pose
# Of closed paths:
_SWING = 0.25        # of the range of a joint, to either side of its middle
_FREE_SWING = 1.0    # rad, or m, of a joint without limits
_TRIED = 24          # paths, of which the best conditioned is chosen
_LOOKED_AT = 32      # configurations checked on each


class TipPath(ABC):
    """A path of poses over the part s of it, 0 to 1; `length`, m, and `angle` of rotations, rad."""

    length: float
    angle: float

    @abstractmethod
    def pose(self, s: float) -> np.ndarray:
        """Return T_base_tip (4, 4), m, at a part of the path."""

    def place(self, s: float) -> str:
        """Return a part of the path in words."""
        turned = f', {math.degrees(s * self.angle):.3g}°' if self.angle > 1e-6 else ''
        return f'{100.0 * s:.3g} % of the path ({s * self.length:.3g} m{turned})'


class Line(TipPath):
    """Straight from one pose to another, turning about one axis on the great arc."""

    def __init__(self, T0: np.ndarray, T1: np.ndarray) -> None:
        """Take poses (4, 4), m."""
        self._ends = T0, T1
        self.length, self.angle = distance(T0, T1)

    def pose(self, s: float) -> np.ndarray:
        return between_poses(*self._ends, s)


class Curve(TipPath):
    """Smoothly through poses whose corners are gentle: a cubic spline, and Shepperd's of rotations.

    It meets every pose and, between them, leaves the chords by about BULGE at most.
    """

    def __init__(self, poses: Sequence[np.ndarray]) -> None:
        """Take at least two poses (4, 4), m."""
        from scipy.interpolate import CubicSpline  # late: others need no scipy
        from scipy.spatial.transform import Rotation, RotationSpline
        steps = np.array([distance(a, b) for a, b in pairwise(poses)])
        self.length, self.angle = steps.sum(axis=0)
        # A metre counts as a radian: only the spacing of the poses over the path depends on it.
        spread = np.concatenate([[0.0], np.cumsum(steps.sum(axis=1))])
        self._last = spread[-1]
        self._position = CubicSpline(spread, [T[:3, 3] for T in poses], bc_type='natural')
        self._rotation = RotationSpline(spread, Rotation.from_matrix([T[:3, :3] for T in poses]))

    def pose(self, s: float) -> np.ndarray:
        T = np.eye(4)
        T[:3, 3] = self._position(s * self._last)
        T[:3, :3] = self._rotation(s * self._last).as_matrix()
        return T


class ClosedPath:
    """A closed path for the tip of any arm, inside the limits and away from singularities.

    Every joint oscillates about the middle of its limits, each with its own phase.
    """

    def __init__(self, chain: Chain, seed: int = 0) -> None:
        self.chain = chain
        limited = np.isfinite(chain.lower) & np.isfinite(chain.upper)
        self._middle = chain.neutral()
        self._swing = np.full(chain.n_joints, _FREE_SWING)
        lower, upper = chain.lower[limited], chain.upper[limited]
        self._middle[limited] = 0.5 * (lower + upper)
        self._swing[limited] = _SWING * (upper - lower)
        rng = np.random.default_rng(seed)
        phases = rng.uniform(0.0, 2.0 * np.pi, (_TRIED, chain.n_joints))
        self._phase = max(phases, key=self._worst_conditioning)

    def configuration(self, s: float) -> np.ndarray:
        """Return the joint values (n,), rad or m, at a part s of the path, periodic in 1."""
        return self._configuration(s, self._phase)

    def pose(self, s: float) -> np.ndarray:
        """Return T_base_tip (4, 4), m, at a part s of the path."""
        return self.chain.forward(self.configuration(s))

    def _configuration(self, s: float, phase: np.ndarray) -> np.ndarray:
        return self._middle + self._swing * np.sin(2.0 * np.pi * s + phase)

    def _worst_conditioning(self, phase: np.ndarray) -> float:
        """Return the smallest relevant singular value on the path, with rows of equal scale."""
        J = np.array([self.chain.jacobian(self._configuration(s, phase))
                      for s in np.linspace(0.0, 1.0, _LOOKED_AT, endpoint=False)])
        J[:, :3] /= np.maximum(np.abs(J[:, :3]).max(axis=(1, 2), keepdims=True), 1e-9)
        values = np.linalg.svd(J, compute_uv=False)
        # Axes that the arm can never control do not count.
        return float(values[values > 1e-6].min(initial=np.inf))


def paths_through(poses: Sequence[np.ndarray]) -> list[TipPath]:
    """Return paths through poses (4, 4), m, in order; the tip rests at the ends of each.

    Lines between corners at which the tip rests, curves through gentle corners. A pose equal to the
    previous one is skipped; without two different poses there is no path.
    """
    kept = [poses[0]]
    for T in poses[1:]:
        if sum(distance(kept[-1], T)) > _NOTHING:
            kept.append(T)
    corners = [k for k in range(1, len(kept) - 1) if not _gentle(*kept[k - 1:k + 2])]
    runs = [kept[i:k + 1] for i, k in pairwise([0, *corners, len(kept) - 1])]
    return [Line(*run) if len(run) == 2 else Curve(run) for run in runs if len(run) > 1]


def distance(T0: np.ndarray, T1: np.ndarray) -> tuple[float, float]:
    """Return how far apart two poses (4, 4) are, m and rad."""
    w = np.array(rotation_log(T0[:3, :3].T @ T1[:3, :3]))
    return float(np.linalg.norm(T1[:3, 3] - T0[:3, 3])), float(np.linalg.norm(w))


def _gentle(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    """Return whether the corner of the path at b is gentle enough for a curve, rotation included.

    A radian counts as a metre. At worst, where one chord is much longer than the other, a natural
    spline bulges by a fifth of its length times the angle.
    """
    R = b[:3, :3]
    before = np.concatenate([b[:3, 3] - a[:3, 3], -np.array(rotation_log(R.T @ a[:3, :3]))])
    after = np.concatenate([c[:3, 3] - b[:3, 3], np.array(rotation_log(R.T @ c[:3, :3]))])
    lengths = np.linalg.norm(before), np.linalg.norm(after)
    cosine = float(before @ after) / (lengths[0] * lengths[1])
    angle = math.acos(min(max(cosine, -1.0), 1.0))
    return angle <= GENTLE and 0.2 * max(lengths) * angle <= BULGE

"""Paths of a tip: straight lines and great arcs between poses, and smooth curves through many."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from ik_node.motion.interpolation import between_poses
from ik_node.spatial import rotation_log

# Corners that are passed on a curve; at others the tip rests.
GENTLE = math.radians(20.0)  # at most so sharp,
BULGE = 0.002                # m or rad: and leading the curve off the straight lines by no more
_NOTHING = 1e-9              # m or rad: the same pose


class TipPath(ABC):
    """A path of poses over the part s of it, 0 to 1.

    - `length`: m; `angle`: rad, of all rotations.
    """

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
        """Return T_base_tip (4, 4), m, at a part of the path."""
        return between_poses(*self._ends, s)


class Curve(TipPath):
    """Smoothly through poses whose corners are gentle: a cubic spline, and Shepperd's of rotations.

    It meets every pose and, between them, leaves the chords by about BULGE at most.
    """

    def __init__(self, poses: Sequence[np.ndarray]) -> None:
        """Take at least two poses (4, 4), m."""
        steps = np.array([distance(a, b) for a, b in pairwise(poses)])
        self.length, self.angle = steps.sum(axis=0)
        # A metre counts as a radian: only the spacing of the poses over the path depends on it.
        spread = np.concatenate([[0.0], np.cumsum(steps.sum(axis=1))])
        self._last = spread[-1]
        self._position = CubicSpline(spread, [T[:3, 3] for T in poses], bc_type='natural')
        self._rotation = RotationSpline(spread, Rotation.from_matrix([T[:3, :3] for T in poses]))

    def pose(self, s: float) -> np.ndarray:
        """Return T_base_tip (4, 4), m, at a part of the path."""
        T = np.eye(4)
        T[:3, 3] = self._position(s * self._last)
        T[:3, :3] = self._rotation(s * self._last).as_matrix()
        return T


def paths_through(poses: Sequence[np.ndarray]) -> list[TipPath]:
    """Return paths through poses (4, 4), m, in order; the tip rests at the ends of each.

    Lines between corners at which the tip rests, curves through gentle corners. A pose equal to the
    previous one is skipped; without two different poses there is no path.
    """
    kept = [poses[0]]
    for T in poses[1:]:
        if sum(distance(kept[-1], T)) > _NOTHING:
            kept.append(T)
    paths: list[TipPath] = []
    run = kept[:1]
    for k in range(1, len(kept)):
        run.append(kept[k])
        if k + 1 == len(kept) or not _gentle(*kept[k - 1:k + 2]):
            paths.append(Line(*run) if len(run) == 2 else Curve(run))
            run = kept[k:k + 1]
    return paths


def distance(T0: np.ndarray, T1: np.ndarray) -> tuple[float, float]:
    """Return how far apart two poses (4, 4) are, m and rad."""
    w = np.array(rotation_log(T0[:3, :3].T @ T1[:3, :3]))
    return float(np.linalg.norm(T1[:3, 3] - T0[:3, 3])), float(np.linalg.norm(w))


def _gentle(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    """Return whether the corner of the path at b is gentle enough for a curve, rotation included.

    Directions have six components, m and rad; a radian counts as a metre. Where one chord is
    much longer than the other, the worst case, a natural spline bulges by a fifth of its length
    times the angle.
    """
    R = b[:3, :3]
    before = np.concatenate([b[:3, 3] - a[:3, 3], -np.array(rotation_log(R.T @ a[:3, :3]))])
    after = np.concatenate([c[:3, 3] - b[:3, 3], np.array(rotation_log(R.T @ c[:3, :3]))])
    lengths = np.linalg.norm(before), np.linalg.norm(after)
    cosine = float(before @ after) / (lengths[0] * lengths[1])
    angle = math.acos(min(max(cosine, -1.0), 1.0))
    return angle <= GENTLE and 0.2 * max(lengths) * angle <= BULGE

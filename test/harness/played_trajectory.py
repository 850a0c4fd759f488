"""A trajectory as joint_trajectory_controller plays it: its start, and states between points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Point(NamedTuple):
    """Joint values (n,), their velocities and accelerations (n,), None where there are none."""

    q: np.ndarray
    v: np.ndarray | None
    a: np.ndarray | None


class Sampled(NamedTuple):
    """A state, and whether a point is still to come."""

    state: Point
    before_end: bool


class Played:
    """A trajectory from its first sample on.

    start: ns; 0: with the first sample. times: of the points from then on, ns.
    """

    def __init__(self, start: int, times: Sequence[int], points: Sequence[Point]) -> None:
        self.start, self.times, self.points = start, times, points
        self.is_sampled = False
        self._before, self._before_at = points[0], 0

    @classmethod
    def of(cls, trajectory: Any, joints: Sequence[str]) -> Played:
        """Return a message's, for joints in their order."""
        order = [trajectory.joint_names.index(name) for name in joints]

        def ordered(values: Sequence[float]) -> np.ndarray | None:
            return np.array(values, float)[order] if len(values) else None
        return cls(nanoseconds(trajectory.header.stamp),
                   [nanoseconds(point.time_from_start) for point in trajectory.points],
                   [Point(ordered(point.positions), ordered(point.velocities),
                          ordered(point.accelerations)) for point in trajectory.points])

    def begin(self, time: int, before: Point, turns: np.ndarray) -> None:
        """Set the state before the first point; turns (n,): which joints have no limits."""
        first, rest = self.points[0], np.zeros(len(before.q))
        self._before_at, self._before = time, Point(
            np.where(turns, first.q - nearest_turn(first.q - before.q), before.q),
            rest if before.v is None and first.v is not None else before.v,
            rest if before.a is None and first.a is not None else before.a)

    def sample(self, time: int) -> Sampled | None:
        """Return the state at a time, None where that is before the state before the first point.

        The first sample is the start of a trajectory whose stamp is 0.
        """
        if not self.is_sampled:
            self.start, self.is_sampled = self.start or time, True
        if time < self._before_at:
            return None
        k = int(np.searchsorted(self.times, time - self.start, side='right')) - 1
        if k == len(self.times) - 1:
            last, rest = self.points[-1], np.zeros(len(self.points[-1].q))
            return Sampled(Point(last.q, rest if last.v is None else last.v,
                                 rest if last.a is None else last.a), False)
        begun, before = (self.start + self.times[k], self.points[k]) if k >= 0 else (
            self._before_at, self._before)
        end = self.start + self.times[k + 1]
        state = interpolated(before, self.points[k + 1], 1e-9 * (end - begun),
                             1e-9 * (time - begun))
        return Sampled(state, True)


def interpolated(before: Point, after: Point, T: float, t: float) -> Point:
    """Return the state at t of T, s, between two points, by what both have.

    With accelerations by a quintic, with velocities by a cubic polynomial, else on a straight line.
    """
    rest, orders = np.zeros(len(before.q)), 3
    if before.v is None or after.v is None:
        if before.a is not None and after.a is not None:
            return Point(rest, rest, rest)  # of accelerations without velocities it makes zeros
        orders = 1
    elif before.a is None or after.a is None:
        orders = 2

    def powers(s: float, order: int) -> np.ndarray:
        """Return the derivatives of 1, s, s² … by s."""
        return np.array([math.perm(k, order) * s ** max(k - order, 0) for k in range(2 * orders)])
    c = np.linalg.solve([powers(s, k) for s in (0.0, 1.0) for k in range(orders)],
                        [T ** k * end[k] for end in (before, after) for k in range(orders)])
    return Point(*(powers(t / T, k) @ c / T ** k for k in range(3)))


def nearest_turn(angle: np.ndarray) -> np.ndarray:
    """Return angles (n,) within half a turn of zero, rad."""
    return np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi


def nanoseconds(stamp: Any) -> int:
    """Return a stamp or a duration of a message in ns."""
    return int(stamp.sec) * 10 ** 9 + int(stamp.nanosec)

"""Trajectories: position, velocity and acceleration of every joint over time."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_AT_REST = 1e-6  # per s


class State(NamedTuple):
    """Joints at one time, each array (n,), or at k times, each (k, n)."""

    position: np.ndarray
    """rad or m."""
    velocity: np.ndarray
    """Per s."""
    acceleration: np.ndarray
    """Per s²."""

    @classmethod
    def at_rest(cls, q: np.ndarray) -> 'State':
        """Return the state of joints at rest at q (n,), rad or m."""
        return cls(q, np.zeros_like(q), np.zeros_like(q))

    @property
    def moves(self) -> bool:
        """Whether anything moves, or is about to."""
        return bool(self.velocity.any() or self.acceleration.any())


class Trajectory(ABC):
    """A trajectory from 0 to `duration`, s; at rest before at its beginning, afterwards at its end.

    - `duration`: s.
    """

    duration: float

    def at(self, t: float) -> State:
        """Return the state (n,) at a time t, s; after the duration at rest, exactly at the end."""
        if t >= self.duration:
            return State.at_rest(self.end)
        return self._at(max(t, 0.0))

    def sample(self, times: np.ndarray) -> State:
        """Return the states (k, n) at times (k,), s."""
        states = [self.at(float(t)) for t in times]
        return State(*(np.array(column) for column in zip(*states)))

    @property
    @abstractmethod
    def end(self) -> np.ndarray:
        """Where the joints come to rest, (n,), rad or m."""

    @abstractmethod
    def _at(self, t: float) -> State:
        """Return the state at a time from 0 up to the duration."""


class Rest(Trajectory):
    """A robot at rest."""

    def __init__(self, q: np.ndarray) -> None:
        """Rest at q (n,), rad or m."""
        self.duration = 0.0
        self._end = q

    @property
    def end(self) -> np.ndarray:
        """The joint values (n,)."""
        return self._end.copy()

    def _at(self, t: float) -> State:
        return State.at_rest(self.end)


class Part(Trajectory):
    """An interval of another trajectory; it may end in motion."""

    def __init__(self, whole: Trajectory, start: float, duration: float | None = None) -> None:
        """Use the rest of it after `start`, s, or the next `duration`, s."""
        if isinstance(whole, Part):
            start += whole.start
            whole = whole.whole
        self.whole: Trajectory = whole
        self.start: float = max(start, 0.0)
        left = max(whole.duration - self.start, 0.0)
        self._cut = duration is not None and duration < left
        self.duration = left if duration is None else min(duration, left)

    @property
    def end(self) -> np.ndarray:
        """Where the part ends, (n,), rad or m."""
        return self.whole.at(self.start + self.duration).position

    def sample(self, times: np.ndarray) -> State:
        """Return the states (k, n) at times (k,), s."""
        return super().sample(times) if self._cut else self.whole.sample(self.start + times)

    def _at(self, t: float) -> State:
        return self.whole.at(self.start + t)


class Series(Trajectory):
    """Several trajectories in sequence; each begins in the state in which the previous one ends."""

    def __init__(self, parts: Sequence[Trajectory]) -> None:
        """Join trajectories; those without duration are skipped, except for the last."""
        unnested = [one for part in parts
                    for one in (part.parts if isinstance(part, Series) else [part])]
        self.parts: list[Trajectory] = [
            *(part for part in unnested[:-1] if part.duration > 0.0), unnested[-1]]
        self._ends = np.cumsum([part.duration for part in self.parts])
        self.duration = float(self._ends[-1])

    @property
    def end(self) -> np.ndarray:
        """Where the last part ends, (n,), rad or m."""
        return self.parts[-1].end

    def left(self, t: float) -> Trajectory:
        """Return the rest from a time t, s, on, without the parts that are over."""
        k = min(int(np.searchsorted(self._ends, t, side='right')), len(self.parts) - 1)
        first = Part(self.parts[k], t - (self._ends[k - 1] if k else 0.0))
        return Series([first, *self.parts[k + 1:]]) if k + 1 < len(self.parts) else first

    def to_rest(self) -> Trajectory:
        """Return the parts up to the first that ends at rest."""
        for k, part in enumerate(self.parts, start=1):
            before = part.at(np.nextafter(part.duration, 0.0))
            if np.abs(before.velocity).max() < _AT_REST:
                return Series(self.parts[:k])
        return self

    def _at(self, t: float) -> State:
        k = min(int(np.searchsorted(self._ends, t, side='right')), len(self.parts) - 1)
        return self.parts[k].at(t - (float(self._ends[k - 1]) if k else 0.0))


def left_of(trajectory: Trajectory, t: float) -> Trajectory:
    """Return the rest of a trajectory from a time t, s, on; at rest where it is over."""
    if t >= trajectory.duration:
        return Rest(trajectory.end)
    return trajectory.left(t) if isinstance(trajectory, Series) else Part(trajectory, t)

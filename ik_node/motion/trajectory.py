"""Trajectories: where every joint of an arm is, how fast and how hard it moves, at any time."""

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
        """Return the state of joints that stand at q (n,), rad or m."""
        return cls(q, np.zeros_like(q), np.zeros_like(q))

    @property
    def moves(self) -> bool:
        """Whether anything moves, or is about to."""
        return bool(self.velocity.any() or self.acceleration.any())


class Trajectory(ABC):
    """From 0 to `duration`, s; before that it stands at its beginning, afterwards at its end.

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
    """Standing still."""

    def __init__(self, q: np.ndarray) -> None:
        """Stand at q (n,), rad or m."""
        self.duration = 0.0
        self._end = q

    @property
    def end(self) -> np.ndarray:
        """Where the joints stand, (n,)."""
        return self._end.copy()

    def _at(self, t: float) -> State:
        return State.at_rest(self.end)


class Part(Trajectory):
    """What another trajectory does from one time on, up to another; it ends there as it moves."""

    def __init__(self, whole: Trajectory, start: float, duration: float | None = None) -> None:
        """Take what is left after `start`, s, or the next `duration`, s, of it."""
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
    """One trajectory after the other; each begins as the one before it ends."""

    def __init__(self, parts: Sequence[Trajectory]) -> None:
        """Join trajectories; those that take no time are left out, but for the last."""
        flat = [one for part in parts
                for one in (part.parts if isinstance(part, Series) else [part])]
        self.parts: list[Trajectory] = [
            *(part for part in flat[:-1] if part.duration > 0.0), flat[-1]]
        self._ends = np.cumsum([part.duration for part in self.parts])
        self.duration = float(self._ends[-1])

    @property
    def end(self) -> np.ndarray:
        """Where the last part ends, (n,), rad or m."""
        return self.parts[-1].end

    def left(self, t: float) -> Trajectory:
        """Return what is left from a time t, s, on, without the parts that are over."""
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
    """Return what a trajectory does from a time t, s, on; standing where it is over."""
    if t >= trajectory.duration:
        return Rest(trajectory.end)
    return trajectory.left(t) if isinstance(trajectory, Series) else Part(trajectory, t)

"""The times at which a foot stands, and how a path is led to where it is held and back."""

from typing import NamedTuple

import numpy as np

from ik_node.motion.interpolation import easing


class Stand(NamedTuple):
    """The frames of a motion in which a foot stands: from `first` to `last`, included."""

    first: int
    last: int


def stands(times: np.ndarray, positions: np.ndarray, height: float, speed: float,
           shortest: float, upright: np.ndarray | bool = True) -> list[Stand]:
    """Return when a point stands: where it is low and slow for a while.

    times (m,), s; positions (m, 3), m. height: m, of the highest z; speed: m/s, the fastest, over
    central differences; shortest: s, what takes less is left out; upright (m,): where it may stand.
    """
    velocity = (np.gradient(positions, times, axis=0) if len(times) > 1
                else np.zeros_like(positions))
    slow = np.linalg.norm(velocity, axis=1) <= speed
    low_and_slow = (positions[:, 2] <= height) & slow & upright
    edges = np.flatnonzero(np.diff(np.concatenate([[False], low_and_slow, [False]]).astype(int)))
    found = [Stand(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2])]
    return [stand for stand in found if times[stand.last] - times[stand.first] >= shortest
            or (stand.first == 0 and stand.last == len(times) - 1)]


def influence(times: np.ndarray, found: list[Stand], blend: float) -> np.ndarray:
    """Return how far each stand holds at each time (k, m): 1 while it lasts, 0 elsewhere.

    times (m,), s. It rises within `blend` s before the stand and falls within as much after it;
    between two stands each has half the time at most, so that at most one of them acts.
    """
    ease = easing('quintic')
    weights = np.zeros((len(found), len(times)))
    for k, stand in enumerate(found):
        begin, end = times[stand.first], times[stand.last]
        before = blend if k == 0 else min(blend, 0.5 * (begin - times[found[k - 1].last]))
        after = (blend if k == len(found) - 1
                 else min(blend, 0.5 * (times[found[k + 1].first] - end)))
        away = np.maximum((begin - times) / max(before, 1e-9), (times - end) / max(after, 1e-9))
        weights[k] = ease(1.0 - np.clip(away, 0.0, 1.0))
    return weights

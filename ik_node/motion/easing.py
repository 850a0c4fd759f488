"""Easings: the part of a path that a motion has covered, as a function of the part of its time.

Both are between 0 and 1. Every easing here is symmetric, ease(1 − s) = 1 − ease(s), so that its
first half defines it: 0 and 1 are met to the last digit, and nothing overshoots.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.support.arguments import floats
from ik_node.support.exceptions import InputError, OptionError, unknown

_ACCELERATING = 1.0 / 3.0  # the part of its time in which a trapezoid reaches its speed


@dataclass(frozen=True)
class Easing:
    """A function to ease in and out; `easing(name)` returns it."""

    name: str
    _rise: Callable[[np.ndarray], np.ndarray]
    """The first half, 0 ≤ s ≤ 1/2."""
    _rate: Callable[[np.ndarray], np.ndarray]
    """Its derivative."""

    def __call__(self, s: Any) -> Any:
        """Return the part of the path (), or (k,), at a part of the time s, 0 to 1, () or (k,).

        Raises InputError for an s that is not between 0 and 1.
        """
        s = part(s)
        half = self._rise(np.minimum(s, 1.0 - s))
        return np.where(s <= 0.5, half, 1.0 - half)[()]

    def slope(self, s: Any) -> Any:
        """Return the derivative () or (k,), path per time, at s, () or (k,). Raises as a call."""
        s = part(s)
        return self._rate(np.minimum(s, 1.0 - s))[()]


def easing(name: str) -> Easing:
    """Return the easing of a name. Raises OptionError for an unknown name, with the list."""
    if not isinstance(name, str) or name not in _EASINGS:
        raise OptionError(unknown('easing', name, easing_names()))
    return _EASINGS[name]


def easing_names() -> tuple[str, ...]:
    """Return the names that `easing` accepts, the simplest first."""
    return tuple(_EASINGS)


def part(s: Any) -> np.ndarray:
    """Return a part, 0 to 1, as an array () or (k,). Raises InputError for anything else."""
    array = floats(s, 's')
    if array.ndim > 1:
        raise InputError(f's must be a number or have the shape (k,), not {array.shape}')
    outside = (array < 0.0) | (array > 1.0)
    if outside.any():
        raise InputError(f's must lie between 0 and 1, not at {array[outside].flat[0]:g}')
    return array


_EASINGS = {each.name: each for each in (
    # constant speed, which jumps at both ends
    Easing('linear', lambda s: s, np.ones_like),
    # 3s² − 2s³: at rest at both ends
    Easing('cubic', lambda s: s * s * (3.0 - 2.0 * s), lambda s: 6.0 * s * (1.0 - s)),
    # 10s³ − 15s⁴ + 6s⁵: of all motions between rests the one of least jerk [Flash & Hogan 1985]
    Easing('quintic', lambda s: s ** 3 * (10.0 - s * (15.0 - 6.0 * s)),
           lambda s: 30.0 * (s * (1.0 - s)) ** 2),
    # (1 − cos πs)/2: half a swing of a pendulum [Parent ch. 3, ease-in/ease-out]
    Easing('sine', lambda s: np.sin(0.5 * math.pi * s) ** 2,
           lambda s: 0.5 * math.pi * np.sin(math.pi * s)),
    # constant acceleration up to the speed v = 1/(1 − a) at a = 1/3, constant speed, constant
    # deceleration: v s²/2a, then v (s − a/2) [Parent ch. 3, ease-in/ease-out]
    Easing('trapezoid',
           lambda s: np.where(s < _ACCELERATING, 0.5 * s * s / _ACCELERATING,
                              s - 0.5 * _ACCELERATING) / (1.0 - _ACCELERATING),
           lambda s: np.minimum(s / _ACCELERATING, 1.0) / (1.0 - _ACCELERATING)),
)}

"""Keys: postures or poses with times, and what lies between them, eased [Parent ch. 3].

Every segment is a way of its own, from rest to rest unless its easing is linear.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ik_node._arrays import floats
from ik_node.exceptions import InputError
from ik_node.model.chain import Chain
from ik_node.motion.easing import easing as easing_by_name
from ik_node.motion.interpolation import as_pose, between_poses, nearest_end, straight


class Schedule:
    """When the keys are due, and how the segments between them are eased.

    Attributes:
    - `times`: (m,) s, increasing.
    - `easings`: (m − 1), one for each segment.
    """

    def __init__(self, times: Any, easing: str | Sequence[str]) -> None:
        """Take times (m,), s, and one easing, or one for each of the m − 1 segments.

        Raises InputError for fewer than two times, for times that do not increase and for another
        number of easings, OptionError for an unknown easing.
        """
        self.times = floats(times, 'times')
        self.times.flags.writeable = False
        if self.times.ndim != 1 or len(self.times) < 2:
            raise InputError('times must have the shape (m,), one for each key and at least two, '
                             f'not {self.times.shape}')
        self._durations = np.diff(self.times)
        if (self._durations <= 0.0).any():
            i = int(np.argmax(self._durations <= 0.0))
            raise InputError(f'times must increase: after {self.times[i]:g} s comes '
                             f'{self.times[i + 1]:g} s')
        segments = len(self._durations)
        given = [easing] * segments if isinstance(easing, str) else list(easing)
        if len(given) != segments:
            raise InputError(f'easing must be one name, or one for each of the {segments} segments '
                             f'between keys, not {len(given)} names')
        self.easings = tuple(easing_by_name(name) for name in given)

    def locate(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return where in its segment a time t, s, () or (k,), is; the ends where it is outside.

        Three of the shape of t: the segment's index, the eased part of its way, 0 to 1, and how
        fast that grows, 1/s. Raises InputError for times that are no finite numbers.
        """
        t = floats(t, 't')
        if t.ndim > 1:
            raise InputError(f't must be a number or have the shape (k,), not {t.shape}')
        last = len(self._durations) - 1
        segment = np.clip(np.searchsorted(self.times, t, side='right') - 1, 0, last)
        s = np.clip((t - self.times[segment]) / self._durations[segment], 0.0, 1.0)
        way, rate = np.empty(t.shape), np.zeros(t.shape)
        for index in np.ndindex(t.shape):
            ease = self.easings[segment[index]]
            way[index] = ease(s[index])
            if self.times[0] <= t[index] <= self.times[-1]:
                rate[index] = ease.slope(s[index]) / self._durations[segment[index]]
        return segment, way, rate


class KeyPostures:
    """Postures of a chain at times; what lies between goes the shorter way round. Immutable.

    Attributes:
    - `times`: (m,) s.
    - `postures`: (m, n) rad or m: those given, by whole turns nearest the one before where a turn
      changes nothing and the limits allow it; see `between_postures`.
    """

    def __init__(self, chain: Chain, times: Any, postures: Any,
                 easing: str | Sequence[str] = 'cubic') -> None:
        """Take times (m,), s, postures (m, n), rad or m, and one easing or one for each segment.

        Raises InputError for wrong shapes and numbers, times that do not increase, and a posture
        outside the limits; OptionError for an unknown easing.
        """
        self._schedule = Schedule(times, easing)
        self.times = self._schedule.times
        self.postures = floats(postures, 'postures')
        shape = (len(self.times), chain.n_joints)
        if self.postures.shape != shape:
            raise InputError(f'postures must have the shape {shape}, a row for each time and a '
                             f'column for each of {", ".join(chain.joint_names)}, not '
                             f'{self.postures.shape}')
        outside = (self.postures < chain.lower) | (self.postures > chain.upper)
        if outside.any():
            i, j = np.argwhere(outside)[0]
            raise InputError(f'key posture {i + 1}, at {self.times[i]:g} s: '
                             f'{self.postures[i, j]:.9g} is outside the limits {chain.lower[j]:.9g}'
                             f' to {chain.upper[j]:.9g} of joint {chain.joint_names[j]!r}')
        for i in range(1, len(self.times)):
            self.postures[i] = nearest_end(chain, self.postures[i - 1], self.postures[i])
        self.postures.flags.writeable = False

    def at(self, t: Any) -> np.ndarray:
        """Return the posture at a time t, s: (n,) for a number, (k, n) for t (k,); rad or m.

        Before the first time the first, after the last the last. Raises InputError for times that
        are no finite numbers.
        """
        segment, way, _ = self._schedule.locate(t)
        return straight(self.postures[segment], self.postures[segment + 1], way)

    def velocity(self, t: Any) -> np.ndarray:
        """Return the derivative of `at`, rad/s or m/s: (n,) for a number, (k, n) for t (k,).

        Zero before the first time and after the last; at a key between that of the segment which
        begins there. Raises as `at`.
        """
        segment, _, rate = self._schedule.locate(t)
        return rate[..., None] * (self.postures[segment + 1] - self.postures[segment])


class KeyPoses:
    """Poses of a tip at times; what lies between is straight, and turns on great arcs. Immutable.

    Attributes:
    - `times`: (m,) s.
    - `poses`: (m, 4, 4) m.
    """

    def __init__(self, times: Any, poses: Any, easing: str | Sequence[str] = 'cubic') -> None:
        """Take times (m,), s, poses (m, 4, 4), m, and one easing or one for each segment.

        Raises InputError for wrong shapes and numbers, times that do not increase, and what is no
        pose; OptionError for an unknown easing.
        """
        self._schedule = Schedule(times, easing)
        self.times = self._schedule.times
        self.poses = floats(poses, 'poses')
        shape = (len(self.times), 4, 4)
        if self.poses.shape != shape:
            raise InputError(f'poses must have the shape {shape}, one pose for each time, not '
                             f'{self.poses.shape}')
        for i, T in enumerate(self.poses):
            as_pose(T, f'key pose {i + 1}, at {self.times[i]:g} s,')
        self.poses.flags.writeable = False

    def at(self, t: Any) -> np.ndarray:
        """Return the pose at a time t, s: (4, 4) for a number, (k, 4, 4) for t (k,); m.

        Before the first time the first, after the last the last; see `between_poses`. Raises
        InputError for times that are no finite numbers.
        """
        segment, way, _ = self._schedule.locate(t)
        T = np.empty((*way.shape, 4, 4))
        for index in np.ndindex(way.shape):
            i = segment[index]
            T[index] = between_poses(self.poses[i], self.poses[i + 1], way[index])
        return T

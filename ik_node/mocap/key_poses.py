"""Key frames: configurations or poses with times, interpolated with easings [Parent ch. 3].

Every segment goes from rest to rest unless its easing is linear.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ik_node.mocap.recording import increasing_times
from ik_node.model.chain import Chain, check_chain
from ik_node.model.joint_space import check_inside
from ik_node.motion.interpolation import between_poses, nearest_end, straight
from ik_node.motion.interpolation import easing as easing_by_name
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import floats, instance, shaped
from ik_node.support.exceptions import InputError


class Schedule:
    """Keys at `times` (m,), s, with m − 1 `easings` between them; the base of both kinds of keys.

    Raises InputError for fewer than two times, for times that do not increase and for another
    number of easings, OptionError for an unknown easing.
    """

    def __init__(self, times: Any, easing: str | Sequence[str]) -> None:
        """Take times (m,), s, and one easing, or one for each of the m − 1 segments."""
        self.times = increasing_times(times, 2)
        self.times.flags.writeable = False
        segments = len(self.times) - 1
        instance(easing, (str, list, tuple), 'easing must be a name or a list of names')
        names = [easing] * segments if isinstance(easing, str) else list(easing)
        if len(names) != segments:
            raise InputError(f'easing must be one name, or one for each of the {segments} segments '
                             f'between keys, not {len(names)} names')
        self.easings = tuple(easing_by_name(name) for name in names)

    def locate(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the segments at times t, s, the eased parts of them, 0 to 1, and their rates, 1/s.

        Each of the shape of t, () or (k,), and clamped to the keys. Raises InputError for times
        that are not finite.
        """
        t = floats(t, 't')
        if t.ndim > 1:
            raise InputError(f't must be a number or have the shape (k,), not {t.shape}')
        segment = np.clip(np.searchsorted(self.times, t, side='right') - 1, 0,
                          len(self.easings) - 1)
        durations = np.diff(self.times)[segment]
        s = np.clip((t - self.times[segment]) / durations, 0.0, 1.0)
        eased = [(self.easings[i](one), self.easings[i].slope(one))
                 for i, one in zip(segment.flat, s.flat)]
        part, slope = np.reshape(eased, (*t.shape, 2)).T
        inside = (self.times[0] <= t) & (t <= self.times[-1])
        return segment, part, slope * inside / durations


class KeyConfigurations(Schedule):
    """Configurations of a chain at times, interpolated the shorter way round. Immutable.

    `configurations`: (m, n) rad or m: each by whole turns nearest the previous one, where the
    limits allow it; see `between_configurations`.
    """

    def __init__(self, chain: Chain, times: Any, configurations: Any,
                 easing: str | Sequence[str] = 'cubic') -> None:
        """Store times (m,), s, configurations (m, n), rad or m, and an easing or one per segment.

        Raises as `Schedule`, and InputError for wrong shapes and configurations outside the limits.
        """
        check_chain(chain)
        super().__init__(times, easing)
        self.configurations = check_inside(
            chain, shaped(configurations, (len(self.times), chain.n_joints), 'configurations'),
            lambda i: f'key configuration {i + 1}, at {self.times[i]:g} s')
        for i in range(1, len(self.times)):
            self.configurations[i] = nearest_end(chain, self.configurations[i - 1],
                                                 self.configurations[i])
        self.configurations.flags.writeable = False

    def at(self, t: Any) -> np.ndarray:
        """Return the configuration at a time t, s: (n,) for a number, (k, n) for t (k,); rad or m.

        Before the first time the first, after the last the last. Raises InputError for times that
        are no finite numbers.
        """
        segment, part, _ = self.locate(t)
        return straight(self.configurations[segment], self.configurations[segment + 1], part)

    def velocity(self, t: Any) -> np.ndarray:
        """Return the derivative of `at`, rad/s or m/s: (n,) for a number, (k, n) for t (k,).

        Zero before the first time and after the last; at a key between that of the segment which
        begins there. Raises as `at`.
        """
        segment, _, rate = self.locate(t)
        return rate[..., None] * (self.configurations[segment + 1] - self.configurations[segment])


class KeyPoses(Schedule):
    """Poses of a tip at times, interpolated on straight lines and great arcs. Immutable.

    `poses`: (m, 4, 4) m.
    """

    def __init__(self, times: Any, poses: Any, easing: str | Sequence[str] = 'cubic') -> None:
        """Take times (m,), s, poses (m, 4, 4), m, and one easing or one for each segment.

        Raises as `Schedule`, and InputError for wrong shapes and matrices that are not poses.
        """
        super().__init__(times, easing)
        self.poses = shaped(poses, (len(self.times), 4, 4), 'poses')
        for i, T in enumerate(self.poses):
            as_pose(T, f'key pose {i + 1}, at {self.times[i]:g} s,')
        self.poses.flags.writeable = False

    def at(self, t: Any) -> np.ndarray:
        """Return the pose at a time t, s: (4, 4) for a number, (k, 4, 4) for t (k,); m.

        Before the first time the first, after the last the last; see `between_poses`. Raises
        InputError for times that are no finite numbers.
        """
        segment, part, _ = self.locate(t)
        return np.reshape([between_poses(self.poses[i], self.poses[i + 1], share)
                           for i, share in zip(segment.flat, part.flat)], (*part.shape, 4, 4))

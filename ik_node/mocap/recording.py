"""Recorded motions: joint values at increasing times, and their interpolation between them.

A floating root has six joints of one degree of freedom in them, which files and messages can carry.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ik_node.model.joint_space import neutral_values
from ik_node.model.joints import CONTINUOUS, PRISMATIC, Joint
from ik_node.model.tree import KinematicTree, check_tree, parts_of
from ik_node.model.tree_structure import check_own_joint
from ik_node.spatial import rpy_from_matrix
from ik_node.support.arguments import floats, number, sequence
from ik_node.support.exceptions import InputError, ModelError, shown
from ik_node.support.immutable import Immutable

MAX_MOTION_BYTES = 64 * 2**20  # of a file of joint values, the same as of an Acclaim motion
ROOT_JOINTS = ('root_tx', 'root_ty', 'root_tz', 'root_rx', 'root_ry', 'root_rz')
"""Names of the joints, as those of Acclaim skeletons; R_world_root = Rz·Ry·Rx."""
_ORDER = ('root_tx', 'root_ty', 'root_tz', 'root_rz', 'root_ry', 'root_rx')  # from the world out
_ROUNDING = 1e-9  # rad or m: a value that exceeds a limit by less is at the limit
_MOST_SHOWN = 5   # joints in the report about limits


class Recording(Immutable):
    """A recorded motion of a robot, `tree`. Immutable.

    - `joint_names`: the joints that were recorded, without mimics; n of them.
    - `times`: (m,), s, of the frames; increasing, the first is 0.
    - `values`: (m, n), rad or m; those of continuous joints step by half a turn at most.
    - `moving_joints`: every moving joint of the robot, mimics too, in the order of the tree.
    - `source`: the name of the recording in messages.
    """

    def __init__(self, tree: KinematicTree, joint_names: Iterable[str], times: Any, values: Any,
                 source: str = 'the motion') -> None:
        """Take the frames of a motion: times (m,), s, and values (m, n), rad or m.

        joint_names: n joints of the tree, in any order; a mimic follows its source, and its own
        values are not used. The time of the first frame is subtracted from all. Values may exceed
        the limits of the joints. Raises ModelError for joints that are unknown, fixed, named twice,
        or mimics without their source; InputError for arrays of wrong shape, numbers that are not
        finite, and times that do not increase.
        """
        self.tree = check_tree(tree)
        self.source = source
        joint_names = sequence(joint_names, f'{source}: joint_names')
        columns = own_columns(joint_names, tree, lambda i: f'{source}: joint_names[{i}]')
        times, values = increasing_times(times, 1), floats(values, 'values')
        if values.shape != (len(times), len(joint_names)):
            raise InputError(f'values must have the shape ({len(times)}, {len(joint_names)}), a '
                             f'row for each time and a column for each joint, not {values.shape}')
        self.joint_names = tuple(joint_names[i] for i in columns)
        self.times, self.values = times - times[0], np.ascontiguousarray(values[:, columns])
        for i, name in enumerate(self.joint_names):
            if tree.joints[name].type == CONTINUOUS:
                self.values[:, i] = np.unwrap(self.values[:, i])
        self._expand()
        self._freeze()

    def _expand(self) -> None:
        """Prepare the values of every moving joint: gain · values[column] + offset."""
        column = {name: i for i, name in enumerate(self.joint_names)}
        self.moving_joints = tuple(
            name for name, joint in self.tree.joints.items() if joint.moves)
        rows = []
        for drive in (self.tree.drives[name] for name in self.moving_joints):
            if drive.source in column:
                rows.append((column[drive.source], drive.multiplier, drive.offset))
                continue
            # Without recorded values: zero, or the nearest that the limits of the source allow.
            source = self.tree.joints[drive.source]
            rest = float(neutral_values(np.array([source.lower]), np.array([source.upper]))[0])
            rows.append((0, 0.0, drive.multiplier * rest + drive.offset))
        self._column, self._gain, self._offset = map(np.array, zip(*rows))

    @property
    def duration(self) -> float:
        """The time of the last frame, s."""
        return float(self.times[-1])

    @property
    def n_frames(self) -> int:
        """The number of frames, m."""
        return len(self.times)

    def frame(self, time: float) -> int:
        """Return the number of the last frame at or before a time, s; the first is 0."""
        return max(int(np.searchsorted(self.times, time, side='right')) - 1, 0)

    def at(self, time: float) -> np.ndarray:
        """Return the values (n,) of the recorded joints at a time, s; rad or m.

        Linear between two frames; before the first and after the last those of that frame. Raises
        InputError for a time that is no finite number.
        """
        time = number(time, 'time')
        k = self.frame(time)
        if k + 1 >= self.n_frames or time <= self.times[k]:
            return self.values[k].copy()
        s = (time - self.times[k]) / (self.times[k + 1] - self.times[k])
        return (1.0 - s) * self.values[k] + s * self.values[k + 1]

    def positions(self, time: float) -> np.ndarray:
        """Return the values (k,) of `moving_joints` at a time, s; rad or m.

        Mimics follow their sources. A joint that was not recorded is at zero where its limits allow
        that, else in the middle of them. Raises InputError as `at` does.
        """
        return self._gain * self.at(time)[self._column] + self._offset

    def outside_limits(self) -> str:
        """Return a sentence about the frames that exceed limits of joints; '' without any."""
        joints = [self.tree.joints[name] for name in self.moving_joints]
        lower, upper = np.array([(joint.lower, joint.upper) for joint in joints]).T
        values = self._gain * self.values[:, self._column] + self._offset
        excess = np.where(self._gain == 0.0, 0.0, np.maximum(lower - values, values - upper))
        outside, worst = excess > _ROUNDING, excess.argmax(axis=0)
        found = [f'{joint.name!r} ({values[k, i]:.4g} {"m" if joint.prismatic else "rad"} in frame '
                 f'{k + 1}, allowed are {joint.lower:.4g} to {joint.upper:.4g})'
                 for i, (joint, k) in enumerate(zip(joints, worst)) if outside[k, i]]
        if not found:
            return ''
        more = f' and {len(found) - _MOST_SHOWN} more' if len(found) > _MOST_SHOWN else ''
        return (f'{self.source}: {int(outside.any(axis=1).sum())} of {self.n_frames} frames exceed '
                f'limits of joints: {", ".join(found[:_MOST_SHOWN])}{more}')

    def __repr__(self) -> str:
        return (f'Recording({self.source}: {self.n_frames} frames of {len(self.joint_names)} '
                f'joints, {self.duration:.9g} s)')


def increasing_times(times: Any, least: int) -> np.ndarray:
    """Return times (m,), s, that increase; least: of m. Raises InputError for others."""
    times = floats(times, 'times')
    if times.ndim != 1 or len(times) < least:
        raise InputError(f'times must have the shape (m,), m at least {least}, not {times.shape}')
    rises = np.diff(times) > 0.0
    if not rises.all():
        k = int(np.argmin(rises)) + 1
        raise InputError(f'times must increase: times[{k}] is {times[k]:.9g}, after '
                         f'{times[k - 1]:.9g}')
    return times


def own_columns(joint_names: list[Any], tree: KinematicTree,
                place: Callable[[int], str]) -> list[int]:
    """Return which of some joints of a tree have values of their own; mimics have not.

    place(i): what a message about the name i begins with. Raises ModelError where there is no name,
    for unknown and fixed joints, with the list of the others, for joints named twice, and for a
    mimic whose source is not named.
    """
    if not joint_names:
        raise ModelError(f'{place(0)}: at least one joint must be named')
    seen: set[str] = set()
    for i, name in enumerate(joint_names):
        check_own_joint(tree, name, place(i), mimics=True)
        if name in seen:
            raise ModelError(f'{place(i)}: joint {shown(name)} appears twice')
        seen.add(name)
    for i, name in enumerate(joint_names):
        source = tree.drives[name].source
        if source not in seen:
            raise ModelError(f'{place(i)}: joint {name!r} follows {source!r}; give the values of '
                             'that joint')
    return [i for i, name in enumerate(joint_names) if tree.joints[name].mimic is None]


def has_root_joints(tree: KinematicTree) -> bool:
    """Return whether a tree has the joints of its root, as those of Acclaim skeletons do."""
    return all(name in tree.joints for name in ROOT_JOINTS)


def with_root_joints(tree: KinematicTree) -> KinematicTree:
    """Return the tree with the joints `ROOT_JOINTS` between a new link `world` and its root.

    A tree that has them is returned as it is. Raises ModelError where a link or joint has a name
    that is needed.
    """
    if has_root_joints(check_tree(tree)):
        return tree
    between = [f'{name}_link' for name in _ORDER[:-1]]
    for kind, needed, there in (('link', ('world', *between), tree.links),
                                ('joint', ROOT_JOINTS, tree.joints)):
        for name in needed:
            if name in there:
                raise ModelError(f'a moving root needs a {kind} {name!r}, and {tree.name!r} has '
                                 'one; rename it')
    placements = [tree.T_world_root, *[np.eye(4)] * (len(_ORDER) - 1)]
    roots = [Joint(name, PRISMATIC if name[-2] == 't' else CONTINUOUS, parent, child, placement,
                   np.eye(3)['xyz'.index(name[-1])])
             for name, parent, child, placement in zip(
                 _ORDER, ('world', *between), (*between, tree.root), placements)]
    parts = parts_of(tree)
    return KinematicTree.from_parts(replace(
        parts, links=['world', *between, *parts.links], joints=[*roots, *parts.joints]))


def rooted_for(joint_names: Sequence[object], tree: KinematicTree) -> KinematicTree:
    """Return the tree with the joints of its root where some of the names are theirs.

    Raises ModelError as `with_root_joints`.
    """
    moves_root = any(name in ROOT_JOINTS for name in joint_names if isinstance(name, str)
                     if name not in tree.joints)
    return with_root_joints(tree) if moves_root else tree


def root_values(T_world_root: np.ndarray) -> np.ndarray:
    """Return the values of `ROOT_JOINTS` (6,), m and rad, for a pose (4, 4) of the root, m."""
    return np.array([*T_world_root[:3, 3],
                     *rpy_from_matrix(np.ascontiguousarray(T_world_root[:3, :3]))])

"""Targets for the links of a robot from the bones of a figure, and the times at which feet stand.

With D(t) = R_bone(t) R_bone(rest)ᵀ, the turn of a bone since the rest pose of the figure, A the
turn about z from that pose to the rest pose of the robot, and s a ratio of lengths:

    R_target = D Aᵀ R_link(rest)
    p_target = p_target(parent) + s (p_bone − p_bone(parent)) + D Aᵀ o

o is the part of the vector from parent to link, in the rest pose, that lengths do not explain: it
turns with the bone, so that rest pose leads to rest pose. s is the ratio of the lengths of the
paths between the two bones and between the two links. An entry without a parent is measured from
the ground, by the ratio of the legs, so that feet stay on the ground.
"""

from typing import NamedTuple

import numpy as np

from ik_node.mocap.recording import Recording
from ik_node.mocap.retargeting_map import RetargetingMap
from ik_node.model.tree import KinematicTree
from ik_node.motion.interpolation import easing
from ik_node.spatial import rotation_exp, rotation_log, screw
from ik_node.support.exceptions import ModelError

_SHORTEST = 1e-6       # m: of a path whose length scales others
_SHORTEST_STAND = 0.1  # s


class Stand(NamedTuple):
    """The frames of a motion in which a foot stands: from `first` to `last`, included."""

    first: int
    last: int


class Targets(NamedTuple):
    """The targets of every entry, over the m frames of a motion."""

    poses: dict[str, np.ndarray]  # {entry: T_world_target (m, 4, 4)}, m
    stands: dict[str, list[Stand]]  # {entry that is held: its stands}
    root: np.ndarray
    """The first pose of the robot's root (4, 4), m, with the robot in its rest pose."""


class _Rest(NamedTuple):
    """Entries in the rest poses of figure and robot, both as seen from the ground below."""

    bones: dict[str, np.ndarray]  # {entry: T_ground_bone (4, 4)}, m
    links: dict[str, np.ndarray]
    T_ground_root: np.ndarray  # of the robot, (4, 4), m


def make_targets(recording: Recording, robot: KinematicTree, mapping: RetargetingMap) -> Targets:
    """Return the targets of a map for every frame of a motion. Raises ModelError."""
    rest, options = _rest(recording.tree, robot, mapping), mapping.options
    A = screw(np.radians(_heading(rest) if options.heading is None else options.heading),
              0.0, 2)[:3, :3]
    bones = _bone_poses(recording, mapping)
    held = [name for name, entry in mapping.tasks.items() if entry.hold]
    lowest = options.ground
    if lowest is None:
        lowest = min((float(bones[name][:, 2, 3].min()) for name in held), default=0.0)
    turned = {name: bones[name][:, :3, :3] @ (A @ rest.bones[name][:3, :3]).T  # D Aᵀ
              for name in mapping.tasks}
    upright = np.cos(np.radians(options.hold_tilt))
    found = {name: stands(recording.times, bones[name][:, :3, 3], lowest + options.hold_height,
                          options.hold_speed, _SHORTEST_STAND, turned[name][:, 2, 2] >= upright)
             for name in held}
    scale = options.scale
    if scale is None:
        root = next(iter(mapping.tasks))
        legs = [_ratio(recording.tree, robot, mapping, root, name) for name in held if name != root]
        scale = float(np.mean(legs)) if legs else 1.0
    poses: dict[str, np.ndarray] = {}
    for name, entry in mapping.tasks.items():
        vectors = bones[name][:, :3, 3].copy()
        vectors[:, 2] -= lowest if options.ground is not None else _ground(
            recording.times, bones, {name: found[name]} if entry.hold else found, lowest)
        offset, at_rest = rest.links[name][:3, 3], rest.bones[name][:3, 3]
        ratio = scale
        if entry.parent:
            ratio = _ratio(recording.tree, robot, mapping, entry.parent, name)
            vectors = bones[name][:, :3, 3] - bones[entry.parent][:, :3, 3]
            offset = offset - rest.links[entry.parent][:3, 3]
            at_rest = at_rest - rest.bones[entry.parent][:3, 3]
        offset = offset - ratio * A @ at_rest
        poses[name] = np.tile(np.eye(4), (recording.n_frames, 1, 1))
        poses[name][:, :3, :3] = turned[name] @ rest.links[name][:3, :3]
        poses[name][:, :3, 3] = ratio * vectors + turned[name] @ offset
        if entry.parent:
            poses[name][:, :3, 3] += poses[entry.parent][:, :3, 3]
    for name in held:
        _hold(poses[name], recording.times, found[name], options.hold_blend, rest.links[name])
    first = next(iter(mapping.tasks))
    root = poses[first][0] @ np.linalg.inv(rest.links[first]) @ rest.T_ground_root
    return Targets(poses, found, root)


def _ground(times: np.ndarray, bones: dict[str, np.ndarray], found: dict[str, list[Stand]],
            lowest: float) -> np.ndarray:
    """Return the height (m,), m, of the ground: that of the bones {entry: (m, 4, 4)} that stand.

    The floor of a recording is not always level, and one foot may be higher on it than the other.
    Between stands the height is interpolated; lowest: without any stand.
    """
    levels = sorted((float(times[stand.first:stand.last + 1].mean()),
                    float(bones[name][stand.first:stand.last + 1, 2, 3].mean()))
                   for name, those in found.items() for stand in those)
    if not levels:
        return np.full(len(times), lowest)
    return np.interp(times, *np.array(levels).T)


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


def _hold(poses: np.ndarray, times: np.ndarray, found: list[Stand], blend: float,
          T_ground_link: np.ndarray) -> None:
    """Lead poses (m, 4, 4), in place, to where they are held during stands, upright.

    T_ground_link (4, 4), m: of the link in the rest pose, which says what upright is.
    """
    free = poses.copy()
    for stand, weights in zip(found, influence(times, found, blend)):
        part = free[stand.first:stand.last + 1]
        turned = (part[:, :3, :3] @ T_ground_link[:3, :3].T).mean(axis=0)
        R = screw(np.arctan2(turned[1, 0] - turned[0, 1], turned[0, 0] + turned[1, 1]),
                  0.0, 2)[:3, :3]
        held = R @ T_ground_link[:3, :3]
        position = np.array([*part[:, :2, 3].mean(axis=0), T_ground_link[2, 3]])
        for k in np.flatnonzero(weights > 0.0):
            away = np.array(rotation_log(np.ascontiguousarray(held.T @ free[k, :3, :3])))
            poses[k, :3, :3] = held @ rotation_exp((1.0 - weights[k]) * away)
            poses[k, :3, 3] = free[k, :3, 3] + weights[k] * (position - free[k, :3, 3])


def _rest(figure: KinematicTree, robot: KinematicTree, mapping: RetargetingMap) -> _Rest:
    """Return the entries in both rest poses, seen from below the middle of what is held."""
    found, roots = [], []
    for tree, joints, kind in ((figure, mapping.figure_rest, 'bone'),
                               (robot, mapping.robot_rest, 'link')):
        neutral = {name: min(max(0.0, tree.joints[name].lower), tree.joints[name].upper)
                   for name in tree.independent_joints}
        at = tree.forward({**neutral, **joints})
        poses = {name: at[getattr(entry, kind)] for name, entry in mapping.tasks.items()}
        feet = [poses[name][:3, 3] for name, entry in mapping.tasks.items() if entry.hold]
        ground = np.eye(4)
        if feet:
            ground[:2, 3] = -np.mean(feet, axis=0)[:2]
            ground[2, 3] = -np.min(feet, axis=0)[2]
        found.append({name: ground @ T for name, T in poses.items()})
        roots.append(ground @ at[tree.root])
    return _Rest(found[0], found[1], roots[1])


def _heading(rest: _Rest) -> float:
    """Return the turn about z that brings the bones nearest to their links at rest, deg.

    The angle of the least squares of horizontal vectors, atan2(Σ a × b, Σ a · b).
    """
    a = np.array([T[:2, 3] for T in rest.bones.values()])
    b = np.array([T[:2, 3] for T in rest.links.values()])
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    across = float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())
    along = float((a * b).sum())
    return float(np.degrees(np.arctan2(across, along))) if across or along else 0.0


def _bone_poses(recording: Recording, mapping: RetargetingMap) -> dict[str, np.ndarray]:
    """Return the poses of the bones of the entries, {entry: (m, 4, 4)}, m."""
    tree, names = recording.tree, recording.moving_joints
    poses = {name: np.empty((recording.n_frames, 4, 4)) for name in mapping.tasks}
    own = [i for i, name in enumerate(names) if tree.joints[name].mimic is None]
    for k, time in enumerate(recording.times):
        values = recording.positions(float(time))
        at = tree.forward({names[i]: float(values[i]) for i in own})
        for name, entry in mapping.tasks.items():
            poses[name][k] = at[entry.bone]
    return poses


def _ratio(figure: KinematicTree, robot: KinematicTree, mapping: RetargetingMap, parent: str,
           name: str) -> float:
    """Return the length between two links of the robot per length between their bones."""
    a, b = mapping.tasks[parent], mapping.tasks[name]
    length = path_length(figure, a.bone, b.bone)
    if length < _SHORTEST:
        raise ModelError(f'{mapping.source}: tasks.{name}: the bone {b.bone!r} is where that of '
                         f'its parent is, {a.bone!r}; without a length there is no scale')
    return path_length(robot, a.link, b.link) / length


def path_length(tree: KinematicTree, start: str, end: str) -> float:
    """Return the length of the joints' offsets between two links, m, whatever joins them."""
    up, down = ([joint.name for joint in tree.path(tree.root, link)] for link in (start, end))
    shared = set(up) & set(down)
    return sum(float(np.linalg.norm(tree.joints[name].placement[:3, 3]))
               for name in (*up, *down) if name not in shared)

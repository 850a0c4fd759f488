"""A pose that an arm is shown in at first: not singular, tip in front, away from its limits."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.model.pose_library import read_poses
from ik_node.model.readers import read_model
from ik_node.model.tree import KinematicTree
from ik_node.support.exceptions import IkError
from ik_node.support.resources import share_folder

LEAST_CONDITION = 0.05  # reciprocal condition number from which a pose is not near a singularity
_NAMES = ('ready', 'home')  # of poses, before others
_CANDIDATES = 4000
_ROUND = np.pi / 12.0   # rad: joint values of candidates are whole multiples of it,
_PARTS = 12             # of a range, for prismatic joints
_FAR = 9                # … this many at most from those at zero, or the middle of the limits
_STAYS = 0.4            # probability that a joint has that value
_GENERIC = 1e-6         # of the largest singular value: the rank that the arm has in most poses
# What is good enough: the condition, the distance from limits by the range, and how far the tip is
# in front of the first joint, by the reach.
_GOOD_CONDITION, _GOOD_MARGIN, _IN_FRONT = 0.15, 0.1, 0.55
_BY_CONDITION, _BY_MARGIN, _BY_PLACE = 3.0, 1.0, 2.0  # weights of these,
_BY_LEAST = 1000.0  # … of the least condition, or that of the best candidate,
_BY_ELBOW, _GOOD_ELBOW, _COMPARED = 4.0, 0.3, 800  # … and of the elbow's height, compared last,
_BY_LINKS, _GOOD_HEIGHT = 6.0, 0.15  # … as of links that are lower above the floor, by the reach,
_BY_JOINTS = 1.5, 0.3  # … and of joints that are turned, the first and the last one,
_BY_TORSO, _ARM = 5.0, 7  # … and those before so many, on which a limb is


@np.errstate(invalid='ignore')  # ranges without limits
def ready_pose(chain: Chain, file: Path | None = None) -> np.ndarray:
    """Return joint values (n,), rad or m, of a pose to begin with.

    It is a named pose that is not near a singularity, of an SRDF file beside that of the robot or
    of this package, else the best of many candidates, always the same.
    """
    neutral, random = chain.neutral(), np.random.default_rng(0)
    ranges = chain.upper - chain.lower
    step = np.where(chain.prismatic, np.where(np.isfinite(ranges), ranges, 1.0) / _PARTS, _ROUND)
    shape = _CANDIDATES, chain.n_joints
    moves = random.integers(-_FAR, _FAR + 1, shape) * (random.random(shape) > _STAYS)
    tried = np.clip(neutral + moves * step, chain.lower, chain.upper)
    named = [*_named(chain, file)]
    tried[:len(named) + 1] = [*named, neutral]
    conditions = condition_numbers(chain, tried)
    for q, condition in zip(named, conditions):
        if condition >= LEAST_CONDITION:
            return q
    away = np.nan_to_num(np.minimum(tried - chain.lower, chain.upper - tried) / ranges, nan=1.0)
    reach, poses = _reach(chain), chain.tree.forward()
    T, first = poses[chain.base_link], poses[chain.tree.joints[chain.joint_names[0]].child][:3, 3]
    tips = np.array([chain.forward(q)[:3, 3] for q in tried]) @ T[:3, :3].T + T[:3, 3]
    x, y, z = ((tips - first) / reach).T
    floor = min(0.0, *(one[2, 3] for one in poses.values()))
    turned = np.abs(tried - neutral) / np.where(chain.prismatic, reach, np.pi)
    by_joint = np.linspace(*_BY_JOINTS, chain.n_joints)
    by_joint[:max(0, chain.n_joints - _ARM)] = _BY_TORSO
    least = max(min(LEAST_CONDITION, conditions.max()), 1e-12)
    scores = (_BY_LEAST * np.minimum(1.0, conditions / least)
              + _BY_CONDITION * np.minimum(1.0, conditions / _GOOD_CONDITION)
              + _BY_MARGIN * np.minimum(1.0, away.min(axis=1) / _GOOD_MARGIN)
              - _BY_PLACE * (np.abs(x - _IN_FRONT) + np.abs(y) + np.maximum(
                  0.0, np.abs(z) - 0.5 * _IN_FRONT))
              - turned @ by_joint)
    best = scores.argsort()[::-1][:_COMPARED]  # to place all links takes longer
    return tried[max(best, key=lambda k: scores[k] + _score_links(chain, tried[k], floor, reach))]


def _score_links(chain: Chain, q: np.ndarray, floor: float, reach: float) -> float:
    """Return how good it is that the elbow is above the tip, and links are above the floor, m."""
    poses = chain.tree.forward(dict(zip(chain.joint_names, q.tolist())))
    heights = (np.array([poses[link][2, 3] for link in chain.links[1:]]) - floor) / reach
    low = np.maximum(0.0, _GOOD_HEIGHT - heights).sum()  # the same in all poses for those at rest
    return float(_BY_ELBOW * min(_GOOD_ELBOW, heights.max() - heights[-1]) - _BY_LINKS * low)


def start_arguments(file: Path, base: str | None, tip: str | None) -> list[str]:
    """Return the arguments with which a node starts at the pose of a robot in a file."""
    with contextlib.suppress(IkError):  # which the node reports
        chain = read_model(file).chain(base or None, tip or None)
        return ['-p', f'start_pose:={ready_pose(chain, file).tolist()}']
    return []


def condition_numbers(chain: Chain, q: np.ndarray) -> np.ndarray:
    """Return the reciprocal condition numbers (k,) of an arm at q (k, n), lengths by the reach.

    They are of as many axes of the tip as joints can move in most of these poses.
    """
    jacobians = np.array([chain.jacobian(one) for one in q])
    jacobians[:, :3] /= _reach(chain)
    values = np.linalg.svd(jacobians, compute_uv=False)
    largest = np.maximum(values[:, :1], 1e-12)
    rank = int((values > _GENERIC * largest).sum(axis=1).max())
    return np.asarray(values[:, max(rank, 1) - 1] / largest[:, 0])


def _reach(chain: Chain) -> float:
    reach = extent(chain.arrays).reach
    return float(reach) if np.isfinite(reach) and reach > 0.0 else 1.0


def _named(chain: Chain, file: Path | None) -> Iterator[np.ndarray]:
    """Return the named poses of files with the name of that of the robot."""
    for library in () if file is None else (
            file.with_suffix('.srdf'),
            share_folder() / 'config' / 'poses' / f'{file.stem}.yaml'):
        try:
            poses = read_poses(library, chain.tree) if library.is_file() and isinstance(
                chain.tree, KinematicTree) else {}
        except IkError:  # it is of another robot
            continue
        for name in sorted(poses, key=lambda one: (one not in _NAMES, one)):
            values = {**dict(zip(chain.joint_names, chain.neutral())), **poses[name]}
            q = np.array([values[joint] for joint in chain.joint_names])
            if poses[name].keys() & set(chain.joint_names) and (
                    (chain.lower <= q) & (q <= chain.upper)).all():
                yield q

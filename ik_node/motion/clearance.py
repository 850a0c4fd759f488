"""Motions beside obstacles: whether one keeps the margin from contact, all the way."""

import math

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.motion.limits import MotionLimits
from ik_node.motion.trajectory import Trajectory
from ik_node.support.exceptions import MotionError

_SLACK = 2e-5        # m, by which the motion leaves the straight lines that are checked,
_LARGE = 10.0        # m, where levers are no longer; what is larger by more
_NEAR = 0.1          # m, beyond the margin: the pair that ends it is nearer, hulls of meshes apart
_MOST_TIMES = 20000  # to which it is sampled


def check_clearance(motion: Trajectory, limits: MotionLimits, collisions: CollisionModel) -> None:
    """Raise MotionError where a motion comes nearer to contact than the margin, less 0.1 mm.

    With the place, the pair and the distance. Between the times that are looked at it is bounded
    how far anything moves, so that nothing is missed, however thin. A pair that is nearer than the
    margin where the motion begins must not get nearer. limits: those of the joints.
    """
    if motion.duration == 0.0:
        return
    # Between two times joints deviate from a straight line by a dt² / 8 at the most.
    most = np.maximum(limits.acceleration, motion.peaks()[1])  # braking from more than the limits
    deviation = np.minimum(collisions.levers(), _LARGE) @ most / 8.0
    count = min(max(math.ceil(motion.duration * math.sqrt(deviation / _SLACK)), 1), _MOST_TIMES)
    path = motion.sample(np.linspace(0.0, motion.duration, count + 1)).position
    bend = most * (motion.duration / count) ** 2 / 8.0
    part = collisions.free_part(path, bend)
    if part == math.inf:
        return
    i = min(int(part), len(path) - 2)
    q = path[i] + (part - i) * (path[i + 1] - path[i])
    share = part / (len(path) - 1)
    near = next(iter(collisions.contacts(q, collisions.margin + _NEAR)),
                'it cannot be checked any further')
    raise MotionError(f'the motion would lead too near to contact: {near} after '
                      f'{share * motion.duration:.3g} s, {share:.1%} of it', share)

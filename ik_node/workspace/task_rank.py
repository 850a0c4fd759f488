"""Task rank: which of the six task axes an arm can serve, and which of them at once."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ik_node.model.chain import Chain, check_chain
from ik_node.support.arguments import whole
from ik_node.workspace.sampling import ranges, reach_scale, scaled_tip_jacobians

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')

_SAMPLES = 128
# Of the largest singular value: axes above it count as served. Files that say 1.5708 for a
# right angle have errors of a few 1e-5; no arm is designed to be less than 1e-3 rad off parallel.
_TOLERANCE = 1e-3
_AS_GOOD = 0.5          # of the best conditioning: then the first axes are chosen


class TaskRank(NamedTuple):
    """The task axes that an arm can serve, in the tip's frame."""

    rank: int  # how many axes it serves at once in a generic configuration, at most 6
    never: tuple[str, ...]  # the axes of `AXES` that it serves in no configuration
    weights: np.ndarray
    """(6,) for `Goal`: 1 for a largest set of axes that it serves at once, else 0."""

    @property
    def served(self) -> tuple[str, ...]:
        """The axes with weight 1."""
        return tuple(axis for axis, weight in zip(AXES, self.weights) if weight)

    @property
    def left_free(self) -> tuple[str, ...]:
        """The axes with weight 0 along or about which the arm moves, coupled with others."""
        return tuple(axis for axis in AXES if axis not in self.served + self.never)

    def describe(self) -> str:
        """Return one sentence without a full stop."""
        if self.rank == len(AXES):
            return f'serves all 6 task axes: {", ".join(AXES)}'
        text = (f'serves {self.rank} of 6 task axes{" at once" if self.left_free else ""}: '
                f'{", ".join(self.served) or "none"}')
        moves = [axis for axis in self.never if len(axis) == 1]
        turns = [axis[1:] for axis in self.never if len(axis) == 2]
        cannot = [f'{verb} {_listed(axes)}' for verb, axes in (('move along', moves),
                                                              ('turn about', turns)) if axes]
        if cannot:
            text += f'; it cannot {" nor ".join(cannot)}'
        if self.left_free:
            verb = 'is' if len(self.left_free) == 1 else 'are'
            text += f'; {_listed(self.left_free)} {verb} left free'
        return text


def task_rank(chain: Chain, seed: int = 0) -> TaskRank:
    """Return which task axes the arm serves.

    The Jacobian in the tip's frame is evaluated in configurations spread over the limits, with
    metres divided by the length of the arm. Positions take precedence over rotations; among equally
    large sets the one with the better median conditioning is chosen, and among equals the first.
    """
    check_chain(chain)
    seed = whole(seed, 'seed')
    length = reach_scale(chain)
    lower, upper = ranges(chain, travel=length)
    configurations = np.random.default_rng(seed).uniform(lower, upper, (_SAMPLES, chain.n_joints))
    J = scaled_tip_jacobians(chain, configurations, length)
    smallest = _TOLERANCE * float(np.linalg.svd(J, compute_uv=False).max())
    rows = _extend(J, (), range(3), _rank(J[:, :3], smallest))
    rank = _rank(J, smallest)
    rows = _extend(J, rows, range(3, 6), rank - len(rows))
    weights = np.zeros(6)
    weights[list(rows)] = 1.0
    weights.flags.writeable = False
    idle = np.linalg.norm(J, axis=2).max(axis=0) <= smallest
    return TaskRank(rank, tuple(axis for axis, still in zip(AXES, idle) if still), weights)


def _rank(J: np.ndarray, smallest: float) -> int:
    """Return the rank of J (k, rows, n) in a generic configuration: the largest found in any."""
    return int((np.linalg.svd(J, compute_uv=False) > smallest).sum(axis=1).max())


def _extend(J: np.ndarray, rows: tuple[int, ...], more: Sequence[int],
            count: int) -> tuple[int, ...]:
    """Return the rows with `count` others added, independent in a generic configuration."""
    sets = [rows + added for added in combinations(more, count)]
    if not sets[0]:
        return ()
    scores = [float(np.median(np.linalg.svd(J[:, chosen], compute_uv=False)[:, -1]))
              if len(chosen) <= J.shape[2] else 0.0 for chosen in sets]
    return next(chosen for chosen, score in zip(sets, scores) if score >= _AS_GOOD * max(scores))


def _listed(items: Sequence[str]) -> str:
    return ' and '.join(filter(None, (', '.join(items[:-1]), items[-1])))

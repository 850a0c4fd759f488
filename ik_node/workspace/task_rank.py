"""Which of the six task axes an arm can serve, and which of them at once."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ik_node.model.chain import Chain
from ik_node.workspace.postures import length_scale, ranges, scaled_tip_jacobians

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')

_POSTURES = 128
# What counts as served, of the largest singular value. Files that say 1.5708 for a right angle
# leave up to a few 1e-5 of a zero; below 1e-3 rad no arm is meant to be off parallel.
_TOLERANCE = 1e-3
_AS_GOOD = 0.5          # of the best conditioning: then the axes that come first are taken


class TaskRank(NamedTuple):
    """What an arm can serve of a task. The axes are the tip's own."""

    rank: int
    """How many axes it serves at once in a generic posture, at most 6."""
    never: tuple[str, ...]
    """The axes of `AXES` that it serves in no posture."""
    weights: np.ndarray
    """(6,) for `Goal`: 1 for a largest set of axes that it serves all at once, else 0."""

    @property
    def served(self) -> tuple[str, ...]:
        """The axes with weight 1."""
        return tuple(axis for axis, weight in zip(AXES, self.weights) if weight)

    @property
    def left_free(self) -> tuple[str, ...]:
        """The axes with weight 0 that the arm does move about or along, with others."""
        return tuple(axis for axis in AXES if axis not in self.served + self.never)

    def describe(self) -> str:
        """Return one sentence for people, without a full stop."""
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
            text += f'; {_listed(self.left_free)} {_is(self.left_free)} left free'
        return text


def task_rank(chain: Chain, seed: int = 0) -> TaskRank:
    """Return which task axes the arm serves.

    The Jacobian along the tip's own axes is looked at in postures spread over the limits, with
    metres counted in lengths of the arm. Positions go before rotations; among equally large sets
    the one that is better conditioned in most postures is taken, and among equals the first.
    """
    length = length_scale(chain)
    lower, upper = ranges(chain, slide=length)
    postures = np.random.default_rng(seed).uniform(lower, upper, (_POSTURES, chain.n_joints))
    J = scaled_tip_jacobians(chain, postures, length)
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
    """Return the rank of J (k, rows, n) in a generic posture: the largest found in any."""
    return int((np.linalg.svd(J, compute_uv=False) > smallest).sum(axis=1).max())


def _extend(J: np.ndarray, rows: tuple[int, ...], more: Sequence[int],
            count: int) -> tuple[int, ...]:
    """Return the rows with `count` of the others added, all independent in a generic posture."""
    sets = [rows + added for added in combinations(more, count)]
    if not sets[0]:
        return ()
    scores = [float(np.median(np.linalg.svd(J[:, chosen], compute_uv=False)[:, -1]))
              if len(chosen) <= J.shape[2] else 0.0 for chosen in sets]
    return next(chosen for chosen, score in zip(sets, scores) if score >= _AS_GOOD * max(scores))


def _listed(items: Sequence[str]) -> str:
    return ' and '.join(filter(None, (', '.join(items[:-1]), items[-1])))


def _is(items: Sequence[str]) -> str:
    return 'is' if len(items) == 1 else 'are'

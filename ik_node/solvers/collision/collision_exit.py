"""Straight lines out of collisions that no small step leads out of."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.model.joint_space import JointSpace
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy

_FARTHEST = 3.0     # rad or m, in each joint
_SIZES = 12         # of changes that are tried
_SAMPLES = 32       # of each size, besides those of single joints
_ENOUGH = 24        # free configurations
_PLACES = 16        # on the line to each
_SAME = 1e-3        # m: of lines that lead as deep the shortest is best
_BESIDE = 0.02      # rad or m: a robot so far beside its line has left it


class CollisionExit(NamedTuple):
    """The straight line in joint space from inside a collision to a free configuration."""

    begin: np.ndarray  # (n,) rad or m
    end: np.ndarray  # (n,)

    def contains(self, q: np.ndarray) -> bool:
        """Tell whether q (n,) is on the line, before its end."""
        line = self.end - self.begin
        share = np.clip((q - self.begin) @ line / (line @ line), 0.0, 1.0)
        return bool(share < 1.0 and np.abs(self.begin + share * line - q).max() < _BESIDE)

    def step(self, q: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return the step (n,) from q (n,) straight towards the end, within bounds."""
        change = self.end - q
        bounds = np.where(change > 0.0, upper, -lower)
        shares = bounds[change != 0.0] / np.abs(change[change != 0.0])
        step: np.ndarray = change * np.clip(shares, 0.0, 1.0).min(initial=1.0)
        return step


def exit_from(q: np.ndarray, collisions: CollisionModel) -> CollisionExit | None:
    """Return a straight line from the contact at q (n,) to a free configuration.

    Of those found the one on which nothing is touched that is not touched at q, where there is one;
    then that on which what overlaps gets least deep; then the shortest. None where none was found.
    """
    here = _depths(q, collisions)
    touched = {b for _, b in here}  # of a link and an obstacle the obstacle
    lines = []
    for at in _around(q, collisions.space):
        if collisions.is_free(at):
            lines.append((*_hindrance(q, at, collisions, touched), float(np.abs(at - q).sum()), at))
            if len(lines) == _ENOUGH:
                break
    deepest = max(here.values(), default=0.0)
    return CollisionExit(q, min(lines, key=lambda line: (
        line[0], round(max(line[1] - deepest, 0.0) / _SAME), line[2]))[3]) if lines else None


def _around(q: np.ndarray, space: JointSpace) -> Iterator[np.ndarray]:
    """Yield configurations (n,) within the limits, farther and farther from q."""
    n = len(q)
    unit = np.concatenate([np.eye(n), -np.eye(n), 2.0 * low_discrepancy(
        _SAMPLES * _SIZES, n, 0) - 1.0])
    for k, size in enumerate(np.geomspace(0.05, _FARTHEST, _SIZES)):
        first = 2 * n + k * _SAMPLES
        for change in (*unit[:2 * n], *unit[first:first + _SAMPLES]):
            yield np.clip(q + size * change, space.lower, space.upper)


def _hindrance(q: np.ndarray, end: np.ndarray, collisions: CollisionModel,
               touched: set[int]) -> tuple[bool, float]:
    """Return whether the line from q to an end has new contacts, and the deepest of all, m."""
    is_new, deepest = False, 0.0
    for share in np.arange(1, _PLACES + 1) / _PLACES:
        depths = _depths(q + share * (end - q), collisions)
        is_new |= any(b not in touched for _, b in depths)
        deepest = max([deepest, *depths.values()])
    return is_new, deepest


def _depths(q: np.ndarray, collisions: CollisionModel) -> dict[tuple[int, int], float]:
    """Return by how much pairs are nearer than the margin at q (n,), m."""
    near = collisions.near_pairs(q, collisions.margin)
    return near.by_pair(collisions.margin - near.distances)

"""Planar arms with two or three parallel revolute axes [Parent 5.14–5.15; Bařinka & Berka eq. 5].

Seen along the common normal n the arm is flat: link i has the length Lᵢ and, at q = 0, the
direction αᵢ; joint i turns everything after it by θᵢ = ±qᵢ.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ik_node.exceptions import UnsupportedError
from ik_node.kinematics.axes import axes_at_zero
from ik_node.kinematics.forward import TURN
from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal
from ik_node.spatial import quaternion_from_matrix, turn_z_onto

PARALLEL_TOLERANCE = 1e-3  # rad: what is further off is taken as meant, not as rounding
_FREE_TURNS = 360          # tip angles tried where the goal leaves that angle free


class PlanarArm(NamedTuple):
    """A planar arm as its closed form sees it."""

    R_base_plane: np.ndarray
    """(3, 3), the normal n its third column."""
    shoulder: np.ndarray
    """(3,) a point on the first axis, m."""
    lengths: np.ndarray
    """(2,) or (3,) m."""
    angles: np.ndarray
    """Directions of the links at q = 0, in the plane, rad."""
    signs: np.ndarray
    """+1 where an axis points along n, −1 against it."""
    R_base_tip: np.ndarray
    """(3, 3) at q = 0."""
    skew: float
    """How far the axes are from parallel, rad."""

    @property
    def description(self) -> str:
        """Say what was found."""
        lengths = ', '.join(f'L{i + 1} = {length:.6g} m' for i, length in enumerate(self.lengths))
        exact = '' if self.skew < 1e-12 else f'; axes parallel to within {self.skew:.1e} rad'
        return f'planar {len(self.lengths)}R ({lengths}{exact})'

    def branches(self, goal: Goal, q0: np.ndarray,
                 redundancy: float | None) -> Iterator[np.ndarray]:
        """Yield joint values (n,) of the ideal arm for the goal, both elbows.

        A goal out of reach gets the posture that points at it. Where the goal leaves the angle of
        a 3R's tip free, it is `redundancy`, rad from where it is at q = 0, or where that is None
        many are tried. Raises UnsupportedError for a goal that leaves the position in the plane
        free.
        """
        self._demand_position(goal)
        x, y = self._in_plane(goal.pose[:3, 3] - self.shoulder)
        if len(self.lengths) == 2:
            yield from self._two_links(x, y)
            return
        for turn in self._tip_turns(goal, q0, redundancy):
            # The wrist lies the last link before the tip, whose direction is known.
            along = self.angles[2] + turn
            wrist_x = x - self.lengths[2] * math.cos(along)
            wrist_y = y - self.lengths[2] * math.sin(along)
            for q1, q2 in self._two_links(wrist_x, wrist_y):
                rest = turn - self.signs[0] * q1 - self.signs[1] * q2
                yield np.array([q1, q2, self.signs[2] * rest])

    def _two_links(self, x: float, y: float) -> Iterator[np.ndarray]:
        """Yield both elbows for the end of the second link at (x, y), m.

        cos ψ = (x² + y² − L1² − L2²)/(2 L1 L2), ψ the angle from link 1 to link 2, and link 1
        along atan2(y, x) − atan2(L2 sin ψ, L1 + L2 cos ψ).
        """
        L1, L2 = self.lengths[:2]
        cosine = (x * x + y * y - L1 * L1 - L2 * L2) / (2.0 * L1 * L2)
        bend = math.acos(min(max(cosine, -1.0), 1.0))
        for psi in (bend, -bend) if bend > 0.0 else (bend,):
            first = math.atan2(y, x) - math.atan2(L2 * math.sin(psi), L1 + L2 * math.cos(psi))
            yield np.array([self.signs[0] * (first - self.angles[0]),
                            self.signs[1] * (psi - self.angles[1] + self.angles[0])])

    def _tip_turns(self, goal: Goal, q0: np.ndarray, redundancy: float | None) -> list[float]:
        """Return how far the tip is to be turned from q = 0, rad; many where it is left free."""
        normal = self.R_base_plane[:, 2]
        if goal.orientation is not None:
            along = np.abs(goal.orientation.T @ normal)
            if (along * (goal.weights[3:] > 0.0)).max() > 0.5:
                x, y, z, w = quaternion_from_matrix(goal.orientation @ self.R_base_tip.T)
                return [2.0 * math.atan2(normal @ (x, y, z), w)]
        if redundancy is not None:
            return [redundancy]
        now = float(self.signs @ q0)
        return [now + 2.0 * math.pi * i / _FREE_TURNS for i in range(_FREE_TURNS)]

    def _in_plane(self, offset: np.ndarray) -> tuple[float, float]:
        x, y, _ = self.R_base_plane.T @ offset
        return float(x), float(y)

    def _demand_position(self, goal: Goal) -> None:
        axes = np.eye(3) if goal.orientation is None else goal.orientation
        asked = self.R_base_plane[:, :2].T @ (axes * (goal.weights[:3] > 0.0))
        if np.linalg.matrix_rank(asked, tol=1e-3) < 2:
            raise UnsupportedError('analytic on a planar arm needs a goal that asks for the '
                                   'position in the arm\'s plane; this one leaves it free')


def find_planar(chain: Chain) -> PlanarArm | str:
    """Return the chain as a planar 2R or 3R arm, or a few words on what it is instead."""
    arrays, n = chain.arrays, chain.n_joints
    if (arrays.kind != TURN).any() or len(arrays.column) != n or (arrays.ratio != 1.0).any():
        return f'{n} joints, not all of them simple revolute ones'
    points, axes = axes_at_zero(arrays)
    skew = max(float(np.linalg.norm(np.cross(axes[0], axis))) for axis in axes)
    if n not in (2, 3) or skew > PARALLEL_TOLERANCE:
        kind = 'parallel' if skew <= PARALLEL_TOLERANCE else 'not all parallel'
        return f'{n} revolute axes, {kind}'
    signs = np.sign(axes @ axes[0])
    normal = (signs[:, None] * axes).sum(axis=0)
    R_base_plane = turn_z_onto(normal / np.linalg.norm(normal))
    links = np.diff(points @ R_base_plane[:, :2], axis=0)
    lengths = np.linalg.norm(links, axis=1)
    if lengths.min() < 1e-9 * lengths.max() or lengths.max() == 0.0:
        return f'{n} parallel revolute axes, with a link of no length'
    return PlanarArm(R_base_plane, points[0], lengths, np.arctan2(links[:, 1], links[:, 0]), signs,
                     chain.forward(np.zeros(n))[:3, :3], skew)

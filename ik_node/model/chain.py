"""A serial chain from a base link to a tip link: what the solvers see of a robot."""

import math
from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from ik_node._arrays import vector
from ik_node.exceptions import ModelError
from ik_node.kinematics.forward import BALL_X, BALL_Z, TURN, ChainArrays, articulate, chain_frames
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.model.joints import ROTATION_VECTOR, Joint, arc_kind
from ik_node.spatial import turn_z_onto

if TYPE_CHECKING:
    from ik_node.model.tree import KinematicTree


class Chain:
    """The moving joints between two links of a tree, base to tip. Immutable.

    Attributes:
    - `tree`, `base_link`, `tip_link`; `links`: all links from base to tip.
    - `n_joints`: how many values q has.
    - `joint_names`: (n,) the moving joints, base to tip; a mimic is folded into its source, which
      takes the mimic's place where it does not lie on the chain itself.
    - `lower`, `upper`: (n,) limits, rad or m, ±inf where there is none; a source has the
      intersection of its own limits and its mimics'.
    - `prismatic`: (n,) whether q is in metres.
    - `arrays`: the same for the kernels.
    """

    def __init__(self, tree: 'KinematicTree', base_link: str, tip_link: str,
                 path: Sequence[Joint]) -> None:
        """Fold the joints of a path into flat arrays; see `KinematicTree.chain`."""
        self.tree = tree
        self.base_link = base_link
        self.tip_link = tip_link
        self.links = (base_link, *(joint.child for joint in path))
        self.arrays, self.joint_names = _fold(tree, path)
        if not self.joint_names:
            raise ModelError(f'no joint moves between {base_link!r} and {tip_link!r}')
        self.n_joints = len(self.joint_names)
        self.lower = self.arrays.lower
        self.upper = self.arrays.upper
        self._balls = [self.arrays.column[k - 2:k + 1]
                       for k in np.flatnonzero(self.arrays.kind == BALL_Z)]
        self.prismatic = _frozen([tree.joints[name].prismatic for name in self.joint_names])

    def __repr__(self) -> str:
        """Return the ends and the joints of the chain."""
        return (f'Chain({self.base_link!r} → {self.tip_link!r}, '
                f'{self.n_joints} joints: {", ".join(self.joint_names)})')

    def forward(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return T_base_tip (4, 4), m, at q (n,), rad or m. Raises InputError for a wrong q."""
        T = np.eye(4)
        T[:3] = self._frames(q)[-1, :3]
        return T

    def jacobian(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the Jacobian (6, n) at q (n,): linear rows first, base frame, at the tip.

        In m/rad and rad/rad, for a prismatic joint 1 and 0. Raises InputError for a wrong q.
        """
        frames = self._frames(q)
        J = np.empty((6, self.n_joints))
        chain_jacobian(self.arrays, frames, frames[-1], J)
        return J

    def neutral(self) -> np.ndarray:
        """Return q (n,) at zero where that is inside the limits, else in the middle of them.

        A joint with one limit only, and zero beyond it, stands at that limit.
        """
        q = np.zeros(self.n_joints)
        for i, (lower, upper) in enumerate(zip(self.lower, self.upper)):
            if not lower <= 0.0 <= upper:
                finite = [limit for limit in (lower, upper) if math.isfinite(limit)]
                q[i] = sum(finite) / len(finite)
        return q

    def shorten_rotations(self, q: np.ndarray) -> None:
        """Replace rotation vectors in q (n,), in place, that turn by more than π.

        The same rotation the other way round, (1 − 2π/|w|) w, is farther from where the
        exponential map is singular, |w| = 2π [Grassia 1998]. Left as it is beyond the limits.
        """
        for columns in self._balls:
            w = q[columns]
            angle = math.sqrt(w @ w)
            if angle > math.pi:
                shorter = (1.0 - 2.0 * math.pi * round(angle / (2.0 * math.pi)) / angle) * w
                if ((self.lower[columns] <= shorter) & (shorter <= self.upper[columns])).all():
                    q[columns] = shorter

    def to_dh(self, convention: str) -> dict[str, Any]:
        """Return Denavit-Hartenberg rows with a base and a tool, as `KinematicTree.from_dh` takes.

        convention: "standard" or "modified". A row for every joint; only axes a few 1e-8 rad off
        parallel, whose common normal lies beyond any number's digits, get a fixed row between.
        Raises ModelError for an unknown convention and for chains with mimics.
        """
        from ik_node.model.dh_extraction import extract_dh
        return extract_dh(self, convention)

    def with_limits(self, lower: np.ndarray, upper: np.ndarray) -> 'Chain':
        """Return the same chain with other limits, (n,) each, rad or m."""
        other = copy(self)
        other.arrays = self.arrays._replace(lower=_frozen(lower), upper=_frozen(upper))
        other.lower, other.upper = other.arrays.lower, other.arrays.upper
        return other

    def without_limits(self) -> 'Chain':
        """Return the same chain with every joint free to go anywhere."""
        n = self.n_joints
        return self.with_limits(np.full(n, -math.inf), np.full(n, math.inf))

    @property
    def has_balls(self) -> bool:
        """Whether there are ball joints by exponential map."""
        return bool(self._balls)

    def _frames(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the frames after each articulation and the tip's, (m + 1, 4, 4), base frame."""
        frames = np.empty_like(self.arrays.placement)
        chain_frames(self.arrays, vector(q, self.n_joints, 'q'), frames)
        return frames


def _fold(tree: 'KinematicTree', path: Sequence[Joint]) -> tuple[ChainArrays, tuple[str, ...]]:
    """Fold the joints of a path into arrays: fixed ones into placements, mimics into columns."""
    _refuse_part_of_a_ball(path)
    columns: dict[str, int] = {}
    limits: list[tuple[float, float]] = []
    placement, kinds, column, ratio = [], [], [], []
    T = np.eye(4)
    for joint in path:
        T = T @ joint.placement
        if not joint.moves:
            continue
        source, multiplier, offset = tree.drives[joint.name]
        T[:3, :3] = T[:3, :3] @ (R_joint_z := turn_z_onto(joint.axis))
        articulate(T, joint.prismatic, offset)
        if multiplier != 0.0:
            if source not in columns:
                columns[source] = len(columns)
                limits.append((tree.joints[source].lower, tree.joints[source].upper))
            limits[columns[source]] = _intersect(limits[columns[source]], joint, source,
                                                 multiplier, offset)
            placement.append(T)
            kinds.append(arc_kind(joint))
            column.append(columns[source])
            ratio.append(multiplier)
            T = np.eye(4)
        T[:3, :3] = T[:3, :3] @ R_joint_z.T
    placement.append(T)
    whole = [True] * len(columns)
    for kind, c, r in zip(kinds, column, ratio):
        whole[c] = whole[c] and kind == TURN and float(r).is_integer()
    counts = Counter(column)
    arrays = ChainArrays(
        placement=_frozen(placement), kind=_frozen(kinds, np.int64),
        column=_frozen(column, np.int64), ratio=_frozen(ratio, float),
        shared=_frozen([counts[c] > 1 for c in column], bool),
        lower=_frozen([low for low, _ in limits], float),
        upper=_frozen([high for _, high in limits], float), turns=_frozen(whole, bool))
    return arrays, tuple(columns)


def _refuse_part_of_a_ball(path: Sequence[Joint]) -> None:
    """Raise ModelError where a chain begins or ends within a ball by exponential map."""
    ends = ((path[0], BALL_X, 'base'), (path[-1], BALL_Z, 'tip')) if path else ()
    for joint, kind, end in ends:
        if joint.type == ROTATION_VECTOR and arc_kind(joint) != kind:
            raise ModelError(f'the {end} link lies within a ball joint by exponential map, at '
                             f'joint {joint.name!r}: its three values cannot be parted')


def _intersect(limits: tuple[float, float], joint: Joint, source: str, multiplier: float,
               offset: float) -> tuple[float, float]:
    """Return the limits of a source that also keep its mimic inside the mimic's own."""
    low, high = sorted(((joint.lower - offset) / multiplier, (joint.upper - offset) / multiplier))
    lower, upper = max(limits[0], low), min(limits[1], high)
    if lower > upper:
        raise ModelError(f'joint {joint.name!r} mimics {source!r}, but no value of {source!r} '
                         f'keeps both inside their limits: it may go from {limits[0]:g} to '
                         f'{limits[1]:g}, and its mimic wants {low:g} to {high:g}')
    return lower, upper


def _frozen(values: Sequence[object] | np.ndarray, dtype: type | None = None) -> np.ndarray:
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array

"""Serial chains from a base link to a tip link, the model of the solvers."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ik_node.kinematics.chain_kinematics import ChainKinematics
from ik_node.kinematics.kinds import REVOLUTE, SPHERICAL_X, SPHERICAL_Z
from ik_node.kinematics.structures import ChainArrays
from ik_node.model.joint_space import JointSpace
from ik_node.model.joints import ROTATION_VECTOR, Joint, joint_kind
from ik_node.model.tree_structure import TreeStructure
from ik_node.spatial import screw, turn_z_onto
from ik_node.spatial.rotations import clean_pose
from ik_node.support.arguments import instance, shaped
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError, ModelError, shown
from ik_node.support.immutable import frozen_copy, read_only

_LISTED = 20  # names of joints when a chain is printed


class Chain(JointSpace):
    """The moving joints between two links of a tree, base to tip. Immutable.

    Attributes:
    - `tree`, `base_link`, `tip_link`; `links`: all links from base to tip.
    - `tool`: T_tip_tool (4, 4), m, the identity by default; the chain's tip is the tool.
    - `n_joints`: how many values q has.
    - `joint_names`: (n,) the moving joints, base to tip; a mimic is folded into its source, which
      takes the mimic's place where it does not lie on the chain itself.
    - `lower`, `upper`: (n,) limits, rad or m, ±inf where there is none; a source has the
      intersection of its own limits and its mimics', see `KinematicTree.limits`.
    - `prismatic`: (n,) whether q is in metres; `turns`: (n,) whether it may change by 2π without
      changing any pose.
    - `arrays`: the same as flat arrays; `record`: for the kernels.
    """

    def __init__(self, tree: TreeStructure, base_link: str, tip_link: str,
                 path: Sequence[Joint], tool: Any = None) -> None:
        own = getattr(tree, 'joints', None)
        if not isinstance(own, Mapping) or not isinstance(path, (list, tuple)) or any(
                not isinstance(joint, Joint) or own.get(joint.name) is not joint
                for joint in path):
            raise ModelError('a chain is made by tree.chain(base_link, tip_link), not of '
                             f'{shown(path)}')
        self.tree, self.base_link, self.tip_link = tree, base_link, tip_link
        self.links = (base_link, *(joint.child for joint in path))
        self.tool = _checked_tool(np.eye(4) if tool is None else tool)
        self.arrays, self.joint_names = _fold(tree, path, self.tool)
        if not self.joint_names:
            raise ModelError(f'no joint moves between {base_link!r} and {tip_link!r}')
        self.n_joints = len(self.joint_names)
        self.lower, self.upper = self.arrays.lower, self.arrays.upper
        self.turns = self.arrays.turns
        self._balls = [self.arrays.column[k - 2:k + 1]
                       for k in np.flatnonzero(self.arrays.kind == SPHERICAL_Z)]
        self.prismatic = frozen_copy([tree.joints[name].prismatic for name in self.joint_names])
        self._freeze()

    def __repr__(self) -> str:
        listed = ', '.join(self.joint_names[:_LISTED])
        more = ', …' if self.n_joints > _LISTED else ''
        tool = '' if (self.tool == np.eye(4)).all() else ' with a tool'
        return (f'Chain({self.base_link!r} → {self.tip_link!r}{tool}, '
                f'{self.n_joints} joints: {listed}{more})')

    def forward(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return T_base_tip (4, 4), m, at q (n,), rad or m. Raises InputError for a wrong q."""
        return self.record.pose(self.checked(q))

    def jacobian(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the Jacobian (6, n) at q (n,): linear rows first, base frame, at the tip.

        In m/rad and rad/rad, for a prismatic joint 1 and 0. Raises InputError for a wrong q.
        """
        return self.record.jacobian(self.checked(q))

    def shorten_rotations(self, q: np.ndarray) -> None:
        """Replace rotation vectors in q (n,), in place, that turn by more than π.

        (1 − 2π/|w|) w is the same rotation, farther from the singularity of the exponential map
        at |w| = 2π [Grassia 1998]. It is not taken outside the limits. Raises InputError unless q
        is a writeable array (n,) of finite floats.
        """
        if type(q) is not np.ndarray or q.dtype != np.float64 or not q.flags.writeable:
            raise InputError(f'q must be a writeable array of floats, not {shown(q)}')
        if q.shape != (self.n_joints,) or not np.isfinite(q).all():
            self.checked(q)
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
        Forward kinematics of the rows is the chain's within 1e-9 m and rad. Raises ModelError for
        an unknown convention, where two joints of the chain share a value or one follows another
        at a ratio other than ±1, and where lengths are too large for that accuracy.
        """
        from ik_node.model.dh_extraction import extract_dh
        return extract_dh(self, convention)

    def with_limits(self, lower: Sequence[float] | np.ndarray,
                    upper: Sequence[float] | np.ndarray) -> 'Chain':
        """Return the same chain with other limits, (n,) each, rad or m, ±inf for none.

        Raises InputError for wrong shapes, and for limits that leave a joint no value.
        """
        low, high = (shaped(limits, (self.n_joints,), what, finite=False)
                     for limits, what in ((lower, 'lower'), (upper, 'upper')))
        fits = (low <= high) & (low < math.inf) & (high > -math.inf)
        if not fits.all():
            k = int(np.argmin(fits))
            raise InputError(f'the limits {low[k]:g} to {high[k]:g} of joint '
                             f'{self.joint_names[k]!r} leave it no value')
        arrays = self.arrays._replace(lower=low, upper=high)
        return self._with(arrays=read_only(arrays), lower=low, upper=high)

    def without_limits(self) -> 'Chain':
        """Return the same chain with every joint free to go anywhere."""
        limits = np.full(self.n_joints, math.inf)
        return self.with_limits(-limits, limits)

    @property
    def has_balls(self) -> bool:
        """Whether there are ball joints by exponential map."""
        return bool(self._balls)

    @cached_property
    def record(self) -> ChainKinematics:
        """The chain for the kernels."""
        return ChainKinematics(self.arrays)


def check_chain(chain: object) -> Chain:
    """Return a chain. Raises InputError for anything else."""
    return instance(chain, Chain, 'a chain is needed, tree.chain(…)')


def _fold(tree: TreeStructure, path: Sequence[Joint],
          tool: np.ndarray) -> tuple[ChainArrays, tuple[str, ...]]:
    """Fold the joints of a path into arrays: fixed ones into placements, mimics into columns."""
    _check_ends(path)
    columns: dict[str, int] = {}
    placement, kinds, column, ratio = [], [], [], []
    T = np.eye(4)
    for joint in path:
        T = T @ joint.placement
        if not joint.moves:
            continue
        source, multiplier, offset = tree.drives[joint.name]
        T[:3, :3] = T[:3, :3] @ (R_joint_z := turn_z_onto(joint.axis))
        T = T @ (screw(0.0, offset, 2) if joint.prismatic else screw(offset, 0.0, 2))
        if multiplier != 0.0:
            columns.setdefault(source, len(columns))
            placement.append(T)
            kinds.append(joint_kind(joint))
            column.append(columns[source])
            ratio.append(multiplier)
            T = np.eye(4)
        T[:3, :3] = T[:3, :3] @ R_joint_z.T
    placement.append(T @ tool)
    counts = Counter(column)
    limits = [tree.limits(source, [joint.name for joint in path]) for source in columns]
    still = {c for kind, c, r in zip(kinds, column, ratio)
             if kind != REVOLUTE or not float(r).is_integer()}
    arrays = ChainArrays(
        placement=frozen_copy(placement), kind=frozen_copy(kinds, np.int64),
        column=frozen_copy(column, np.int64), ratio=frozen_copy(ratio, float),
        shared=frozen_copy([counts[c] > 1 for c in column], bool),
        lower=frozen_copy([low for low, _ in limits], float),
        upper=frozen_copy([high for _, high in limits], float),
        turns=frozen_copy([c not in still for c in columns.values()], bool))
    return arrays, tuple(columns)


def _checked_tool(tool: Any) -> np.ndarray:
    """Return a pose of a tool (4, 4), m, with an exact rotation. Raises InputError for others."""
    T = clean_pose(tool, 'tool')
    if np.abs(T[:3, 3]).max() > MAX_NUMBER:
        raise InputError(f'tool: its position must be at most {MAX_NUMBER:g} m in size, not '
                         f'{T[:3, 3].tolist()}')
    return T


def _check_ends(path: Sequence[Joint]) -> None:
    """Raise ModelError where a chain begins or ends within a ball by exponential map."""
    ends = ((path[0], SPHERICAL_X, 'base'), (path[-1], SPHERICAL_Z, 'tip')) if path else ()
    for joint, kind, end in ends:
        if joint.type == ROTATION_VECTOR and joint_kind(joint) != kind:
            raise ModelError(f'the {end} link lies within a ball joint by exponential map, at '
                             f'joint {joint.name!r}: its three values cannot be parted')

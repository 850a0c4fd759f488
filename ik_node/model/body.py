"""A whole tree with one joint configuration: frames, Jacobians, centre of mass, mass matrix."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ik_node.kinematics.kinds import REVOLUTE
from ik_node.kinematics.structures import TreeArrays, first_moved
from ik_node.kinematics.tree import Tree
from ik_node.kinematics.tree_frames import TreeFrames, frames_at
from ik_node.model.joint_space import JointSpace
from ik_node.model.joints import ROOTS, Joint, joint_kind
from ik_node.model.parts import with_inertials
from ik_node.model.tree_structure import TreeStructure, check_own_joint
from ik_node.spatial import rotation_log
from ik_node.support.arguments import instance, mapping, number, one_of, sequence, vector
from ik_node.support.exceptions import InputError, ModelError, OptionError, names, unknown
from ik_node.support.immutable import frozen_copy

ORIGIN = np.zeros(3)
ORIGIN.flags.writeable = False

_Values = Sequence[float] | np.ndarray


class Body(JointSpace):
    """A tree with one q for all its branches, and optionally a moving root. Immutable.

    The world is the root link where the root is fixed; else the first entries of q place the root
    link in it, all zero where the tree places it. The rotation of a floating root is a rotation
    vector w, R_world_root = exp(w): Jacobians and mass matrix are with respect to q̇, so that the
    angular velocity is J_l(w) ẇ [Solà, A micro Lie theory, eq. 145]; at w = 0 that is ẇ.

    Attributes:
    - `tree`; `root`: "fixed", "planar" or "floating"; `links`: all links, depth first.
    - `n_joints`: n, how many values q has.
    - `joint_names`: (n,) those of the root, then the moving joints depth first; mimics are folded
      into their source.
    - `lower`, `upper`: (n,) limits, rad or m, ±inf where there is none; a source has the
      intersection of its own limits and its mimics', see `KinematicTree.limits`.
    - `velocity_limits`: (n,) rad/s or m/s, inf where there is none; those of mimics are kept, too.
    - `prismatic`: (n,) whether q is in metres; `turns`: (n,) whether it may change by 2π without
      changing any pose.
    - `held`: {joint: value} of the joints that are not in q, rad or m.
    - `mass`: kg, of all links.
    - `arrays`: the same as flat arrays; `record`: for the kernels.
    """

    def __init__(self, tree: TreeStructure, arrays: TreeArrays, root: str = 'fixed',
                 joints: Iterable[str] | None = None,
                 held: Mapping[str, float] | None = None) -> None:
        one_of(root, ROOTS, 'kind of root', OptionError)
        self.tree, self.root, self.links = tree, root, tree.links
        root_joints = ROOTS[root]
        for joint in root_joints:
            if joint.name in tree.joints:
                raise ModelError(f'a {root} root has an entry {joint.name!r}, and the robot a '
                                 'joint of that name; rename the joint')
        held = {} if held is None else mapping(held, 'held {joint: value}')
        chosen = _chosen(tree, joints, held)
        in_q = set(chosen)
        self.held: Mapping[str, float] = MappingProxyType({
            **{name: 0.0 for name in tree.independent_joints if name not in in_q},
            **{name: number(value, f'the held value of joint {name!r}')
               for name, value in held.items()}})
        moving = [*root_joints, *(tree.joints[name] for name in chosen)]
        if not moving and tree.independent_joints:
            raise ModelError(f'no joint of {tree.name!r} moves: the joints that move by themselves '
                             f'are {names(tree.independent_joints)}')
        self.joint_names = tuple(joint.name for joint in moving)
        self.n_joints = len(moving)
        columns = {name: column for column, name in enumerate(self.joint_names)}
        self.lower, self.upper, self.velocity_limits = _limits(tree, moving, columns)
        self.arrays = _arrays(tree, arrays, root_joints, columns, self.held)
        self.prismatic = frozen_copy([joint.prismatic for joint in moving], bool)
        self.turns = _turns(self.arrays, len(self.lower))
        self.mass = float(self.arrays.mass.sum())
        self._link_index = {link: k for k, link in enumerate(self.links, start=len(root_joints))}
        self._freeze()

    def __repr__(self) -> str:
        return f'Body({self.tree.name!r}, {self.root} root, {self.n_joints} joints)'

    def forward(self, q: _Values) -> dict[str, np.ndarray]:
        """Return the pose of every link, {link: T_world_link (4, 4)}, m, at q (n,), rad or m.

        Raises InputError for a wrong q.
        """
        frames = frames_at(self.record, self.checked(q))
        T_world_link = frames.T_world_link[-len(self.links):].copy()
        frames.release()
        return dict(zip(self.links, T_world_link))

    def jacobian(self, q: _Values, link: str, point: _Values = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return the Jacobian (6, n) of a point of a link at q (n,): ẋ = J q̇.

        Linear rows first, world axes, m and rad per rad or m; point (3,): in the link's frame, m.
        Raises InputError for a wrong q or point, ModelError for an unknown link.
        """
        frames = frames_at(self.record, self.checked(q))
        J = frames.jacobian(self.link_index(link), vector(point, 3, 'the point'))
        frames.release()
        return J

    def center_of_mass(self, q: _Values) -> np.ndarray:
        """Return the centre of mass of all links (3,), world frame, m, at q (n,).

        Raises InputError for a wrong q, ModelError where the mass is 0.
        """
        return self._center_of_mass(q)[0]

    def center_of_mass_jacobian(self, q: _Values) -> np.ndarray:
        """Return the Jacobian (3, n) of the centre of mass at q (n,), world axes, m per rad or m.

        Raises as `center_of_mass`.
        """
        return self._center_of_mass(q)[1]

    def mass_matrix(self, q: _Values) -> np.ndarray:
        """Return M (n, n), kg, kg m and kg m²: the kinetic energy is q̇ᵀ M q̇ / 2.

        By composite rigid bodies [Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2].
        Raises InputError for a wrong q, and for one so large that M is not finite.
        """
        frames = frames_at(self.record, self.checked(q))
        M = frames.mass_matrix(self.record)
        frames.release()
        if not np.isfinite(M).all():
            raise InputError('q is too large for a mass matrix: the squares of distances overflow')
        return M

    def link_index(self, link: str) -> int:
        """Return the index of a link in `arrays`. Raises ModelError for an unknown one."""
        if not isinstance(link, str) or link not in self._link_index:
            raise ModelError(unknown('link', link, self.links))
        return self._link_index[link]

    @cached_property
    def record(self) -> Tree:
        """The tree for the kernels, its root's joints before it."""
        return Tree(self.arrays, self.n_joints)

    def _center_of_mass(self, q: _Values) -> tuple[np.ndarray, np.ndarray]:
        if self.mass == 0.0:
            raise ModelError(f'{self.tree.name!r} has no centre of mass: the masses of its links '
                             'add up to 0 kg; they are read from <inertial>')
        frames = frames_at(self.record, self.checked(q))
        found = frames.center_of_mass()
        frames.release()
        return found


def root_values(root: str, T_world_root: np.ndarray) -> np.ndarray:
    """Return the values of the joints of a kind of root, m and rad, at its pose (4, 4).

    Of a planar one x, y and yaw; of a floating one the position and the rotation vector.
    """
    R, position = T_world_root[:3, :3], T_world_root[:3, 3]
    return {'fixed': np.empty(0), 'planar': np.r_[position[:2], np.arctan2(R[1, 0], R[0, 0])],
            'floating': np.r_[position, rotation_log(R)]}[root]


def check_body(body: object) -> Body:
    """Return a body. Raises InputError for anything else."""
    return instance(body, Body, 'a body is needed, tree.body(…)')


class BodyFrames:
    """The frames of a body at one q, for all who ask about that q. `update` moves them.

    - `body`; `q`: (n,) of the last update, rad or m.
    """

    def __init__(self, body: Body, q: np.ndarray) -> None:
        """Make room for the frames of a body, and compute those at q (n,), unchecked floats."""
        self.body, self._frames = body, TreeFrames(body.record)
        self.update(q)

    def update(self, q: np.ndarray) -> None:
        """Compute the frames at q (n,), rad or m: one pass from the root."""
        self.q = q
        self._frames.update(q)

    def pose(self, link: str) -> np.ndarray:
        """Return T_world_link (4, 4), m: a view, valid until the next update."""
        return self._frames.T_world_link[self.body.link_index(link)]

    def position(self, link: str, point: np.ndarray = ORIGIN) -> np.ndarray:
        """Return the position (3,), m, of a point (3,) of a link, in its frame, in the world."""
        T = self.pose(link)
        return T[:3, 3].copy() if point is ORIGIN else T[:3, :3] @ point + T[:3, 3]

    def jacobian(self, link: str, point: np.ndarray = ORIGIN) -> np.ndarray:
        """Return the Jacobian (6, n) of a point (3,) of a link; see `Body.jacobian`."""
        return self._frames.jacobian(self.body.link_index(link), point)

    def center_of_mass(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the centre of mass (3,), m, and its Jacobian (3, n). The mass must not be 0."""
        return self._frames.center_of_mass()

    def mass_matrix(self, tree: Tree | None = None) -> np.ndarray:
        """Return M (n, n); see `Body.mass_matrix`.

        tree: a record of the same body with other inertials; by default that of the body.
        """
        return self._frames.mass_matrix(self.body.record if tree is None else tree)


def _chosen(tree: TreeStructure, joints: Iterable[str] | None,
            held: Mapping[str, float]) -> list[str]:
    for name in held:
        check_own_joint(tree, name, 'held')
    if joints is None:
        return [name for name in tree.independent_joints if name not in held]
    named: set[str] = set()
    for name in sequence(joints, 'joints'):
        check_own_joint(tree, name, 'joints')
        if name in named:
            raise InputError(f'joints has {name!r} twice')
        if name in held:
            raise InputError(f'joint {name!r} is in joints and in held; it can be in one of them')
        named.add(name)
    return [name for name in tree.independent_joints if name in named]


def _limits(tree: TreeStructure, moving: Sequence[Joint],
            columns: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    limits = [tree.limits(joint.name) if joint.name in tree.joints else (joint.lower, joint.upper)
              for joint in moving]
    velocity = [joint.velocity for joint in moving]
    for joint in tree.joints.values():
        source, multiplier, _ = tree.drives[joint.name]
        if joint.mimic is not None and multiplier != 0.0 and source in columns:
            column = columns[source]
            velocity[column] = min(velocity[column], joint.velocity / abs(multiplier))
    lower, upper = np.reshape(limits, (-1, 2)).T
    return frozen_copy(lower, float), frozen_copy(upper, float), frozen_copy(velocity, float)


def _arrays(tree: TreeStructure, arrays: TreeArrays, root_joints: Sequence[Joint],
            columns: Mapping[str, int], held: Mapping[str, float]) -> TreeArrays:
    """Return the arrays of a tree with the root's joints before it, each link's joint over q."""
    added = len(root_joints)
    drives = [tree.drives[name] for name in tree.joints]
    column = [*range(-1, added), *(columns.get(drive.source, -1) if drive.multiplier != 0.0 else -1
                                   for drive in drives)]
    ratio = [1.0] * (added + 1) + [drive.multiplier for drive in drives]
    offset = [0.0] * (added + 1) + [drive.multiplier * held.get(drive.source, 0.0) + drive.offset
                                    for drive in drives]
    parent = np.array([*range(-1, added), *(arrays.parent[1:] + added)])
    kind = np.insert(arrays.kind, 1, [joint_kind(joint) for joint in root_joints])
    axis = [arrays.axis[0], *(joint.axis for joint in root_joints), *arrays.axis[1:]]
    placement = [arrays.placement[0], *(joint.placement for joint in root_joints),
                 *arrays.placement[1:]]
    return with_inertials(TreeArrays(*map(frozen_copy, (
        parent, kind, placement, axis, column, ratio, offset, first_moved(parent, kind)))),
        tree.links, tree.inertials)


def _turns(arrays: TreeArrays, n: int) -> np.ndarray:
    """Return which entries of q may change by 2π (n,): revolute, by whole ratios."""
    turns = np.ones(n, dtype=bool)
    still = (arrays.kind != REVOLUTE) | (arrays.ratio != np.round(arrays.ratio))
    turns[arrays.column[still & (arrays.column >= 0)]] = False
    return turns

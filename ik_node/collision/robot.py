"""The shapes of a robot, and which of them may touch one another."""

import copy
import functools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ik_node.collision.obstacles import check_shape
from ik_node.collision.scene import Scene
from ik_node.collision.shapes import Piece, Shapes
from ik_node.collision.world import World
from ik_node.kinematics.kinds import SPHERICAL_X
from ik_node.kinematics.structures import TreeArrays, first_moved
from ik_node.kinematics.tree import Tree
from ik_node.kinematics.tree_frames import frames_at
from ik_node.model.body import Body
from ik_node.model.chain import Chain
from ik_node.model.tree import KinematicTree, check_tree
from ik_node.support.arguments import mapping, number, one_of
from ik_node.support.exceptions import InputError, ModelError, shown, unknown

_SAMPLES = 1000  # joint configurations: a pair that touches in all of them always does
_LEAST = 1e-4    # m, kept by pairs that are nearer than the margin in all of them
_UNLIMITED = np.pi  # rad or m either way, of the samples of a joint without limits
_NO_PAIRS: Mapping[tuple[int, int], float] = {}
_NOTHING = World([], np.empty((0, 4, 4)))


class LinkPiece(NamedTuple):
    """A convex shape of a link, or of what is attached to it."""

    link: str
    group: int  # index in the reduced tree
    piece: Piece  # its placement is T_group_shape
    attachment: str | None = None  # the name of what is attached, None for the link itself
    touches: tuple[str, ...] = ()  # other links that it may touch

    @property
    def name(self) -> str:
        """What contacts call it."""
        return self.link if self.attachment is None else self.attachment


class RobotShapes:
    """The convex shapes of a robot's links, over the q of an arm or of a body.

    Of each link the collision shapes count, the visual ones where it has none. Links that are fixed
    to one another are a group; those that no joint of q moves to one another are a cluster, whose
    shapes never touch. Left out are, besides, clusters with one joint between them, pairs of links
    that are disabled, and pairs of shapes that touch in every one of 1,000 joint configurations.

    - `visual`: the links whose visual shapes are used; `always`: the pairs of links left out since
      shapes of theirs always touch; `pairs`: of indices of `pieces` that are checked.
    - `tree`: the groups for the kernels; `T_world_base`: where the base of an arm is, m.
    - `others`: {joint: value} of the joints that are not in q, rad or m; see `with_others`.
    """

    def __init__(self, space: Chain | Body,
                 disabled: frozenset[frozenset[str]] = frozenset()) -> None:
        """Read the shapes of an arm's tree, or a body's; disabled: pairs of links."""
        tree = check_tree(space.tree)
        body = tree.body(joints=space.joint_names) if isinstance(space, Chain) else space
        self.links, self._disabled = tree.links, disabled
        self.others = {name: body.held.get(name, 0.0) for name in tree.independent_joints
                       if name not in body.joint_names}
        added = len(body.arrays.parent) - len(tree.links)
        drives = {k: tree.drives[name] for k, name in enumerate(tree.joints, start=added + 1)
                  if tree.joints[name].moves and body.arrays.column[k] < 0}
        self._groups, self._T_group_entry, arrays = _grouped(body.arrays, drives)
        self._drives = {int(self._groups[k]): drive for k, drive in drives.items()}
        if isinstance(space, Chain):
            column = np.array([space.joint_names.index(name) for name in body.joint_names] + [-1])
            arrays = arrays._replace(column=column[arrays.column])
        self._arrays, self._body, self._space = arrays, body, space
        self._others_above = [frozenset[int]()] * len(arrays.parent)  # of each group
        for k, parent in enumerate(arrays.parent):
            self._others_above[k] = self._others_above[parent] | ({k} & self._drives.keys())
        self._cluster = np.arange(len(arrays.parent))  # the first group that q moves with it
        for k in np.flatnonzero(arrays.column < 0)[1:]:
            self._cluster[k] = self._cluster[arrays.parent[k]]
        self._set_tree()
        self.shapes = Shapes(tree.source_path)
        with self.shapes.reading():
            self.pieces, self.visual = self._read(tree)
        self._near: dict[float, set[tuple[int, int]]] = {}   # of pairs that others do not move
        self._near_now: dict[float, set[tuple[int, int]]] = {}  # of those they do
        self.pairs = self.possible_pairs(self.pieces)
        touching = self.always_within(0.0)
        self.pairs = [pair for pair in self.pairs if pair not in touching]
        links = [(self.pieces[a].link, self.pieces[b].link) for a, b in touching]
        self.always = tuple(sorted({(min(pair), max(pair)) for pair in links}))

    def with_others(self, others: Mapping[str, float]) -> 'RobotShapes':
        """Return the same shapes with other values of joints that are not in q, rad or m.

        Raises ModelError for a joint that is not one of these, InputError for what is no number.
        """
        values = mapping(others, 'others')
        for name in values:
            if name not in self.others:
                raise ModelError(f'others: {unknown("joint", name, self.others)}')
        twin = copy.copy(self)
        twin.others = {**self.others, **{
            name: number(value, f'the value of {name!r}') for name, value in values.items()}}
        twin._near_now = {}
        twin._set_tree()
        return twin

    def _set_tree(self) -> None:
        """Place the joints that are not in q."""
        offset = self._arrays.offset.copy()
        for group, drive in self._drives.items():
            offset[group] = drive.multiplier * self.others.get(drive.source, 0.0) + drive.offset
        n = self._space.n_joints
        self.tree = Tree(self._arrays._replace(offset=offset), n)
        self.T_world_base = np.eye(4)
        if isinstance(self._space, Chain):
            k = self._body.link_index(self._space.base_link)
            frames = frames_at(self.tree, np.zeros(n))
            self.T_world_base = frames.T_world_link[self._groups[k]] @ self._T_group_entry[k]
            frames.release()

    def on_link(self, link: str, piece: Piece, attachment: str | None = None,
                touches: tuple[str, ...] = ()) -> LinkPiece:
        """Return a piece, placed on a link, as one of its group. Raises ModelError."""
        one_of(link, self.links, 'link')
        k = self._body.link_index(link)
        return LinkPiece(link, int(self._groups[k]), piece._replace(
            placement=self._T_group_entry[k] @ piece.placement), attachment, touches)

    def cluster_of(self, link: str) -> int:
        """Return the number of the cluster of a link: 0 for what stands still."""
        return int(self._cluster[self._groups[self._body.link_index(link)]])

    def possible_pairs(self, pieces: list[LinkPiece], first: int = 0) -> list[tuple[int, int]]:
        """Return the pairs of pieces, the second from `first` on, that may touch."""
        return [(i, j) for j in range(first, len(pieces)) for i in range(j)
                if not self._why_not(pieces[i], pieces[j])]

    def left_out(self) -> dict[str, list[tuple[str, str]]]:
        """Return why pairs of links are not checked, and which."""
        found: dict[str, list[tuple[str, str]]] = {}
        for j, b in enumerate(self.pieces):
            for a in self.pieces[:j]:
                pair = a.link, b.link
                why = self._why_not(a, b)
                if why and a.link != b.link and pair not in found.setdefault(why, []):
                    found[why].append(pair)
        return {**found, f'touch in each of {_SAMPLES} configurations': [*self.always]}

    def _why_not(self, a: LinkPiece, b: LinkPiece) -> str:
        """Return why two pieces are not checked; '' where they are."""
        first, second = sorted((self._cluster[a.group], self._cluster[b.group]))
        if first == second:
            return 'fixed to one another'
        if a.attachment is not None or b.attachment is not None:
            return 'may touch' if b.link in a.touches or a.link in b.touches else ''
        if self._cluster[self._arrays.parent[second]] == first:
            return 'one joint between them'
        return 'disabled' if frozenset((a.link, b.link)) in self._disabled else ''

    def closer(self, margin: float) -> dict[tuple[int, int], float]:
        """Return the pairs that no margin, m, can part, and by how much they come closer, m."""
        return dict.fromkeys(self.always_within(margin), margin - _LEAST) if margin > _LEAST else {}

    def scene_of(self, pieces: list[LinkPiece], pairs: list[tuple[int, int]],
                 world: World = _NOTHING, margin: float = 0.0,
                 closer: Mapping[tuple[int, int], float] = _NO_PAIRS) -> tuple[Any, ...]:
        """Return the arguments of a `Scene` with pairs of pieces, and a world for what moves."""
        return (self.tree, [one.group for one in pieces],
                np.array([one.piece.placement for one in pieces]).reshape(-1, 4, 4),
                [one.piece.convex for one in pieces], np.array(pairs, dtype=int).ravel(),
                [k for k, one in enumerate(pieces) if self._cluster[one.group] > 0],
                np.array([closer.get(pair, 0.0) for pair in pairs]), world, margin)

    def _read(self, tree: KinematicTree) -> tuple[list[LinkPiece], tuple[str, ...]]:
        pieces: list[LinkPiece] = []
        visual = []
        for link in tree.links:
            placed = tree.collisions.get(link, ())
            if not placed and link in tree.visuals:
                placed = tree.visuals[link]  # type: ignore[assignment]
                visual.append(link)
            for one in placed:
                try:
                    check_shape(one.shape)
                    made = self.shapes.pieces(one.shape, one.placement)
                except (InputError, ModelError) as error:
                    raise ModelError(f'link {link!r}: {error}') from error
                pieces.extend(self.on_link(link, piece) for piece in made)
        return pieces, tuple(visual)

    def always_within(self, far: float) -> set[tuple[int, int]]:
        """Return the pairs that are at most `far` apart, m, in every sample."""
        for found, is_moved in ((self._near, False), (self._near_now, True)):
            if far not in found:
                found[far] = self._always_within(far, [
                    (a, b) for a, b in self.pairs if is_moved == (
                        self._others_above[self.pieces[a].group]
                        != self._others_above[self.pieces[b].group])])
        return self._near[far] | self._near_now[far]

    def _always_within(self, far: float, near: list[tuple[int, int]]) -> set[tuple[int, int]]:
        lower = np.where(np.isfinite(self._space.lower), self._space.lower, -_UNLIMITED)
        upper = np.where(np.isfinite(self._space.upper), self._space.upper, _UNLIMITED)
        samples = np.random.default_rng(0).uniform(
            np.minimum(lower, upper), np.maximum(lower, upper), (_SAMPLES, len(lower)))
        data = None
        for q in samples if near else ():
            if data is None:
                data = Scene(*self.scene_of(self.pieces, near)).take()
            found = {(a, b) for a, b, *_ in data.find(q, far)}
            if len(found) < len(near):
                near, data = [pair for pair in near if pair in found], None
            if not near:
                break
        return set(near)


def shapes_of(space: Chain | Body, disabled: Iterable[tuple[str, str]] = ()) -> RobotShapes:
    """Return the shapes of an arm or a body, whose meshes are read once; see `CollisionModel`."""
    return _shapes_of(space, _checked_pairs(disabled, check_tree(space.tree)))


_shapes_of = functools.lru_cache(maxsize=8)(RobotShapes)  # each keeps its robot


def _grouped(arrays: TreeArrays,
             others: Iterable[int]) -> tuple[np.ndarray, np.ndarray, TreeArrays]:
    """Return the group of every entry of a tree, its pose in it (k, 4, 4), m, and their tree.

    others: the entries with a joint that is not in q.
    """
    moves = (arrays.column >= 0) | (arrays.kind >= SPHERICAL_X)
    moves[[0, *others]] = True
    groups, kept = np.cumsum(moves) - 1, np.flatnonzero(moves)
    placement, T_group_entry = arrays.placement.copy(), np.tile(np.eye(4), (len(moves), 1, 1))
    for k in range(1, len(moves)):
        parent = arrays.parent[k]
        placement[k] = T_group_entry[parent] @ placement[k]
        if not moves[k]:
            groups[k], T_group_entry[k] = groups[parent], placement[k]
    parent = np.array([-1, *groups[arrays.parent[kept[1:]]]])
    kind = arrays.kind[kept]
    return groups, T_group_entry, TreeArrays(
        parent, kind, placement[kept], arrays.axis[kept], arrays.column[kept], arrays.ratio[kept],
        arrays.offset[kept], first_moved(parent, kind))


def _checked_pairs(pairs: Iterable[tuple[str, str]],
                   tree: KinematicTree) -> frozenset[frozenset[str]]:
    found = set()
    for pair in pairs:
        if (not isinstance(pair, (tuple, list)) or len(pair) != 2
                or not all(isinstance(link, str) for link in pair)):
            raise InputError(f'a disabled pair must be two names of links, not {shown(pair)}')
        for link in pair:
            one_of(link, tree.links, 'link', where='a disabled pair: ')
        found.add(frozenset(pair))
    return frozenset(found)

"""Reachability maps: where an arm can reach, in which directions, and how well."""

import hashlib
import json
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np

from ik_node.model.chain import Chain, check_chain
from ik_node.spatial import first_off_pose
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import flag, floats, positive, whole
from ik_node.support.arrays import taken
from ik_node.support.bounds import replacing
from ik_node.support.exceptions import InputError, shown
from ik_node.workspace.cells import Cells
from ik_node.workspace.filling import Filling, Report, check_client, check_folder
from ik_node.workspace.lattice import MOST_CELLS, MOST_IN_CHUNKS, Lattice, plan_of
from ik_node.workspace.placement import Placement, base_poses

VERSION = 1
_ARRAYS = ('depth', 'manipulability', 'rows', 'headings', 'origin', 'step', 'T_joint_base',
           'T_tip_wrist', 'weights')
_KEYS = ('version', 'info', *_ARRAYS)


class ReachabilityMap:
    """Which poses of the tip an arm reaches, with what manipulability; see docs/reachability.md.

    - `structure`: in words, what the cells are. `lattice`: the cells.
    - `depth`: (k,) distance of the cells' centres from the border, in cells, positive inside.
    - `manipulability`: (k,) the best √det(J Jᵀ) found at a centre, in m and rad.
    - `rows`, `headings`: of each cell the number of its row, and the bits of these.
    - `info`: base_link, tip_link, joint_names, fingerprint and the options it was made with.
    """

    def __init__(self, lattice: Lattice, info: dict[str, Any], depth: np.ndarray,
                 manipulability: np.ndarray, rows: np.ndarray, headings: np.ndarray) -> None:
        self.lattice, self.info, self.depth = lattice, info, depth
        self.manipulability, self.rows, self.headings = manipulability, rows, headings
        self.structure = lattice.structure
        self._largest = float(manipulability.max(initial=0.0)) or 1.0
        self._idle: list[Any] = []

    def __repr__(self) -> str:
        return (f'ReachabilityMap({self.info["base_link"]!r} → {self.info["tip_link"]!r}, '
                f'{self.structure})')

    def reachable(self, T: Any, conservative: bool = False) -> Any:
        """Return whether poses T_base_tip (…, 4, 4), m, are reachable: (…) bool.

        conservative: only where the pose is well inside the border, so that there are almost no
        false positives. Raises InputError for what is no pose.
        """
        column = 2 if flag(conservative, 'conservative') else 0
        found = self.evaluate(T)[..., column] > 0.0
        return found if found.ndim else bool(found)

    def score(self, T: Any) -> Any:
        """Return scores (…), 0 to 1, of poses T_base_tip (…, 4, 4), m: 0 where not reachable.

        Else the best manipulability over the largest of the map. Raises InputError as `reachable`.
        """
        found = self.evaluate(T)
        scores = np.where(found[..., 0] > 0.0,
                          np.clip(found[..., 1] / self._largest, 1e-6, 1.0), 0.0)
        return scores if scores.ndim else float(scores)

    def base_poses(self, goals: Any, region: Any, step: float = 0.05, yaw_step: float = np.pi / 18,
                   limit: int = 10, solver: Any = None,
                   obstacles: Sequence[Any] = ()) -> list[Placement]:
        """Return base poses from which the arm reaches goals, the best first; see `base_poses`."""
        return base_poses([(self, goals, np.eye(4))], region, step, yaw_step, limit,
                          None if solver is None else [solver], obstacles)

    def check_chain(self, chain: Chain) -> None:
        """Raise InputError unless the map is of this chain."""
        own, other = self.info, _fingerprint(check_chain(chain))
        if own['fingerprint'] != other:
            raise InputError(
                f'the map is of another robot: of {own["base_link"]!r} to {own["tip_link"]!r} with '
                f'the joints {", ".join(own["joint_names"])}; this is {chain!r}'
                + (', with other lengths or limits'
                   if own['joint_names'] == list(chain.joint_names) else ''))

    def save(self, file: str | PathLike[str]) -> None:
        """Save as a NumPy archive .npz; the file is replaced only when all is written.

        Raises OSError where it cannot be written, such as on a full disk.
        """
        lattice = self.lattice
        info = json.dumps({**self.info, 'structure': lattice.structure, 'reduced': lattice.reduced,
                           'polar': lattice.polar, 'bins': lattice.turns})
        with replacing(file) as stream:
            np.savez_compressed(
                stream, version=np.array(VERSION), info=np.array(info),
                depth=self.depth.reshape(lattice.shape).astype(np.float16),
                manipulability=self.manipulability.reshape(lattice.shape),
                rows=self.rows.reshape(lattice.shape).astype(np.int32),
                headings=self.headings.reshape(-1, lattice.turns), origin=lattice.origin,
                step=lattice.step, T_joint_base=lattice.T_joint_base,
                T_tip_wrist=lattice.T_tip_wrist, weights=lattice.weights)

    @classmethod
    def load(cls, file: str | PathLike[str], chain: Chain | None = None) -> 'ReachabilityMap':
        """Return the map of a file. chain: the arm that it has to be of, where that is checked.

        Raises InputError for files that are damaged, of another version or of another arm, OSError
        where there is none.
        """
        what = f'the reachability map {str(file)!r}'
        try:
            with open(file, 'rb') as stream, np.load(stream, allow_pickle=False) as archive:
                if 'version' not in archive or 'info' not in archive:
                    raise InputError(f'{what} is none: it has the keys '
                                     f'{", ".join(archive.files) or "(none)"}')
                version = int(archive['version'])
                if version != VERSION:
                    raise InputError(f'{what} has version {version}, and {VERSION} is read: make '
                                     'it again')
                arrays = {key: archive[key] for key in _ARRAYS}
                info = json.loads(str(archive['info']))
            found = _from_arrays(arrays, info, what)
        except (InputError, FileNotFoundError, IsADirectoryError, PermissionError):
            raise
        except Exception as error:  # of NumPy, zipfile and zlib
            raise InputError(f'{what} is none, or is damaged') from error
        if chain is not None:
            found.check_chain(chain)
        return found

    def evaluate(self, T: Any, values: np.ndarray | None = None) -> np.ndarray:
        """Return what `Cells.evaluate` finds of poses (…, 4, 4): (…, 4).

        values: (k,) of cells, float32, that are interpolated; by default manipulability.
        """
        poses = floats(T, 'poses')
        if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
            raise InputError(f'poses must have the shape (…, 4, 4), not {poses.shape}')
        listed = poses.reshape(-1, 4, 4)
        wrong = first_off_pose(listed, _TOLERANCE)
        if wrong >= 0:
            as_pose(listed[wrong], f'pose {wrong}' if len(listed) > 1 else 'the pose')
        found = np.empty((len(listed), 4))
        cells = taken(self._idle, Cells, self.lattice)
        cells.evaluate(listed, self.depth, self.manipulability if values is None else values,
                       self.rows, self.headings, found)
        self._idle.append(cells)
        return found.reshape(*poses.shape[:-2], 4)


_TOLERANCE = 1e-6


def reachability_map(chain: Chain, resolution: float = 0.05, directions: int = 36, turns: int = 36,
                     exact: bool = False, obstacles: Sequence[Any] = (),
                     avoid_collisions: bool = False, client: Any = None,
                     chunks: str | PathLike[str] | None = None,
                     progress: Report | None = None, seed: int = 0,
                     workers: int | None = None) -> ReachabilityMap:
    """Return the reachability map of an arm.

    resolution: edge of a voxel, m; directions: steps of the inclination of the direction of
    approach, 0 to π; turns: about it. The form of the map depends on the arm, see
    `ReachabilityMap.structure`. exact: whether centres at the border that samples did not reach are
    solved for with restarts. avoid_collisions: whether only configurations count in which the robot
    touches neither itself nor the obstacles; implied by obstacles, in the base frame. client: of a
    Dask cluster, or the address of its scheduler, whose workers fill the map. chunks: a folder in
    which parts of the map are kept, which the workers see too: so memory is bounded by the size of
    the map itself, and a run that was ended continues there. progress: is called with the part that
    is done, 0 to 1, and the stage. workers: threads, by default one for each core. The result
    depends on none of these four. Raises InputError for invalid numbers, maps that are too large,
    and a scheduler that cannot be reached, UnsupportedError for prismatic joints without limits.
    """
    check_chain(chain)
    edge = positive(resolution, 'resolution (the edge of a voxel, m)')
    if progress is not None and not callable(progress):
        raise InputError(f'progress must be a function, not {shown(progress)}')
    directions, turns = whole(directions, 'directions', 2), whole(turns, 'turns', 1)
    seed, exact = whole(seed, 'seed'), flag(exact, 'exact')
    avoid = flag(avoid_collisions, 'avoid_collisions') or bool(obstacles)
    count = None if workers is None else whole(workers, 'workers', 1)
    check_client(client)
    lattice, plan = plan_of(chain, edge, directions, turns, seed,
                            MOST_CELLS if chunks is None else MOST_IN_CHUNKS)
    report: Callable[[float, str], None] = progress or (lambda done, stage: None)
    if avoid:
        lattice = lattice._replace(structure=f'{lattice.structure}; free of collisions')
    info = {'base_link': chain.base_link, 'tip_link': chain.tip_link,
            'joint_names': list(chain.joint_names), 'fingerprint': _fingerprint(chain),
            'resolution': edge, 'directions': directions, 'turns': turns, 'exact': exact,
            'avoid_collisions': avoid, 'obstacles': len(obstacles), 'seed': seed}
    folder = None if chunks is None else check_folder(chunks, {
        **info, 'obstacles': repr(obstacles)})
    filling = Filling(chain, lattice, plan, tuple(obstacles) if avoid else None, report, count,
                      client, folder)
    return ReachabilityMap(lattice, info, *filling.run(exact)[:4])


def position_map(chain: Chain, resolution: float, report: Report, seed: int
                 ) -> tuple[ReachabilityMap, np.ndarray]:
    """Return the map of positions in any orientation, and a configuration at each centre (k, n).

    Its manipulability is that of all axes that the arm serves.
    """
    lattice, plan = plan_of(chain, resolution, 1, 1, seed, oriented=False)
    *found, q = Filling(chain, lattice, plan, None, report, None, None, None).run(False)
    return ReachabilityMap(lattice, {}, *found), q.astype(float)


def _fingerprint(chain: Chain) -> str:
    """Return what tells arms apart: of the placements, joints and limits, to 9 digits."""
    arrays = chain.arrays
    parts = (np.round(arrays.placement[:, :3], 9) + 0.0, arrays.kind, arrays.column, arrays.ratio,
             np.round(arrays.lower, 9) + 0.0, np.round(arrays.upper, 9) + 0.0)
    return hashlib.sha256(b''.join(np.ascontiguousarray(part, float).tobytes()
                                   for part in parts)).hexdigest()[:16]


def _from_arrays(arrays: dict[str, np.ndarray], info: dict[str, Any],
                 what: str) -> ReachabilityMap:
    """Return the map of the arrays of a file. Raises InputError, `what`, where they do not fit."""
    depth, rows, headings = arrays['depth'], arrays['rows'], arrays['headings']
    turns, shape = int(info.pop('bins')), depth.shape
    origin, step = floats(arrays['origin'], 'origin'), floats(arrays['step'], 'step')
    if (len(shape) != 4 or 0 in shape or arrays['manipulability'].shape != shape
            or rows.shape != shape or headings.ndim != 2 or headings.shape[1] != turns
            or origin.shape != (4,) or step.shape != (4,) or not (step > 0.0).all()
            or arrays['weights'].shape != (6,)
            or not 0 <= int(rows.min()) <= int(rows.max()) <= len(headings)
            or not np.isfinite(depth).all() or not np.isfinite(arrays['manipulability']).all()):
        raise InputError(f'{what} is damaged: its arrays do not fit together')
    lattice = Lattice(as_pose(arrays['T_joint_base'], 'T_joint_base'),
                      as_pose(arrays['T_tip_wrist'], 'T_tip_wrist'), origin, step, shape, turns,
                      bool(info.pop('reduced')), bool(info.pop('polar')), arrays['weights'],
                      str(info.pop('structure')))
    if not {'base_link', 'tip_link', 'joint_names', 'fingerprint'} <= info.keys():
        raise ValueError('it does not name its robot')
    return ReachabilityMap(
        lattice, info, depth.astype(np.float32).ravel(),
        arrays['manipulability'].astype(np.float32).ravel(), rows.astype(np.int64).ravel(),
        headings.astype(np.int64).ravel())

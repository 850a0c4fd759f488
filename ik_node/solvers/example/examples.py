"""Examples of a chain: configurations, read from files, with the poses of their tips.

- `.csv`: joint names in the first line, then values, rad or m; columns of other joints and of the
  time are left out.
- `.yaml`, `.yml`: a library of poses, `poses: {name: {joint: value}}`, with `angle_unit: deg` where
  angles are not in rad; every pose names all joints of the chain.
- `.amc`: a motion of the Acclaim skeleton that the chain belongs to.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ik_node.model.amc import read_amc
from ik_node.model.chain import Chain
from ik_node.model.numbered_text import NumberedText
from ik_node.model.tree import check_tree
from ik_node.model.yaml_file import angle_scale, load_yaml
from ik_node.solvers.goal import Goal
from ik_node.support.arguments import is_real
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import ModelError, OptionError, names, shown

MOST_EXAMPLES = 200_000
_MAX_BYTES = 64 * 2**20
_WHAT = 'the examples'
_TURNED = 0.5  # entries of rotation matrices against positions in arm lengths, as in `restarts`


class Features(NamedTuple):
    """The axes of a goal in which examples are compared."""

    position: bool
    orientation: bool


def features_of(goal: Goal) -> Features:
    """Return the axes that a goal constrains wholly; both kinds where neither is."""
    position, orientation = (goal.weights[:3] > 0.0).all(), (goal.weights[3:] > 0.0).all()
    return Features(bool(position), bool(orientation)) if position or orientation else Features(
        True, True)


class Examples:
    """Configurations (k, n), rad or m, and the poses of the tip (k, 4, 4), m.

    - `free`: (n,) whether a joint turns without limits: whole turns of it mean nothing.
    """

    def __init__(self, chain: Chain, q: np.ndarray, length: float) -> None:
        """Bring the configurations inside the limits. length: of the arm, m."""
        self._length, self.forward = length, chain.forward
        self.free = ~np.isfinite(chain.lower) & ~np.isfinite(chain.upper) & chain.turns
        q = np.array(q)
        q[:, self.free] = np.unwrap(q[:, self.free], axis=0)  # a motion passes π without a jump
        self.q = np.clip(q, chain.lower, chain.upper)
        self.poses = np.array([chain.forward(row) for row in self.q])

    def between(self, most: int) -> np.ndarray:
        """Return at most so many configurations (k, n), each halfway between two neighbours."""
        from scipy.spatial import cKDTree  # late: it takes a third of a second
        if len(self.q) < 2:
            return np.empty((0, self.q.shape[1]))
        number = np.unique(np.linspace(0, len(self.q) - 1, most).astype(int))
        _, neighbours = cKDTree(self.q).query(self.q[number], k=2)
        return 0.5 * (self.q[number] + self.q[neighbours[:, 1]])

    def points(self, features: Features, poses: np.ndarray) -> np.ndarray:
        """Return poses (k, 4, 4) as points (k, d), positions in arm lengths."""
        parts = []
        if features.position:
            parts.append(poses[:, :3, 3] / self._length)
        if features.orientation:
            parts.append(_TURNED * poses[:, :3, :3].reshape(len(poses), 9))
        return np.hstack(parts)


def read_examples(file: str, chain: Chain) -> np.ndarray:
    """Return the configurations (k, n) of a chain in a file, rad or m.

    Raises ModelError for a file that cannot be read or does not fit the chain, naming the line or
    the pose, and OptionError for a kind of file that holds no examples.
    """
    path = Path(file)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise OptionError(f'example.examples must be a file of the kind {names(_READERS)}, not '
                          f'{shown(file)}')
    rows = reader(path, chain)
    if not len(rows):
        raise ModelError(f'{_WHAT} {file!r} have no configuration')
    if len(rows) > MOST_EXAMPLES:
        raise ModelError(f'{_WHAT} {file!r} have {len(rows)} configurations; at most '
                         f'{MOST_EXAMPLES} are allowed')
    return np.array(rows, dtype=float)


def _csv(path: Path, chain: Chain) -> list[list[float]]:
    text = NumberedText(path, _WHAT, _MAX_BYTES)
    lines = text.words()
    number, header = next(lines, (1, []))
    missing = [name for name in chain.joint_names if name not in header]
    if missing:
        raise text.error(number, f'there is no column for {names(missing)}; the columns are '
                                 f'{names(header)}')
    columns = [(name, header.index(name)) for name in chain.joint_names]
    rows = []
    for number, words in lines:
        if len(words) != len(header):
            raise text.error(number, f'{len(header)} values are needed, not {len(words)}')
        rows.append([text.number(number, words[k], f'{name!r}') for name, k in columns])
    return rows


def _yaml(path: Path, chain: Chain) -> list[list[float]]:
    loaded = load_yaml(path, _WHAT)
    poses = loaded.get('poses') if isinstance(loaded, Mapping) else None
    if not isinstance(poses, Mapping):
        raise ModelError(f'{_WHAT} {str(path)!r} must hold poses: {{name: {{joint: value}}}}, not '
                         f'{shown(loaded)}')
    unit = angle_scale(loaded.get('angle_unit', 'rad'), f'{_WHAT} {str(path)!r}: ')
    scale = np.where(chain.prismatic, 1.0, unit)
    return [[_value(path, name, pose, joint) * factor
             for joint, factor in zip(chain.joint_names, scale)] for name, pose in poses.items()]


def _value(path: Path, name: Any, pose: Any, joint: str) -> float:
    value: Any = pose.get(joint) if isinstance(pose, Mapping) else None
    if not is_real(value) or not abs(value) <= MAX_NUMBER:
        raise ModelError(f'{_WHAT} {str(path)!r}: pose {shown(name)} must have a number for '
                         f'{joint!r}, at most {MAX_NUMBER:g} in size, not {shown(value)}')
    return float(value)


def _amc(path: Path, chain: Chain) -> list[list[float]]:
    return [[frame[joint] for joint in chain.joint_names]
            for frame in read_amc(path, check_tree(chain.tree))]


_READERS: dict[str, Callable[[Path, Chain], list[list[float]]]] = {
    '.csv': _csv, '.yaml': _yaml, '.yml': _yaml, '.amc': _amc}

"""Extracts Denavit-Hartenberg rows from any chain.

A row leads from one axis to the next: rotate about the first by θ until x is along the common
normal, move along it by d to the normal's foot, along the normal by a, and rotate by α about it.
Only the grouping differs: standard rows end with a and α, modified ones begin with them.

Files are never exact. Axes that are 4e-6 rad off parallel have a common normal a hundred kilometres
away, and such rows are accurate to 1e-11 m. Only where d would have no digits left a fixed row is
inserted.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from ik_node.kinematics import kinds
from ik_node.kinematics.reach import extent
from ik_node.kinematics.structures import axes_at_zero
from ik_node.model.dh import CONVENTIONS, MODIFIED, ROW_NUMBERS
from ik_node.model.joints import FIXED, PRISMATIC, REVOLUTE, UNLIMITED
from ik_node.spatial import inverse, pose_from_rotation, rpy_from_matrix, screw, turn_z_onto
from ik_node.support.exceptions import ModelError, names, shown

_PARALLEL = 1e-10   # m: axes apart by less than this over the arm's length are parallel
_FARTHEST = 1e6     # m: a foot beyond leaves d too few digits
_TOLERANCE = 1e-9   # m and rad: how far forward kinematics of the rows may be off
_CHECKED = 10       # configurations
_EXACT = 1e-12      # rad and m: what counts as zero where it makes a table nicer
SerialChain = Any   # a `Chain`, whose module imports this one


class _DhStep(NamedTuple):
    """From one axis to the next: Rz(θ) Tz(d) Tx(a) Rx(α)."""

    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0

    def pose(self) -> np.ndarray:
        return screw(self.theta, self.d, 2) @ screw(self.alpha, self.a, 0)


def extract_dh(chain: SerialChain, convention: str) -> dict[str, Any]:
    """Return a table as `read_dh` takes it, angles in rad; see `Chain.to_dh`.

    Raises ModelError for an unknown convention, for chains that rows cannot describe, and where
    the rows would not reproduce the chain's forward kinematics.
    """
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        raise ModelError(f'the convention must be one of {names(CONVENTIONS)}, not '
                         f'{shown(convention)}')
    arrays = chain.arrays
    if arrays.shared.any() or (np.abs(arrays.ratio) != 1.0).any():
        raise ModelError('Denavit-Hartenberg rows cannot say that a joint mimics another')
    if (arrays.kind >= kinds.SPHERICAL_X).any():
        raise ModelError('Denavit-Hartenberg rows cannot say an exponential map; give the ball '
                         'joint an Euler order')
    points, axes = axes_at_zero(arrays)
    size = max(_size(chain), 1e-3)
    base = _first_frame(points[0], axes[0], bool(arrays.kind[0] == kinds.PRISMATIC))
    steps, owners = _steps(base, points, axes, arrays.kind, size)
    T_last = functools.reduce(np.matmul, (step.pose() for step in steps), base)
    last, tool = _last_step(inverse(T_last) @ chain.forward(np.zeros(chain.n_joints)), convention)
    steps.append(last)
    table = {'convention': convention, 'angle_unit': 'rad',
             'joints': [_row(chain, owner, step, before, convention) for owner, step, before in zip(
                 owners, steps, [_DhStep(), *steps])],
             'base': _as_xyz_rpy(base), 'tool': _as_xyz_rpy(tool)}
    _verify(table, chain)
    return table


def _steps(F: np.ndarray, points: np.ndarray, axes: np.ndarray, kind: np.ndarray,
           size: float) -> tuple[list[_DhStep], list[int]]:
    """Return the steps from the frame F (4, 4) of the first axis to the last axis.

    And the owner of each row: the column of its joint, −1 for a fixed row between two axes.
    """
    steps, owners = [], [0]
    for k in range(1, len(axes)):
        R = F[:3, :3].T
        z, p = R @ axes[k], R @ (points[k] - F[:3, 3])
        if kind[k] == kinds.PRISMATIC:  # the position of its axis does not matter
            p = np.zeros(3)
        step = _step(z, p, size)
        if abs(step.d) > _FARTHEST:
            # Via an axis at right angles to both.
            u = np.cross(z, [1.0, 0.0, 0.0] if abs(z[0]) < 0.9 else [0.0, 1.0, 0.0])
            steps.append(_step(u / np.linalg.norm(u), p, size))
            owners.append(-1)
            F = F @ steps[-1].pose()
            R = F[:3, :3].T
            step = _step(R @ axes[k], R @ (points[k] - F[:3, 3]), size)
        steps.append(step)
        owners.append(k)
        F = F @ step.pose()
    return steps, owners


def _verify(table: dict[str, Any], chain: SerialChain) -> None:
    rows = chain.tree.from_dh(table).chain('base_link', 'tool')
    span = np.where(chain.arrays.kind == kinds.PRISMATIC, max(_size(chain), 1e-3), math.pi)
    lower, upper = np.clip([chain.lower, chain.upper], -span, span)
    rng = np.random.default_rng(0)
    off = max(float(np.abs(rows.forward(q) - chain.forward(q)).max()) for q in (
        np.zeros(chain.n_joints), *rng.uniform(lower, upper, (_CHECKED, chain.n_joints))))
    if not off <= _TOLERANCE:
        raise ModelError(f'the chain from {chain.base_link!r} to {chain.tip_link!r} has no '
                         f'Denavit-Hartenberg rows within {_TOLERANCE:g} m and rad: they would be '
                         f'{off:.2g} off, as its lengths are too large for double precision')


def _step(z: np.ndarray, p: np.ndarray, size: float) -> _DhStep:
    """Return the step from the z axis to the line through p along the unit vector z, both (3,)."""
    sine = math.hypot(z[0], z[1])
    if sine * size <= _PARALLEL:
        a, theta, d = math.hypot(p[0], p[1]), math.atan2(p[1], p[0]), 0.0
        if a < _EXACT:
            a, theta = 0.0, 0.0
        alpha = 0.0 if z[2] > 0.0 else math.pi
    else:
        x = np.array([-z[1], z[0]]) / sine
        along = -(p[:2] @ z[:2]) / (sine * sine)
        theta, alpha = math.atan2(x[1], x[0]), math.atan2(sine, z[2])
        d, a = p[2] + along * z[2], float(p[:2] @ x)
    if abs(theta) > 0.5 * math.pi + _EXACT:  # the same normal seen from the other side
        theta -= math.copysign(math.pi, theta)
        a, alpha = -a, -alpha
    return _DhStep(theta, d, a, alpha)


def _size(chain: SerialChain) -> float:
    bound = extent(chain.arrays._replace(
        lower=np.zeros(chain.n_joints), upper=np.zeros(chain.n_joints))).reach
    return bound if math.isfinite(bound) else 1.0


def _first_frame(point: np.ndarray, axis: np.ndarray, is_prismatic: bool) -> np.ndarray:
    """Return a frame on the first axis: that of the base if it lies there."""
    beside = np.zeros(3) if is_prismatic else point - (point @ axis) * axis
    if np.linalg.norm(axis - [0.0, 0.0, 1.0]) < _EXACT and np.linalg.norm(beside) < _EXACT:
        return np.eye(4)
    return pose_from_rotation(turn_z_onto(axis), beside)


def _last_step(M: np.ndarray, convention: str) -> tuple[_DhStep, np.ndarray]:
    """Split the remaining pose of the tip, M (4, 4), into the last row and the simplest tool.

    Where M is itself a row, Rz(θ) Tz(d) Tx(a) Rx(α), nothing or only Tx(a) Rx(α) is left for the
    tool.
    """
    theta = math.atan2(M[1, 0], M[0, 0])
    step = _DhStep(theta, M[2, 3], math.cos(theta) * M[0, 3] + math.sin(theta) * M[1, 3],
                 math.atan2(M[2, 1], M[2, 2]))
    if np.abs(step.pose() - M).max() > _EXACT:
        return _DhStep(), M
    if convention == MODIFIED:
        return step, screw(step.alpha, step.a, 0)
    return step, np.eye(4)


def _row(chain: SerialChain, owner: int, step: _DhStep, before: _DhStep,
         convention: str) -> dict[str, Any]:
    """Return a row; owner is the column of its joint, −1 for a fixed row."""
    x = before if convention == MODIFIED else step
    row: dict[str, Any] = {'type': FIXED, 'a': x.a, 'alpha': x.alpha, 'd': step.d,
                           'theta': step.theta}
    row.update({key: float(row[key]) + 0.0 for key in ROW_NUMBERS})  # + 0.0 turns −0 into 0
    if owner < 0:
        return row
    name = chain.joint_names[owner]
    # A joint off the chain may be of another type than the one that mimics it on the chain.
    is_prismatic = bool(chain.arrays.kind[owner] == kinds.PRISMATIC)
    row = {'name': name, **row, 'type': PRISMATIC if is_prismatic else REVOLUTE}
    if chain.arrays.ratio[owner] < 0.0:
        row['sign'] = -1
    lower, upper = float(chain.lower[owner]), float(chain.upper[owner])
    if is_prismatic or lower > -UNLIMITED:
        row['lower'] = max(lower, -UNLIMITED)
    if is_prismatic or upper < UNLIMITED:
        row['upper'] = min(upper, UNLIMITED)
    joint = chain.tree.joints[name]
    kept = ('velocity', 'effort') if joint.prismatic == is_prismatic else ('velocity',)
    row.update({key: getattr(joint, key) for key in kept if math.isfinite(getattr(joint, key))})
    return row


def _as_xyz_rpy(T: np.ndarray) -> dict[str, list[float]]:
    return {'xyz': (T[:3, 3] + 0.0).tolist(),
            'rpy': [angle + 0.0 for angle in rpy_from_matrix(T[:3, :3])]}

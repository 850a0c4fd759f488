"""Self-motions: what a redundant arm can do while its tip stays where it is [Burdick 1989].

The configurations that meet one goal are curves, or surfaces, in the space of the joints. A curve
is followed along the null space of the Jacobian in steps, each corrected by Newton's method.
"""

import contextlib
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain, check_chain
from ik_node.solvers.goal import Goal, task_rows
from ik_node.support.exceptions import InputError, MotionError, UnsupportedError, shown

Ending = Literal['closed', 'limit', 'singularity', 'length']

_STEP = 0.04          # rad or m: norm of a step of the joints
_SHORTEST = 1e-4      # rad or m: a step that is still too long ends the motion
_LONGEST = 8.0 * np.pi  # rad or m: of the motion to either side
_CORRECTIONS = 8      # of a step
_EXACT = 1e-9         # lengths of the arm and rad: error that a correction leaves
_FLATTEST = 0.9       # cosine between the directions of two steps, at least
_SINGULAR = 1e-4      # of the largest singular value: the smallest is zero below it
_NEAR, _SAMPLES = 0.1, 4  # rad or m; configurations: to find the rank next to a singularity
_STILL = 1e-6         # of a joint's share in a unit direction: it does not move


class SelfMotion(NamedTuple):
    """Configurations that all meet one goal, in the order in which the arm passes them."""

    configurations: np.ndarray
    """(k, n) rad or m; the last is the first one again where the motion is closed, or a turn on."""
    start: int  # the index of the configuration from which it was followed
    endings: tuple[Ending, Ending]  # why it ends at its first and at its last configuration

    @property
    def lengths(self) -> np.ndarray:
        """(k,) rad or m: distance in joint space (Euclidean norm) from the first configuration."""
        return np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(self.configurations, axis=0), axis=1))]


def self_motion(chain: Chain, q: Sequence[float] | np.ndarray,
                weights: Sequence[float] | np.ndarray | None = None,
                joint: str | None = None) -> SelfMotion:
    """Follow the self-motion through a configuration q (n,), rad or m, to both of its ends.

    weights: (6,) as those of a `Goal` at the tip's pose, whose axes without weight are free. joint:
    by its name; the motion begins with it growing as fast as it can. By default it is the one that
    can move most. With more than one degree of redundancy other joints lead to other motions, and
    each keeps its direction as far as the null space permits.

    Raises InputError for wrong arguments or a q outside the limits, and MotionError where the goal
    leaves the arm, or that joint, no freedom.
    """
    return _motion_of(_Task(chain, q, weights), joint)


def _motion_of(task: '_Task', joint: str | None = None) -> SelfMotion:
    """Return the self-motion of a task through its q; see `self_motion`."""
    chain = task.chain
    if _is_outside(chain, task.q):
        raise InputError('a self-motion begins inside the limits')
    null = task.null_space(task.q)
    ahead = _along(null, _first(chain, null, joint))
    forwards, end = _follow(task, ahead)
    if end == 'closed':
        return SelfMotion(forwards, 0, (end, end))
    backwards, beginning = _follow(task, -ahead)
    if beginning == 'closed':  # to the other side a limit lies within the last turn
        return SelfMotion(backwards[::-1], len(backwards) - 1, (beginning, beginning))
    return SelfMotion(np.concatenate([backwards[:0:-1], forwards]), len(backwards) - 1,
                      (beginning, end))


def self_motions(chain: Chain, goal: Goal, starts: np.ndarray) -> list[SelfMotion]:
    """Return the self-motions through configurations (k, n) that meet a goal, each once.

    Raises UnsupportedError for a goal that leaves the arm no redundancy, or more than one degree
    of it: the configurations that meet it are points, or surfaces, then.
    """
    found: list[SelfMotion] = []
    degree = _Task(chain, starts[0], goal.weights, goal.pose).degree if len(starts) else 1
    if degree != 1:
        raise UnsupportedError(
            f'self-motions are curves where a goal leaves one degree of redundancy; here it '
            f'leaves {degree}')
    for q in starts:
        if not any(_lies_on(chain, motion.configurations, q) for motion in found):
            with contextlib.suppress(MotionError):  # no joint moves from a singular one
                found.append(_motion_of(_Task(chain, q, goal.weights, goal.pose)))
    return found


def redundancy_degree(chain: Chain, q: Sequence[float] | np.ndarray,
                      weights: Sequence[float] | np.ndarray | None = None) -> int:
    """Return how many joint motions leave the tip's goal met at a generic q (n,) near this one.

    weights: as for `self_motion`. Raises InputError for wrong arguments.
    """
    return _Task(chain, q, weights).degree


class _Task:
    """A configuration q (n,), the rows of the goal that it meets, and their null space.

    - `degree`: of the redundancy.
    """

    def __init__(self, chain: Chain, q: Sequence[float] | np.ndarray, weights: Any,
                 pose: np.ndarray | None = None) -> None:
        """Prepare; pose: of the goal, whose axes the weights are along, by default the tip's."""
        check_chain(chain)
        self.chain, self.q = chain, chain.checked(q)
        goal = Goal.from_pose(chain.forward(self.q) if pose is None else pose, weights)
        # A weight says which axes count here, not how much.
        self._goal = Goal.from_pose(goal.pose, goal.weights > 0.0)
        self._length = extent(chain.arrays).length_scale
        # That of configurations around, as q may be singular.
        steps = np.random.default_rng(0).uniform(-_NEAR, _NEAR, (_SAMPLES, len(self.q)))
        self.rank = max(int((self._svd(self.q + step)[0] > _SINGULAR).sum()) for step in steps)
        self.degree = chain.n_joints - self.rank

    def _svd(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the singular values, in parts of the largest, and the right vectors (n, n)."""
        _, values, vectors = np.linalg.svd(
            task_rows(self.chain, self._goal, q, self._length)[1])
        return values / max(float(values[0]), 1e-300), vectors

    def null_space(self, q: np.ndarray) -> np.ndarray:
        """Return a basis of the null space (n − rank, n)."""
        return self._svd(q)[1][self.rank:]

    def direction(self, q: np.ndarray, wanted: np.ndarray) -> np.ndarray | None:
        """Return the unit direction (n,) of the null space next to another one.

        None where q is singular: the rank is less than around.
        """
        values, vectors = self._svd(q)
        if self.rank > 0 and values[self.rank - 1] <= _SINGULAR:
            return None
        return _along(vectors[self.rank:], wanted)

    def corrected(self, q: np.ndarray) -> np.ndarray | None:
        """Return the configuration near q that meets the goal; None without one."""
        for _ in range(_CORRECTIONS):
            error, J = task_rows(self.chain, self._goal, q, self._length)
            if np.abs(error).max() < _EXACT:
                return q
            q = q + np.linalg.pinv(J, rcond=_SINGULAR) @ error
        return None


def _along(null: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the unit direction (n,) of a null space (k, n) next to another one."""
    projected = null.T @ (null @ wanted)
    return projected / max(float(np.linalg.norm(projected)), 1e-300)


def _first(chain: Chain, null: np.ndarray, joint: str | None) -> np.ndarray:
    """Return the direction (n,) of one joint. Raises InputError and MotionError."""
    if joint is not None and not (isinstance(joint, str) and joint in chain.joint_names):
        raise InputError(f'{shown(joint)} is none of the joints {", ".join(chain.joint_names)}')
    shares = np.linalg.norm(null, axis=0) if len(null) else np.zeros(chain.n_joints)
    k = int(shares.argmax()) if joint is None else chain.joint_names.index(joint)
    if shares[k] < _STILL:
        raise MotionError(
            'the goal leaves the arm no self-motion here' if shares.max(initial=0.0) < _STILL
            else f'{joint} does not move in the null space here')
    return np.eye(chain.n_joints)[k]


def _follow(task: _Task, z: np.ndarray) -> tuple[np.ndarray, Ending]:
    """Return the configurations (k, n) from task.q on in a direction z (n,), and why they end."""
    passed, travelled, step = [task.q], 0.0, _STEP
    while travelled < _LONGEST:
        found = _step(task, passed[-1], z, step)
        if found is None:
            if step < _SHORTEST:
                return np.array(passed), 'singularity'
            step *= 0.5
            continue
        other, z_other = found
        if _is_outside(task.chain, other):
            passed.append(_at_limit(task, passed[-1], z, step))
            return np.array(passed), 'limit'
        if travelled > 4.0 * _STEP and _passes(task.chain, passed[-1], other, task.q):
            passed.append(_turned(task.chain, task.q, other))
            return np.array(passed), 'closed'
        travelled += float(np.linalg.norm(other - passed[-1]))
        passed.append(other)
        z, step = z_other, min(2.0 * step, _STEP)
    return np.array(passed), 'length'


def _step(task: _Task, q: np.ndarray, z: np.ndarray,
          step: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the next configuration and its direction.

    None where the step is too long, or leads to a singular configuration.
    """
    other = task.corrected(q + step * z)
    if other is None or np.linalg.norm(other - q - step * z) > 0.3 * step:
        return None
    z_other = task.direction(other, z)
    return None if z_other is None or z_other @ z <= _FLATTEST else (other, z_other)


def _at_limit(task: _Task, q: np.ndarray, z: np.ndarray, step: float) -> np.ndarray:
    """Return the last configuration inside the limits on a step that leaves them."""
    inside, shortest = q, 0.0
    while step - shortest > 1e-9:
        middle = 0.5 * (shortest + step)
        other = task.corrected(q + middle * z)
        if other is None or _is_outside(task.chain, other):
            step = middle
        else:
            inside, shortest = other, middle
    return inside


def _is_outside(chain: Chain, q: np.ndarray) -> bool:
    return bool((q < chain.lower).any() or (q > chain.upper).any())


def _turned(chain: Chain, start: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the start (n,), with joints turned by whole turns to be next to q where they may."""
    turns = np.where(chain.turns, np.round((q - start) / (2.0 * np.pi)), 0.0)
    return start + 2.0 * np.pi * turns


def _lies_on(chain: Chain, curve: np.ndarray, q: np.ndarray) -> bool:
    """Return whether a configuration (n,) is on a curve (k, n), whole turns aside."""
    starts, steps = curve[:-1], np.diff(curve, axis=0)
    turns = np.where(chain.turns, np.round((starts - q) / (2.0 * np.pi)), 0.0)
    away = q + 2.0 * np.pi * turns - starts
    parts = np.clip((away * steps).sum(axis=1) / np.maximum((steps * steps).sum(axis=1), 1e-300),
                    0.0, 1.0)
    return bool((np.linalg.norm(away - parts[:, None] * steps, axis=1) < 0.1 * _STEP).any())


def _passes(chain: Chain, q: np.ndarray, other: np.ndarray, start: np.ndarray) -> bool:
    """Return whether a step from q to another configuration passes the start, but for turns."""
    to_start, step = _turned(chain, start, other) - q, other - q
    part = float(to_start @ step) / max(float(step @ step), 1e-300)
    return 0.0 < part <= 1.0 and float(np.linalg.norm(to_start - part * step)) < 0.1 * _STEP

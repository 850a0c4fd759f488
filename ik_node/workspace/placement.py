"""Base poses from which arms reach their goals, by reachability maps."""

import functools
import itertools
import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from ik_node.solvers.goal import Goal
from ik_node.spatial import inverse, pose_from_rpy
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import floats, positive, whole
from ik_node.support.exceptions import InputError, shown

MOST_CANDIDATES = 5_000_000

_AT_ONCE = 1 << 16     # poses that are evaluated at once
_HALVINGS = 3          # of the steps, around the best candidates
_APART = 1.5           # steps between results
_MISSED = 100          # goals at most that solves are tried for against the map
_LEAST = 1e-6          # score of a goal that is met


class Placement(NamedTuple):
    """A base pose, and what the arms reach from it."""

    T_world_base: np.ndarray  # (4, 4) m
    score: float  # mean over all goals, 0 to 1, those that are not met as 0
    met: np.ndarray  # (k,) bool, of the goals of all arms in turn


class _Arm(NamedTuple):
    map: Any
    goals: np.ndarray  # (k, t, 4, 4) in the world: of each goal t alternatives
    T_mount_base: np.ndarray
    solver: Any


def base_poses(arms: Sequence[Any], region: Any, step: float = 0.05, yaw_step: float = math.pi / 18,
               limit: int = 10, solvers: Sequence[Any] | None = None,
               obstacles: Sequence[Any] = ()) -> list[Placement]:
    """Return base poses from which arms on one base reach their goals, the best first.

    arms: (map, goals (k, 4, 4) in the world, m, T_base_mount (4, 4): the arm's base frame on the
    base); goals (k, t, 4, 4) have t alternatives, of which one has to be met; region: (xmin, xmax,
    ymin, ymax), then z or (zmin, zmax), m, z = 0 by default; step: m; yaw_step: rad; limit: how
    many are returned; solvers: one for each arm, which confirm what its map says: a goal that they
    do not solve is not met; obstacles: in the world, for solvers that avoid collisions, in place of
    their own. Best is where most goals are met, and of these the highest score. A base from which
    no goal is met is not listed. Raises InputError for invalid arguments, and goals that are no
    poses.
    """
    checked, axes = _arms(arms, solvers), _axes(region, step, yaw_step)
    if all(_turns_freely(arm) for arm in checked):
        axes[3] = axes[3][:1]
    limit = whole(limit, 'limit', 1)
    candidates = np.array(list(itertools.product(*axes)))  # (c, 4): x, y, z, yaw
    met, score = _evaluate(checked, candidates)
    order = np.lexsort((-score, -met))
    steps = np.array([step, step, step, yaw_step]) * [
        len(axis) > 1 or k < 2 for k, axis in enumerate(axes)]
    chosen: list[np.ndarray] = []
    for k in order[met[order] > 0]:
        if all(_apart(candidates[k], other, steps) for other in chosen):
            chosen.append(candidates[k])
            if len(chosen) == (limit if solvers is None else 2 * limit):
                break
    found = [_placement(checked, _refined(checked, candidate, steps, axes), obstacles)
             for candidate in chosen]
    found = [placement for placement in found if placement.met.any()]
    return sorted(found, key=lambda placement: (-int(placement.met.sum()), -placement.score))[
        :limit]


def _turns_freely(arm: _Arm) -> bool:
    """Tell whether the first joint makes up for any yaw of the base."""
    lattice, away = arm.map.lattice, np.eye(4)[:, 2:]
    axis = (inverse(arm.T_mount_base) @ inverse(lattice.T_joint_base))[:, 2:]
    return bool(lattice.reduced and not arm.map.headings.size
                and np.abs(axis - away)[:2].max() < 1e-6)


def _apart(one: np.ndarray, other: np.ndarray, steps: np.ndarray) -> bool:
    """Tell whether candidates (4,) are more than neighbours."""
    away = np.abs(one - other)
    away[3] = min(away[3] % (2.0 * math.pi), -away[3] % (2.0 * math.pi))
    return bool((away > _APART * steps).any())


def _refined(arms: Sequence[_Arm], candidate: np.ndarray, steps: np.ndarray,
             axes: Sequence[np.ndarray]) -> np.ndarray:
    """Return a better candidate next to one, by steps that are halved; inside the region."""
    low = np.array([axis[0] for axis in axes[:3]] + [-np.inf])
    high = np.array([axis[-1] for axis in axes[:3]] + [np.inf])
    for halving in range(1, _HALVINGS + 1):
        moves = np.array(list(itertools.product(*((0, -1, 1) if size else (0,) for size in steps))))
        near = np.clip(candidate + moves * steps * 0.5 ** halving, low, high)
        met, score = _evaluate(arms, near)
        candidate = near[np.lexsort((-score, -met))[0]]
    return candidate


def _evaluate(arms: Sequence[_Arm], candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many goals are met from each of candidates (c, 4), and the mean score (c,)."""
    some = max(_AT_ONCE // sum(arm.goals.shape[0] * arm.goals.shape[1] for arm in arms), 1)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(functools.partial(_evaluate_some, arms), (
            candidates[first:first + some] for first in range(0, len(candidates), some))))
    return np.concatenate([met for met, _ in found]), np.concatenate([score for _, score in found])


def _evaluate_some(arms: Sequence[_Arm], candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    met, total = np.zeros(len(candidates), int), np.zeros(len(candidates))
    cosine, sine = np.cos(candidates[:, 3]), np.sin(candidates[:, 3])
    T_base_world = np.tile(np.eye(4), (len(candidates), 1, 1))
    T_base_world[:, 0, 0] = T_base_world[:, 1, 1] = cosine
    T_base_world[:, 0, 1], T_base_world[:, 1, 0] = sine, -sine
    T_base_world[:, :3, 3] = -np.einsum('cij,cj->ci', T_base_world[:, :3, :3], candidates[:, :3])
    for arm in arms:
        scores = arm.map.score((arm.T_mount_base @ T_base_world)[:, None, None] @ arm.goals).max(-1)
        met += (scores > 0.0).sum(axis=1)
        total += scores.sum(axis=1)
    return met, total / sum(len(arm.goals) for arm in arms)


def _placement(arms: Sequence[_Arm], candidate: np.ndarray, obstacles: Sequence[Any]) -> Placement:
    """Return the result of a candidate; where there are solvers they decide."""
    T_world_base = pose_from_rpy(candidate[:3], (0.0, 0.0, candidate[3]))
    scores = []
    for arm in arms:
        T_arm_world = arm.T_mount_base @ inverse(T_world_base)
        T = T_arm_world @ arm.goals
        own = arm.map.score(T)
        if arm.solver is not None:
            if obstacles:
                arm.solver.obstacles = [one if one.link else one.moved(T_arm_world @ one.pose)
                                        for one in obstacles]
            few = int((own.max(axis=1) == 0.0).sum()) <= _MISSED
            own = np.array([_confirmed(arm, *one, few) for one in zip(T, own)])
        scores.append(own.reshape(len(T), -1).max(axis=1))
    score = np.concatenate(scores)
    return Placement(T_world_base, float(score.mean()), score > 0.0)


def _confirmed(arm: _Arm, alternatives: np.ndarray, scores: np.ndarray, missed: bool) -> float:
    """Return the score of the best alternative (t, 4, 4) that is solved for, else 0.

    missed: whether a single one without a score is tried: near the border the map misses some.
    """
    count = int((scores > 0.0).sum()) or int(missed and len(scores) == 1)
    for k in np.argsort(-scores, kind='stable')[:count]:
        goal = Goal.from_pose(alternatives[k], arm.map.lattice.weights)
        if arm.solver.solve(goal).success:
            return max(float(scores[k]), _LEAST)
    return 0.0


def _arms(arms: Any, solvers: Any) -> list[_Arm]:
    if not isinstance(arms, Sequence) or not arms or (
            solvers is not None and len(solvers) != len(arms)):
        raise InputError('arms must be (map, goals, T_base_mount), with one solver for each where '
                         'there are solvers')
    found = []
    for k, one in enumerate(arms):
        if not isinstance(one, Sequence) or len(one) != 3 or not hasattr(one[0], 'score'):
            raise InputError(f'an arm must be (map, goals, T_base_mount), not {shown(one)}')
        goals = floats(one[1], 'goals')
        if goals.ndim not in (3, 4) or goals.shape[-2:] != (4, 4) or not goals.size:
            raise InputError('goals must have the shape (k, 4, 4) or (k, t, 4, 4), with k > 0, not '
                             f'{goals.shape}')
        goals = goals.reshape(len(goals), -1, 4, 4)
        solver = None if solvers is None else solvers[k]
        if solver is not None:
            one[0].check_chain(solver.chain)
        found.append(_Arm(one[0], goals, inverse(as_pose(one[2], 'T_base_mount')), solver))
    return found


def _axes(region: Any, step: Any, yaw_step: Any) -> list[np.ndarray]:
    """Return the values of x, y, z and yaw that candidates have."""
    step, yaw_step = positive(step, 'step (m)'), positive(yaw_step, 'yaw_step (rad)')
    if not isinstance(region, (Sequence, np.ndarray)) or len(region) not in (4, 5, 6):
        raise InputError('region must be (xmin, xmax, ymin, ymax), then z or (zmin, zmax), m, not '
                         f'{shown(region)}')
    listed = list(region[:4])
    z = region[4:] if len(region) > 4 else (0.0,)
    z = z[0] if len(z) == 1 and isinstance(z[0], (Sequence, np.ndarray)) else z
    ends = floats([*listed, z[0], z[-1]], 'region').reshape(3, 2)
    if (ends[:, 0] > ends[:, 1]).any():
        raise InputError(f'region: a lower end is above its upper end: {ends.tolist()}')
    axes = [np.linspace(low, high, math.floor((high - low) / step + 1e-9) + 1)
            if high > low else np.array([low]) for low, high in ends]
    count = max(round(2.0 * math.pi / yaw_step), 1)
    axes.append(2.0 * math.pi * np.arange(count) / count)
    if math.prod(map(len, axes)) > MOST_CANDIDATES:
        raise InputError(f'{math.prod(map(len, axes))} base poses, at most {MOST_CANDIDATES} are '
                         'allowed; use larger steps or a smaller region')
    return axes

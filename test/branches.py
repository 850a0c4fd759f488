"""Arms of given axes, and checks of every branch of a closed form."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree, make_solver
from ik_node.spatial import rpy_from_matrix


def arm(kinds, axes, points, turn=None, slide=1.0, xyz=(0.1, 0.2, 0.15), rpy=(0.3, -0.2, 0.5)):
    """Return a chain of joints (R or P) with axes through points, base frame at zero, as URDF.

    turn, slide: their limits to either side, rad (None: none) and m. xyz, rpy: of the tip.
    """
    parts, at = [], np.zeros(3)
    for k, (kind, axis, point) in enumerate(zip(kinds, axes, points)):
        most = slide if kind == 'P' else turn
        parts.append(robots.joint(
            f'j{k}', 'prismatic' if kind == 'P' else 'revolute' if turn else 'continuous',
            f'l{k}' if k else 'base', f'l{k + 1}', xyz=_text(point - at), axis=_text(axis),
            limit=f'lower="{-most!r}" upper="{most!r}" effort="1" velocity="1"' if most else ''))
        at = point
    parts.append(robots.joint('t', 'fixed', f'l{len(kinds)}', 'tip', xyz=_text(xyz),
                              rpy=_text(rpy)))
    return KinematicTree.from_urdf(robots.robot(*parts)).chain()


def _text(numbers):
    return ' '.join(repr(float(number)) for number in numbers)


def of_rows(rows, upper=3.0, lower=None, kinds='R' * 9):
    """Return a chain of standard rows a, alpha, d and theta, 0 where left out, with limits."""
    lower = -np.asarray(upper) if lower is None else lower
    ends = (np.broadcast_to(limit, len(rows)).tolist() for limit in (lower, upper))
    return KinematicTree.from_dh({'convention': 'standard', 'joints': [
        {'type': 'revolute' if kind == 'R' else 'prismatic', 'a': float(a), 'alpha': float(alpha),
         'd': float(d), 'theta': float(sum(theta)), 'lower': least, 'upper': most}
        for (a, alpha, d, *theta), kind, least, most in zip(rows, kinds, *ends)]}).chain()


def related(rng, kinds, relation, place, count=3):
    """Return an arm of which so many neighbouring axes meet or are parallel, all else random."""
    axes, points = directions(rng, len(kinds)), rng.normal(size=(len(kinds), 3))
    for k in range(place + 1, place + count):
        if relation == 'meet':
            points[k] = points[place]
        else:
            axes[k] = -axes[k - 1]
    return arm(kinds, axes, points)


def directions(rng, count):
    """Return unit vectors (count, 3)."""
    found = rng.normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def configurations(chain, rng):
    """Return random joint values inside the limits, at most half a turn of each."""
    return rng.uniform(np.maximum(chain.lower, -np.pi), np.minimum(chain.upper, np.pi))


def distances(chain, branches, q):
    """Return how far each branch is from q, whole turns aside."""
    off = branches - q
    turns = ~chain.prismatic
    off[:, turns] -= 2 * np.pi * np.round(off[:, turns] / (2 * np.pi))
    return np.abs(off).max(axis=1)


def check(chain, seed, count, wanted=None):
    """Check branches for random poses: the configuration itself among them, all met to 1e-9."""
    solver = make_solver('analytic', chain)
    if wanted is not None:
        assert wanted in solver.family
    rng = np.random.default_rng(seed)
    for _ in range(robots.samples(count)):
        q = configurations(chain, rng)
        pose = chain.forward(q)
        given = solver.redundancy_of(q)
        found = solver.solve_all(pose, redundancy=given if len(given) else None)
        assert len(found)
        assert distances(chain, found, q).min() < 1e-6
        for branch in found:
            assert robots.inside(chain, branch)
            assert chain.forward(branch) == pytest.approx(pose, abs=1e-9)
        result = solver.solve(pose)
        assert result.success
        assert chain.forward(result.q) == pytest.approx(pose, abs=1e-9)


def calibrated(chain, rng, angle, length):
    """Return a chain with every joint shifted and turned a little, as calibration finds it."""
    T, parts = np.eye(4), []
    for k, placement in enumerate(chain.arrays.placement):
        T = placement.copy()
        T[:3, 3] += rng.uniform(-length, length, 3)
        T[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(rng.uniform(-angle, angle, 3)).as_matrix()
        xyz = ' '.join(repr(float(v)) for v in T[:3, 3])
        rpy = ' '.join(repr(float(v)) for v in rpy_from_matrix(T[:3, :3]))
        last = k == chain.n_joints
        limit = '' if last else (f'lower="{chain.lower[k]}" upper="{chain.upper[k]}" effort="1" '
                                 'velocity="1"')
        parts.append(robots.joint(f'j{k}', 'fixed' if last else 'revolute', f'l{k}', f'l{k + 1}',
                                  xyz=xyz, rpy=rpy, limit=limit))
    return KinematicTree.from_urdf('<robot name="r"><link name="l0"/>' + ''.join(parts)
                                   + '</robot>').chain()

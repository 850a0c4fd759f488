"""What is too long for the tests: distances of every pair of shapes, random and structured.

    python test/soak_distances.py --poses 100000 --pairs box-hull

A distance is proved by planes across the normal, one on each shape, that are as far apart, and by
witness points that lie on them; not of cores within a micrometre, where a normal has few digits.
That a depth is the least is proved for polytopes by the facets of all differences of their
vertices; of others coal, and the best of many directions, must not find less. Gradients are
compared with differences to either side, between which those of a kink are.
"""

import itertools
import time
from collections import Counter, defaultdict

import coal
import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from harness.soak_runner import run_soak
from ik_node.collision.shapes import HALF_SPACE
from shape_pairs import SHAPES, Pair, random_shape

PAIRS = [*itertools.combinations_with_replacement(SHAPES, 2), *((a, 'plane') for a in SHAPES)]
POSES = 200       # of one pair of shapes
SAMPLED = 50      # one of so many poses has its gradient checked, of four times as many its depth
CLOSED, CURVED, SLOPE = 1e-9, 1e-6, 1e-5
TOUCHING, NO_SLOPE = 1e-6, 1e-5
ROUNDING = 1e-15
KINDS = ('random', 'structured', 'deep', 'far', 'touching')
_HERE, _REQUEST = coal.Transform3s.Identity(), coal.DistanceRequest()
_REQUEST.enable_signed_distance = True
_REQUEST.gjk_tolerance, _REQUEST.epa_tolerance = 1e-10, 1e-9
_SPHERE = np.random.default_rng(0).normal(size=(2000, 3))


def shape(kind, rng):
    """Return a shape for the kernels, for coal, and its vertices (k, 3); some are tiny, or long."""
    if kind == 'plane':
        return HALF_SPACE, coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), None
    sizes = rng.uniform(0.03, 0.5, 3)
    form = rng.integers(4)
    if form == 0:
        sizes = rng.integers(1, 5, 3) * 0.1
    elif form == 1:
        sizes *= 10.0 ** rng.uniform(-4, 0)
    elif form == 2:
        sizes[rng.integers(3)] *= 10.0 ** rng.uniform(-3, 1)
    own, others = random_shape(kind, rng, sizes)
    corners = np.array([*itertools.product((-1.0, 1.0), repeat=3)]) * own.half
    return own, others, np.array(others.points()) if kind == 'hull' else corners


def support(convex, corners, d):
    """Return the farthest points (k, 3) of a shape along directions d (k, 3), without kernels."""
    unit = d / np.maximum(np.linalg.norm(d, axis=1)[:, None], 1e-300)
    if convex.vertices:
        return corners[(d @ corners.T).argmax(axis=1)]
    half = np.array(convex.half)
    p = np.sign(d) * half
    if convex.is_cylinder:
        across = np.linalg.norm(d[:, :2], axis=1)[:, None]
        p[:, :2] = half[0] * d[:, :2] / np.where(across > 0.0, across, 1.0)
    return p + convex.radius * unit


def poses(kind, rng, size):
    """Return configurations (POSES, 6) of the first shape."""
    q = np.zeros((POSES, 6))
    q[:, 3:] = Rotation.random(POSES, random_state=rng).as_rotvec()
    reach = {'random': 10.0 ** rng.uniform(-1, 0.5) * size, 'deep': 1e-2 * size, 'far': 50.0}
    q[:, :3] = rng.normal(size=(POSES, 3)) * reach.get(kind, size)
    if kind == 'structured':
        q[:, :3] = rng.integers(-4, 5, (POSES, 3)) * 0.05
        turns = rng.integers(0, 4, (POSES, 3)) * np.pi / 2
        q[:, 3:] = Rotation.from_euler('xyz', turns).as_rotvec()
    return q


def check(kinds, pose_kind, rng, found, worst):
    """Compare one pair of shapes at many configurations of the first."""
    (a, own_a, points_a), (b, own_b, points_b) = (shape(kind, rng) for kind in kinds)
    pair, q = Pair(a, b), poses(pose_kind, rng, a.bound + (b.bound if b is not HALF_SPACE else 0.1))
    if pose_kind == 'touching':
        for k in range(POSES):
            apart, normal, *_ = pair.find(q[k])
            q[k, :3] += np.array(normal) * (apart - rng.choice(
                [0.0, 1e-8, 1e-7, -1e-7, 2e-5, -1e-4, 1e-4]))
    R = Rotation.from_rotvec(q[:, 3:]).as_matrix()
    got = [pair.find(one) for one in q]
    apart, n = np.array([one[0] for one in got]), np.array([one[1] for one in got])
    on_a, on_b = (np.array([one[k] for one in got]) for k in (2, 3))
    size = 1.0 + np.linalg.norm(q[:, :3], axis=1)  # rounding: of coordinates

    def width(k, n):
        """Return how far the shapes at one pose k, or (m,), are apart along directions (m, 3)."""
        top = support(a, points_a, np.einsum('...ij,...i->...j', R[k], n))
        top = np.einsum('...ij,...j->...i', R[k], top) + q[k, :3]
        low = np.zeros_like(n) if b is HALF_SPACE else support(b, points_b, -n)
        return ((low - top) * n).sum(axis=1) / np.linalg.norm(n, axis=1)

    limit = (CURVED if 'cylinder' in kinds else CLOSED) * size
    cores_apart = np.abs(apart + a.radius + b.radius)
    planes = np.where(cores_apart > TOUCHING, np.abs(width(np.arange(POSES), n) - apart), 0.0)
    errors = {'planes': planes, 'points': np.linalg.norm(on_b - on_a - apart[:, None] * n, axis=1)}
    coals = [_coal(own_a, R[k], q[k, :3], own_b) for k in range(POSES)]
    by_coal = np.array([one[0] for one in coals])
    free = apart > 0.0
    errors['coal apart'] = np.where(free, np.abs(by_coal - apart), 0.0)
    errors['too deep'] = np.zeros(POSES)
    for k in np.flatnonzero(~free & (np.abs(by_coal - apart) > limit)):
        found['coal differs'] += 1  # what its own normal proves counts
        errors['too deep'][k] = max(width(k, coals[k][1][None])[0] - apart[k], 0.0)
    polytopes = {*kinds} <= {'box', 'hull'}
    for k in np.flatnonzero(~free):
        least = -np.inf
        if polytopes and k % 10 == 0:
            least = _depth_level(points_a @ R[k].T + q[k, :3], points_b)
        elif not polytopes and b is not HALF_SPACE and k % (4 * SAMPLED) == 0:
            least = _by_directions(lambda n, k=k: width(k, n))
        errors['too deep'][k] = max(least - apart[k], errors['too deep'][k])
    for name, values in errors.items():
        k = (values / size).argmax()
        found[name] += int((values > (limit if 'coal' in name else CLOSED * size)).sum())
        worst[name] = max(worst[name], (values[k] / size[k], (
            f'{pose_kind} {a.half} {a.radius} {b.half} {b.radius} q {q[k].tolist()} apart '
            f'{apart[k]} coal {by_coal[k]}') if values[k] > limit[k] else ''))
    # Where faces are parallel, or at contact, a gradient says nothing of what is beside it.
    for k in range(0, POSES if pose_kind != 'structured' else 0, SAMPLED):
        if abs(apart[k]) > NO_SLOPE:
            _check_slope(pair, q[k], min(a.bound, b.bound or 1.0), found, worst)
    found['overlaps'] += int((~free).sum())
    found['all'] += POSES


def _coal(a, R, t, b):
    result = coal.DistanceResult()
    return coal.distance(a, coal.Transform3s(R, t), b, _HERE, _REQUEST, result), result.normal


def _depth_level(a, b):
    """Return the signed distance of two polytopes that overlap, by all differences of vertices."""
    try:
        return ConvexHull((a[:, None] - b).reshape(-1, 3)).equations[:, 3].max()
    except QhullError:
        return -np.inf


def _by_directions(width):
    at = width(_SPHERE)
    best = _SPHERE[np.argsort(-at)[:3]]
    return max(-minimize(lambda n: -width(n[None])[0], n, method='Nelder-Mead', options={
        'xatol': 1e-9, 'fatol': 1e-12}).fun for n in best)


def _check_slope(pair, q, size, found, worst):
    pair.find(q)
    slope = pair.gradient().copy()
    for i in range(6):
        h = 1e-5 * min(size, 1.0)
        before, here, after = (pair.find(q + s * h * np.eye(6)[i])[0] for s in (-1, 0, 1))
        scale = max(1.0, np.abs(slope).max())
        noise = ROUNDING * (1.0 + np.linalg.norm(q[:3])) / h
        one_sided = np.array([here - before, after - here]) / h
        error = max(one_sided.min() - slope[i], slope[i] - one_sided.max()) / scale - noise
        found['slope'] += int(error > SLOPE)
        worst['slope'] = max(worst['slope'], (
            error, f'joint {i} at {q.tolist()} {here}' if error > SLOPE else ''))


def soak(given) -> int:
    """Return how many pairs are outside the limits."""
    wrong = 0
    for name in given.pairs:
        rng, began = np.random.default_rng(given.seed), time.monotonic()
        found, worst = Counter(), defaultdict(lambda: (0.0, ''))
        while found['all'] < given.poses:
            for kind in KINDS:
                check(name.split('-'), kind, rng, found, worst)
        print(f'{name}: {dict(found)} {time.monotonic() - began:.0f} s')
        for key, (value, where) in worst.items():
            print(f'    {key}: {value:.1e} {where}', flush=True)
        wrong += any(found[key] for key in ('planes', 'points', 'too deep', 'slope'))
    return wrong


if __name__ == '__main__':
    run_soak(soak, __doc__, poses=100_000, pairs=['-'.join(pair) for pair in PAIRS])

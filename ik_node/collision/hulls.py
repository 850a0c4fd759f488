"""Convex hulls of points, with the edges along which support points are searched for."""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

_THIN = 1e-9  # of the size: what extends less has no extent in that direction


class Hull(NamedTuple):
    """The vertices of a convex hull, and which of them share an edge."""

    points: np.ndarray  # (k, 3) m
    first: np.ndarray  # (k + 1,) where the neighbours of each vertex begin
    neighbours: np.ndarray
    volume: float  # m³, 0 where the points lie in a plane


def hull_of(points: np.ndarray) -> Hull:
    """Return the hull of points (m, 3), m, at least one; they may lie in a plane or on a line."""
    from scipy.spatial import ConvexHull, QhullError  # takes as long to import as rclpy
    points = np.unique(points, axis=0)
    middle = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points - middle, full_matrices=False)
    rank = int((sizes > _THIN * max(sizes[0], np.abs(points).max())).sum())
    if rank < 2:
        along = (points - middle) @ axes[0]
        ends = np.unique([along.argmin(), along.argmax()])
        return _with_edges(points[ends], itertools.combinations(range(len(ends)), 2), 0.0)
    projected = points if rank == 3 else (points - middle) @ axes[:2].T
    try:
        hull = ConvexHull(projected)
    except QhullError:  # nearly flat: the box along its axes encloses it
        return _box_around(points, middle, axes)
    number = {vertex: k for k, vertex in enumerate(hull.vertices)}
    return _with_edges(points[hull.vertices], (
        (number[a], number[b]) for simplex in hull.simplices
        for a, b in itertools.combinations(simplex, 2)), hull.volume if rank == 3 else 0.0)


def _box_around(points: np.ndarray, middle: np.ndarray, axes: np.ndarray) -> Hull:
    local = (points - middle) @ axes.T
    corners = np.array(list(itertools.product(*zip(local.min(axis=0), local.max(axis=0)))))
    return _with_edges(middle + corners @ axes, itertools.combinations(range(8), 2), 0.0)


def _with_edges(points: np.ndarray, edges: Iterable[tuple[int, int]], volume: float) -> Hull:
    beside: list[set[int]] = [set() for _ in points]
    for a, b in edges:
        beside[a].add(b)
        beside[b].add(a)
    first = np.cumsum([0, *map(len, beside)])
    return Hull(np.ascontiguousarray(points), first, np.array(
        [other for others in beside for other in sorted(others)], dtype=np.intc), volume)

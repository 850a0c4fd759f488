"""Rotations made by three turns: as sharp where the outer axes all but fall together as elsewhere.

What is compared with is made by scipy.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import make_solver
from plain_kernels import plain

rotation_triple, = plain('solvers.analytic.subproblems.rotation_triple')

OFF = [0.0, 1e-14, 1e-11, 1e-8, 1e-6, 1e-4, 1e-2, 1.0]


def turned(h, angle):
    return Rotation.from_rotvec(angle * np.asarray(h))


def triples(rng, square):
    """Return three axes, and the turn of the second that brings the third onto the first."""
    if square:
        return np.array([[0.0, 0, 1], [0, 1, 0], [0, 0, 1]]), 0.0
    h1, h2 = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    angle = rng.uniform(-np.pi, np.pi)
    return np.array([h1, h2, turned(h2, -angle).apply(h1)]), angle


@pytest.mark.parametrize('off', OFF)
@pytest.mark.parametrize('square', [True, False])
def test_three_turns_make_the_rotation_to_the_last_digits(off, square):
    rng = np.random.default_rng(3)
    found = [[0.0] * 6, [0.0] * 6]
    for _ in range(robots.samples(300)):
        axes, aligned = triples(rng, square)
        q = np.array([rng.uniform(-3, 3), aligned + off, rng.uniform(-3, 3)])
        R = turned(axes[0], q[0]) * turned(axes[1], q[1]) * turned(axes[2], q[2])
        w = rotation_triple.across(tuple(axes[1]), tuple(axes[2]))
        count = rotation_triple.make_rotation(
            *map(tuple, axes), tuple(R.apply(axes[2])), tuple(R.apply(w)),
            [[value, -np.inf, np.inf] for value in q], 0, 1e-12, found)
        assert count > 0
        # the sine between the outer axes; below 1e-9 they count as one, and ± off are as good
        apart = np.linalg.norm(np.cross(axes[0], turned(axes[1], q[1]).apply(axes[2])))
        for c1, s1, c2, s2, c3, s3 in found[:count]:
            again = (turned(axes[0], np.arctan2(s1, c1)) * turned(axes[1], np.arctan2(s2, c2))
                     * turned(axes[2], np.arctan2(s3, c3)))
            assert (again.inv() * R).magnitude() < 2e-14 + (2.1 * apart if apart < 2e-9 else 0.0)
        second = np.array([np.arctan2(row[3], row[2]) for row in found[:count]]) - q[1]
        assert np.abs(np.remainder(second + np.pi, 2 * np.pi) - np.pi).min() < 1e-12


@pytest.mark.parametrize('name', ['arm_6r', 'arm_7r'])
@pytest.mark.parametrize('off', [0.0, 1e-8, 1e-6, 1e-4])
def test_branches_at_an_aligned_wrist_need_no_refinement(name, off):
    chain = robots.chain(name)
    plan, rng = make_solver('analytic', chain)._whole, np.random.default_rng(4)
    for _ in range(robots.samples(100)):
        q = robots.random_q(chain, rng, 0.9)
        q[-2] = off
        pose = chain.forward(q)
        branches = plan.family.branches(pose[None], plan.family.parameters_at(q), q)
        assert len(branches) > 0
        for branch in branches:
            assert np.abs(chain.forward(branch) - pose).max() < 5e-13

"""Branches at every turn inside the limits."""

import itertools

import numpy as np
import pytest

import robots
from ik_node import make_solver
from ik_node.support.exceptions import InputError, UnsupportedError

TURN = 2.0 * np.pi


def every_turn(chain, branches, most=3):
    """Return the branches at every turn inside the limits, by trying all up to `most` turns."""
    found = []
    for q in branches:
        for turns in itertools.product(range(-most, most + 1), repeat=len(q)):
            other = q + TURN * np.array(turns)
            if (other >= chain.lower - 1e-12).all() and (other <= chain.upper + 1e-12).all():
                found.append(other)
    return np.array(found)


@pytest.mark.parametrize('solver', ['analytic', 'auto'])
@pytest.mark.parametrize('half_range', [np.pi, 1.5 * np.pi, TURN])
def test_they_are_those_that_an_enumeration_finds(solver, half_range):
    chain = robots.chain('ur5').without_limits()
    limits = np.full(6, half_range)
    limits[3:] = np.pi  # 7⁶ turns of each branch take long
    chain = chain.with_limits(-limits, limits)
    made = make_solver(solver, chain)
    pose = chain.forward(np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.4]))
    branches, windings = made.solve_all(pose), made.solve_all(pose, windings=True)
    expected = every_turn(chain, branches, 1)
    assert len(windings) == len(expected)
    for q in expected:
        assert np.abs(windings - q).max(axis=1).min() < 1e-12
    assert (len(windings) > len(branches)) is (half_range > np.pi)
    for q in windings:
        assert chain.forward(q) == pytest.approx(pose, abs=1e-6)


def test_joints_without_limits_are_not_turned():
    chain = robots.chain('ur5').without_limits()
    solver = make_solver('analytic', chain)
    pose = chain.forward(np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.4]))
    assert (solver.solve_all(pose, windings=True) == solver.solve_all(pose)).all()


def test_those_of_a_redundant_arm_have_its_redundancy_too():
    chain = robots.chain('panda').without_limits().with_limits(np.full(7, -4.0), np.full(7, 4.0))
    solver = make_solver('analytic', chain)
    q = np.array([0.3, -0.4, 0.2, -1.9, 0.1, 1.6, 0.8])
    windings = solver.solve_all(chain.forward(q), redundancy=solver.redundancy_of(q), windings=True)
    for other in every_turn(chain, q[None], 1):
        assert np.abs(windings - other).max(axis=1).min() < 1e-6


def test_what_cannot_be_listed_is_refused():
    chain = robots.chain('ur5').without_limits().with_limits(np.full(6, -1e3), np.full(6, 1e3))
    solver, pose = make_solver('analytic', chain), chain.forward(np.full(6, 0.3))
    with pytest.raises(InputError, match='windings of the branches, more than 1,000,000'):
        solver.solve_all(pose, windings=True)
    with pytest.raises(InputError, match='within_limits must be true'):
        solver.solve_all(pose, within_limits=False, windings=True)
    with pytest.raises(InputError, match='windings must be'):
        solver.solve_all(pose, windings='yes')
    with pytest.raises(UnsupportedError):
        make_solver('dls', chain).solve_all(pose, windings=True)
    pose[0, 3] = 99.0
    assert solver.solve_all(pose, windings=True).shape == (0, 6)

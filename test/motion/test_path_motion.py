"""The quickest pace over a path, against formulas; smooth motion along it, against the limits."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import robots
from ik_node.motion.limits import motion_limits
from ik_node.motion.path_motion import along, quickest_pace

GRID = np.linspace(0.0, 1.0, 401)


def pace(distance, velocity, acceleration):
    """Return the quickest pace of one joint over a straight path."""
    ones = np.ones((len(GRID), 1))
    return quickest_pace(GRID, distance * ones, 0.0 * ones, velocity * ones, acceleration * ones)


@pytest.mark.parametrize(('distance', 'expected'), [
    (4.0, 4.0 / 1.0 + 1.0 / 2.0),          # a trapezoid: d/v + v/a
    (0.32, 2.0 * np.sqrt(0.32 / 2.0))])    # a triangle: 2 √(d/a)
def test_a_straight_path_takes_the_time_of_the_textbook(distance, expected):
    assert pace(distance, 1.0, 2.0).times[-1] == pytest.approx(expected, rel=2e-3)


def test_a_circle_is_run_as_fast_as_its_curvature_allows():
    angle = 40.0 * np.pi * GRID[:, None]
    dq = 40.0 * np.pi * np.hstack([-np.sin(angle), np.cos(angle)])
    ddq = (40.0 * np.pi) ** 2 * np.hstack([-np.cos(angle), -np.sin(angle)])
    ones = np.ones_like(dq)
    found = quickest_pace(GRID, dq, ddq, 1e3 * ones, 2.0 * ones)
    # Each joint has a = ω² at most; between the axes there is √2 of it, along the path.
    middle = (found.parts > 0.3) & (found.parts < 0.7)
    speed = 40.0 * np.pi * found.rates[middle]
    assert (speed <= np.sqrt(2.0 * np.sqrt(2.0)) + 1e-6).all()
    assert speed.mean() > np.sqrt(2.0) * 0.9


def test_the_accelerations_are_kept_at_both_ends_of_every_piece():
    rng = np.random.default_rng(2)
    path = CubicSpline(np.linspace(0.0, 1.0, 9), rng.uniform(-1.0, 1.0, (9, 3)))
    dq, ddq = path(GRID, 1), path(GRID, 2)
    ones = np.ones_like(dq)
    found = quickest_pace(GRID, dq, ddq, ones, 3.0 * ones)
    x = found.rates ** 2
    u = np.diff(x) / (2.0 * np.diff(GRID))
    assert (np.abs(dq) * found.rates[:, None] <= 1.0 + 1e-9).all()
    for at in (slice(None, -1), slice(1, None)):
        assert (np.abs(dq[at] * u[:, None] + ddq[at] * x[at, None]) <= 3.0 + 1e-6).all()
    assert found.rates[0] == found.rates[-1] == 0.0


@pytest.mark.parametrize('seed', range(4))
def test_motion_along_a_path_keeps_velocity_acceleration_and_jerk(seed):
    chain, rng = robots.chain('ur5'), np.random.default_rng(seed)
    limits = motion_limits(chain)
    path = CubicSpline(np.linspace(0.0, 1.0, 9), rng.uniform(-1.0, 1.0, (9, 6)))
    motion = along(path, limits)
    excess = motion.excess()
    assert max(excess.velocity, excess.acceleration, excess.jerk) <= 1.0 + 1e-9
    # One of them is nearly used up: it is no slower than it must be.
    assert max(excess.velocity, excess.acceleration, excess.jerk) > 0.9
    times = np.arange(0.0, motion.duration, 0.001)
    q, v, a = motion.sample(times)
    assert (np.abs(v) <= limits.velocity * (1 + 1e-9)).all()
    assert (np.abs(a) <= limits.acceleration * (1 + 1e-9)).all()
    assert (np.abs(np.diff(a, axis=0)) <= 0.001 * limits.jerk * (1 + 1e-6) + 1e-9).all()
    # The configurations are the path's.
    fine = path(np.linspace(0.0, 1.0, 20001))
    for configuration in q[::len(q) // 50]:
        assert np.linalg.norm(fine - configuration, axis=1).min() < 2e-3
    assert motion.end == pytest.approx(path(1.0))


def test_a_straight_path_is_little_slower_than_the_double_s():
    chain = robots.planar(1.0, limit=3.0)
    limits = motion_limits(chain, 1.0, 2.0, 20.0)
    path = CubicSpline(np.linspace(0.0, 1.0, 9), np.linspace([0.0], [2.0], 9))
    least = 2.0 / 1.0 + 1.0 / 2.0 + 2.0 / 20.0
    assert least <= along(path, limits).duration < 1.06 * least

import numpy as np
import pytest

import robots
from ik_node.motion import braking


def draw(seed):
    """Return velocity, acceleration, the largest one, jump and period of a joint at random."""
    rng = np.random.default_rng(seed)
    most, dt = rng.uniform(0.5, 10.0), 10.0 ** rng.uniform(-3.0, -1.7)
    jump = min(most * dt / 10.0 ** rng.uniform(-2.5, -0.5), most)
    v = rng.uniform(-2.0, 2.0) * 10.0 ** rng.uniform(-3.0, 0.0)
    return v, rng.uniform(-most, most) * rng.integers(0, 2), most, jump, dt


def stop(v, a, most, jump, dt):
    """Return the positions (k,) of a stop, step by step, and where velocities change their sign."""
    q, places = 0.0, [0.0]
    while abs(v) > 1e-13 or abs(a) > jump:
        w = braking.stopping(v, a, most, jump, dt)
        assert abs(w) <= most * (1.0 + 1e-12)
        assert abs(w - a) <= jump * (1.0 + 1e-12)
        end = v + w * dt
        if v * end < 0.0:
            places.append(q - 0.5 * v * v / w)
        q, v, a = q + 0.5 * (v + end) * dt, end, w
        places.append(q)
    return places


@pytest.mark.parametrize('seed', range(robots.samples(100)))
def test_the_peak_of_a_stop_is_that_of_its_steps(seed):
    v, a, most, jump, dt = draw(seed)
    places = stop(v, a, most, jump, dt)
    assert braking.peak(0.0, v, a, most, jump, dt) == pytest.approx(max(places), abs=1e-12)


@pytest.mark.parametrize('seed', range(robots.samples(50)))
def test_a_joint_comes_to_rest_at_its_limit_and_not_beyond(seed):
    _, _, most, jump, dt = draw(seed)
    q, v, a = -1.0, 0.0, 0.0
    for _ in range(100_000):
        top = min(a + jump, most, braking.gentle(1.0 - v, jump, dt))
        w = braking.highest(q, v, a, top, 0.0, most, jump, dt)
        assert abs(w - a) <= jump * (1.0 + 1e-9)
        q, v, a = q + v * dt + 0.5 * w * dt * dt, v + w * dt, w
        assert q <= 1e-12
        if q > -1e-6 and abs(v) < 1e-6:
            return
    raise AssertionError(f'it is at {q}')


@pytest.mark.parametrize('difference', [0.0, 1e-9, 0.003, -0.003, 1.0, -20.0])
def test_a_velocity_is_reached_at_rest_and_not_exceeded(difference):
    left, a, jump, dt = difference, braking.gentle(difference, 0.2, 0.01), 0.2, 0.01
    for _ in range(10_000):
        left -= a * dt
        assert left * difference >= -1e-12
        following = braking.gentle(left, jump, dt)
        assert abs(following - a) <= jump * (1.0 + 1e-9)
        a = following
    assert left == pytest.approx(0.0, abs=1e-12)
    assert a == pytest.approx(0.0, abs=1e-9)

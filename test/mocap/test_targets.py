"""When a foot stands, and how far it is held."""

import numpy as np
import pytest

from ik_node.mocap.targets import Stand, influence, stands

TIMES = 0.01 * np.arange(101)


TOUCHED = np.where((TIMES > 0.475) & (TIMES < 0.525), 0.0, 0.2)


def found(x=0.0, z=0.0, height=0.05, speed=0.3, shortest=0.1):
    """Return when a point with y = 0 stands."""
    positions = np.zeros((101, 3))
    positions[:, 0], positions[:, 2] = x, z
    return stands(TIMES, positions, height, speed, shortest)


@pytest.mark.parametrize(('given', 'wanted'), [
    ({}, [Stand(0, 100)]), ({'z': 0.06}, []), ({'x': 0.31 * TIMES}, []),
    ({'x': 0.29 * TIMES}, [Stand(0, 100)]), ({'z': TOUCHED, 'speed': 100.0}, []),
    ({'z': TOUCHED, 'speed': 100.0, 'shortest': 0.01}, [Stand(48, 52)])],
    ids=['at rest', 'high', 'fast', 'slow', 'short', 'not too short'])
def test_a_point_stands_where_it_is_low_and_slow_for_long_enough(given, wanted):
    assert found(**given) == wanted


def test_it_stands_before_and_after_it_is_lifted():
    lifted = np.where((TIMES > 0.395) & (TIMES < 0.605), 0.2, 0.0)
    first, second = found(z=lifted)
    assert (first.first, second.last) == (0, 100)
    assert 37 <= first.last <= 39
    assert 61 <= second.first <= 63


def test_a_motion_of_one_frame_stands():
    assert stands(np.zeros(1), np.zeros((1, 3)), 0.05, 0.3, 0.1) == [Stand(0, 0)]


def test_a_stand_holds_wholly_while_it_lasts_and_rises_and_falls_in_the_blend():
    (weights,) = influence(TIMES, [Stand(40, 60)], 0.2)
    assert (weights[40:61] == 1.0).all()
    assert weights[[20, 80]] == pytest.approx(0.0, abs=1e-9)
    assert weights[[30, 70]] == pytest.approx(0.5)
    assert (np.diff(weights[20:41]) >= 0.0).all()


def test_of_two_near_stands_one_acts_at_a_time():
    weights = influence(TIMES, [Stand(0, 40), Stand(50, 100)], 0.5)
    assert weights[:, 45] == pytest.approx(0.0, abs=1e-9)
    assert (np.minimum(*weights) == 0.0).all()


def test_without_a_blend_it_begins_at_once():
    (weights,) = influence(TIMES, [Stand(40, 60)], 0.0)
    assert weights[39] == weights[61] == 0.0
    assert weights[40] == weights[60] == 1.0

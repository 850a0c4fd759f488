import math

import numpy as np
import pytest

from ik_node.mocap.playhead import MAX_SPEED, Playhead
from ik_node.support.exceptions import InputError


def test_it_begins_at_the_start_and_holds_the_end():
    playhead = Playhead(1.0, 3.0)
    assert playhead.time == 1.0
    assert playhead.advance(0.5) == 1.5
    assert not playhead.ended
    assert playhead.advance(10.0) == 3.0
    assert playhead.ended
    assert playhead.advance(1.0) == 3.0


def test_it_loops_over_the_range():
    playhead = Playhead(1.0, 3.0, loop=True)
    assert playhead.advance(1.75) == 2.75
    assert playhead.advance(0.5) == pytest.approx(1.25)
    assert playhead.advance(2.0 * 7) == pytest.approx(1.25)
    assert not playhead.ended


def test_speed_scales_the_time_that_passes_from_then_on():
    playhead = Playhead(0.0, 100.0, speed=2.0)
    assert playhead.advance(1.0) == 2.0
    playhead.speed = 0.25
    assert playhead.advance(2.0) == 2.5


def test_time_stands_while_paused_and_can_be_set():
    playhead = Playhead(0.0, 10.0, paused=True)
    assert playhead.advance(5.0) == 0.0
    playhead.seek(4.0)
    assert playhead.advance(5.0) == 4.0
    playhead.paused = False
    assert playhead.advance(1.0) == 5.0


def test_time_never_passes_backwards():
    playhead = Playhead(0.0, 10.0)
    playhead.seek(5.0)
    assert playhead.advance(-1.0) == 5.0
    assert playhead.advance(math.nan) == 5.0


def test_after_the_end_it_continues_from_a_time_that_is_set_or_when_it_begins_to_loop():
    playhead = Playhead(0.0, 2.0)
    playhead.advance(5.0)
    playhead.seek(1.0)
    assert playhead.advance(0.5) == 1.5
    playhead.advance(5.0)
    playhead.loop = True
    assert playhead.advance(0.25) == 0.25


@pytest.mark.parametrize('loop', [False, True])
def test_a_motion_of_one_frame_stands(loop):
    playhead = Playhead(0.0, 0.0, loop=loop)
    assert playhead.advance(1.0) == 0.0


def test_it_stays_inside_the_range_whatever_comes():
    rng = np.random.default_rng(0)
    playhead = Playhead(0.3, 1.7, loop=True)
    for _ in range(5000):
        playhead.advance(float(rng.choice([1e-9, 0.01, 1.4, 100.0, 1e12])))
        playhead.speed = float(rng.choice([1e-3, 1.0, MAX_SPEED]))
        playhead.loop = bool(rng.integers(2))
        assert 0.3 <= playhead.time <= 1.7


@pytest.mark.parametrize('speed', [0.0, -1.0, math.nan, math.inf, 2 * MAX_SPEED, 'x', None])
def test_wrong_speeds_are_refused(speed):
    playhead = Playhead(0.0, 1.0)
    with pytest.raises(InputError, match='speed must be'):
        playhead.speed = speed
    assert playhead.speed == 1.0
    with pytest.raises(InputError, match='speed must be'):
        Playhead(0.0, 1.0, speed)


@pytest.mark.parametrize('time', [-0.1, 1.1, math.nan, 'x'])
def test_wrong_times_are_refused(time):
    playhead = Playhead(0.0, 1.0)
    with pytest.raises(InputError, match='time must be'):
        playhead.seek(time)
    assert playhead.time == 0.0


def test_a_range_that_ends_before_it_begins_is_refused():
    with pytest.raises(InputError, match='start must not be after stop, 1 s, not 2 s'):
        Playhead(2.0, 1.0)

import math

import numpy as np
import pytest

from ik_node.mocap.playhead import MAX_SPEED, Playhead
from ik_node.support.exceptions import InputError


# Numbers are times that pass, after each of which the playhead stands at one of `times`.
@pytest.mark.parametrize(('ends', 'given', 'steps', 'times'), [
    ((1.0, 3.0), {}, [0.0, 0.5, 10.0, 1.0], [1.0, 1.5, 3.0, 3.0]),
    ((1.0, 3.0), {'loop': True}, [1.75, 0.5, 2.0 * 7], [2.75, 1.25, 1.25]),
    ((0.0, 100.0), {'speed': 2.0}, [1.0, ('speed', 0.25), 2.0], [2.0, 2.5]),
    ((0.0, 10.0), {'paused': True}, [5.0, ('time', 4.0), 5.0, ('paused', False), 1.0],
     [0.0, 4.0, 5.0]),
    ((0.0, 10.0), {}, [('time', 5.0), -1.0, math.nan], [5.0, 5.0]),
    ((0.0, 2.0), {}, [5.0, ('time', 1.0), 0.5, 5.0, ('loop', True), 0.25], [2.0, 1.5, 2.0, 0.25]),
    ((0.0, 0.0), {}, [1.0], [0.0]), ((0.0, 0.0), {'loop': True}, [1.0], [0.0])],
    ids=['holds the end', 'loops', 'speed', 'paused', 'never backwards', 'on after the end',
         'one frame', 'one frame in a loop'])
def test_the_time_that_passes_moves_it(ends, given, steps, times):
    playhead, found = Playhead(*ends, **given), []
    for step in steps:
        if isinstance(step, float):
            found.append(playhead.advance(step))
            assert playhead.time == found[-1]
        elif step[0] == 'time':
            playhead.seek(step[1])
        else:
            setattr(playhead, *step)
    assert found == pytest.approx(times)
    if ends != (0.0, 0.0):
        assert playhead.ended is (times[-1] == ends[1])


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

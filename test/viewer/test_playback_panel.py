import pytest

import robots
from harness.fake_node import FakeNode
from harness.page_here import FakePlayer, page_of, page_with, panel_of
from ik_node.viewer import playback_panel


@pytest.fixture
def page(monkeypatch):
    """The page of a player of a motion from 2 to 18 s, that is paused at 2 s."""
    monkeypatch.setattr(playback_panel, '_HOLD', -1e9)  # a status after a change is of after it
    player = FakePlayer()
    player.show()
    with page_of(FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf')), player=player) as made:
        yield made


def shown(page):
    time, speed, loop = (page.widget('Playback', name).value
                         for name in ('time, s', 'speed', 'loop'))
    return [time, float(speed), loop]


def button(page):
    return next(path[-1] for path, widget, _ in page.widgets() if path[0] == 'Playback'
                and path[-1].startswith(('Play', 'Pause')) and len(path) == 2)


def test_without_a_player_there_is_none_and_a_silent_one_disappears():
    with page_with('arm_6r') as page:
        assert not page.shows('Playback')
        page.player.show()
        page.settle()
        assert page.shows('Playback', 'time, s')
        page.player.playback = None
        page.settle()
        assert not page.shows('Playback')
        assert page.shows('Goal')


def test_what_the_player_does_is_shown(page):
    slider = page.widget('Playback', 'time, s')
    assert (slider.min, slider.max, slider.value) == (2.0, 18.0, 2.0)
    assert '2.00 of 18.00 s, frame 5 of 41, paused' in page.text('Playback')
    page.player.show(time=12.5, loop=True, speed=0.5, frame=26)
    page.settle()
    assert shown(page) == [12.5, 0.5, True]
    assert '12.50 of 18.00 s, frame 26 of 41, paused' in page.text('Playback')
    page.player.show(start=0.0, stop=4.0, time=1.0)  # another motion
    page.settle()
    slider = page.widget('Playback', 'time, s')
    assert (slider.min, slider.max, slider.value) == (0.0, 4.0, 1.0)


def test_a_motion_that_waits_for_the_page_plays_once_a_browser_shows_it(page):
    browsers, page.browsers = page.browsers, {}
    page.server.get_clients = lambda: page.browsers
    panel_of(page.view, 'Playback')._starts = True
    page.settle()
    assert page.player.sent == []
    page.browsers = browsers
    page.settle()
    page.press('Playback', 'Pause')
    assert page.player.sent == [('pause', False), ('pause', True)]


def test_what_is_set_reaches_the_player(page):
    page.choose('Playback', 'time, s', value=7.25)
    page.type('Playback', 'speed', value='4.0')
    page.choose('Playback', 'loop', value=True)
    page.press('Playback', 'Play')
    page.press('Playback', 'Pause')
    assert page.player.sent == [('time', 7.25), ('speed', 4.0), ('loop', True), ('pause', False),
                                ('pause', True)]


def test_what_the_user_sets_stays_until_the_player_has_it(page, monkeypatch):
    monkeypatch.setattr(playback_panel, '_HOLD', 1e9)
    page.choose('Playback', 'time, s', value=7.25)
    page.player.show(time=2.1)  # of before
    page.settle()
    assert shown(page)[0] == 7.25
    assert '2.10 of' not in page.text('Playback')


def test_at_the_end_it_plays_again(page):
    page.player.show(time=18.0, paused=False, message='ended')
    page.settle()
    assert button(page) == 'Play again'
    page.press('Playback', 'Play again')
    assert page.player.sent == [('time', 2.0)]
    page.player.show(time=18.0, paused=True)
    page.settle()
    page.press('Playback', 'Play again')
    assert page.player.sent[1:] == [('time', 2.0), ('pause', False)]


def test_a_refusal_is_reported_and_what_holds_is_shown(page):
    page.player.refusal = 'it is busy'
    page.choose('Playback', 'time, s', value=7.25)
    page.press('Playback', 'Play')
    assert page.told == ['it is busy', 'it is busy']
    assert shown(page)[0] == 2.0

import re
import signal
import urllib.request
from urllib.error import URLError

import numpy as np
import pytest

import robots
from harness.browser import drag, page_of, until, view_of
from harness.player_harness import PlayerUnderTest

pytestmark = pytest.mark.slow

TABLE = 'time,wheel\n' + ''.join(f'{0.5 * k},{0.25 * k}\n' for k in range(41))  # 20 s
ROBOT = robots.robot(robots.joint('wheel', 'continuous', 'base', 'rim'),
                     robots.joint('t', 'fixed', 'rim', 'tip'))


class Shown:
    """A player without any node, and the page on it."""

    def __init__(self, player, view, robot_view, page, said):
        self.player, self.view, self.robot_view = player, view, robot_view
        self.page, self.said = page, said

    def until(self, done):
        """Wait until a condition holds, while messages and the page's events come in."""
        def met():
            self.player.until(done, 0.1)
            return done()
        return until(met, 60.0, self.page)

    def slider(self):
        return self.page.get_by_role('slider')

    def shown_time(self):
        """Return the time that the slider shows, s."""
        return float(self.slider().get_attribute('aria-valuenow'))

    def status(self):
        """Return the last status of the player, when there is one."""
        assert self.player.until(lambda: self.player.statuses, 60.0)
        message = self.player.statuses[-1]
        return message.message, {pair.key: pair.value for pair in message.values}


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('motion')
    (folder / 'robot.urdf').write_text(ROBOT)
    (folder / 'motion.csv').write_text(TABLE)
    return folder / 'robot.urdf', folder / 'motion.csv'


@pytest.fixture(scope='module')
def shown(files):
    with (PlayerUnderTest(*files, '--from', 2.0, '--to', 18.0, '--rate', 20,
                          '--start-paused') as player,
          view_of(player._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, said)):
        found = Shown(player, view, robot_view, page, said)
        assert found.until(lambda: found.slider().count() == 1), player.log()
        yield found


def test_dragging_the_slider_seeks(shown):
    box = shown.slider().bounding_box()
    start = np.array([box['x'] + 0.5 * box['width'], box['y'] + 0.5 * box['height']])
    drag(shown.page, start, start + [40.0, 0.0])
    assert shown.until(lambda: float(shown.status()[1]['time']) > 4.0), shown.status()
    assert shown.until(lambda: shown.shown_time() == pytest.approx(
        float(shown.status()[1]['time']), abs=0.01))
    assert shown.status()[0] == 'paused'
    assert shown.until(lambda: shown.robot_view.values.get('wheel') == pytest.approx(
        0.5 * float(shown.status()[1]['time'])))
    before = shown.shown_time()
    shown.slider().press('ArrowRight')
    assert shown.until(lambda: 0.0 < float(shown.status()[1]['time']) - before < 0.2)


def test_play_pause_speed_and_loop_reach_the_player(shown):
    assert shown.player.set(time=2.0, loop=True, speed=1.0) == (True, '')
    assert shown.until(lambda: shown.page.get_by_role('checkbox').is_checked())
    shown.page.get_by_role('checkbox').click()
    assert shown.until(lambda: shown.status()[1]['loop'] == 'false')
    shown.page.locator('input[value="1"]').fill('4')
    shown.page.keyboard.press('Enter')
    assert shown.until(lambda: shown.status()[1]['speed'] == '4')
    shown.page.get_by_role('button', name='Play').click()
    assert shown.until(lambda: shown.status()[0] == 'playing')
    first = shown.shown_time()
    assert shown.until(lambda: shown.shown_time() > first)
    shown.page.get_by_role('button', name='Pause').click()
    assert shown.until(lambda: shown.status()[0] == 'paused')
    assert shown.player.set(time=18.0)[0]
    shown.page.get_by_role('button', name='Play again').click()
    assert shown.until(lambda: shown.status()[0] == 'playing'
                       and float(shown.status()[1]['time']) < 18.0)
    assert [text for kind, text in shown.said if kind == 'error'] == []


def test_one_command_plays_and_shows(files):
    with PlayerUnderTest(*files, '--view', '--topic', 'recorded') as player:
        assert player.until(lambda: 'ik_view: http' in player.log()), player.log()
        address = re.search(r'http://[0-9.:]+', player.log())[0]
        assert urllib.request.urlopen(address, timeout=30).status == 200
        assert player.until(lambda: player.node.count_subscribers('recorded') == 1)
        assert player.stop(signal.SIGTERM) == 0
        assert 'Traceback' not in player.log()
    with pytest.raises(URLError, match='refused'):
        urllib.request.urlopen(address, timeout=30)

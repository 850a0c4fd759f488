import itertools
import threading
from unittest.mock import PropertyMock, patch

import pytest

from harness.page_here import until
from ik_node.viewer.readout import robot_text
from ik_node.viewer.robot_view import RobotView


class NotedLock:
    """A lock that knows how many want it, or have it."""

    def __init__(self):
        self.lock, self.users = threading.Lock(), 0

    def __enter__(self):
        self.users += 1
        self.lock.acquire()

    def __exit__(self, *_):
        self.users -= 1
        self.lock.release()


def test_the_nodes_stay_until_what_is_painted_is_done(page, monkeypatch):
    view, painting, goes_on, seen = page.view, threading.Event(), threading.Event(), []
    view._news, view.page.painting = threading.Event(), NotedLock()

    def paint():
        painting.set()
        assert goes_on.wait(60.0)
        seen.append(page.node.refusal)
    monkeypatch.setattr(view, '_paint', paint)
    painter, closing = (threading.Thread(target=work) for work in (view.run, view.close))
    painter.start()
    assert painting.wait(60.0)
    closing.start()
    assert until(lambda: view.page.painting.users == 2 or not closing.is_alive())
    goes_on.set()
    for thread in (painter, closing):
        thread.join(60.0)
    assert (*seen, page.node.refusal) == ('', 'the connection is closed')


def test_the_page_is_drawn_until_it_is_closed_whatever_goes_wrong(page, monkeypatch, caplog):
    view, wrong, after = page.view, iter([KeyError('a defect')]), threading.Event()
    paint = view._paint
    view._news = threading.Event()

    def defective():
        for error in wrong:
            raise error
        paint()
        after.set()
    monkeypatch.setattr(view, '_paint', defective)
    painter = threading.Thread(target=view.run)
    painter.start()
    assert after.wait(60.0)
    view.close()
    painter.join(60.0)
    assert not painter.is_alive()
    assert caplog.text.count('Traceback') == 1
    assert 'a defect' in caplog.text
    assert page.told == ['Internal error in "painter": KeyError: \'a defect\'']


@pytest.mark.parametrize('name', ['chain', 'space'])
def test_parameters_that_arrive_while_a_picture_is_drawn_disturb_nothing(page, name):
    robot_view = page.robot_view
    while_it_draws = PropertyMock(side_effect=itertools.chain([getattr(robot_view, name)],
                                                              itertools.repeat(None)))
    for draw in (lambda: robot_view.is_placed, lambda: robot_view.reach,
                 lambda: robot_text(robot_view), page.view._update_tables):
        with patch.object(RobotView, name, while_it_draws):
            draw()

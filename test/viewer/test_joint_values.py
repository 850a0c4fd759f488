"""Joint values that the page sends, one after the other and at once with others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import robots
from browser import until, view_of
from ik_node.viewer.newest import Newest
from ros_harness import running


def test_only_the_newest_value_is_handled_and_a_dropped_one_is_not():
    handled, free = [], threading.Event()

    def handle(value):
        handled.append(value)
        free.wait(60.0)
    newest = Newest(handle)
    newest.give(1)
    assert until(lambda: handled == [1])
    newest.give(2)
    newest.give(3)
    newest.drop()
    free.set()
    assert until(lambda: not newest.busy)
    newest.give(4)
    newest.give(5)
    assert until(lambda: handled[-1] == 5 and not newest.busy)
    assert 2 not in handled
    assert 3 not in handled
    newest.close()


def test_the_start_pose_is_kept_whatever_is_sent_at_the_same_time():
    with (running(urdf_path=robots.OWN / 'planar_3r.urdf', start_pose='[0.1, 0.2, 0.3]') as node,
          view_of(node._domain.id) as (_, _, (robot_view,))):
        assert until(lambda: robot_view.is_placed and robot_view.parameters)
        with ThreadPoolExecutor(3) as pool:
            sent = [pool.submit(robot_view.go_home) if k % 3 == 2 else
                    pool.submit(robot_view.go_to, [0.01 * k, 0.0, 0.0]) for k in range(20)]
            for one in sent:
                one.result(60.0)
        assert node.get('start_pose') == [0.1, 0.2, 0.3]
        robot_view.go_home()
        assert until(lambda: list(robot_view.values.values()) == pytest.approx([0.1, 0.2, 0.3]))

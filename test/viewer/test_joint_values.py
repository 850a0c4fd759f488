"""Joint values that the page sends, one after the other and at once with others."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import viser

import robots
from browser import until, user_presses, view_of
from ik_node import IkError, KinematicTree
from ik_node.viewer import joint_panel
from ik_node.viewer.joint_panel import JointPanel
from ik_node.viewer.newest import Newest
from ros_harness import running


def test_only_the_newest_value_is_handled_and_a_dropped_one_is_not_once_that_in_hand_is():
    handled, free = [], threading.Event()

    def handle(value):
        handled.append(value)
        free.wait(60.0)
    newest = Newest(handle)
    newest.give(1)
    assert until(lambda: handled == [1])
    newest.give(2)
    newest.give(3)
    dropping = threading.Thread(target=newest.drop)
    dropping.start()
    assert until(lambda: not newest._waiting)
    assert dropping.is_alive()
    free.set()
    dropping.join(60.0)
    assert not dropping.is_alive()
    assert not newest.busy
    newest.give(4)
    newest.give(5)
    assert until(lambda: handled[-1] == 5 and not newest.busy)
    assert 2 not in handled
    assert 3 not in handled
    newest.close()


def test_a_defect_in_the_handling_of_a_value_is_told_and_the_next_one_is_handled(caplog):
    told, handled = [], []

    def handle(value):
        handled.append(1 // value)
    newest = Newest(handle, told.append)
    newest.give(0)
    assert until(lambda: told)
    newest.drop()
    newest.give(1)
    assert until(lambda: handled == [1])
    newest.close()
    assert 'ZeroDivisionError' in told[0]
    assert 'Traceback' in caplog.text


@pytest.mark.parametrize(('values', 'reason'), [
    ([0.1, 0.2], 'there must be 3 joint values, not 2'),
    ({'joint_1': 0.1, 'joint_7': 0.2}, "there is no joint of the arm named 'joint_7'")])
def test_values_that_do_not_fit_are_refused_with_the_reason(node_and_view, values, reason):
    _, _, robot_view = node_and_view
    assert until(lambda: robot_view.is_placed and robot_view.parameters)
    with pytest.raises(IkError, match=reason):
        robot_view.go_to(values)
    assert robot_view.connection._reports == {}


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


@pytest.mark.parametrize('leaves', [
    lambda view, _: view._home(), lambda _, robot_view: robot_view.go_to([0.0, 0.0, 0.0])],
    ids=['home', 'joint values'])
def test_no_drag_from_before_reaches_the_node_after_the_robot_was_sent_elsewhere(
        node_and_view, monkeypatch, leaves):
    node, view, robot_view = node_and_view
    assert until(lambda: view._gizmo is not None and robot_view.parameters)
    connection, sent, free = robot_view.connection, [], threading.Event()
    send_goal = connection.send_goal

    def send_slowly(T, *arguments):
        sent.append(T[0, 3])
        free.wait(60.0)
        send_goal(T, *arguments)

    def noting(leave):
        def note_and_leave(*arguments):
            sent.append('left')
            return leave(*arguments)
        return note_and_leave
    monkeypatch.setattr(connection, 'send_goal', send_slowly)
    monkeypatch.setattr(connection, 'reset', noting(connection.reset))
    monkeypatch.setattr(connection, 'send_joints', noting(connection.send_joints))
    start, first = view._gizmo.T, view._gizmo.T
    first[0, 3] -= 0.1
    view.drag_to(first)
    assert until(lambda: len(sent) == 1)  # it is being sent, and the next one waits
    second = start.copy()
    second[0, 3] -= 0.2
    view.drag_to(second)
    leaving = threading.Thread(target=leaves, args=(view, robot_view))
    leaving.start()
    assert until(lambda: not view._gizmo._drags._waiting)
    free.set()
    leaving.join(60.0)
    assert not leaving.is_alive()
    assert sent == [pytest.approx(first[0, 3]), 'left']
    node.settle()
    assert until(lambda: list(robot_view.values.values()) == pytest.approx([0.0] * 3))


@pytest.fixture(scope='module')
def node_and_view():
    with (running(urdf_path=robots.OWN / 'planar_3r.urdf', solver='dls') as node,
          view_of(node._domain.id) as (_, view, (robot_view,))):
        yield node, view, robot_view


@pytest.fixture
def panel():
    """Sliders of a robot of three joints, whose values are set by the test."""
    space = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()
    robot = SimpleNamespace(
        space=space, values=dict.fromkeys(space.joint_names, 0.0), sent=[], tree=None,
        parameters=SimpleNamespace(get=lambda _: '', switching=False))
    robot.go_to = robot.sent.append
    server = viser.ViserServer(host='127.0.0.1', port=8470, verbose=False)
    made = JointPanel(server, robot, print, lambda: None)
    yield made, robot
    made.close()
    server.stop()


def user_sets(made, robot, value):
    """Set the first joint by its slider, and wait until it is sent to the robot."""
    slider, count = made._sliders[0], len(robot.sent)
    slider._impl.value = value
    user_presses(slider)
    assert until(lambda: len(robot.sent) > count and not made._wanted.busy)
    return slider


def test_a_slider_stays_where_the_user_has_set_it_until_the_robot_is_there(panel):
    made, robot = panel
    slider = user_sets(made, robot, 0.5)
    made.update()  # joint states from before are the last ones that have come
    assert slider.value == 0.5
    robot.values = dict.fromkeys(robot.values, 0.0) | {made._space.joint_names[0]: 0.5}
    made.update()
    robot.values = dict.fromkeys(robot.values, 0.2)  # by another node
    made.update()
    assert slider.value == pytest.approx(0.2)


def test_a_slider_follows_a_robot_that_does_not_go_where_it_was_sent(panel, monkeypatch):
    made, robot = panel
    monkeypatch.setattr(joint_panel, '_ARRIVAL', 0.0)
    slider = user_sets(made, robot, 0.5)
    made.update()
    assert slider.value == 0.0

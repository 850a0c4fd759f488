import numpy as np
import pytest

import robots
from ik_node import KinematicTree

ARM = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
DRAWN, MET, MISSED = (120, 60, 180), (40, 160, 60), (210, 40, 40)


def waypoints(page):
    """Return the positions and the colours of the waypoints that are drawn."""
    frames = [node for node in page.drawn('/ik_node/path/').values()
              if hasattr(node, 'origin_color')]
    return (np.array([frame.position for frame in frames]),
            [tuple(frame.origin_color) for frame in frames])


def listed(page):
    """Return the positions (k, 3), m, of the waypoints in the list, whose numbers are in order."""
    lines = [line.replace(' m', '').split(':') for line in page.widget('Path', 'waypoint').options]
    assert [number for number, _ in lines] == [str(k) for k in range(1, len(lines) + 1)]
    return np.array([list(map(float, place.split(','))) for _, place in lines])


def numbers(page):
    return [node.text for node in page.drawn('/ik_node/path/').values()
            if hasattr(node, 'text') and node.visible]


@pytest.fixture
def poses(page):
    """Set three waypoints; return them."""
    poses = [ARM.forward(np.full(6, value)) for value in (0.1, 0.3, 0.5)]
    for T in poses:
        page.drag(T)
        page.press('Path', 'Set a waypoint')
    return poses


def order(page, poses):
    """Return the numbers of poses in the order of the waypoints, from 0, with those drawn."""
    drawn = waypoints(page)[0]
    assert listed(page) == pytest.approx(drawn, abs=6e-4)
    return [int(np.abs(np.array(poses)[:, :3, 3] - place).max(axis=1).argmin()) for place in drawn]


def paths(page):
    return [sent for sent in page.node.sent if sent[0] == 'path']


def test_waypoints_are_sent_and_turn_green_where_they_are_met_and_red_where_one_is_missed(
        page, poses):
    assert waypoints(page)[0] == pytest.approx(np.array(poses)[:, :3, 3], abs=1e-6)
    page.press('Path', 'Follow the path')
    (_, arm, sent), = paths(page)
    assert page.node.get('motion') == 'joint'  # where joints jump there is nothing to see
    assert arm == ''
    assert sent == pytest.approx(np.array(poses), abs=1e-6)
    page.node.report(0, 'waypoint 1 of 3: the goal is met')
    page.node.report(0, 'waypoint 2 of 3: the goal is met')
    page.node.report(2, 'waypoint 3 of 3: out of reach')
    page.settle()
    assert waypoints(page)[1] == [MET, MET, MISSED]
    page.node.report(0, 'all waypoints: the goal is met; moving for 2 s')
    page.settle()
    assert waypoints(page)[1] == [MET] * 3
    page.press('Path', 'Follow the path')  # once more
    assert waypoints(page)[1] == [DRAWN] * 3
    page.press('Path', 'Clear')
    assert not page.drawn('/ik_node/path/')
    page.press('Path', 'Follow the path')
    assert len(paths(page)) == 2  # there is none to send


def test_a_path_that_is_followed_as_a_whole_is_met_as_a_whole(page, poses):
    page.node.report(0, 'waypoint 3 of 3: the goal is met')
    page.node.report(0, 'waypoint 5 of 5: of another path')
    page.settle()
    assert waypoints(page)[1][2] == MET


def test_the_list_has_numbers_that_are_in_the_scene_too_and_its_order_is_that_of_the_path(
        page, poses):
    assert order(page, poses) == [0, 1, 2]
    assert numbers(page) == ['1', '2', '3']
    page.choose('Path', '', value='Down')  # the last, which cannot be moved further
    page.choose('Path', '', value='Up')
    page.choose('Path', '', value='Up')
    assert order(page, poses) == [2, 0, 1]
    page.choose('Path', 'waypoint', value=page.widget('Path', 'waypoint').options[1])
    page.choose('Path', '', value='Down')
    assert order(page, poses) == [2, 1, 0]
    page.press('Path', 'Follow the path')
    assert paths(page)[0][2] == pytest.approx(np.array(poses)[[2, 1, 0]], abs=1e-6)


def test_one_waypoint_is_deleted_and_one_is_replaced_by_the_goal(page, poses):
    page.choose('Path', 'waypoint', value=page.widget('Path', 'waypoint').options[1])
    page.choose('Path', '', value='Delete')
    assert order(page, poses) == [0, 2]
    assert numbers(page) == ['1', '2']
    poses.append(ARM.forward(np.full(6, 0.7)))
    page.drag(poses[3])
    page.choose('Path', '', value='Replace')  # what came after the one that was deleted
    assert order(page, poses) == [0, 3]
    for _ in range(2):
        page.choose('Path', '', value='Delete')
    assert not page.drawn('/ik_node/path/')
    assert not page.shows('Path', 'waypoint')


def test_changes_of_the_path_are_undone_and_done_again(page, poses):
    page.choose('Path', '', value='Up')
    page.press('Path', 'Clear')
    history = page.view.page.history
    for move, wanted in ((history.undo, [0, 2, 1]), (history.undo, [0, 1, 2]),
                         (history.redo, [0, 2, 1])):
        move()
        assert order(page, poses) == wanted


def test_what_is_drawn_at_once_is_undone_at_once_and_numbers_do_not_overlap(page):
    page.choose('Path', 'draw while dragging', value=True)
    T = page.handle().T.copy()
    for k in range(4):
        T[0, 3] += 0.03 * page.robot_view.reach
        page.drag_on(T, phase='end' if k == 3 else 'update')
        page.settle()
    assert len(listed(page)) == 4
    assert numbers(page) == ['1', '3']
    page.undo()
    assert not page.drawn('/ik_node/path/')


def test_while_drags_draw_a_path_no_goal_is_sent_and_near_waypoints_are_left_out(page):
    page.choose('Path', 'draw while dragging', value=True)
    start = page.handle().T.copy()
    for x in (0.0, 0.001, 0.1):
        T = start.copy()
        T[0, 3] += x
        page.drag(T)
    assert waypoints(page)[0][:, 0] - start[0, 3] == pytest.approx([0.0, 0.1], abs=1e-6)
    assert page.node.sent == []


def test_a_path_that_cannot_be_followed_is_refused_with_the_reason(page):
    page.press('Path', 'Follow the path')
    page.press('Path', 'Set a waypoint')
    page.press('Stop')
    sent = list(page.node.sent)
    page.press('Path', 'Follow the path')
    assert page.told == ['the path has no waypoints yet',
                         'the robot is stopped; press Continue first']
    assert page.node.sent == sent


def test_the_speed_is_the_nodes(page):
    page.choose('Path', 'speed', value=0.5)
    assert page.node.get('speed') == 0.5
    page.set(speed=0.75)
    assert page.widget('Path', 'speed').value == 0.75
    page.node.refusal = 'it is busy'
    page.choose('Path', 'speed', value=0.25)
    assert page.told == ['speed: it is busy']


def test_another_robot_has_no_path_yet(page):
    page.press('Path', 'Set a waypoint')
    page.choose('robot', value='scara')
    assert not page.drawn('/ik_node/path/')

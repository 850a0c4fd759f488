"""The page: what is dragged and chosen on it reaches the node, and what the node says is shown."""

import inspect
import itertools
import threading
import time
from unittest.mock import PropertyMock, patch

import numpy as np
import pytest

import robots
from fake_node import FakeNode
from ik_node import KinematicTree
from ik_node.ros.clients.connection import Connection
from ik_node.ros.clients.player_link import PlayerLink
from ik_node.spatial import pose_from_rpy
from ik_node.viewer.readout import readout, robot_text
from ik_node.viewer.robot_view import RobotView
from page_here import Browser, FakePlayer, page_of, page_with, until

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
MET, NO_GOAL, SILENT = 'reached', 'no goal yet', 'the node does not respond'


@pytest.fixture
def page():
    with page_with('arm_6r') as made:
        yield made


def moved(page, by=-0.05):
    """Return the pose of the handle, moved along z."""
    T = page.handle().T.copy()
    T[2, 3] += by
    return T


@pytest.mark.parametrize(('fake', 'real'), [(FakeNode, Connection), (FakePlayer, PlayerLink)])
def test_what_stands_in_for_the_link_to_a_node_has_the_same_interface(fake, real):
    for name, member in vars(real).items():
        if not name.startswith('_') and callable(member):
            assert hasattr(fake, name), name
            wanted, found = (list(inspect.signature(one).parameters)
                             for one in (member, getattr(fake, name)))
            assert found == wanted, name
        elif not name.startswith('_'):
            assert hasattr(fake(), name), name
    wanted, found = (list(inspect.signature(one).parameters)
                     for one in (real.__init__, fake.connect))
    assert found == wanted


def test_the_goal_that_is_dragged_is_sent_and_the_arm_is_drawn_there(page):
    T = moved(page)
    page.drag(T)
    kind, arm, sent, position_only = page.node.sent[-1]
    assert (kind, arm, position_only) == ('goal', '', False)
    assert sent == pytest.approx(T)
    assert page.robot_view.pose('tool0') == pytest.approx(T, abs=1e-5)
    assert MET in page.text()
    assert page.handle().T == pytest.approx(T)


def test_position_only_sends_points_and_hides_the_rotations_of_the_handle(page):
    page.choose('Goal', 'position only', value=True)
    assert page.handle()._handle.disable_rotations
    page.drag(moved(page))
    assert page.node.sent[-1][3] is True
    page.choose('Goal', 'position only', value=False)
    assert not page.handle()._handle.disable_rotations
    page.drag(moved(page, 0.02))
    assert page.node.sent[-1][3] is False


def test_a_goal_out_of_reach_is_told_in_red_and_the_arm_stays(page):
    before = page.q()
    far = moved(page)
    far[0, 3] += 5.0
    page.drag(far)
    assert 'out of reach' in page.text()
    assert page.robot_view.status.color == '#d0342c'
    assert page.q() == pytest.approx(before)
    assert page.handle().T == pytest.approx(far)  # where the user wants it


def test_a_goal_that_is_dragged_while_another_chain_is_drawn_stays_dragged(page):
    T, paint = moved(page), page.robot_view.paint

    def painted():
        other = paint()
        if other:
            page.drag_on(T)
        return other
    page.robot_view.paint = painted
    page.node.set(tip_link='link_5')
    page.settle()
    assert page.handle().is_dragged
    assert page.handle().T == pytest.approx(T)


def test_home_sends_the_robot_to_its_start_pose_and_ends_the_goal(page):
    page.drag(moved(page))
    page.press('Goal', 'Home')
    assert page.node.sent[-1] == 'reset'
    assert page.q() == pytest.approx(np.zeros(6))
    assert page.handle().T == pytest.approx(CHAIN.forward(np.zeros(6)), abs=1e-5)
    assert NO_GOAL in page.text()
    assert MET not in page.text()


def test_stop_freezes_the_robot_until_continue(page):
    page.press('Stop')
    assert page.node.sent[-1] == ('enable', False)
    assert not page.shows('Stop')
    page.press('Continue')
    assert page.node.sent[-1] == ('enable', True)
    assert page.shows('Stop')


def test_what_the_node_refuses_is_told_to_every_browser(page):
    page.browsers[2] = Browser()
    page.node.refusal = 'it is busy'
    page.press('Goal', 'Home')
    page.choose('robot', value='scara')
    for browser in page.browsers.values():
        assert browser.notifications == ['it is busy', 'ik_node: it is busy']
    assert page.widget('robot').value == 'arm_6r'


def test_a_robot_of_the_gallery_becomes_the_nodes_and_ends_the_goal(page):
    page.drag(moved(page))
    page.choose('robot', value='scara')
    assert page.node.get('model_path').endswith('scara.urdf')
    assert page.robot_view.tree.name == 'scara'
    assert page.handle().T == pytest.approx(page.robot_view.pose(page.robot_view.chain.tip_link))
    assert NO_GOAL in page.text()
    assert 'scara, 4 joints' in page.text()
    assert not page.drawn('/ik_node/robot/base_link/link_1/link_2/link_3')  # of the arm before


def test_a_reset_of_other_clients_ends_the_goal(page):
    page.drag(moved(page))
    assert MET in page.text()
    page.robot_view.go_home()
    page.settle()
    assert NO_GOAL in page.text()
    assert MET not in page.text()


@pytest.mark.parametrize('change', [
    {'solver': 'ccd'}, {'dls__max_iterations': 77}, {'task_weights': [1.0] * 3 + [0.0] * 3},
    {'on_failure': 'closest'}, {'tip_link': 'link_5'}])
def test_a_goal_is_solved_again_after_a_change_of_what_it_is_solved_with(page, change):
    T = moved(page)
    page.drag(T)
    page.node.sent.clear()
    page.node.set(**change)
    page.settle()
    (again,) = [sent for sent in page.node.sent if sent[0] == 'goal']
    assert again[2] == pytest.approx(T, abs=1e-9)
    assert page.handle().T == pytest.approx(T, abs=1e-9)
    assert NO_GOAL not in page.text()
    page.node.sent.clear()
    page.node.set(publish_rate=20.0)
    page.settle()
    assert page.node.sent == []


def test_nothing_is_solved_again_that_is_not_dragged_or_while_the_robot_is_stopped(page):
    page.node.set(solver='ccd')
    page.settle()
    assert page.node.sent == []
    page.drag(moved(page))
    page.press('Stop')
    assert 'stopped' in page.text()
    page.node.sent.clear()
    page.node.set(solver='dls')
    page.settle()
    assert page.node.sent == []


def test_a_goal_that_takes_long_is_said_to_be_solved(page):
    page.drag(moved(page))
    now = time.monotonic() + 1.0
    with patch('ik_node.viewer.node_state.time.monotonic', lambda: now):
        state = page.robot_view.state
        assert state.line().text == MET
        state._sent = now - 1.0
        assert state.line().text == 'solving …'
        state.update(False, '')  # it is busy
        assert state.line().text == 'solving …'


def test_a_line_shows_the_true_gap_of_the_arm_as_it_is_drawn(page):
    tip, far = page.robot_view.pose('tool0'), moved(page)
    far[0, 3] += 5.0
    page.drag(far)  # the node holds
    (line,) = [node for name, node in page.drawn('/ik_node/gap/').items() if 'line' in name]
    assert line.points[0] == pytest.approx(np.array([tip[:3, 3], far[:3, 3]]), abs=1e-6)
    gap = float(np.linalg.norm(far[:3, 3] - tip[:3, 3]))
    assert f'not reached: {gap:.3g} m' in page.text()
    page.node.set(on_failure='closest')
    page.settle()
    nearer = float(np.linalg.norm(far[:3, 3] - page.robot_view.pose('tool0')[:3, 3]))
    assert nearer < gap
    assert f'as near as possible: {nearer:.3g} m' in page.text()
    page.press('Home')
    assert not page.drawn('/ik_node/gap/')


def test_a_description_by_topic_is_drawn_once_there_is_one():
    node = FakeNode()
    with page_of(node) as page:
        assert 'waiting for its robot' in page.text()
        page.robot_view.on_description((robots.OWN / 'planar_3r.urdf').read_text())
        page.settle()
        assert 'planar_3r, 3 joints' in page.text()
        page.robot_view.on_description('<robot')
        page.settle()
        assert '⚠' in page.text()
        assert 'planar_3r' in page.text()  # stays


def test_a_node_is_awaited_and_its_states_are_told():
    node = FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))
    node.responds = False
    with page_of(node) as page:
        assert 'waiting for the node' in page.text()
        assert not page.shows('Solver', 'solver')
        node.responds = True
        page.settle()
        assert NO_GOAL in page.text()
        assert page.shows('Solver', 'solver')
        node.lifecycle = 'inactive'
        page.settle()
        assert 'the node is inactive' in page.text()
        assert 'it accepts no goals' in page.text()


def test_a_silent_node_has_no_goal_and_no_markers_and_one_that_was_busy_keeps_the_handle(page):
    T = moved(page)
    page.drag(T)
    page.node.responds = False
    page.settle()
    assert SILENT in page.text()
    assert MET not in page.text()
    assert not page.drawn('/ik_node/markers/')
    page.node.responds = True
    page.settle()
    assert page.told == ['ik_node responds again']
    assert MET in page.text()
    assert page.handle().T == pytest.approx(T)


def test_a_node_that_was_started_again_has_another_handle_and_its_parameters_are_fetched(page):
    page.drag(moved(page))
    page.node.responds = False
    page.settle()
    page.node.process, page.node.responds = b'2', True
    page.node._values['solver'] = 'ccd'  # without an event
    page.node.stand(np.zeros(6))
    page.settle()
    assert page.robot_view.restarts == 1
    assert NO_GOAL in page.text()
    assert page.handle().T == pytest.approx(CHAIN.forward(np.zeros(6)), abs=1e-5)
    assert page.widget('Solver', 'solver').value == 'ccd'


def test_a_node_that_was_started_again_before_it_counts_as_silent_is_noticed(page):
    page.drag(moved(page))
    page.node.process = b'2'
    page.node._values['solver'] = 'ccd'  # without an event
    page.node.stand(np.zeros(6))
    page.settle()
    assert page.robot_view.restarts == 1
    assert page.told == ['ik_node responds again']
    assert NO_GOAL in page.text()
    assert page.handle().T == pytest.approx(CHAIN.forward(np.zeros(6)), abs=1e-5)
    assert page.widget('Solver', 'solver').value == 'ccd'


def test_parameters_are_fetched_once_the_node_responds_to_requests(page):
    page.node.responds = False
    page.settle()
    page.node._values['solver'] = 'ccd'  # without an event
    page.node.responds, page.node.lifecycle = True, ''
    page.settle()
    assert page.robot_view.parameters.outdated
    assert 'reading its parameters …' in page.text()
    assert not any(name in readout([page.robot_view]) for name in ('dls', 'ccd'))
    page.node.lifecycle = 'active'
    page.settle()
    assert page.widget('Solver', 'solver').value == 'ccd'
    assert 'ccd' in readout([page.robot_view])
    assert 'reading' not in page.text()


@pytest.mark.parametrize(('process', 'goals'), [(b'1', 2), (b'2', 1)], ids=['busy', 'another'])
def test_a_changed_solver_counts_once_it_is_clear_whether_the_node_has_restarted(
        page, process, goals):
    def sent():
        return sum(one[0] == 'goal' for one in page.node.sent)
    page.drag(moved(page))
    page.node.responds = False
    page.settle()
    page.node.responds, page.node.lifecycle = True, ''
    page.node.set(solver='ccd')
    page.settle()
    assert sent() == 1
    page.node.lifecycle, page.node.process = 'active', process
    page.settle()
    assert sent() == goals


def test_parameters_that_do_not_come_are_asked_for_again(page):
    page.robot_view.parameters.outdated = True
    page.node.refusal = 'the node does not respond: parameters'
    page.settle()
    assert page.node.refusal in page.told
    page.node.refusal = ''
    page.settle()
    assert not page.robot_view.parameters.outdated


def test_a_goal_goes_to_all_that_are_compared_side_by_side():
    nodes = [FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'), solver=solver)
             for solver in ('dls', 'ccd')]
    with page_of(*nodes, names=['dls', 'ccd']) as page:
        T = moved(page)
        page.drag(T)
        for node, robot_view in zip(nodes, page.robot_views):
            assert node.sent[-1][2] == pytest.approx(T)
            assert robot_view.pose('tool0') == pytest.approx(T, abs=1e-4)
            assert f'● reached {robot_view.name}' in ' '.join(page.text().split())
        places = [robot_view.frame.position for robot_view in page.robot_views]
        assert places[1][1] - places[0][1] > page.robot_view.reach
        assert page.shows('Solver: ccd')
        page.press('Goal', 'Home')
        assert [node.sent[-1] for node in nodes] == ['reset', 'reset']
        page.choose('robot', value='arm_7r')
        assert [robot_view.tree.name for robot_view in page.robot_views] == ['arm_7r'] * 2


def test_one_of_several_arms_has_its_own_goals_and_parameters():
    file = str(robots.OWN / 'torso.urdf')
    node = FakeNode(arms=('left', 'right'), model_path=file, left__tip_link='left_tool0',
                    left__base_link='torso_link', right__tip_link='right_tool0',
                    right__base_link='torso_link')
    with page_of(node, arm='left') as page:
        T = page.handle().T.copy()
        T[2, 3] += 0.02
        page.drag(T)
        assert page.node.sent[-1][1] == 'left'
        assert page.robot_view.pose('left_tool0') == pytest.approx(T, abs=1e-4)
        assert '/left/goal_pose' in page.widget('Goal', 'command').value
        node.report(0, 'of the other arm', arm='right')
        page.settle()
        assert 'of the other arm' not in page.text()
        page.choose('Solver', 'left.solver', value='ccd')
        assert (node.get('left.solver'), node.get('right.solver')) == ('ccd', 'dls')


def test_a_page_for_none_of_several_arms_names_them_and_shows_the_robot():
    node = FakeNode(arms=('left', 'right'), model_path=str(robots.OWN / 'torso.urdf'),
                    left__tip_link='left_tool0', right__tip_link='right_tool0')
    with page_of(node) as page:  # which settles: nothing is fetched again and again
        assert 'several arms; choose one of left, right with --arm' in page.text()
        assert page.told == []
        node.stand({'lift_joint': 0.2})
        page.settle()
        assert page.robot_view.values['lift_joint'] == 0.2
        assert page.robot_view.pose('left_tool0') == pytest.approx(
            page.robot_view.tree.forward(page.robot_view.values)['left_tool0'])


def test_a_motion_is_shown_without_a_node_and_without_its_panels():
    node, player = FakeNode(), FakePlayer()
    node.responds = False
    with page_of(node, player=player) as page:
        assert not page.shows('Playback')
        player.show()
        page.robot_view.on_description((robots.OWN / 'arm_6r.urdf').read_text())
        page.robot_view.on_joints(dict.fromkeys(CHAIN.joint_names, 0.1))
        page.settle()
        for name in ('Goal', 'Solver', 'Joints', 'Workspace', 'Path', 'robot'):
            assert not page.shows(name), name
        assert page.shows('Playback', 'time, s')
        assert 'waiting for the node' not in page.text()
        assert '● ik_play' in page.text()
        assert 'arm_6r, 6 joints' in page.text()
        assert page.handle() is None
        assert page.robot_view.pose('tool0') == pytest.approx(
            CHAIN.forward(np.full(6, 0.1)), abs=1e-6)


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
    view._news, view._painting = threading.Event(), NotedLock()

    def paint():
        painting.set()
        assert goes_on.wait(60.0)
        seen.append(page.node.refusal)
    monkeypatch.setattr(view, '_paint', paint)
    painter, closing = (threading.Thread(target=work) for work in (view.run, view.close))
    painter.start()
    assert painting.wait(60.0)
    closing.start()
    assert until(lambda: view._painting.users == 2 or not closing.is_alive())
    goes_on.set()
    for thread in (painter, closing):
        thread.join(60.0)
    assert (*seen, page.node.refusal) == ('', 'the connection is closed')


def test_the_page_is_drawn_until_it_is_closed_whatever_goes_wrong(
        page, monkeypatch, caplog):
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


def test_a_figure_of_tasks_has_a_handle_for_each_that_can_be_moved():
    tasks = ('left', 'right', 'look', 'balance')
    with page_with('humanoid', solver='least_squares', tasks=list(tasks), root='floating',
                   left__link='left_palm', left__type='pose', right__link='right_palm',
                   right__type='position', look__link='gaze', look__type='look_at',
                   look__axis=[1.0, 0.0, 0.0], balance__type='center_of_mass',
                   balance__polygon=[0.12, -0.16, 0.12, 0.16, -0.08, 0.16, -0.08, -0.16],
                   root_pose=[0.0, 0.0, 0.97, 0.0, 0.0, 0.0]) as page:
        assert [name for name in tasks if page.handle(name)] == ['left', 'right', 'look']
        root = pose_from_rpy((0.0, 0.0, 0.97), (0.0, 0.0, 0.0))
        links = {name: root @ T for name, T in page.robot_view.tree.forward({}).items()}
        assert page.handle('left').T == pytest.approx(links['left_palm'], abs=1e-5)
        ahead = links['gaze'][:3, 3] + links['gaze'][:3, 0]
        assert page.handle('look').T[:3, 3] == pytest.approx(ahead, abs=1e-5)
        for name in ('Path', 'Workspace', 'position only', 'Branches', 'Steps', 'Null space'):
            assert not page.shows(name), name

        T = page.handle('left').T.copy()
        T[2, 3] += 0.02
        page.drag(T, 'left')
        assert page.node.sent[-1][1] == 'left'
        assert page.robot_view.pose('left_palm') == pytest.approx(T, abs=1e-4)
        assert f'left: {MET}' in page.text()
        T[2, 3] += 3.0
        page.drag(T, 'left')
        assert page.robot_view.status.color == '#d0342c'
        assert 'left: ' in page.text()
        page.press('Goal', 'Home')
        assert page.handle('left').T == pytest.approx(links['left_palm'], abs=1e-5)
        assert NO_GOAL in page.text()

        page.node.set(tasks=[*tasks, 'hips'], hips__link='pelvis', hips__type='position')
        page.settle()
        assert page.handle('hips').T[:3, 3] == pytest.approx([0.0, 0.0, 0.97], abs=1e-5)
        page.node.set(tasks=list(tasks))
        page.settle()
        assert page.handle('hips') is None
        assert not page.drawn('/ik_node/tasks/hips')


@pytest.mark.parametrize('name', ['chain', 'space'])
def test_parameters_that_arrive_while_a_picture_is_drawn_disturb_nothing(page, name):
    robot_view = page.robot_view
    while_it_draws = PropertyMock(side_effect=itertools.chain([getattr(robot_view, name)],
                                                              itertools.repeat(None)))
    for draw in (lambda: robot_view.is_placed, lambda: robot_view.reach,
                 lambda: robot_text(robot_view), page.view._update_tables):
        with patch.object(RobotView, name, while_it_draws):
            draw()


def test_the_handle_of_a_planar_arm_has_the_axes_that_it_can_serve():
    with page_with('planar_3r') as page:
        assert tuple(page.handle()._handle.active_axes) == (True, True, False)
        assert not page.handle()._handle.disable_rotations
    with page_with('arm_6r') as page:
        assert tuple(page.handle()._handle.active_axes) == (True, True, True)


def test_fit_view_shows_the_robot_and_a_handle_that_is_far_away(page):
    far = moved(page)
    far[1, 3] += 6.0
    page.drag(far)
    assert not page.browser.sees(far)
    buttons = next(widget for _, widget, _ in page.widgets()
                   if 'Fit view' in getattr(widget, 'options', ()))
    buttons._impl.value = 'Fit view'
    page._fire(buttons)
    assert page.browser.sees(far)
    assert page.browser.sees(page.robot_view.pose('tool0'))
    assert page.browser.sees(page.robot_view.pose('base_link'))


def test_a_robot_that_is_being_loaded_is_said_to_be(page):
    page.robot_view.parameters.switching = True
    page.update()
    assert 'loading the robot' in page.text()


def test_a_mesh_that_is_missing_has_a_stand_in():
    text = robots.robot(robots.joint('a', 'revolute', 'base', 'la', xyz='0 0 1',
                                     limit='lower="-1" upper="1"'))
    visual = '<visual><geometry><mesh filename="package://none/of.stl"/></geometry></visual>'
    with page_of(FakeNode(robot_description=text.replace(
            '<link name="base"/>', f'<link name="base">{visual}</link>'))) as page:
        assert 'none/of.stl' in page.text()
        assert [name for name in page.drawn('/ik_node/robot/') if '/base/stand_in' in name]

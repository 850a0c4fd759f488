"""The page's connection to a node, and its link to a player, over DDS within one process."""

import itertools
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

import robots
from domains import Domain
from harness.connection_rig import CHAIN, TREE, Listener, Spun
from harness.page_here import until
from ik_node import KinematicTree
from ik_node.mocap.playhead import Playhead
from ik_node.mocap.recording_files import read_recording
from ik_node.ros.clients import connection as module
from ik_node.ros.clients import heartbeat, player_link
from ik_node.ros.clients.connection import Connection, SilentError
from ik_node.ros.clients.player import Player
from ik_node.ros.clients.player_link import PlayerLink
from ik_node.ros.node import IkNode

FILE = robots.OWN / 'arm_6r.urdf'
BENT = np.array([0.4, 0.3, -0.8, 0.5, -0.9, 0.2])
MOTION = 'time,joint_1\n' + ''.join(f'{0.5 * k},{0.05 * k}\n' for k in range(41))  # 20 s


@pytest.fixture(scope='module')
def domain():
    made = Domain()
    yield made.id
    made.give_back()


@pytest.fixture(scope='module')
def graph(domain, tmp_path_factory):
    """A node and a player in this process."""
    file = tmp_path_factory.mktemp('motion') / 'motion.csv'
    file.write_text(MOTION)
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain, args=['--ros-args', '--log-level', 'fatal'],
               signal_handler_options=SignalHandlerOptions.NO)
    node = IkNode(context=context, parameter_overrides=[
        Parameter('urdf_path', value=str(FILE)), Parameter('publish_description', value=True)])
    player = Player(read_recording(file, TREE, None), Playhead(2.0, 18.0, 1.0, False, True),
                    rate=20.0, topic='recorded', description=False, context=context)
    other = rclpy.create_node('other', context=context)
    spun = Spun(context, node, player, other)
    node.start()
    yield SimpleNamespace(node=node, player=player, other=other, spun=spun)
    spun.close()
    for one in (node, player, other):
        one.destroy_node()


def answered(call):
    """Repeat a call until it is answered: a service may not know of its client yet."""
    def tried():
        try:
            call()
        except SilentError as error:
            return 'does not respond' not in str(error)
        return True
    assert until(tried)


@pytest.fixture(scope='module')
def listener():
    return Listener()


@pytest.fixture(scope='module')
def connected(domain, graph, listener):
    """A connection to the node, whose services know of it."""
    made = Connection(listener, domain_id=domain)
    assert until(lambda: made.responds)
    for call in (made.reset, made.branches, made.parameters,
                 lambda: made.set_parameters({'solver': 'dls'})):
        answered(call)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, '_PATIENCE', 60.0)
        yield made
    made.close()


@pytest.fixture
def link(connected, listener):
    """The connection; the node is in its start pose, without a goal."""
    connected.reset()
    listener.forget()
    assert until(lambda: np.allclose(listener.q(), 0.0))
    return connected


def test_goals_reach_the_node_and_joint_values_a_report_and_markers_come_back(link, listener):
    T = CHAIN.forward(BENT)
    link.send_goal(T)
    assert until(lambda: listener.reports)
    assert (listener.reports[-1].level, listener.reports[-1].values['reason']) == (0, 'CONVERGED')
    assert until(lambda: np.allclose(CHAIN.forward(listener.q()), T, atol=1e-5))
    assert until(lambda: any(marker.ns == 'goal' for message in listener.markers
                             for marker in message.markers))
    T[:3, 3] += [0.0, 0.02, 0.0]
    link.send_goal(T, position_only=True)
    assert until(lambda: len(listener.reports) == 2)
    assert listener.reports[-1].values['orientation_error'] == '0'
    T[:3, 3] += 9.0
    link.send_goal(T)
    assert until(lambda: len(listener.reports) == 3)
    assert listener.reports[-1].level == 2
    poses = [CHAIN.forward(BENT + step) for step in (0.0, 0.05)]
    link.send_path(poses)
    assert until(lambda: np.allclose(CHAIN.forward(listener.q()), poses[1], atol=1e-5))
    assert until(lambda: 'waypoint 2 of 2' in listener.reports[-1].message)


def test_parameters_are_described_set_together_and_their_changes_reported(link, listener):
    described = link.describe(['solver', 'dls.max_iterations', 'arms'])
    assert described['solver'].value == 'dls'
    assert 'ccd' in described['solver'].choices
    assert described['arms'].read_only
    assert set(link.parameters(['dls'])) < set(link.parameters())
    link.set_parameters({'solver': 'ccd', 'ccd.order': 'outward'})
    assert until(lambda: listener.parameters.get('solver') == 'ccd')
    assert link.describe(['ccd.order'])['ccd.order'].value == 'outward'
    with pytest.raises(SilentError, match=r'dls.max_step must be at least 0, not -1$'):
        link.set_parameters({'dls.max_step': -1.0})
    with pytest.raises(SilentError, match='solver must be one of'):
        link.set_parameters({'ccd.order': 'inward', 'solver': 'x'})
    assert link.describe(['ccd.order'])['ccd.order'].value == 'outward'
    link.set_parameters({'solver': 'dls', 'ccd.order': 'inward'})


def test_the_branches_are_those_of_the_last_goal_or_the_reason_is_reported(
        link, listener, monkeypatch):
    link.set_parameters({'solver': 'dls'})
    link.send_goal(CHAIN.forward(BENT))
    assert until(lambda: listener.reports)
    words, found = link.branches()
    assert 'inside the limits' in words
    assert min(np.abs(q - BENT).max() for q in found[CHAIN.joint_names]) < 1e-5
    monkeypatch.setattr(link, 'call', lambda call, what: SimpleNamespace(
        success=False, message='there is no goal yet'))
    with pytest.raises(SilentError, match='there is no goal yet'):
        link.branches()


def test_branches_that_are_not_published_are_missed(link, listener, monkeypatch):
    monkeypatch.setattr(link, '_branches_came', SimpleNamespace(
        clear=lambda: None, set=lambda: None, wait=lambda _: False))
    monkeypatch.setattr(link, 'call', lambda call, what: SimpleNamespace(success=True, message=''))
    with pytest.raises(SilentError, match='/ik_node has published no solutions'):
        link.branches()


def test_the_description_and_the_identity_of_the_node_are_known(link, listener):
    assert until(lambda: listener.texts)
    assert KinematicTree.from_urdf(listener.texts[-1]).links == TREE.links
    assert until(lambda: link.lifecycle == 'active')
    assert until(lambda: len(link.processes()) == 1)
    assert link.goal_topic() == '/goal_pose'
    assert link.goal_topic('left') == '/left/goal_pose'


def test_goals_of_tasks_are_sent_once_they_are_offered_and_the_root_may_move(link, listener):
    link.set_parameters({'tasks': ['hand'], 'solver': 'least_squares', 'root': 'planar'})
    try:
        link.set_parameters({'hand.type': 'position', 'hand.link': 'tool0'})
        link.offer_goals(['hand'])
        assert until(lambda: listener.roots)
        T = CHAIN.forward(np.full(6, 0.1))
        link.send_goal(T, 'hand', position_only=True)
        assert until(lambda: listener.reports)
        assert listener.reports[-1].values['task'] == 'hand'
        assert until(lambda: np.allclose(
            (listener.roots[-1] @ TREE.forward(listener.joints)['tool0'])[:3, 3], T[:3, 3],
            atol=1e-4))
    finally:
        link.set_parameters({'tasks': 'none', 'root': 'fixed', 'solver': 'dls'})


def test_a_goal_is_sent_once_the_node_can_receive_it(link, listener, monkeypatch):
    assert until(lambda: link.responds)
    answers, asked = iter([False, False, True]), []
    monkeypatch.setattr(link._topics.publisher(PoseStamped), 'get_subscription_count',
                        lambda: asked.append(next(answers)) or asked[-1])
    link.send_goal(CHAIN.forward(BENT))
    assert asked == [False, False, True]
    assert until(lambda: listener.reports)


def test_a_silent_node_is_noticed_and_requests_to_it_end(graph, link, monkeypatch):
    monkeypatch.setattr(heartbeat, '_SILENCE', 0.3)
    monkeypatch.setattr(heartbeat, '_OVERDUE', 0.1)
    graph.spun.halt()
    try:
        assert until(lambda: not link.responds)
        link._heartbeat.processes = frozenset()
        link._heartbeat.on_message()  # its topics are discovered first
        assert link.responds
        assert link.lifecycle == ''
        assert len(link.processes()) == 1  # whether it is another one is clear before any goal
        monkeypatch.setattr(module, '_PATIENCE', 0.05)
        with pytest.raises(SilentError, match='/ik_node does not respond: reset, for 0.05 s'):
            link.reset()
    finally:
        monkeypatch.undo()
        graph.spun.go_on()
    assert until(lambda: link.lifecycle == 'active')


def test_a_request_lasts_as_long_as_the_node_works_on_it(link, monkeypatch):
    assert until(lambda: link.lifecycle)
    monkeypatch.setattr(module, '_PATIENCE', 0.01)
    future, looks = Future(), iter(range(20))

    def responds(_):
        if next(looks, None) is None:
            future.set_result('done')
        return True
    monkeypatch.setattr(Connection, 'responds', property(responds))
    assert link.call(lambda: future, 'parameters', works=True) == 'done'


def test_a_request_to_a_process_that_is_replaced_ends_at_once(link, monkeypatch):
    assert until(lambda: link.lifecycle)
    found = itertools.chain([{b'1'}], itertools.repeat({b'1', b'2'}))
    monkeypatch.setattr(link, 'processes', lambda: next(found))
    with pytest.raises(SilentError, match='/ik_node was restarted before it responded: reset'):
        link.call(Future, 'reset')


def test_requests_wait_for_the_services_of_the_node(link, monkeypatch):
    known, asked = iter([False, False, *[True] * 9]), []
    monkeypatch.setattr(Connection, 'lifecycle', property(
        lambda _: asked.append(next(known)) or asked[-1]))
    assert link.describe(['solver'])['solver'].value
    assert asked[:3] == [False, False, True]


def test_markers_that_are_as_before_are_the_same_message(link, listener):
    assert until(lambda: len(listener.markers) > 4)
    before = listener.markers[-2:]
    assert before[0] is before[1]
    link.send_goal(CHAIN.forward(BENT + 0.1))
    assert until(lambda: any(marker.ns == 'goal' for marker in listener.markers[-1].markers))
    assert listener.markers[-1] != before[1]


def test_an_error_of_the_listener_does_not_end_the_connection(link, listener):
    raised = threading.Event()
    receive = link._listener.on_joints

    def fail(values):
        listener.on_joints = receive
        raised.set()
        raise ValueError('a defect')
    listener.on_joints = fail
    assert raised.wait(60.0)
    link.send_goal(CHAIN.forward(BENT))
    assert until(lambda: np.allclose(CHAIN.forward(listener.q()), CHAIN.forward(BENT), atol=1e-5))


def test_a_player_is_led_and_its_state_is_known(link, monkeypatch):
    told = threading.Event()
    player = PlayerLink(link, changed=told.set)
    assert told.wait(60.0)
    playback = player.playback
    assert (playback.start, playback.stop, playback.frames) == (2.0, 18.0, 41)
    assert playback.paused
    answered(lambda: player.set('time', 7.5))
    assert until(lambda: player.playback.time == 7.5 and player.playback.frame == 16)
    player.set('loop', True)
    assert until(lambda: player.playback.loop)
    with pytest.raises(SilentError, match='speed must be a number above 0'):
        player.set('speed', 0.0)
    answered(lambda: player.pause(False))
    assert until(lambda: player.playback.message == 'playing' and player.playback.time > 7.5)
    player.pause(True)
    assert until(lambda: player.playback.paused)
    monkeypatch.setattr(player_link, '_SILENCE', -1.0)
    assert player.playback is None


@pytest.mark.parametrize('values', [
    {}, {'time': 'x'}, {'time': 'nan', 'start': '0', 'stop': '1', 'frame': '1', 'frames': '2',
                        'speed': '1', 'loop': 'true', 'paused': 'true'}],
    ids=['none', 'no numbers', 'nan'])
def test_a_status_that_is_no_players_is_ignored(link, values):
    player = PlayerLink(link, 'nobody')
    player._on_status(DiagnosticStatus(values=[
        KeyValue(key=key, value=value) for key, value in values.items()]))
    assert player.playback is None

import gc
from types import SimpleNamespace

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState

import robots
from harness.node_here import running
from ik_node.ros import session
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.run import run

FILE = robots.OWN / 'planar_3r.urdf'
GOAL = robots.chain('planar_3r').forward([0.4, 0.5, 0.6])


def test_it_waits_where_autostart_is_false_and_goes_through_every_state():
    with running(urdf_path=FILE, autostart=False, ready=False) as node:
        states = node.listen(JointState, 'joint_states', 100)
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        assert node.state() == 'unconfigured'
        for _ in range(2):
            assert node.transition('configure')
            assert node.state() == 'inactive'
            node.spin(1.0)
            assert states == []  # configured, but silent
            assert node.transition('activate')
            node.ready()
            assert node.client.send(GOAL).met
            assert node.transition('deactivate')
            del states[:], statuses[:]
            node.publish(PoseStamped, 'goal_pose', PoseStamped(pose=matrix_to_pose(GOAL)))
            node.spin(1.0)
            assert (states, statuses) == ([], [])
            assert node.transition('cleanup')
            assert node.state() == 'unconfigured'
            assert node.node.count_subscribers('goal_pose') == 0
            assert node.node.count_publishers('joint_states') == 0
        assert not node.transition('activate')  # not from there
        assert node.transition('shutdown')
        assert node.state() == 'finalized'
        assert node.alive()


def test_goals_for_an_inactive_node_are_logged_once_until_it_has_been_active():
    words = 'goals are ignored: the node is inactive'
    goal = PoseStamped(pose=matrix_to_pose(GOAL))
    with running(urdf_path=FILE, autostart=False, ready=False) as node:
        assert node.transition('configure')
        for periods in (1, 2):
            for _ in range(5):
                node.publish(PoseStamped, 'goal_pose', goal)
            assert node.log().count(words) == periods
            assert node.transition('activate')
            assert node.transition('deactivate')


def test_configuring_fails_with_the_reason_and_can_be_tried_again():
    with running(urdf_path='/nowhere.urdf', autostart=False, ready=False) as node:
        assert not node.transition('configure')
        assert node.state() == 'unconfigured'
        assert 'cannot configure: cannot read' in node.log()
        assert node.set(urdf_path=str(FILE))[0]
        # Having failed, it takes a better parameter for a reason to try again only on its own.
        assert node.state() == 'unconfigured'
        assert node.transition('configure')
        assert node.transition('activate')
        assert node.ready().client.send(GOAL).met


def test_what_a_configuration_creates_is_destroyed_with_it():
    with running(urdf_path=FILE) as node:
        def kinds():
            subject = node.subject
            return [len(list(each)) for each in (
                subject.publishers, subject.subscriptions, subject.services, subject.timers)]
        configured, without = kinds(), []
        for _ in range(3):
            assert node.transition('deactivate')
            assert node.transition('cleanup')
            node.spin(1.0)
            without.append(kinds())
            assert node.transition('configure')
            assert node.transition('activate')
            assert kinds() == configured
        assert without[0] == without[1] == without[2]
        assert all(few < many for few, many in zip(without[0], configured))


def test_no_collection_goes_over_modules_which_are_frozen_with_the_first_robot_or_later(
        monkeypatch):
    done, modules = [], ['of the start']
    monkeypatch.setattr(session, 'sys', SimpleNamespace(modules=modules))
    monkeypatch.setattr(session, 'gc', SimpleNamespace(
        collect=lambda: done.append('collect'), freeze=lambda: done.append('freeze')))
    with running(urdf_path=FILE) as node:
        assert done == ['collect', 'freeze']
        for solver, step in (('auto', 'collect'), ('ccd', 'freeze'), ('dls', 'collect')):
            modules += ['imported late'] * (step == 'freeze')
            assert node.set(solver=solver) == (True, '')
            assert done.pop() == step
        assert done == ['collect', 'freeze']


def test_full_garbage_collections_are_rare_in_a_node():
    found = []
    thresholds = gc.get_threshold()

    def make():
        found.append(gc.get_threshold())
        raise RuntimeError('enough')
    try:
        with pytest.raises(RuntimeError, match='enough'):
            run(make, [])
    finally:
        gc.set_threshold(*thresholds)
    assert found == [(*thresholds[:2], 1000)]


def test_the_interpreter_collects_no_garbage_of_a_node_that_has_ended():
    gc.unfreeze()
    thresholds = gc.get_threshold()
    try:
        assert run(lambda: Node('brief'), [], start=lambda node: rclpy.try_shutdown()) == 0
        assert gc.get_freeze_count() > len(gc.get_objects())
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()

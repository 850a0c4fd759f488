"""The managed node: it starts itself, and can be led through its states."""

import signal

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

import robots
from ik_node import KinematicTree
from ik_node._jit import HAVE_NUMBA
from ik_node.ros.conversions import matrix_to_pose
from ros_harness import NodeUnderTest, running

FILE = robots.OWN / 'planar_3r.urdf'


@pytest.fixture(scope='module')
def chain():
    return KinematicTree.from_urdf(FILE).chain()


def test_it_starts_itself(chain):
    with running(urdf_path=FILE) as node:
        assert node.state() == 'active'
        assert node.client.send(chain.forward([0.4, 0.5, 0.6])).met


def test_it_waits_where_it_is_told_to_and_goes_through_every_state(chain):
    with NodeUnderTest('-p', f'urdf_path:={FILE}', '-p', 'autostart:=false') as node:
        states = node.listen(JointState, 'joint_states', 100)
        assert node.state() == 'unconfigured'
        for _ in range(2):
            assert node.transition('configure')
            assert node.state() == 'inactive'
            node.spin(0.3)
            assert states == []  # configured, but silent
            assert node.transition('activate')
            node.ready()
            assert node.client.send(chain.forward([0.4, 0.5, 0.6])).met
            assert node.transition('deactivate')
            node.spin(0.3)
            del states[:]
            with pytest.raises(TimeoutError):
                node.client.send(chain.forward([0.1, 0.5, 0.6]), timeout=0.5)
            assert states == []
            assert node.transition('cleanup')
            assert node.state() == 'unconfigured'
        assert not node.transition('activate')  # not from there
        assert node.transition('shutdown')
        assert node.state() == 'finalized'
        assert node.alive()


def test_configuring_fails_with_the_reason_and_can_be_tried_again(chain):
    with NodeUnderTest('-p', 'urdf_path:=/nowhere.urdf', '-p', 'autostart:=false') as node:
        assert not node.transition('configure')
        assert node.state() == 'unconfigured'
        assert 'cannot configure: cannot read' in node.log()
        assert node.set(urdf_path=str(FILE))[0]
        # Having failed, it takes a better parameter for a reason to try again only on its own.
        assert node.state() == 'unconfigured'
        assert node.transition('configure')
        assert node.transition('activate')
        assert node.ready().client.send(chain.forward([0.4, 0.5, 0.6])).met


@pytest.mark.skipif(not HAVE_NUMBA, reason='nothing is compiled without numba')
def test_while_it_compiles_it_publishes_and_the_newest_goal_waits(chain, tmp_path, monkeypatch):
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path))
    with running(urdf_path=FILE) as node:
        assert 'compiling dls: once after installing' in node.log()
        assert 'ready: ' not in node.log()
        for q in ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]):
            node.publish(PoseStamped, 'goal_pose', PoseStamped(
                pose=matrix_to_pose(chain.forward(q))))
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        assert node.until(lambda: statuses, 120.0), node.log()
        node.spin(0.5)
        assert len(statuses) == 1
        tip = chain.forward(list(node.joint_states()[0].position))
        assert tip == pytest.approx(chain.forward([0.4, 0.5, 0.6]), abs=2e-6)


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_told_to(how):
    with running(urdf_path=FILE) as node:
        assert node.stop(how) == 0
        assert 'Traceback' not in node.log()


def test_diagnostics_say_how_it_is_once_a_second(chain):
    with running(urdf_path=FILE) as node:
        health = node.listen(DiagnosticArray, '/diagnostics')
        node.client.send(chain.forward([0.4, 0.5, 0.6]))
        assert node.until(lambda: len(health) >= 3)
        stamps = [array.header.stamp.sec + 1e-9 * array.header.stamp.nanosec for array in health]
        assert stamps[2] - stamps[1] == pytest.approx(1.0, abs=0.2)
        values = {pair.key: pair.value for pair in health[-1].status[0].values}
        assert values['state'] == 'active'
        assert values['robot'] == 'planar_3r'
        assert values['solver'] == 'dls'
        assert (values['goals'], values['met'], values['refused']) == ('1', '1', '0')

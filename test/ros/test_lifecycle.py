"""The managed node: it starts itself, and can be led through its states."""

import fcntl
import signal

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

import robots
from ik_node import KinematicTree
from ik_node._jit import HAVE_NUMBA
from ik_node.ros.conversions import matrix_to_pose
from ros_harness import NodeUnderTest, running, seconds

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
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        assert node.state() == 'unconfigured'
        for _ in range(2):
            assert node.transition('configure')
            assert node.state() == 'inactive'
            node.settle()
            assert states == []  # configured, but silent
            assert node.transition('activate')
            node.ready()
            assert node.client.send(chain.forward([0.4, 0.5, 0.6])).met
            assert node.transition('deactivate')
            node.settle()
            del states[:], statuses[:]
            node.publish(PoseStamped, 'goal_pose', PoseStamped(
                pose=matrix_to_pose(chain.forward([0.1, 0.5, 0.6]))))
            node.settle()
            assert (states, statuses) == ([], [])
            assert node.transition('cleanup')
            assert node.state() == 'unconfigured'
        assert not node.transition('activate')  # not from there
        assert node.transition('shutdown')
        assert node.state() == 'finalized'
        assert node.alive()


def test_goals_for_an_inactive_node_are_logged_once_until_it_has_been_active(chain):
    words = 'goals are ignored: the node is inactive'
    goal = PoseStamped(pose=matrix_to_pose(chain.forward([0.4, 0.5, 0.6])))
    with NodeUnderTest('-p', f'urdf_path:={FILE}', '-p', 'autostart:=false') as node:
        assert node.transition('configure')
        publisher = node.node.create_publisher(PoseStamped, 'goal_pose', 10)
        assert node.until(lambda: publisher.get_subscription_count() > 0), node.log()
        for periods in (1, 2):
            for _ in range(5):
                publisher.publish(goal)
                # One answer of a service after each goal: it has been taken by then.
                assert node.state() == 'inactive'
            assert node.until(lambda: words in node.log())
            assert node.log().count(words) == periods
            assert node.transition('activate')
            assert node.transition('deactivate')


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
@pytest.mark.parametrize('solver', ['dls', 'analytic', 'optimization', 'ccd'])
def test_while_it_compiles_goals_are_answered_at_once(chain, tmp_path, monkeypatch, solver):
    # Those that compile little and much, that run scipy, and that need many iterations.
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path))
    with running(urdf_path=FILE, solver=solver) as node:
        assert 'kernels in the background, once after installing' in node.log()
        health = node.listen(DiagnosticArray, '/diagnostics')
        answer = node.client.send(chain.forward([0.3, 0.4, 0.5]))
        # Of these plain Python makes too few iterations in the time there is.
        assert answer.met or (solver in ('ccd', 'optimization')
                              and answer.values['reason'] == 'TIMEOUT'), answer
        far = chain.forward([0.3, 0.4, 0.5])
        far[2, 3] += 1.0  # out of the arm's plane: plain Python does not prove that in time
        for failure in ('hold', 'closest'):
            assert node.set(on_failure=failure)[0]
            answer = node.client.send(far)
            assert answer.values['reason'] in ('TIMEOUT', 'UNREACHABLE', 'LIMITS', 'SINGULAR')
            if answer.values['reason'] == 'TIMEOUT':
                assert 'the time ran out: the kernels are being compiled' in answer.message
        assert node.until(lambda: health)
        names = {pair.key: pair.value for pair in health[-1].status[0].values}
        if 'ready: ' not in node.log():
            assert names['compiling']
            assert 'kernels are being compiled' in health[-1].status[0].message
        assert node.stop(signal.SIGINT) == 0
    assert not list(tmp_path.rglob('compiler.lock')) or is_free(next(tmp_path.rglob('*.lock')))


def is_free(file):
    """Tell whether no compiler holds a lock."""
    with file.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


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
        stamps = [seconds(array.header.stamp) for array in health]
        assert stamps[2] - stamps[0] > 1.0  # no more often, though a busy machine may be late
        values = {pair.key: pair.value for pair in health[-1].status[0].values}
        assert values['state'] == 'active'
        assert values['robot'] == 'planar_3r'
        assert values['solver'] == 'dls'
        assert (values['goals'], values['met'], values['refused']) == ('1', '1', '0')

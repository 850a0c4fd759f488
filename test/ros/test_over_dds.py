"""What only processes over DDS show: messages in and out, late joiners, two nodes, signals.

Everything else of the node is tested in the process of its tests.
"""

import signal

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import robots
from harness.ros_harness import LATCHED, running, seconds
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from plain_kinematics import PlainRobot

ARM = robots.OWN / 'arm_6r.urdf'
Q = [0.3, 0.2, -0.6, 0.3, -0.8, 0.2]


@pytest.fixture(scope='module')
def node(tmp_path_factory):
    """A node that has its parameters from a file and from its command line."""
    file = tmp_path_factory.mktemp('parameters') / 'node.yaml'
    file.write_text('ik_node:\n  ros__parameters:\n    publish_rate: 50.0\n    solver: ccd\n')
    with running('--params-file', str(file), solver='dls', publish_description=True,
                 urdf_path=ARM) as node:
        yield node


@pytest.fixture(scope='module')
def chain():
    return robots.chain('arm_6r')


def test_parameters_come_from_a_file_and_from_the_command_line(node):
    assert node.get('publish_rate', 'solver', 'publish_description') == [50.0, 'dls', True]


def test_a_goal_comes_in_and_joint_states_that_meet_it_go_out(node, chain):
    goal = chain.forward(Q)
    answer = node.client.send(goal)
    assert answer.met, answer.message
    met = [answer.joints[name] for name in chain.joint_names]
    assert chain.forward(met) == pytest.approx(goal, abs=2e-6)
    states = node.joint_states(5)
    stamps = [seconds(state.header.stamp) for state in states]
    assert stamps == sorted(set(stamps))
    assert list(states[-1].position) == met


def test_what_is_latched_is_there_for_those_who_come_late(node):
    heard = node.listen(String, 'robot_description', LATCHED)
    assert node.until(lambda: heard), node.log()
    assert list(KinematicTree.from_urdf(heard[0].data).joints) == list(
        robots.tree('arm_6r').joints)


def test_a_parameter_of_an_unknown_type_is_refused(node):
    request = SetParameters.Request(parameters=[
        Parameter(name='solver', value=ParameterValue(type=200))])  # there is no such type
    result, = node.call(SetParameters, 'ik_node/set_parameters', request).results
    assert not result.successful
    assert '200' in result.reason
    assert node.set(solver='dls') == (True, '')
    assert node.process.poll() is None


def test_two_nodes_that_publish_the_same_joints_say_so_until_one_ends(node, chain):
    reports = node.listen(DiagnosticArray, '/diagnostics', 10)

    def warns():
        """Return whether the newest report of each node warns of the other, by its name."""
        return {report.status[0].name.split(':')[0]: 'other publisher' in report.status[0].message
                for report in reports}
    with running('-r', '__node:=second', '-p', f'urdf_path:={ARM}', ready=False,
                 domain=node._domain) as second:
        assert node.until(lambda: warns() == {'/ik_node': True, '/second': True}), (
            warns(), node.log(), second.log())
        assert node.client.send(chain.forward(Q)).met
        assert second.stop(signal.SIGTERM) == 0
        assert 'Traceback' not in second.log()
    assert node.until(lambda: not warns()['/ik_node']), (warns(), node.log())


def test_it_ends_cleanly_on_ctrl_c(node):
    states = node.listen(JointState, 'joint_states')
    assert node.until(lambda: states), node.log()
    before = node.log()
    assert node.stop(signal.SIGINT) == 0
    assert node.log() == before


@pytest.mark.slow  # two nodes, one after the other
def test_a_node_that_is_killed_is_followed_by_one_that_serves():
    tip = robots.chain('arm_6r').tip_link
    plain = PlainRobot(ARM.read_text(), tip)
    q = {name: lower + 0.4 * (upper - lower) for name, (lower, upper) in plain.limits.items()}
    goal = PoseStamped(pose=matrix_to_pose(plain.forward(q)))
    with running(urdf_path=ARM) as node:
        node.ready()
        states = node.listen(JointState, 'joint_states', 100)
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        publisher = node.node.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))

        def answered():
            publisher.publish(goal)
            return statuses
        assert node.until(answered), node.log()
        first = node.process.pid
        node.restart()
        del statuses[:], states[:]
        assert node.until(answered, 60.0), node.log()
        assert node.process.pid != first
        assert statuses[0].level == DiagnosticStatus.OK, statuses[0].message

        def there():  # each of the node's topics is discovered in its own time
            publisher.publish(goal)
            newest = dict(zip(states[-1].name, states[-1].position)) if states else {}
            return newest and plain.forward(newest) == pytest.approx(plain.forward(q), abs=1e-5)
        assert node.until(there, 60.0)
        assert [plain.faults(state.name, state.position) for state in states] == [''] * len(states)
        assert node.alive()

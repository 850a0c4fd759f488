"""What only processes over DDS show: messages in and out, late joiners, two nodes, signals.

Everything else of the node is tested in the process of its tests.
"""

import signal

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import robots
from ik_node import KinematicTree
from ros_harness import LATCHED, NodeUnderTest, seconds

ARM = robots.OWN / 'arm_6r.urdf'
Q = [0.3, 0.2, -0.6, 0.3, -0.8, 0.2]


@pytest.fixture(scope='module')
def node(tmp_path_factory):
    """A node that has its parameters from a file and from its command line."""
    file = tmp_path_factory.mktemp('parameters') / 'node.yaml'
    file.write_text('ik_node:\n  ros__parameters:\n    publish_rate: 50.0\n    solver: ccd\n')
    with NodeUnderTest('--params-file', str(file), '-p', 'solver:=dls', '-p',
                       'publish_description:=true', '-p', f'urdf_path:={ARM}') as node:
        yield node.ready()


@pytest.fixture(scope='module')
def chain():
    return KinematicTree.from_urdf(ARM).chain()


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
        KinematicTree.from_urdf(ARM).joints)


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
    with NodeUnderTest('-r', '__node:=second', '-p', f'urdf_path:={ARM}',
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

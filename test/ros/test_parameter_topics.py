"""Topics that parameters name: what cannot be one is refused, and the rest goes on."""

import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

import interface
import robots
from harness import node_here, ros_harness
from harness.node_here import running
from ik_node.ros.topics import own_topics

ARM = robots.OWN / 'arm_6r.urdf'
PARAMETERS = ('joint_states_topic', 'state_topic', 'trajectory_topic')
DEFAULTS = ['joint_states', '', '']
IMPOSSIBLE = ('no topic!', '1a', 'a//b', 'a/', '/', '{place}', 'a/~', 'x' * 300, 'é')
OF_THE_NODE = ('goal_pose', 'goal_joints', 'goal_path', 'robot_description', '~/status',
               '~/solutions', '~/root_pose', '~/update', '/ik_node/markers', '/diagnostics',
               '/parameter_events', '/rosout', '/tf_static', 'planning_scene')
GOAL = robots.chain('arm_6r').forward([0.4, -0.5, 0.7, 0.9, -0.3, -0.3])


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM) as node:
        yield node


@pytest.fixture(scope='module')
def other():
    """Return a node in the same process, which publishes text."""
    other = Node('other', context=node_here._context())
    other.create_publisher(String, 'text', 1)
    yield other
    other.destroy_node()


def endpoints(node):
    return {end.topic_name for end in (*node.subject.publishers, *node.subject.subscriptions)}


@pytest.mark.parametrize(('values', 'words'), [
    *(({name: topic}, f'{name} is not a valid topic name: ')
      for name in PARAMETERS for topic in IMPOSSIBLE),
    *(({name: topic}, f'{name} must not be {topic!r}: this node uses it already')
      for name in PARAMETERS for topic in OF_THE_NODE),
    *(({name: 'text'}, f"{name} must not be 'text': ") for name in PARAMETERS),
    *((dict(zip(PARAMETERS, ('text_1', 'text_2', 'text_3')), **{name: 'text'}), name)
      for name in PARAMETERS),
    ({'state_topic': 'joint_states'}, 'publishes its own joint states'),
    ({'state_topic': '/joint_states'}, 'publishes its own joint states'),
    ({'trajectory_topic': 'joint_states'}, 'publishes its own joint states'),
    ({'state_topic': 'a', 'trajectory_topic': 'a'}, 'reads the joint states of the robot'),
    ({'joint_states_topic': 'b', 'state_topic': '/b'}, 'publishes its own joint states')])
def test_a_name_that_cannot_be_used_is_refused_with_the_reason_and_nothing_changes(
        node, other, values, words):
    before = endpoints(node)
    accepted, reason = node.set(**values)
    assert not accepted
    assert words in reason
    assert node.get(*PARAMETERS) == DEFAULTS
    assert endpoints(node) == before


def test_a_topic_that_is_free_again_serves_another_parameter(node):
    for parameter in (*PARAMETERS, *PARAMETERS):
        assert node.set(**{parameter: 'free'}) == (True, ''), parameter
        assert '/free' in endpoints(node)
        assert node.set(**{parameter: DEFAULTS[PARAMETERS.index(parameter)]}) == (True, '')
        assert '/free' not in endpoints(node)
    assert node.client.send(GOAL).met


def test_tasks_whose_goals_would_have_a_topic_that_a_parameter_names_are_refused():
    with running(urdf_path=ARM, trajectory_topic='/hand/goal_pose') as node:
        accepted, reason = node.set(tasks=['hand'], solver='least_squares')
        assert not accepted
        assert "trajectory_topic must not be '/hand/goal_pose'" in reason
        assert node.set(tasks=['palm'], solver='least_squares') == (True, '')
        assert not node.set(trajectory_topic='palm/goal_point')[0]
        assert node.set(trajectory_topic='hand') == (True, '')


def test_each_arm_has_a_topic_and_that_of_one_is_no_goal_of_another():
    tips = {'left__base_link': 'torso', 'left__tip_link': 'left_gripper',
            'right__base_link': 'torso', 'right__tip_link': 'right_gripper'}
    with running(urdf_path=robots.path('baxter'), arms='[left, right]', motion='joint',
                 **tips) as node:
        assert node.set(left__trajectory_topic='motions', right__trajectory_topic='motions') == (
            True, '')
        accepted, reason = node.set(left__trajectory_topic='right/goal_joints')
        assert not accepted
        assert 'left.trajectory_topic' in reason
        assert node.get('left.trajectory_topic') == 'motions'


@pytest.mark.parametrize('values', [
    {'trajectory_topic': 'joint_states'}, {'trajectory_topic': '~/status'},
    {'state_topic': 'no topic!'}, {'state_topic': '/diagnostics'},
    {'joint_states_topic': 'goal_pose'}, {'joint_states_topic': 'a//b'}], ids=str)
def test_a_node_that_starts_with_such_a_topic_logs_it_and_uses_the_default(values):
    with running(urdf_path=ARM, **values) as node:
        (parameter, _), = values.items()
        default = DEFAULTS[PARAMETERS.index(parameter)]
        assert f'parameter {parameter}: ' in node.log()
        assert f'{default!r} is used instead' in node.log()
        assert node.get(parameter) == default
        assert node.client.send(GOAL).met
        assert not node.set(**values)[0]


def test_a_node_that_cannot_read_the_robot_sends_it_no_motions():
    with running(urdf_path=ARM, motion='joint', state_topic='1a', trajectory_topic='ok') as node:
        assert node.get('state_topic', 'trajectory_topic') == ['', '']
        assert 'motions would not begin where state_topic says' in node.log()
        assert node.set(state_topic='a1', trajectory_topic='ok') == (True, '')


def test_where_the_default_is_remapped_to_another_topic_of_the_node_there_is_none():
    with running('-r', 'joint_states:=goal_pose', '-p', f'urdf_path:={ARM}') as node:
        assert node.get('joint_states_topic') == ''
        assert 'joint_states_topic must not be' in node.log()
        assert node.set(joint_states_topic='states') == (True, '')
        states = node.listen(JointState, 'states')
        assert node.until(lambda: states)


def test_topics_that_were_set_before_there_is_a_robot_are_checked_with_it():
    with running(urdf_path=ARM, autostart=False, ready=False) as node:
        node.set(trajectory_topic='joint_states')
        assert node.transition('configure')
        assert node.get('trajectory_topic') == ''
        assert node.set(trajectory_topic='motions') == (True, '')
        assert node.transition('cleanup')
        assert '/motions' not in endpoints(node)
        assert node.transition('configure')
        assert '/motions' in endpoints(node)
    with running(trajectory_topic='no topic!') as node:
        assert not node.set(state_topic='1a')[0]
        node.send_description(ARM.read_text(encoding='utf-8'))
        assert node.client.send(GOAL).met


def test_joint_states_are_published_on_the_topic_that_is_named_and_on_no_other(node):
    own, named = (node.listen(JointState, topic) for topic in ('joint_states', '/arm/states'))
    assert node.set(joint_states_topic='/arm/states') == (True, '')
    assert '/joint_states' not in endpoints(node)
    own.clear(), named.clear()
    assert node.until(lambda: len(named) > 5)
    assert own == []
    assert node.set(joint_states_topic='') == (True, '')
    named.clear()
    assert node.reset().success
    node.spin(0.5)
    assert own == named == []
    assert node.set(joint_states_topic='joint_states') == (True, '')
    assert node.until(lambda: own)
    assert node.client.send(GOAL).met


def test_an_inactive_node_publishes_no_joint_states_on_a_topic_that_is_set():
    with running(urdf_path=ARM, autostart=False, ready=False) as node:
        states = node.listen(JointState, 'states')
        assert node.transition('configure')
        assert node.set(joint_states_topic='states') == (True, '')
        assert node.reset().success
        node.spin(0.5)
        assert states == []
        assert node.transition('activate')
        assert node.until(lambda: states)
        assert node.transition('deactivate')
        states.clear()
        node.spin(0.5)
        assert states == []


def test_without_joint_states_of_its_own_another_publisher_is_no_reason_to_warn():
    with running(urdf_path=ARM, joint_states_topic="''", state_topic='joint_states') as node:
        node.node.create_publisher(JointState, 'joint_states', 10)
        node.spin(2.5)
        assert 'other publisher' not in node.log()
        assert node.set(joint_states_topic='states') == (True, '')
        node.node.create_publisher(JointState, 'states', 10)
        assert node.until(lambda: '1 other publisher on /states' in node.log())


def test_the_parameter_service_responds_though_a_change_cannot_be_applied(node, monkeypatch):
    def fail(*_):
        raise RuntimeError('a defect')
    with monkeypatch.context() as patched:
        patched.setattr(type(node.subject._session._goals), 'update', fail)
        assert node.set(publish_rate=31.0) == (True, '')
    assert 'RuntimeError: a defect' in node.log()
    assert node.set(publish_rate=30.0) == (True, '')
    assert node.client.send(GOAL).met


def test_the_topics_that_no_parameter_may_name_are_those_of_the_docs():
    listed = {topic.name for topic in (*interface.GOALS, *interface.INPUTS, *interface.OUTPUTS)
              if not topic.name.startswith('[')} - {'joint_states'}
    own = set(own_topics(['']))
    assert listed <= own, f'ik_node/ros/topics.py has no {sorted(listed - own)}'


@pytest.mark.slow  # a node as a process
def test_over_dds_refused_topics_leave_the_parameter_service_responsive():
    with ros_harness.running(urdf_path=ARM, trajectory_topic='joint_states') as node:
        assert node.get('trajectory_topic') == ''
        for parameter, topic in zip(PARAMETERS, ('~/status', '/diagnostics', 'joint_states')):
            assert not node.set(**{parameter: topic})[0]
        motions = node.listen(JointTrajectory, 'free')
        assert node.set(trajectory_topic='free', motion='joint') == (True, '')
        assert node.client.send(GOAL).met
        assert node.until(lambda: motions)

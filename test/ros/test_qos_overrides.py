"""Parameters qos_overrides change the quality of service of the node's own topics."""

import pytest
from rclpy.qos import ReliabilityPolicy

import robots
from docs_blocks import BLOCKS
from harness.node_here import running
from interface import GOALS, INPUTS, OUTPUTS, SERVO

FULL = {'urdf_path': robots.OWN / 'arm_6r.urdf', 'publish_description': True,
        'state_topic': 'measured', 'output': 'trajectory', 'output_topic': 'motions',
        'interactive_marker': False}
NAMES = {'[state_topic]': 'measured', '[output_topic]': 'motions'}
# Those of rclpy, /diagnostics, which tools read as it is, and those of other robots.
LEFT_OUT = {'/parameter_events', '/rosout', '/clock', '/tf', '/tf_static', '/diagnostics',
            '/ik_node/transition_event'}

DEEP_GOAL = '-p', 'qos_overrides./goal_pose.subscription.depth:=7'


def overrides(kind, topics):
    """Return arguments that turn the reliability of topics around, with a depth of 7."""
    return [part for topic in topics for name in [
        '/' + NAMES.get(topic.name, topic.name).replace('~', 'ik_node')]
        for field, value in (('depth', 7),
                             ('reliability', 'best_effort' if topic.reliable else 'reliable'))
        for part in ('-p', f'qos_overrides.{name}.{kind}.{field}:={value}')]


def qualities(ends):
    return {end.topic_name: (end.qos_profile.depth, end.qos_profile.reliability)
            for end in ends if end.topic_name not in LEFT_OUT}


@pytest.mark.parametrize('parameters', [
    FULL, {**FULL, 'motion': 'servo'}, {'interactive_marker': False, 'root': 'floating'}])
def test_every_topic_of_the_node_has_the_quality_of_service_that_its_parameters_say(parameters):
    arguments = [*overrides('subscription', (*GOALS, *INPUTS, *SERVO)),
                 *overrides('publisher', OUTPUTS)]
    tables = {'/' + NAMES.get(one.name, one.name).replace('~', 'ik_node'): one.reliable
              for one in (*GOALS, *INPUTS, *SERVO, *OUTPUTS)}
    turned = {True: ReliabilityPolicy.BEST_EFFORT, False: ReliabilityPolicy.RELIABLE}
    with running(*arguments, ready=False, **parameters) as node:
        assert '[ERROR]' not in node.log()
        found = [*qualities(node.subject.publishers).items(),
                 *qualities(node.subject.subscriptions).items()]
        assert len(found) > 8
        for name, quality in found:
            assert quality == (7, turned[tables[name]]), name


def test_the_quality_of_service_of_another_node_and_of_a_configured_again_one_stays():
    with running(*DEEP_GOAL, **FULL) as node, running(**FULL) as other:
        assert qualities(node.subject.subscriptions)['/goal_pose'][0] == 7
        assert qualities(other.subject.subscriptions)['/goal_pose'] == (
            1, ReliabilityPolicy.RELIABLE)
        assert qualities(node.subject.subscriptions)['/goal_point'][0] == 1
        assert node.transition('deactivate')
        assert node.transition('cleanup')
        assert node.transition('configure')
        assert qualities(node.subject.subscriptions)['/goal_pose'][0] == 7


@pytest.mark.parametrize('value', ['fast', '3'])
def test_an_invalid_quality_of_service_is_an_error_and_the_node_stays_unconfigured(value):
    arguments = '-p', f'qos_overrides./goal_pose.subscription.reliability:={value}'
    with running(*arguments, ready=False, **FULL) as node:
        assert node.state() == 'unconfigured'
        assert 'cannot configure: ' in node.log()
        assert 'reliability' in node.log()


def test_a_topic_that_a_parameter_names_later_has_its_own():
    arguments = '-p', 'qos_overrides./later.publisher.depth:=7'
    with running(*arguments, **FULL) as node:
        assert node.set(joint_states_topic='later') == (True, '')
        assert qualities(node.subject.publishers)['/later'][0] == 7
        assert node.set(**{'qos_overrides./later.publisher.depth': 3})[0] is False


def test_the_parameters_of_the_page_have_the_effect_that_it_describes(tmp_path):
    (text,) = [text for page, language, text in BLOCKS
               if page == 'docs/topics.md' and language == 'yaml']
    (tmp_path / 'qos.yaml').write_text(text)
    with running('--params-file', tmp_path / 'qos.yaml', **FULL) as node:
        best = ReliabilityPolicy.BEST_EFFORT
        assert qualities(node.subject.subscriptions)['/goal_pose'] == (1, best)
        assert qualities(node.subject.publishers)['/ik_node/markers'] == (1, best)

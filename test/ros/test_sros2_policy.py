"""The policy for SROS 2 names what the node really has, and is valid to ROS's own schema."""

import time
from pathlib import Path

import pytest
import rclpy
from lxml import etree
from rclpy.signals import SignalHandlerOptions

from domains import Domain
from harness import node_here
from harness.node_here import running
from ik_node.ros.intake.planning_scene import TOPICS
from ik_node.ros.topics import COMMANDS, TIP

FILE = Path(__file__).parents[2] / 'config/sros2/ik_node.policy.xml'
SCHEMA = Path(__file__).parents[1] / 'schemas/sros2_policy.xsd'  # of sros2, as it stands there
ONLY_WITH_TF2 = {'/tf', '/tf_static'}
ONLY_WITH_INTERACTIVE_MARKERS = {f'/ik_node/{name}' for name in (
    'update', 'feedback', 'get_interactive_markers')}
ONLY_WITH_MOVEIT = {*(f'/ik_node/{name}' for name in (
    'compute_ik', 'switch_command_type', 'servo_status')),
    *(f'/{name}' for name in TOPICS.values())}
NOT_HERE = {'/rosout'}  # nodes in the tests' process publish no logs
ONLY_WHEN_ASKED = {
    'publish': {'/robot_description', '/ik_node/root_pose', '/ik_node/tip_pose'},
    'subscribe': {f'/ik_node/{name}' for kind, name in COMMANDS.items() if kind != TIP}}


@pytest.fixture(scope='module')
def policy():
    return etree.parse(FILE)


def allowed(policy, enclave, kind, rule):
    """Return the full names that an enclave's node is allowed."""
    profile = policy.find(f'enclaves/enclave[@path="{enclave}"]/profiles/profile')
    name = profile.get('node')
    texts = [element.text for group in profile.findall(f'{kind}s') if group.get(rule) == 'ALLOW'
             for element in group]
    assert len(texts) == len(set(texts))
    return {text.replace('~', f'/{name}') if text[0] == '~' else '/' + text.lstrip('/')
            for text in texts}


def test_it_is_valid(policy):
    # The schema takes the attribute xml:base from the net, for inclusions; this file has none.
    text = SCHEMA.read_bytes()
    start, end = text.index(b'<xs:import'), text.index(b'/>', text.index(b'<xs:import')) + 2
    text = (text[:start] + text[end:]).replace(b'<xs:attribute ref="xml:base" />', b'')
    etree.XMLSchema(etree.fromstring(text)).assertValid(policy)


@pytest.fixture
def alone(monkeypatch):
    """A domain in which no other test of this process has had a node of the same name."""
    context, domain = rclpy.Context(), Domain()
    rclpy.init(context=context, domain_id=domain.id, args=['--ros-args', '--disable-rosout-logs'],
               signal_handler_options=SignalHandlerOptions.NO)
    monkeypatch.setattr(node_here, '_context', lambda: context)
    yield
    context.try_shutdown()


def test_it_allows_what_the_node_has_and_nothing_else(policy, alone):
    with running() as here:  # by simulated time, and the robot by topic
        node = here.subject
        for kind, rule, found in (
                ('topic', 'publish', node.get_publisher_names_and_types_by_node),
                ('topic', 'subscribe', node.get_subscriber_names_and_types_by_node),
                ('service', 'reply', node.get_service_names_and_types_by_node)):
            wanted = allowed(policy, '/ik_node', kind, rule)
            always = (wanted - ONLY_WITH_TF2 - ONLY_WITH_INTERACTIVE_MARKERS - ONLY_WITH_MOVEIT
                      - NOT_HERE - ONLY_WHEN_ASKED.get(rule, set()))
            end = time.monotonic() + 60.0  # DDS knows of a node, or of its end, a little later
            real = {name for name, _ in found('ik_node', '/')}
            while not always <= real <= wanted and time.monotonic() < end:
                time.sleep(0.01)
                real = {name for name, _ in found('ik_node', '/')}
            assert always <= real <= wanted, (
                f'in {FILE.name} {rule} lacks {sorted(real - wanted)}; the node does not have '
                f'{sorted(always - real)}')


@pytest.mark.parametrize('enclave', ['/ik_node/client', '/ik_node/operator'])
def test_others_may_say_what_the_node_hears_and_hear_what_it_says(policy, enclave):
    ours = ('/rosout', '/parameter_events', '/clock')
    for kind, rule, other in (('topic', 'publish', 'subscribe'), ('topic', 'subscribe', 'publish'),
                              ('service', 'request', 'reply')):
        theirs = allowed(policy, enclave, kind, rule) - set(ours)
        assert theirs <= allowed(policy, '/ik_node', kind, other)
    assert not allowed(policy, '/ik_node/client', 'service', 'request')

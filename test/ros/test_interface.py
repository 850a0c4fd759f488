import contextlib
import importlib.util
from pathlib import Path

import pytest
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

import robots
from harness.node_here import NodeHere
from ik_node.ros.publishing.status import KEYS
from interface import GOALS, INPUTS, OUTPUTS, SERVICES, SERVO, TASK_GOALS

FIGURE = {'urdf_path': str(robots.OWN / 'arm_6r.urdf'), 'solver': 'least_squares',
          'root': 'floating', 'tasks': ['hand', 'gaze'], 'hand.type': 'pose', 'hand.link': 'tool0',
          'gaze.type': 'look_at', 'gaze.link': 'tool0', 'gaze.axis': [1.0, 0.0, 0.0]}
LIST = Path(__file__).with_name('interface.txt')
TOPICS_PAGE = Path(__file__).parents[2] / 'docs/topics.md'
# Every ROS 2 node has these, or tf2 brings them.
OTHERS = {'/parameter_events', '/rosout', '/clock', '/tf', '/tf_static'}
OTHER_SERVICES = ('parameter', 'state', 'transition', 'type_description')
OPTIONAL = ('compute_ik', 'switch_command_type')  # where moveit_msgs is installed


def here(entries):
    """Return the topics or services whose packages are installed."""
    return [one for one in entries if importlib.util.find_spec(one.kind.partition('/')[0])]


HERE, THERE = here(INPUTS), here(OUTPUTS)


@pytest.fixture(scope='module')
def nodes():
    """Nodes: one that has an arm and says all it can, one that waits, with tasks, with servo."""
    given = {'urdf_path': str(robots.OWN / 'arm_6r.urdf'), 'publish_description': True,
             'state_topic': 'measured', 'output': 'trajectory', 'output_topic': 'motions'}
    quiet = {'interactive_marker': False}  # what serves handles has topics of its own
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(NodeHere(namespace=name, parameter_overrides=[
            Parameter(name, value=value) for name, value in {**values, **quiet}.items()])).subject
            for name, values in (('full', given), ('waiting', {}), ('figure', FIGURE),
                                 ('servo', {'urdf_path': FIGURE['urdf_path'], 'motion': 'servo'}))]


def full_type(kind):
    """Return the name of a message's or service's class as ROS writes it."""
    package, group, _ = kind.__module__.split('.')
    return f'{package}/{group}/{kind.__name__}'


def real(node, ends):
    return {(end.topic_name, full_type(end.msg_type), end.qos_profile.depth,
             end.qos_profile.reliability == ReliabilityPolicy.RELIABLE,
             end.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL)
            for end in ends if end.topic_name not in OTHERS}


def table(node, topics):
    given = {'[state_topic]': 'measured', '[output_topic]': 'motions'}
    return {(node.resolve_topic_name(given.get(topic.name, topic.name)), topic.kind, topic.depth,
             topic.reliable, topic.latched) for topic in topics}


def test_it_publishes_what_the_table_says(nodes):
    full, waiting, figure, servo = nodes
    assert real(full, full.publishers) == table(
        full, [topic for topic in THERE if topic.name not in ('~/root_pose', '~/tip_pose')])
    assert table(servo, [topic for topic in THERE if topic.name == '~/tip_pose']) <= real(
        servo, servo.publishers)
    assert '~/root_pose' in [topic.name for topic in OUTPUTS]
    assert (figure.resolve_topic_name('~/root_pose'), 'geometry_msgs/msg/PoseStamped', 10, True,
            False) in real(figure, figure.publishers)
    always = [topic for topic in THERE
              if topic.name not in ('robot_description', '[output_topic]', '~/root_pose',
                                    '~/tip_pose')]
    assert real(waiting, waiting.publishers) == table(waiting, always)


def test_it_listens_to_what_the_table_says(nodes):
    full, waiting, figure, servo = nodes
    by_topic = [topic for topic in INPUTS if topic.name == 'robot_description']
    always = [topic for topic in HERE if 'moveit' in topic.kind
              or any(part in topic.name for part in ('obstacle', 'reachability'))]
    assert real(full, full.subscriptions) == table(
        full, [topic for topic in (*GOALS, *HERE) if topic not in by_topic])
    assert real(waiting, waiting.subscriptions) == table(waiting, [*GOALS, *by_topic, *always])
    pose, point = (topic._replace(name=topic.name.replace('[tasks]', task))
                   for topic, task in zip(TASK_GOALS, ('hand', 'gaze')))
    assert real(figure, figure.subscriptions) == table(figure, [*GOALS, *always, pose, point])
    assert real(servo, servo.subscriptions) == table(servo, [*GOALS, *always, *here(SERVO)])


def test_it_offers_the_services_of_the_table(nodes):
    node = nodes[0]
    found = {(service.srv_name, full_type(service.srv_type)) for service in node.services}
    own = {(name.rpartition('/')[2], kind) for name, kind in found
           if not any(word in name for word in OTHER_SERVICES)}
    assert own == {(service.name.removeprefix('~/'), service.kind) for service in here(SERVICES)}


def test_the_page_lists_every_key_of_a_status():
    text = TOPICS_PAGE.read_text(encoding='utf-8')
    for key in KEYS:
        assert f'| `{key}` |' in text


def lines(nodes):
    """Return the names and types of all topics, services and parameters, and the status keys."""
    found = {f'status {key}' for key in KEYS}
    for node in nodes:
        for kind, ends in (('publishes', real(node, node.publishers)),
                           ('takes', real(node, node.subscriptions))):
            found |= {f'{node.get_name()} {kind} {" ".join(map(str, end))}' for end in ends
                      if not end[1].startswith(('moveit', 'control'))}
        found |= {f'{node.get_name()} serves {service.srv_name} {full_type(service.srv_type)}'
                  for service in node.services
                  if not any(word in service.srv_name for word in (*OTHER_SERVICES, *OPTIONAL))}
        found |= {f'{node.get_name()} parameter {name} {parameter.type_.name}'
                  for name, parameter in node.get_parameters_by_prefix('').items()
                  if not name.startswith('qos_overrides.')}  # see test_qos_overrides.py
    return sorted(found)


def test_the_interface_is_the_one_that_users_rely_on(nodes):
    """A line that is removed or changed is a breaking change: it belongs into the changelog."""
    found, listed = set(lines(nodes)), set(LIST.read_text(encoding='utf-8').splitlines())
    assert found == listed, (
        f'in {LIST.name} add {sorted(found - listed)}, remove {sorted(listed - found)}')

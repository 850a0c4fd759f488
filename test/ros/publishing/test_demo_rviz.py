"""config/demo.rviz shows what the node really publishes, key by key."""

from pathlib import Path

import pytest
import yaml
from rclpy.qos import DurabilityPolicy, HistoryPolicy, ReliabilityPolicy
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

import robots
from harness.marker_checks import check_markers
from harness.node_here import running
from harness.ros_harness import pose
from ik_node.ros.publishing.workspace_markers import WorkspacePublisher

FILE = Path(__file__).parents[3] / 'config/demo.rviz'
TYPES = {'rviz_default_plugins/MarkerArray': MarkerArray, 'rviz_default_plugins/RobotModel': String}
# What RViz 14 itself writes of each display, beside Class, Name, Enabled and Value.
KEYS = {
    'rviz_default_plugins/Grid': {
        'Alpha', 'Cell Size', 'Color', 'Line Style', 'Normal Cell Count', 'Offset', 'Plane',
        'Plane Cell Count', 'Reference Frame'},
    'rviz_default_plugins/RobotModel': {
        'Alpha', 'Collision Enabled', 'Description File', 'Description Source',
        'Description Topic', 'Links', 'Mass Properties', 'TF Prefix', 'Update Interval',
        'Visual Enabled'},
    'rviz_default_plugins/MarkerArray': {'Namespaces', 'Topic'},
    'rviz_default_plugins/InteractiveMarkers': {
        'Enable Transparency', 'Interactive Markers Namespace', 'Show Axes', 'Show Descriptions',
        'Show Visual Aids'},
    'rviz_default_plugins/TF': {
        'Filter (blacklist)', 'Filter (whitelist)', 'Frame Timeout', 'Frames', 'Marker Scale',
        'Show Arrows', 'Show Axes', 'Show Names', 'Tree', 'Update Interval'}}


class NoKeyTwice(yaml.SafeLoader):
    """YAML takes the last of two equal keys, and says nothing."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep) for key, _ in node.value]
        assert len(keys) == len(set(keys)), keys
        return super().construct_mapping(node, deep)


@pytest.fixture(scope='module')
def manager():
    return yaml.load(FILE.read_text(), NoKeyTwice)['Visualization Manager']


@pytest.fixture(scope='module')
def displays(manager):
    return manager['Displays']


def test_displays_have_the_keys_of_their_class_and_names_of_their_own(displays):
    names = [display['Name'] for display in displays]
    assert names == ['Grid', 'Robot', 'Markers', 'Handles', 'Workspace', 'Frames']
    for display in displays:
        own = display.keys() - {'Class', 'Name', 'Enabled', 'Value'}
        assert own <= KEYS[display['Class']], display['Name']
        assert display['Enabled'] == display['Value']
    assert [display['Name'] for display in displays if not display['Enabled']] == ['Frames']


def test_the_handles_can_be_taken_hold_of(manager, displays):
    assert manager['Tools'][0]['Class'] == 'rviz_default_plugins/Interact'  # the tool at the start
    (handles,) = (d for d in displays if d['Class'] == 'rviz_default_plugins/InteractiveMarkers')
    assert handles['Interactive Markers Namespace'] == 'ik_node'  # the node's name: see service.py


def test_the_view_is_of_the_robot_the_launch_file_shows(manager, displays):
    tree = robots.tree('arm_6r')
    assert manager['Global Options']['Fixed Frame'] == tree.root
    assert manager['Transformation']['Current']['Class'] == 'rviz_default_plugins/TF'
    view = manager['Views']['Current']
    assert view['Target Frame'] == displays[0]['Reference Frame'] == '<Fixed Frame>'
    assert 0.0 < view['Near Clip Distance'] < view['Distance']
    assert 0.0 < view['Pitch'] < 1.57
    assert set(view['Focal Point']) == {'X', 'Y', 'Z'}


def test_every_topic_is_published_with_that_type_and_a_quality_that_fits(displays):
    with running(urdf_path=robots.OWN / 'arm_6r.urdf', publish_description=True) as node:
        workspace = WorkspacePublisher(MarkerArray(), context=node.subject.context)
        publishers = [*node.subject.publishers, *workspace.publishers]
        for display in displays:
            topic = display.get('Topic') or display.get('Description Topic')
            if topic is None:
                continue
            name = topic['Value']
            assert not name.startswith('/')  # a namespace moves RViz as well as the node
            (publisher,) = (one for one in publishers if one.topic_name == f'/{name}')
            assert publisher.msg_type is TYPES[display['Class']], name
            asked = (getattr(ReliabilityPolicy, topic['Reliability Policy'].upper()),
                     getattr(DurabilityPolicy,
                             topic['Durability Policy'].upper().replace(' ', '_')))
            given = (publisher.qos_profile.reliability, publisher.qos_profile.durability)
            assert asked == given, name
            assert getattr(HistoryPolicy, topic['History Policy'].upper().replace(' ', '_'))
            assert topic['Depth'] >= 1
        workspace.destroy_node()


def test_the_frames_of_the_markers_are_links_of_the_robot():
    tree = robots.tree('arm_6r')
    with running(urdf_path=robots.OWN / 'arm_6r.urdf', frame_prefix='left/', solver='auto',
                 show_branches=True) as node:
        heard = node.ready().listen(MarkerArray, 'ik_node/markers')
        node.client.send(tree.chain().forward([0.3, 0.2, -0.6, 0.3, -0.8, 0.2]))
        node.client.send(pose(9.0, 0.0))
        node.client.send(tree.chain().forward([0.4, 0.2, -0.6, 0.3, -0.8, 0.2]))
        assert node.until(lambda: heard and {m.ns for m in heard[-1].markers} == {
            'goal', 'trail', 'manipulability', 'limits', 'branches', 'status'}), node.log()
        for array in heard:
            check_markers(array, {f'left/{link}' for link in tree.links})

import numpy as np
import pytest

pytest.importorskip('interactive_markers',
                    reason='interactive_markers comes with a full ROS 2 install, not from PyPI')

from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from visualization_msgs.msg import InteractiveMarkerFeedback, InteractiveMarkerUpdate
from visualization_msgs.srv import GetInteractiveMarkers

import robots
from harness.bent_arm import ARM, CHAIN
from harness.marker_checks import check_pose
from harness.node_here import running
from harness.ros_harness import elapse, pose, seconds
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix

T = CHAIN.forward([0.3, 0.2, -0.6, 0.3, -0.8, 0.2])


class Viewer:
    """What RViz does with handles: keeps them as updates come, sends feedback."""

    def __init__(self, node, frame='base_link'):
        self.node, self.frame = node, frame
        self.states = node.listen(JointState, 'joint_states')
        self.updates = node.listen(InteractiveMarkerUpdate, 'ik_node/update', 100)

    def settle(self):
        """Wait while a new handle is another client's: the server thinks so for a second.

        By the server's own clock: that is how long joint states take to cover it.
        """
        elapse(self.node, self.states, 1.2)
        return self

    def handles(self):
        response = self.node.call(GetInteractiveMarkers, 'ik_node/get_interactive_markers',
                                  GetInteractiveMarkers.Request())
        for handle in response.markers:
            check_pose(handle.pose)
        return {handle.name: handle for handle in response.markers}

    def comes_to(self, T, name='tip'):
        """Wait until a handle is somewhere."""
        return self.node.until(lambda: np.allclose(
            pose_to_matrix(self.handles()[name].pose), T, atol=2e-6), 60.0)

    def ticked(self, name='tip'):
        return [entry.title[4:] for entry in self.handles()[name].menu_entries
                if entry.title.startswith('[x]')]

    def send(self, **fields):
        message = InteractiveMarkerFeedback(**{'client_id': 'test', 'marker_name': 'tip', **fields})
        message.header.frame_id = self.frame
        self.node.publish(InteractiveMarkerFeedback, 'ik_node/feedback', message)

    def drag(self, T, **fields):
        """Drag a handle somewhere; return the status of the goal."""
        return self.node.reports_of(lambda: self.send(
            event_type=InteractiveMarkerFeedback.POSE_UPDATE, pose=matrix_to_pose(T), **fields))[-1]

    def choose(self, title, name='tip'):
        (entry,) = (entry.id for entry in self.handles()[name].menu_entries
                    if entry.title.removeprefix('[ ] ').removeprefix('[x] ') == title)
        self.send(event_type=InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=entry,
                  marker_name=name)


@pytest.fixture(scope='module')
def viewer():
    with running(urdf_path=ARM, publish_rate=20.0) as node:
        yield Viewer(node).settle()


def test_dragging_moves_the_arm_and_a_goal_out_of_reach_leaves_the_handle_there(viewer):
    assert viewer.drag(T).values['goal_frame'] == 'base_link'
    assert viewer.node.until(lambda: np.allclose(viewer.node.tip(CHAIN), T, atol=2e-6))
    assert viewer.comes_to(T)
    far = pose(3.0, 1.0, 0.5)
    assert viewer.drag(far).level == 2
    assert viewer.comes_to(far)
    assert viewer.node.tip(CHAIN) == pytest.approx(T, abs=2e-6)


def test_it_goes_to_goals_by_topic_and_home_by_the_menu_and_on_reset(viewer):
    home = CHAIN.forward(CHAIN.neutral())
    for reset in (lambda: viewer.choose('Home'), viewer.node.reset):
        viewer.node.client.send(T)
        assert viewer.comes_to(T)
        reset()
        assert viewer.comes_to(home)


def test_it_follows_a_stream_of_goals_slowly_enough_for_a_slow_rviz(viewer):
    before, start = len(viewer.updates), seconds(viewer.states[-1].header.stamp)
    for k in range(60):
        there = CHAIN.forward([-0.4 + 0.01 * k, 0.1, -0.5, 0.3, -0.7, 0.2])
        viewer.node.publish(PoseStamped, 'goal_pose', PoseStamped(pose=matrix_to_pose(there)))
        elapse(viewer.node, viewer.states, 0.05)
    passed = seconds(viewer.states[-1].header.stamp) - start
    assert len(viewer.updates) - before == pytest.approx(5.0 * passed, abs=2.0)
    numbers = [update.seq_num for update in viewer.updates]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert viewer.comes_to(there)


def test_it_is_gone_while_the_node_is_not_active_or_it_is_not_wanted(viewer):
    node = viewer.node
    assert node.transition('deactivate')
    assert viewer.handles() == {}
    assert viewer.updates[-1].erases == ['tip']
    assert node.transition('activate')
    assert node.until(lambda: list(viewer.handles()) == ['tip'])
    assert node.set(interactive_marker=False) == (True, '')
    assert node.until(lambda: node.node.count_publishers('ik_node/update') == 0)
    assert node.set(interactive_marker=True) == (True, '')
    assert node.until(lambda: list(viewer.handles()) == ['tip'])


def test_each_task_has_a_handle_that_moves_its_target():
    tree = robots.tree('torso')
    with running(urdf_path=robots.OWN / 'torso.urdf', publish_rate=20.0, solver='least_squares',
                 tasks='[left, right]', left__type='pose', left__link='left_tool0',
                 right__type='position', right__link='right_tool0') as node:
        viewer = Viewer(node, tree.root).settle()
        assert {name: len(handle.controls) for name, handle in viewer.handles().items()} == {
            'left': 7, 'right': 4}
        there = pose_to_matrix(viewer.handles()['right'].pose)
        there[2, 3] -= 0.05
        status = viewer.drag(there, marker_name='right')
        assert (status.level, status.values['task']) == (0, 'right')
        viewer.choose('hierarchy', 'left')
        assert node.until(lambda: viewer.ticked('right') == ['hierarchy'], 60.0)
        assert node.set(tasks=['left']) == (True, '')
        assert node.until(lambda: list(viewer.handles()) == ['left'])

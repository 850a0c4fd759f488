"""The handles as interactive_markers serves them, on a running node."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')
pytest.importorskip('interactive_markers',
                    reason='interactive_markers comes with a full ROS 2 install, not from PyPI')

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import InteractiveMarkerFeedback, InteractiveMarkerUpdate
from visualization_msgs.srv import GetInteractiveMarkers

import robots
from ik_node import KinematicTree, body_solver_names, solver_names
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from marker_checks import check_pose
from node_here import NodeHere, running
from ros_harness import elapse, pose, seconds

ARM = robots.OWN / 'arm_6r.urdf'
CONFIGURATION = [0.3, 0.2, -0.6, 0.3, -0.8, 0.2]


class Viewer:
    """What RViz does with handles: keeps them as updates come, sends feedback."""

    def __init__(self, node, frame='base_link'):
        self.node, self.frame = node, frame
        self.statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        self.states = node.listen(JointState, 'joint_states')
        self.updates = node.listen(InteractiveMarkerUpdate, 'ik_node/update', 100)
        self._feedback = node.node.create_publisher(
            InteractiveMarkerFeedback, 'ik_node/feedback', 1)
        assert node.until(lambda: self._feedback.get_subscription_count() > 0), node.log()

    def settle(self):
        """Wait while a new handle is another client's: the server thinks so for a second.

        By the server's own clock: that is how long joint states take to cover it.
        """
        elapse(self.node, self.states, 1.2)
        return self

    def handles(self):
        """Return the handles there are, by name."""
        response = self.node.call(GetInteractiveMarkers, 'ik_node/get_interactive_markers',
                                  GetInteractiveMarkers.Request())
        for handle in response.markers:
            check_pose(handle.pose)
        return {handle.name: handle for handle in response.markers}

    def place(self, name='tip'):
        """Return where a handle is (4, 4)."""
        return pose_to_matrix(self.handles()[name].pose)

    def comes_to(self, T, name='tip'):
        """Wait until a handle is somewhere."""
        return self.node.until(lambda: np.allclose(self.place(name), T, atol=2e-6), 60.0)

    def ticked(self, name='tip'):
        """Return the titles with a tick."""
        return [entry.title[4:] for entry in self.handles()[name].menu_entries
                if entry.title.startswith('[x]')]

    def send(self, **fields):
        """Send feedback of a handle."""
        message = InteractiveMarkerFeedback(**{'client_id': 'test', 'marker_name': 'tip', **fields})
        message.header.frame_id = self.frame
        self._feedback.publish(message)

    def drag(self, T, **fields):
        """Drag a handle somewhere; return the status that comes of it."""
        seen = len(self.statuses)
        self.send(event_type=InteractiveMarkerFeedback.POSE_UPDATE, pose=matrix_to_pose(T),
                  **fields)
        assert self.node.until(lambda: len(self.statuses) > seen), self.node.log()
        return self.statuses[seen]

    def choose(self, title, name='tip'):
        """Choose the entry of the menu with a title."""
        (entry,) = (entry.id for entry in self.handles()[name].menu_entries
                    if entry.title.removeprefix('[ ] ').removeprefix('[x] ') == title)
        self.send(event_type=InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=entry,
                  marker_name=name)

    def tip(self, chain):
        """Return where the tip is by the last joint states (4, 4)."""
        state = self.joint_values()
        return chain.forward([state[name] for name in chain.joint_names])

    def link(self, tree, name):
        """Return where a link is by the last joint states (4, 4)."""
        return tree.forward(self.joint_values())[name]

    def joint_values(self):
        return dict(zip(self.states[-1].name, self.states[-1].position))


@pytest.fixture(scope='module')
def chain():
    return KinematicTree.from_urdf(ARM).chain()


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM, publish_rate=20.0) as running_node:
        yield running_node.ready()


@pytest.fixture(scope='module')
def viewer(node):
    return Viewer(node).settle()


def test_dragging_moves_the_arm_as_a_goal_does(viewer, chain):
    T = chain.forward(CONFIGURATION)
    status = viewer.drag(T)
    assert status.level == DiagnosticStatus.OK
    assert {pair.key: pair.value for pair in status.values}['goal_frame'] == 'base_link'
    assert viewer.node.until(lambda: np.allclose(viewer.tip(chain), T, atol=2e-6))
    assert viewer.comes_to(T)


def test_a_goal_out_of_reach_is_refused_and_the_handle_stays_there(viewer, chain):
    viewer.drag(chain.forward(CONFIGURATION))
    before = viewer.tip(chain)
    far = pose(3.0, 1.0, 0.5)
    assert viewer.drag(far).level == DiagnosticStatus.ERROR
    viewer.node.settle()
    assert viewer.place() == pytest.approx(far)
    assert viewer.tip(chain) == pytest.approx(before, abs=1e-9)
    assert viewer.node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False)).success
    try:
        assert 'disabled' in viewer.drag(chain.forward(CONFIGURATION)).message
    finally:
        assert viewer.node.call(SetBool, 'ik_node/enable', SetBool.Request(data=True)).success


def test_it_goes_to_goals_by_topic_and_home_on_reset(viewer, chain):
    viewer.drag(chain.forward(CONFIGURATION))
    T = chain.forward([-0.4, 0.1, -0.5, 0.3, -0.7, 0.2])
    viewer.node.client.send(T)
    assert viewer.comes_to(T)
    assert viewer.node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    assert viewer.comes_to(chain.forward(chain.neutral()))


def test_it_follows_a_stream_of_goals_slowly_enough_for_a_slow_rviz(viewer, chain):
    before, start = len(viewer.updates), seconds(viewer.states[-1].header.stamp)
    for k in range(60):
        T = chain.forward([-0.4 + 0.01 * k, 0.1, -0.5, 0.3, -0.7, 0.2])
        viewer.node.publish(PoseStamped, 'goal_pose', PoseStamped(pose=matrix_to_pose(T)))
        elapse(viewer.node, viewer.states, 0.05)
    passed = seconds(viewer.states[-1].header.stamp) - start
    assert len(viewer.updates) - before == pytest.approx(5.0 * passed, abs=2.0)
    numbers = [update.seq_num for update in viewer.updates]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert viewer.comes_to(T)


def test_home_is_a_reset(viewer, chain):
    viewer.drag(chain.forward(CONFIGURATION))
    viewer.choose('Home')
    home = chain.forward(chain.neutral())
    assert viewer.comes_to(home)
    assert viewer.node.until(lambda: np.allclose(viewer.tip(chain), home, atol=1e-9))


def test_every_solver_can_be_chosen_and_is_ticked(viewer, chain):
    try:
        for name in sorted({*solver_names()} - {'example'}):  # which needs a file
            viewer.choose(name)
            assert viewer.node.until(lambda name=name: viewer.node.get('solver') == name, 60.0)
            assert viewer.node.until(lambda name=name: viewer.ticked() == [name], 60.0)
    finally:
        assert viewer.node.set(solver='dls') == (True, '')
    assert viewer.node.until(lambda: viewer.ticked() == ['dls'])  # set from outside, too
    assert 'Traceback' not in viewer.node.log()


def test_position_only_leaves_the_orientation_free(viewer, chain):
    viewer.choose('Position only')
    assert viewer.node.until(lambda: 'Position only' in viewer.ticked())
    T = chain.forward(CONFIGURATION)
    turned = T @ pose(0.0, 0.0, yaw=2.5)  # which, with the orientation, is another configuration
    try:
        assert viewer.drag(turned).level == DiagnosticStatus.OK
        assert viewer.node.until(
            lambda: np.allclose(viewer.tip(chain)[:3, 3], T[:3, 3], atol=2e-6))
        assert not np.allclose(viewer.tip(chain)[:3, :3], turned[:3, :3], atol=1e-2)
    finally:
        viewer.choose('Position only')
    assert viewer.node.until(lambda: 'Position only' not in viewer.ticked())


def test_it_is_gone_while_the_node_is_not_active_or_it_is_not_wanted(viewer, chain):
    node = viewer.node
    assert node.transition('deactivate')
    assert viewer.handles() == {}
    assert viewer.updates[-1].erases == ['tip']
    assert node.transition('activate')
    assert node.until(lambda: list(viewer.handles()) == ['tip'])
    assert node.set(interactive_marker=False) == (True, '')
    assert node.until(lambda: node.node.count_publishers('ik_node/update') == 0)
    assert viewer.updates[-1].erases == ['tip']
    assert node.set(interactive_marker=True) == (True, '')
    assert node.until(lambda: list(viewer.handles()) == ['tip'])
    assert node.set(frame_prefix='p/') == (True, '')
    assert viewer.settle().handles()['tip'].header.frame_id == 'p/base_link'
    viewer.frame = 'p/base_link'
    assert viewer.drag(chain.forward(CONFIGURATION)).level == DiagnosticStatus.OK
    assert node.set(frame_prefix='') == (True, '')
    viewer.frame = 'base_link'


def test_bad_feedback_does_no_harm(viewer, chain):
    viewer.drag(chain.forward(CONFIGURATION))
    bad = matrix_to_pose(chain.forward(CONFIGURATION))
    bad.position.x = float('nan')
    seen = len(viewer.statuses)
    viewer.send(event_type=InteractiveMarkerFeedback.POSE_UPDATE, pose=bad)
    assert viewer.node.until(lambda: len(viewer.statuses) > seen)
    assert viewer.place() == pytest.approx(chain.forward(CONFIGURATION))
    viewer.send(event_type=InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=4711)
    viewer.send(event_type=InteractiveMarkerFeedback.MENU_SELECT, marker_name='nobody')
    assert viewer.drag(chain.forward(CONFIGURATION)).level == DiagnosticStatus.OK
    assert viewer.node.alive()


def test_without_the_parameter_there_are_none_from_the_start():
    with running(urdf_path=ARM, interactive_marker=False) as node:
        assert node.node.count_publishers('ik_node/update') == 0
        assert node.node.count_subscribers('ik_node/feedback') == 0


def test_other_robots_have_handles_of_their_own():
    with NodeHere('-p', 'task_weights:=auto') as node:
        node.send_description(ARM.read_text())
        viewer = Viewer(node.ready())
        assert node.until(lambda: list(viewer.handles()) == ['tip'])
        assert len(viewer.handles()['tip'].controls) == 7
        node.send_description((robots.OWN / 'planar_3r.urdf').read_text())
        assert node.until(lambda: len(viewer.handles()['tip'].controls) == 4), node.log()
        chain = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()
        T = chain.forward([0.3, 0.4, 0.5])
        assert viewer.settle().comes_to(chain.forward(chain.neutral()))
        assert viewer.drag(T).level == DiagnosticStatus.OK


def test_several_arms_have_a_handle_each():
    torso = robots.OWN / 'torso.urdf'
    ends = [f'{side}.{end}:={link}' for side in ('left', 'right')
            for end, link in (('base_link', 'torso_link'), ('tip_link', f'{side}_tool0'))]
    with NodeHere('-p', f'urdf_path:={torso}', '-p', 'arms:=[left, right]',
                       *(part for end in ends for part in ('-p', end))) as node:
        viewer = Viewer(node.ready(), 'torso_link').settle()
        assert sorted(viewer.handles()) == ['left', 'right']
        chain = KinematicTree.from_urdf(torso).chain('torso_link', 'right_tool0')
        T = chain.forward([0.2] * 7)
        status = viewer.drag(T, marker_name='right')
        assert {pair.key: pair.value for pair in status.values}['arm'] == 'right'
        assert node.until(lambda: np.allclose(viewer.tip(chain), T, atol=2e-6))
        viewer.choose('ccd', 'right')
        assert node.until(lambda: viewer.ticked('right') == ['ccd'], 60.0)
        assert node.get('left.solver', 'right.solver') == ['dls', 'ccd']
        assert viewer.ticked('left') == ['dls']


def test_each_task_has_a_handle_that_moves_its_target():
    tree = KinematicTree.from_urdf(robots.OWN / 'torso.urdf')
    names = {'left': 'pose', 'right': 'position'}
    fields = [f'{side}.{field}:={value}' for side, kind in names.items()
              for field, value in (('type', kind), ('link', f'{side}_tool0'))]
    with NodeHere('-p', f'urdf_path:={robots.OWN / "torso.urdf"}', '-p', 'publish_rate:=20.0',
                       '-p', 'solver:=least_squares', '-p', 'tasks:=[left, right]',
                       *(part for field in fields for part in ('-p', field))) as node:
        viewer = Viewer(node.ready(), tree.root).settle()
        handles = viewer.handles()
        assert {name: len(handle.controls) for name, handle in handles.items()} == {
            'left': 7, 'right': 4}
        assert {handle.header.frame_id for handle in handles.values()} == {tree.root}
        home = viewer.place('right')
        T = home.copy()
        T[2, 3] -= 0.05
        status = viewer.drag(T, marker_name='right')
        assert status.level == DiagnosticStatus.OK, status
        assert {pair.key: pair.value for pair in status.values}['task'] == 'right'
        assert node.until(lambda: np.allclose(
            viewer.link(tree, 'right_tool0')[:3, 3], T[:3, 3], atol=2e-6))
        far = pose(9.0, 0.0, 1.0)
        assert viewer.drag(far, marker_name='left').level == DiagnosticStatus.ERROR
        node.settle()
        assert viewer.place('left') == pytest.approx(far)
        viewer.choose('hierarchy', 'left')
        assert node.until(lambda: viewer.ticked('left') == ['hierarchy'], 60.0)
        assert viewer.ticked('right') == ['hierarchy']
        assert set(body_solver_names()) <= {
            entry.title[4:] for entry in viewer.handles()['left'].menu_entries}
        assert viewer.place('left') == pytest.approx(far)
        assert node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
        assert viewer.comes_to(home, 'right')
        assert node.set(tasks=['left']) == (True, '')
        assert node.until(lambda: list(viewer.handles()) == ['left'])

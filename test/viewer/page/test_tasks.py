"""The page of a node with several tasks: a handle for each, dragged in a real browser."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from geometry_msgs.msg import PointStamped, PoseStamped
from sensor_msgs.msg import JointState

import robots
from browser import (
    arrow_length,
    choose,
    close_folder,
    drag_handle,
    drawn,
    first_picture,
    in_red,
    open_folder,
    open_tab,
    page_of,
    pixel,
    press_home,
    until,
    view_of,
)
from ik_node import KinematicTree
from ik_node.ros.conversions import pose_to_matrix
from page_here import panel_of
from ros_harness import running

pytestmark = pytest.mark.slow

TREE = KinematicTree.from_urdf(robots.OWN / 'humanoid.urdf')
TASKS = {
    'left__type': 'pose', 'left__link': 'left_palm',
    'right__type': 'position', 'right__link': 'right_palm',
    'left_foot__type': 'pose', 'left_foot__link': 'left_sole', 'left_foot__priority': 0,
    'right_foot__type': 'pose', 'right_foot__link': 'right_sole', 'right_foot__priority': 0,
    'look__type': 'look_at', 'look__link': 'gaze', 'look__axis': '[1.0, 0.0, 0.0]',
    'balance__type': 'center_of_mass', 'balance__polygon':
        '[0.12, -0.16, 0.12, 0.16, -0.08, 0.16, -0.08, -0.16]'}
NAMES = ['left', 'right', 'left_foot', 'right_foot', 'look', 'balance']
MOVED = ['left', 'right', 'left_foot', 'right_foot', 'look']  # those whose targets can be dragged
FEET = ('left_sole', 'right_sole')


class Seen:
    """A node with tasks, the view of it, and the page of that."""

    def __init__(self, node, server, view, robot_view, page, said):
        self.node, self.server, self.view, self.robot_view = node, server, view, robot_view
        self.page, self.said = page, said
        self.joints = node.listen(JointState, 'joint_states')
        self.roots = node.listen(PoseStamped, 'ik_node/root_pose')

    def gizmo(self, task):
        return self.view.page.handles.named(task)

    def names(self):
        """Return the tasks that have a handle."""
        return [target.name for target in self.view.page.handles._gizmos]

    def frames(self):
        """Return the pose of every link in the world, as the node publishes it now."""
        self.joints.clear()
        self.roots.clear()

        def pair():
            roots = {text(root): root for root in self.roots}
            return next(((message, roots[text(message)]) for message in reversed(self.joints)
                         if text(message) in roots), None)
        assert self.node.until(lambda: pair() is not None), self.node.log()
        message, root = pair()
        return {link: pose_to_matrix(root.pose) @ T for link, T in TREE.forward(
            dict(zip(message.name, message.position))).items()}

    def raise_by(self, task, height):
        """Drag a handle by its vertical arrow."""
        client = next(iter(self.server.get_clients().values()))
        arrow = arrow_length(self.page, self.view, task)

        def ends():
            T = self.gizmo(task).T
            return [pixel(self.page, client, T[:3, 3] + far * T[:3, 2])
                    for far in (arrow, arrow + height)]
        drag_handle(self.page, self.view, ends, task)

    def home(self):
        press_home(self.page, self.view)
        start = {link: ROOT @ T for link, T in TREE.forward({}).items()}
        assert until(lambda: np.allclose(self.frames()['left_palm'], start['left_palm'], atol=1e-4)
                     and np.allclose(self.gizmo('left').T, start['left_palm'], atol=1e-4)
                     and np.allclose(self.gizmo('right').T[:3, 3], start['right_palm'][:3, 3],
                                     atol=1e-4), 60, self.page)

    def says(self, words):
        return until(lambda: words in self.page.inner_text('body'), 60, self.page)


ROOT = np.eye(4)
ROOT[2, 3] = 0.97


def text(message):
    return message.header.stamp.sec, message.header.stamp.nanosec


@pytest.fixture(scope='module')
def seen():
    with (running(urdf_path=robots.OWN / 'humanoid.urdf', solver='least_squares', root='floating',
                  root_pose='[0.0, 0.0, 0.97, 0.0, 0.0, 0.0]', tasks=f'[{", ".join(NAMES)}]',
                  **TASKS) as node,
          view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, said)):
        node.ready()
        assert until(lambda: view.page.handles.named('look') is not None, 60, page)
        first_picture(page, view)
        yield Seen(node, server, view, robot_view, page, said)


def test_every_target_that_can_be_moved_has_a_handle_at_its_place(seen):
    assert seen.names() == MOVED
    links = seen.frames()
    for task, link in (('left', 'left_palm'), ('left_foot', 'left_sole')):
        assert seen.gizmo(task).T == pytest.approx(links[link], abs=1e-4)
    ahead = links['gaze'][:3, 3] + links['gaze'][:3, 0]
    assert seen.gizmo('look').T[:3, 3] == pytest.approx(ahead, abs=1e-4)

    def misplaced():
        shown = {name.rsplit('/', 1)[-1]: T for name, T in drawn(seen.page).items()}
        return [link for link in ('pelvis', 'left_palm', 'right_sole')
                if np.abs(shown[link] - links[link]).max() > 1e-4]
    assert until(lambda: not misplaced(), 60, seen.page), misplaced()


def test_two_handles_are_dragged_and_both_targets_are_met_while_the_feet_stay(seen):
    start = seen.frames()
    seen.raise_by('left', 0.12)
    assert seen.says('left: reached')
    seen.raise_by('right', 0.2)
    assert seen.says('right: reached')
    left, right = seen.gizmo('left'), seen.gizmo('right')
    assert until(lambda: np.allclose(seen.frames()['right_palm'][:3, 3], right.T[:3, 3],
                                     atol=1e-4), 60, seen.page)
    links = seen.frames()
    assert links['left_palm'] == pytest.approx(left.T, abs=1e-4)
    for link, height in (('left_palm', 0.05), ('right_palm', 0.05)):
        assert links[link][2, 3] - start[link][2, 3] > height
    for link in FEET:
        assert links[link] == pytest.approx(start[link], abs=1e-5)


def test_home_releases_all_handles(seen):
    seen.raise_by('left', 0.12)
    seen.home()
    assert seen.says('no goal yet')
    assert not any(gizmo.is_dragged for gizmo in seen.view.page.handles._gizmos.values())


def test_a_target_that_others_move_takes_its_handle_along(seen):
    seen.home()
    goal = seen.gizmo('right').T[:3, 3] + [0.1, 0.0, 0.1]
    message = PointStamped()
    message.point.x, message.point.y, message.point.z = map(float, goal)
    seen.node.publish(PointStamped, 'right/goal_point', message)
    assert until(lambda: np.allclose(seen.gizmo('right').T[:3, 3], goal, atol=1e-4), 60, seen.page)


def test_a_goal_out_of_reach_is_red_and_names_its_task(seen):
    seen.home()
    seen.raise_by('left', 2.0)

    def told():
        report = seen.robot_view.reports[-1]  # of the last goal of the drag in the end
        return (report.level == 2 and "'left' misses by" in report.message
                and in_red(seen.page, 'left: not reached: '))
    assert until(told, 60, seen.page), seen.robot_view.reports[-1]


def test_a_task_that_is_added_gets_a_handle_and_one_that_is_removed_loses_it(seen):
    seen.home()
    assert seen.node.set(tasks=[*NAMES, 'hips']) == (True, '')
    assert seen.node.set(hips__link='pelvis', hips__type='position') == (True, '')
    try:
        assert until(lambda: 'hips' in seen.names(), 60, seen.page)
        assert until(lambda: any(name.startswith('/ik_node/tasks/hips')
                         for name in drawn(seen.page)), 60,
                     seen.page)
        seen.raise_by('hips', -0.12)
        assert until(lambda: np.allclose(
            seen.frames()['pelvis'][:3, 3], seen.gizmo('hips').T[:3, 3], atol=1e-4), 60,
            seen.page)
    finally:
        assert seen.node.set(tasks=NAMES) == (True, '')
    assert until(lambda: seen.names() == MOVED, 60, seen.page)
    assert until(lambda: not any(name.startswith('/ik_node/tasks/hips')
                         for name in drawn(seen.page)), 60,
                 seen.page)


def test_there_is_a_slider_for_every_joint_and_no_panel_of_an_arm(seen):
    page = seen.page
    for name in ('Path', 'Workspace', 'position only'):
        assert not page.get_by_text(name, exact=True).filter(visible=True).count(), name
    open_tab(page, 'Move')
    open_folder(page, 'Joints', page.get_by_role('slider'))
    assert until(lambda: page.get_by_role('slider').count() == 32, 60, page)
    slider, name = page.get_by_role('slider').first, seen.robot_view.space.joint_names[0]
    before = seen.robot_view.values[name]
    slider.focus()
    for _ in range(5):
        slider.press('ArrowRight')
    assert until(lambda: seen.robot_view.values[name] > before + 2e-3, 60, page)
    assert until(lambda: seen.node.get('start_pose') == 'none', 60, page)
    close_folder(page, 'Joints', slider)


def test_the_solver_is_one_of_the_body_and_has_its_options(seen):
    panel = panel_of(seen.view, 'Solver')
    assert until(lambda: panel._widgets['solver'].widget.options == (
        'genetic', 'optimization', 'hierarchy', 'lagrange', 'least_squares'), 60, seen.page)
    open_tab(seen.page, 'Solver')
    choose(seen.page, 'solver', 'lagrange')
    assert until(lambda: seen.node.get('solver') == 'lagrange', 60, seen.page)
    assert until(lambda: panel._draft and 'lagrange.feedback' in panel._draft.fields, 60, seen.page)
    assert seen.node.set(solver='least_squares') == (True, '')


def test_the_console_stays_free_of_errors(seen):
    assert [text for kind, text in seen.said if kind == 'error'] == []

"""The handles' logic, with a server that only remembers what it was told."""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from geometry_msgs.msg import Pose
from marker_checks import check_pose
from visualization_msgs.msg import InteractiveMarkerControl, InteractiveMarkerFeedback

from ik_node import Goal, solver_names
from ik_node.control.arm import Arm
from ik_node.control.options import ArmOptions
from ik_node.control.robot import Robot
from ik_node.model.readers import read_model
from ik_node.resources import robot_file
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from ik_node.ros.services.interaction.handles import Actions, Handles
from ik_node.ros.services.interaction.menu import (
    HOME,
    POSITION_ONLY,
    SOLVER,
    chosen_solver,
    menu_entries,
)
from ik_node.spatial import matrix_from_quaternion

PLANAR = (1.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Server:
    """Does as InteractiveMarkerServer, as far as handles can tell."""

    def __init__(self):
        self.shown, self._pending = {}, {}
        self.poses_sent = 0

    def insert(self, marker, *, feedback_callback):
        self._pending[marker.name] = marker
        self.callback = feedback_callback

    def erase(self, name):
        self._pending[name] = None

    def setPose(self, name, pose):
        self.poses_sent += 1
        marker = self._pending.get(name) or self.shown[name]
        marker.pose = pose
        self._pending[name] = marker

    def applyChanges(self):
        for name, marker in self._pending.items():
            if marker is None:
                self.shown.pop(name, None)
            else:
                self.shown[name] = marker
        self._pending = {}

    def feedback(self, **fields):
        """Take feedback as the real one does: the pose is taken up before anybody is asked."""
        message = InteractiveMarkerFeedback(**{'marker_name': 'tip', **fields})
        if message.event_type == message.POSE_UPDATE:
            self.setPose(message.marker_name, message.pose)
        self.callback(message)
        self.applyChanges()


class Rig:
    """Handles of a robot, and what they made of it."""

    def __init__(self, name='arm_6r', arms=('',), prefix='', **options):
        self.server = Server()
        self.goals, self.sent = {}, []
        self.handles = Handles(self.server, Actions(
            lambda arm, pose: self._take(arm, 'pose', pose),
            lambda arm, point: self._take(arm, 'point', point),
            lambda arm, solver: self.sent.append((arm, 'solver', solver)),
            lambda: self.sent.append('home'), lambda arm: self.goals.get(arm.name)))
        self.refuses = False
        self.load(name, arms, prefix, **options)

    def load(self, name='arm_6r', arms=('',), prefix='', **options):
        tree = read_model(robot_file(name))
        self.robot = Robot(tree, {arm: Arm(arm, tree, ArmOptions(**{
            **options, **({'tip_link': f'{arm}_tool0', 'base_link': 'torso_link'} if arm else {})}),
            {}) for arm in arms})
        self.frame = f'{prefix}{self.arm.chain.base_link}'
        self.handles.take_up(self.robot, prefix)

    def with_solver(self, solver):
        options = ArmOptions(solver=solver)
        self.robot = Robot(self.robot.tree, {'': Arm('', self.robot.tree, options, {})},
                           previous=self.robot)
        self.handles.take_up(self.robot, '')

    @property
    def arm(self):
        return next(iter(self.robot.arms.values()))

    @property
    def handle(self):
        (marker,) = self.server.shown.values()
        return marker

    def drag(self, T, event=InteractiveMarkerFeedback.POSE_UPDATE, frame=None, **fields):
        pose = T if isinstance(T, Pose) else matrix_to_pose(T)
        message = {'event_type': event, 'pose': pose, **fields}
        message['header'] = type(InteractiveMarkerFeedback().header)(
            frame_id=self.frame if frame is None else frame)
        self.server.feedback(**message)

    def choose(self, entry):
        self.server.feedback(event_type=InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=entry)

    def _take(self, arm, kind, message):
        self.sent.append((arm, kind, message))
        if not self.refuses:
            self.goals[arm] = Goal.from_pose(pose_to_matrix(message.pose)) if kind == 'pose' else (
                Goal([message.point.x, message.point.y, message.point.z]))


def at(pose):
    return pose_to_matrix(pose)


def reachable(rig, seed=1):
    chain = rig.arm.chain
    return chain.forward(np.random.default_rng(seed).uniform(-0.5, 0.5, chain.n_joints))


def titles(marker):
    return {entry.id: entry.title for entry in marker.menu_entries}


def modes(marker):
    return [(control.name, control.interaction_mode) for control in marker.controls]


def test_it_begins_at_the_tip_in_the_frame_of_the_base():
    rig = Rig(prefix='left/')
    assert rig.handle.name == 'tip'
    assert rig.handle.header.frame_id == 'left/base_link'
    assert rig.handle.header.stamp.sec == rig.handle.header.stamp.nanosec == 0
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(rig.arm.start))
    assert rig.handle.scale > 0.0


def test_it_goes_with_the_tip_until_it_is_dragged():
    rig = Rig()
    q = rig.robot.joint_configuration(rig.arm) + 0.1
    rig.robot.move(rig.arm, q)
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(q))
    T = reachable(rig)
    rig.drag(T)
    rig.robot.move(rig.arm, q)
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)


def test_dragging_sends_a_goal_with_the_feedbacks_own_header():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T)
    (sent,) = rig.sent
    assert sent[:2] == ('', 'pose')
    assert sent[2].header.frame_id == 'base_link'
    assert at(sent[2].pose) == pytest.approx(T)


@pytest.mark.parametrize('refuses', [False, True])
def test_it_stays_where_it_is_dragged_whatever_becomes_of_the_goal(refuses):
    rig = Rig()
    rig.refuses = refuses
    T = reachable(rig)
    T[:3, 3] *= 10.0
    rig.drag(T)
    sent = rig.server.poses_sent
    for _ in range(3):
        rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)
    assert rig.server.poses_sent == sent  # nothing is told over and over


def test_it_goes_to_a_goal_that_comes_another_way():
    rig = Rig()
    rig.drag(reachable(rig, 1))
    T = reachable(rig, 2)
    rig.goals[''] = Goal.from_pose(T)
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)
    assert len(rig.sent) == 1  # which is no goal of its own


def test_it_keeps_its_orientation_where_a_goal_has_none():
    rig = Rig()
    before = at(rig.handle.pose)
    rig.goals[''] = Goal([0.3, 0.2, 0.5])
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose)[:3, :3] == pytest.approx(before[:3, :3])
    assert at(rig.handle.pose)[:3, 3] == pytest.approx([0.3, 0.2, 0.5])


def test_after_a_reset_it_goes_with_the_tip_again():
    rig = Rig()
    rig.drag(reachable(rig))
    rig.robot.reset()
    rig.handles.go_with_tips()
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(rig.arm.start))


def test_the_end_of_a_drag_counts_where_the_last_of_it_was_lost():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T, event=InteractiveMarkerFeedback.MOUSE_UP)
    rounded = T.copy()
    rounded[:3, 3] = np.float32(T[:3, 3])  # as RViz has it
    rig.drag(rounded, event=InteractiveMarkerFeedback.MOUSE_UP)
    assert len(rig.sent) == 1
    assert at(rig.handle.pose) == pytest.approx(T)
    rig.drag(T, event=InteractiveMarkerFeedback.MOUSE_UP)
    assert len(rig.sent) == 1


@pytest.mark.parametrize('event', [
    InteractiveMarkerFeedback.KEEP_ALIVE, InteractiveMarkerFeedback.MOUSE_DOWN,
    InteractiveMarkerFeedback.BUTTON_CLICK])
def test_other_feedback_is_no_goal(event):
    rig = Rig()
    rig.drag(reachable(rig), event=event)
    rig.drag(reachable(rig), marker_name='somebody_elses', event=event)
    assert rig.sent == []


def test_feedback_in_another_frame_puts_it_where_the_goal_is():
    rig = Rig()
    T = reachable(rig, 3)
    rig.drag(T, frame='camera')  # the node sees the goal elsewhere in the base
    seen = T.copy()
    seen[0, 3] += 0.1
    rig.goals[''] = Goal.from_pose(seen)
    rig.handles.follow(rig.robot)
    assert rig.handle.header.frame_id == 'base_link'
    assert at(rig.handle.pose) == pytest.approx(seen)


def test_a_pose_that_is_none_reaches_the_node_and_nobody_else():
    rig = Rig()
    rig.refuses = True
    before = at(rig.handle.pose)
    for bad in (math.nan, math.inf):
        pose = matrix_to_pose(before)
        pose.position.x = bad
        rig.drag(pose)
        check_pose(rig.handle.pose)
        assert at(rig.handle.pose) == pytest.approx(before)
    assert len(rig.sent) == 2  # refused there, with a status


def test_position_only_makes_points_of_drags_and_takes_the_rings_away():
    rig = Rig()
    assert len([m for m in modes(rig.handle) if 'rotate' in m[0]]) == 3
    rig.choose(POSITION_ONLY)
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    assert [name for name, _ in modes(rig.handle)] == ['move', 'move_x', 'move_y', 'move_z']
    T = reachable(rig)
    rig.drag(T)
    (sent,) = rig.sent
    assert sent[1] == 'point'
    assert (sent[2].point.x, sent[2].point.y, sent[2].point.z) == pytest.approx(tuple(T[:3, 3]))
    assert sent[2].header.frame_id == 'base_link'
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)  # it does not lose its orientation
    rig.choose(POSITION_ONLY)
    rig.drag(T)
    assert rig.sent[-1][1] == 'pose'


def test_the_menu_has_every_solver_and_ticks_the_present_one():
    entries = menu_entries('ccd', False)
    assert len({entry.id for entry in entries}) == len(entries)
    assert all(entry.id > 0 for entry in entries)
    solvers = [entry for entry in entries if entry.parent_id == SOLVER]
    assert [entry.title for entry in solvers] == [
        f'[{"x" if name == "ccd" else " "}] {name}' for name in solver_names()]
    assert [chosen_solver(entry.id) for entry in solvers] == list(solver_names())
    assert [chosen_solver(entry) for entry in (HOME, POSITION_ONLY, SOLVER, 99)] == [None] * 4


def test_choosing_does_what_the_entry_says():
    rig = Rig()
    for entry in rig.handle.menu_entries:
        rig.choose(entry.id)
    rig.choose(1000)
    assert [entry for entry in rig.sent if entry != 'home'] == [
        ('', 'solver', name) for name in solver_names()]
    assert rig.sent.count('home') == 1


def test_another_solver_is_ticked_and_moves_nothing():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T)
    rig.choose(POSITION_ONLY)
    rig.with_solver('ccd')
    assert '[x] ccd' in titles(rig.handle).values()
    assert '[ ] dls' in titles(rig.handle).values()
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    assert at(rig.handle.pose) == pytest.approx(T)


def test_another_robot_has_another_handle():
    rig = Rig()
    rig.drag(reachable(rig))
    rig.load('planar_3r', prefix='p/', task_weights=PLANAR)
    assert rig.handle.header.frame_id == 'p/base_link'
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(rig.arm.start))


def test_each_arm_has_its_own():
    rig = Rig('torso', arms=('left', 'right'))
    assert set(rig.server.shown) == {'left', 'right'}
    T = rig.robot.arms['right'].chain.forward(np.full(7, 0.2))
    rig.drag(T, marker_name='right')
    assert rig.sent[0][0] == 'right'
    assert at(rig.server.shown['right'].pose) == pytest.approx(T)
    assert not np.allclose(at(rig.server.shown['left'].pose), T)
    rig.load('arm_6r')
    assert set(rig.server.shown) == {'tip'}
    rig.handles.clear()
    assert rig.server.shown == {}


def test_a_planar_arm_has_controls_for_what_its_goals_ask_for():
    rig = Rig('planar_3r', task_weights=PLANAR)
    assert modes(rig.handle) == [
        ('move', InteractiveMarkerControl.MOVE_PLANE),
        ('move_x', InteractiveMarkerControl.MOVE_AXIS),
        ('move_y', InteractiveMarkerControl.MOVE_AXIS),
        ('rotate_z', InteractiveMarkerControl.ROTATE_AXIS)]
    # A plane's normal is its control's x axis.
    assert np.abs(along(rig.handle.controls[0])) == pytest.approx([0.0, 0.0, 1.0])


def test_controls_act_along_the_axes_they_are_named_after():
    rig = Rig()
    for control in rig.handle.controls[1:]:
        check_pose(Pose(orientation=control.orientation))
        assert np.abs(along(control)) == pytest.approx(np.eye(3)['xyz'.index(control.name[-1])])
    names = [control.name for control in rig.handle.controls]
    assert len(set(names)) == 7
    (ball,) = rig.handle.controls[0].markers
    assert rig.handle.controls[0].always_visible
    assert min(ball.scale.x, ball.scale.y, ball.scale.z) > 0.0
    assert 0.0 < ball.color.a < 1.0


@pytest.mark.parametrize(('weights', 'mode'), [
    ((1.0,) * 6, InteractiveMarkerControl.MOVE_3D),
    ((1.0, 0.0, 0.0, 0.0, 0.0, 1.0), InteractiveMarkerControl.MENU),
    ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0), InteractiveMarkerControl.MENU)])
def test_the_ball_opens_the_menu_where_there_is_no_plane_to_pull_in(weights, mode):
    assert modes(Rig(task_weights=weights).handle)[0][1] == mode


def along(control):
    o = control.orientation
    return matrix_from_quaternion((o.x, o.y, o.z, o.w))[:, 0]

"""The handles' logic, with a server that only remembers what it was told."""

import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from geometry_msgs.msg import Pose
from marker_checks import check_pose
from visualization_msgs.msg import InteractiveMarkerControl, InteractiveMarkerFeedback

from ik_node import Goal, body_solver_names, solver_names
from ik_node.control.arm import Arm
from ik_node.control.figure import GOAL, Figure, FigureSource
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.task_options import TaskOptions
from ik_node.exceptions import IkError
from ik_node.model.readers import read_model
from ik_node.resources import robot_file
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.task_goals import TaskGoals
from ik_node.ros.services.interaction.handles import Actions, Handles
from ik_node.ros.services.interaction.menu import (
    HOME,
    POSITION_ONLY,
    SOLVER,
    chosen_solver,
    menu_entries,
)
from ik_node.ros.services.interaction.service import Interaction
from ik_node.spatial import matrix_from_quaternion, pose_from_rpy

PLANAR = (1.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Server:
    """Does as InteractiveMarkerServer, as far as handles can tell."""

    def __init__(self):
        self.shown, self._pending = {}, {}
        self.poses_sent, self.inserted = 0, []

    def insert(self, marker, *, feedback_callback):
        self._pending[marker.name] = marker
        self.inserted.append(marker.name)
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

    def shutdown(self):
        self.shown = {}

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
        self.options = NodeOptions(frame_prefix=prefix)
        self.handles = Handles(self.server, Actions(
            SimpleNamespace(take_pose=lambda arm, pose: self._take(arm, 'pose', pose),
                            take_point=lambda arm, point: self._take(arm, 'point', point)),
            SimpleNamespace(take_pose=lambda task, pose: self._take_task(task, 'pose', pose),
                            take_point=lambda task, point: self._take_task(task, 'point', point)),
            lambda arm, solver: self.sent.append((arm, 'solver', solver)),
            lambda: self.sent.append('home'), lambda arm: self.goals.get(arm.name)))
        self.refuses = False
        self.load(name, arms, prefix, **options)

    def load(self, name='arm_6r', arms=('',), prefix='', **options):
        tree = read_model(robot_file(name))
        self.options = NodeOptions(frame_prefix=prefix)
        self.take_up(Robot(tree, {arm: Arm(arm, tree, ArmOptions(**{
            **options, **({'tip_link': f'{arm}_tool0', 'base_link': 'torso_link'} if arm else {})}),
            {}) for arm in arms}))
        if arms:
            self.frame = f'{prefix}{self.arm.chain.base_link}'

    def take_up(self, robot):
        self.robot = robot
        self.handles.take_up(robot, self.options)

    def to_arm(self, solver='dls', **options):
        """Solve for the arm without a name, at the present joint values."""
        options = ArmOptions(solver=solver, **options)
        self.take_up(Robot(self.robot.tree, {'': Arm('', self.robot.tree, options, {})},
                           previous=self.robot))

    def to_figure(self, tasks=None, solver='least_squares', root='fixed', **options):
        """Solve tasks, by default the pose of the tip, at the present joint values."""
        figure = Figure(FigureSource(
            self.robot.tree, ArmOptions(solver=solver, **options), {}, tasks or {}, root, np.eye(4),
            None, 'jump'), self.robot.figure)
        self.take_up(Robot(self.robot.tree, {}, previous=self.robot, figure=figure))

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

    def choose(self, entry, name='tip'):
        self.server.feedback(event_type=InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=entry,
                             marker_name=name)

    def place(self, name='tip'):
        """Return where a handle is (4, 4)."""
        return at(self.server.shown[name].pose)

    def follow(self):
        self.handles.follow(self.robot)

    def _take(self, arm, kind, message):
        self.sent.append((arm, kind, message))
        if not self.refuses:
            self.goals[arm] = Goal.from_pose(pose_to_matrix(message.pose)) if kind == 'pose' else (
                Goal([message.point.x, message.point.y, message.point.z]))

    def _take_task(self, name, kind, message):
        """Do as the node, without solving: set the target, and set it back where it is missed."""
        self.sent.append((name, kind, message))
        handling = SimpleNamespace(options=self.options, handle=lambda name, header, find, execute:
                                   execute(self.robot, find()))
        frames = Frames.__new__(Frames)  # without tf2
        frames._buffer, frames.missing = None, 'there is no tf2'
        controller = SimpleNamespace(figure=self.robot.figure, go=self._go)
        getattr(TaskGoals(None, handling, SimpleNamespace(figure=controller), frames),
                f'take_{kind}')(name, message)

    def _go(self, robot, aims):
        for aim in aims:
            task = robot.figure.tasks[aim.task]
            before = task.target
            if aim.weights is not None:
                task.weights = aim.weights
            task.target = aim.target
            if self.refuses:
                task.target = before
        return SimpleNamespace(accepted=not self.refuses)


class TaskRig(Rig):
    """The same, of the tasks of a humanoid."""

    def __init__(self, prefix='', root='fixed', world='', **tasks):
        super().__init__('humanoid', (), prefix)
        self.options = NodeOptions(frame_prefix=prefix, world_frame=world)
        self.frame = self.options.world if root != 'fixed' else f'{prefix}pelvis'
        self.root = root
        self.to_tasks(**tasks)

    def to_tasks(self, solver='least_squares', **tasks):
        """Solve other tasks: a mapping of fields each."""
        self.to_figure({name: TaskOptions(**fields) for name, fields in tasks.items()}, solver,
                       self.root)

    def task(self, name='a'):
        return self.robot.figure.tasks[name]

    def link(self, name):
        """Return where a link is in the world (4, 4)."""
        figure = self.robot.figure
        return figure.body.forward(self.robot.joint_configuration(figure))[name]

    def move_joints(self, by=0.05):
        figure = self.robot.figure
        self.robot.move(figure, np.clip(self.robot.joint_configuration(figure) + by,
                                        figure.body.lower, figure.body.upper))

    def mass(self):
        return self.robot.figure.body.center_of_mass(
            self.robot.joint_configuration(self.robot.figure))

    def controls(self, name='a'):
        return [control.name for control in self.server.shown[name].controls]


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
    entries = menu_entries(solver_names(), 'ccd', False)
    assert len({entry.id for entry in entries}) == len(entries)
    assert all(entry.id > 0 for entry in entries)
    solvers = [entry for entry in entries if entry.parent_id == SOLVER]
    assert [entry.title for entry in solvers] == [
        f'[{"x" if name == "ccd" else " "}] {name}' for name in solver_names()]
    assert [chosen_solver(solver_names(), entry.id) for entry in solvers] == list(solver_names())
    assert [chosen_solver(solver_names(), entry)
            for entry in (HOME, POSITION_ONLY, SOLVER, 99)] == [None] * 4


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
    rig.to_arm('ccd')
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


PALM = {'type': 'pose', 'link': 'left_palm'}
TASKS = {
    'pose': PALM,
    'position': {'type': 'position', 'link': 'right_palm', 'point': np.array([0.1, 0.0, 0.0])},
    'orientation': {'type': 'orientation', 'link': 'chest'},
    'look': {'type': 'look_at', 'link': 'gaze', 'axis': np.array([1.0, 0.0, 0.0])},
    'mass': {'type': 'center_of_mass', 'target': np.array([0.1, 0.2])},
    'relative': {'type': 'relative_pose', 'link': 'left_palm', 'reference': 'right_palm'}}
OTHERS = {
    'polygon': {'type': 'center_of_mass', 'polygon': np.array([0.0, 0, 1, 0, 0, 1])},
    'axis': {'type': 'align_axis', 'link': 'gaze', 'axis': np.ones(3), 'direction': np.ones(3)},
    'joints': {'type': 'posture'}, 'undefined': {},
    'apart': {'type': 'distance', 'link_a': 'left_palm', 'link_b': 'right_palm'}}
MOVE = ['move_x', 'move_y', 'move_z']
ROTATE = ['rotate_x', 'rotate_y', 'rotate_z']


def raised(T, by=0.1):
    raised = np.array(T)
    raised[2, 3] += by
    return raised


def turned(T, yaw=0.5):
    return T @ pose_from_rpy(np.zeros(3), np.array([0.1, 0.2, yaw]))


def test_each_task_with_a_target_that_goals_move_has_a_handle():
    rig = TaskRig(**TASKS, **OTHERS)
    assert set(rig.server.shown) == set(TASKS)
    rig.handles.clear()
    assert rig.server.shown == {}


@pytest.mark.parametrize(('root', 'world', 'frame'), [
    ('fixed', '', 'p/pelvis'), ('fixed', 'map', 'p/pelvis'), ('floating', '', 'world'),
    ('floating', 'map', 'map')])
def test_handles_of_tasks_are_in_the_world_or_their_reference(root, world, frame):
    rig = TaskRig('p/', root, world, **TASKS)
    frames = {name: marker.header.frame_id for name, marker in rig.server.shown.items()}
    assert frames == {**dict.fromkeys(TASKS, frame), 'relative': 'p/right_palm'}


def test_a_renamed_world_frame_is_taken_up_and_moves_nothing():
    rig = TaskRig(root='floating', a=PALM)
    T = raised(rig.place('a'))
    rig.drag(T, marker_name='a')
    rig.options = NodeOptions(world_frame='map')
    rig.take_up(rig.robot)
    assert rig.server.shown['a'].header.frame_id == 'map'
    assert rig.place('a') == pytest.approx(T)


@pytest.mark.parametrize('root', ['fixed', 'floating'])
def test_handles_of_tasks_begin_at_the_targets(root):
    rig = TaskRig(root=root, **TASKS)
    chest, target = rig.link('chest'), rig.task('look').target
    palm, other = rig.link('left_palm'), rig.link('right_palm')
    assert rig.place('pose') == pytest.approx(palm)
    assert rig.place('orientation') == pytest.approx(chest)
    assert rig.place('relative') == pytest.approx(np.linalg.inv(other) @ palm)
    points = {'position': other[:3, :3] @ [0.1, 0.0, 0.0] + other[:3, 3], 'look': target,
              'mass': [0.1, 0.2, rig.mass()[2]]}
    for name, p in points.items():
        assert rig.place(name)[:3, 3] == pytest.approx(p), name
        assert rig.place(name)[:3, :3] == pytest.approx(np.eye(3)), name
    sent = rig.server.poses_sent
    rig.follow()
    assert rig.server.poses_sent == sent


@pytest.mark.parametrize(('fields', 'controls'), [
    (PALM, ['move', *MOVE, *ROTATE]),
    ({**PALM, 'weights': np.array([1.0, 0, 2, 0, 0, 1])},
     ['move', 'move_x', 'move_z', 'rotate_z']),
    (TASKS['relative'], ['move', *MOVE, *ROTATE]),
    (TASKS['orientation'], ['menu', *ROTATE]),
    (TASKS['position'], ['move', *MOVE]), (TASKS['look'], ['move', *MOVE]),
    (TASKS['mass'], ['move', 'move_x', 'move_y']),
    ({'type': 'center_of_mass'}, ['move', *MOVE])])
def test_tasks_have_controls_for_what_goals_can_move(fields, controls):
    rig = TaskRig(a=fields)
    assert rig.controls() == controls
    assert rig.server.shown['a'].scale == pytest.approx(0.2 * rig.robot.figure.size)


@pytest.mark.parametrize('root', ['fixed', 'floating'])
@pytest.mark.parametrize('name', TASKS)
def test_dragging_the_handle_of_a_task_moves_its_target_there(name, root):
    rig = TaskRig('p/', root, **TASKS)
    rig.move_joints()  # the root, too: the world stays
    rig.follow()
    frame = rig.server.shown[name].header.frame_id
    T = raised(rig.place(name)) if name in ('position', 'look') else rig.place(name)
    T[0, 3] += 0.0 if name == 'orientation' else 0.1
    if name in ('pose', 'orientation', 'relative'):
        T = turned(T)
    rig.drag(T, frame=frame, marker_name=name)
    (sent,) = rig.sent
    is_point = name in ('position', 'look', 'mass')
    assert sent[:2] == (name, 'point' if is_point else 'pose')
    assert sent[2].header.frame_id == frame
    wanted = {'orientation': T[:3, :3], 'mass': [*T[:2, 3], np.nan]}.get(
        name, T[:3, 3] if is_point else T)
    assert rig.task(name).target == pytest.approx(wanted, nan_ok=True)
    sent = rig.server.poses_sent
    rig.follow()
    assert rig.place(name) == pytest.approx(T)
    assert rig.server.poses_sent == sent


def test_the_handle_of_a_task_stays_where_it_is_dragged_while_its_target_is_set_back():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    start, T = rig.place('a'), raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.drag(raised(rig.place('b')), marker_name='b')
    sent = rig.server.poses_sent
    for _ in range(3):
        rig.follow()
    assert rig.task().target == pytest.approx(start)
    assert rig.place('a') == pytest.approx(T)
    assert rig.server.poses_sent == sent


def test_a_target_that_others_move_takes_its_handle_along_and_no_other():
    rig = TaskRig(**TASKS)
    dragged = raised(rig.place('pose'))
    rig.drag(dragged, marker_name='pose')
    look, R = np.array([2.0, 1.0, 0.5]), turned(np.eye(4))
    rig.task('look').target, rig.task('orientation').target = look, R[:3, :3]
    rig.follow()
    assert rig.place('look')[:3, 3] == pytest.approx(look)
    assert rig.place('orientation')[:3, :3] == pytest.approx(R[:3, :3])
    assert rig.place('pose') == pytest.approx(dragged)
    rig.task('pose').target = R
    rig.follow()
    assert rig.place('pose') == pytest.approx(R)
    assert len(rig.sent) == 1


@pytest.mark.parametrize('refuses', [False, True])
def test_after_a_reset_the_handle_of_a_task_is_at_its_target_again(refuses):
    rig = TaskRig(a=PALM)
    start = rig.place('a')
    rig.refuses = refuses
    rig.drag(raised(start), marker_name='a')
    rig.handles.go_with_tips()  # before the targets are set back, as the node does
    rig.robot.figure.reset_targets()
    rig.robot.reset()
    rig.follow()
    assert rig.place('a') == pytest.approx(start)


def test_an_orientation_is_shown_at_its_link_wherever_that_goes():
    rig = TaskRig(root='floating', a=TASKS['orientation'])
    T = turned(rig.place('a'))
    rig.drag(T, marker_name='a')
    rig.move_joints(0.3)
    rig.follow()
    assert not np.allclose(rig.link('chest')[:3, 3], T[:3, 3], atol=0.1)
    assert rig.place('a')[:3, 3] == pytest.approx(rig.link('chest')[:3, 3])
    assert rig.place('a')[:3, :3] == pytest.approx(T[:3, :3])
    # In RViz the marker that is held has not moved.
    rig.drag(T, event=InteractiveMarkerFeedback.MOUSE_UP, marker_name='a')
    assert len(rig.sent) == 1
    rig.drag(turned(T), event=InteractiveMarkerFeedback.MOUSE_UP, marker_name='a')
    assert len(rig.sent) == 2


def test_free_axes_of_a_centre_of_mass_are_those_of_the_robot():
    rig = TaskRig(root='floating', a=TASKS['mass'])
    T = rig.place('a')
    T[:2, 3] = 0.3, 0.4
    rig.drag(T, marker_name='a')
    rig.move_joints(0.3)
    rig.follow()
    assert abs(rig.mass()[2] - T[2, 3]) > 0.01
    assert rig.place('a')[:3, 3] == pytest.approx([0.3, 0.4, rig.mass()[2]])
    rig.task().target = [0.0, 0.1, np.nan]
    rig.follow()
    assert rig.place('a')[:3, 3] == pytest.approx([0.0, 0.1, rig.mass()[2]])


def test_bad_feedback_reaches_the_goals_of_tasks_and_moves_nothing():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    for name, other_frame in (('a', 'chest'), ('b', 'chest')):
        T = np.linalg.inv(rig.link('chest')) @ raised(rig.place(name))
        rig.drag(T, frame=other_frame, marker_name=name)
        rig.follow()
        assert rig.place(name)[:3, 3] == pytest.approx((rig.link('chest') @ T)[:3, 3])
        before = rig.place(name)
        bad = matrix_to_pose(before)
        bad.position.x = math.nan
        with pytest.raises(IkError):
            rig.drag(bad, marker_name=name)


def test_the_menu_of_a_task_has_body_solvers_and_no_position_only():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    for name in ('a', 'b'):
        entries = titles(rig.server.shown[name])
        assert [entry.title for entry in rig.server.shown[name].menu_entries
                if entry.parent_id == SOLVER] == [
            f'[{"x" if solver == "least_squares" else " "}] {solver}'
            for solver in body_solver_names()]
        assert POSITION_ONLY not in entries
        assert HOME in entries
    for entry in (*titles(rig.server.shown['a']), POSITION_ONLY, 1000):
        rig.choose(entry, 'a')
    assert rig.sent == [*(('', 'solver', name) for name in body_solver_names()), 'home']
    rig.drag(raised(rig.place('a')), marker_name='a')
    assert rig.sent[-1][:2] == ('a', 'pose')
    assert rig.controls() == ['move', *MOVE, *ROTATE]


def test_another_body_solver_is_ticked_and_moves_no_handle():
    rig = TaskRig(a=PALM)
    T = raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.to_tasks('hierarchy', a=PALM)
    rig.follow()
    assert '[x] hierarchy' in titles(rig.server.shown['a']).values()
    assert rig.place('a') == pytest.approx(T)


def test_tasks_come_and_go_and_the_handles_of_others_are_not_sent_again():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    T = raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.server.inserted.clear()
    sent = rig.server.poses_sent
    rig.to_tasks(a=PALM, b=TASKS['position'], c=TASKS['look'])
    rig.to_tasks(a=PALM, c=TASKS['look'])
    rig.to_tasks(a={**PALM, 'weight': 2.0}, c=TASKS['look'])
    rig.follow()
    assert rig.server.inserted == ['c']
    assert rig.server.poses_sent == sent
    assert set(rig.server.shown) == {'a', 'c'}
    assert rig.place('a') == pytest.approx(T)
    rig.to_arm(tip_link='gaze')
    assert set(rig.server.shown) == {'tip'}


@pytest.mark.parametrize('other', [
    {**PALM, 'link': 'right_palm'}, TASKS['position'], TASKS['orientation'], TASKS['relative'],
    {**PALM, 'target': np.array([0.5, 0.0, 0.2, 0.0, 0.0, 0.0])}])
def test_a_changed_task_has_its_handle_at_its_own_target(other):
    rig = TaskRig(a=PALM)
    rig.drag(raised(rig.place('a')), marker_name='a')
    rig.to_tasks(a=other)
    rig.follow()
    new = TaskRig(a=other)
    assert rig.place('a') == pytest.approx(new.place('a'))
    assert rig.controls() == new.controls()
    assert rig.server.shown['a'].header.frame_id == new.server.shown['a'].header.frame_id


def test_changed_weights_of_a_task_change_its_controls_and_not_its_pose():
    rig = TaskRig(a=PALM)
    T = raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.to_tasks(a={**PALM, 'weights': np.array([1.0, 1, 1, 0, 0, 0])})
    rig.follow()
    assert rig.controls() == ['move', *MOVE]
    assert rig.place('a') == pytest.approx(T)


def test_without_tasks_a_figure_has_the_handle_of_its_tip():
    rig = Rig('arm_7r')
    rig.to_figure()
    start = rig.robot.figure.tasks[GOAL].target
    assert (rig.handle.name, rig.handle.header.frame_id) == ('tip', 'base_link')
    assert rig.place() == pytest.approx(start)
    T = turned(raised(start, -0.1))
    rig.drag(T)
    assert rig.sent[0][:2] == (GOAL, 'pose')
    assert rig.robot.figure.tasks[GOAL].target == pytest.approx(T)
    rig.choose(POSITION_ONLY)
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    assert [name for name, _ in modes(rig.handle)] == ['move', *MOVE]
    rig.drag(turned(start))
    assert rig.sent[-1][:2] == (GOAL, 'point')
    assert rig.robot.figure.tasks[GOAL].weights.tolist() == [1, 1, 1, 0, 0, 0]
    rig.choose(POSITION_ONLY)
    assert len(rig.handle.controls) == 7
    rig.choose(next(iter(key for key, title in titles(rig.handle).items() if 'lag' in title)))
    assert rig.sent[-1] == ('', 'solver', 'lagrange')


def test_controls_of_the_tip_are_those_of_task_weights_whatever_the_last_goal_was():
    rig = Rig('arm_7r')
    rig.to_figure(task_weights=(1.0, 1.0, 0.0, 1.0, 0.0, 0.0))
    controls = ['move', 'move_x', 'move_y', 'rotate_x']
    assert [name for name, _ in modes(rig.handle)] == controls
    rig.choose(POSITION_ONLY)
    rig.drag(rig.place())
    rig.choose(POSITION_ONLY)
    rig.options = NodeOptions(frame_prefix='p/')
    rig.take_up(rig.robot)
    assert [name for name, _ in modes(rig.handle)] == controls


def test_the_handle_of_the_tip_stays_while_solvers_of_arms_and_bodies_change():
    rig = Rig('arm_7r')
    T = raised(rig.place(), -5.0)
    rig.refuses = True
    rig.drag(T)
    rig.choose(POSITION_ONLY)
    rig.to_figure()
    rig.follow()
    assert rig.place() == pytest.approx(T)
    assert '[x] least_squares' in titles(rig.handle).values()
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    rig.choose(POSITION_ONLY)
    rig.drag(raised(T))
    assert rig.sent[-1][:2] == (GOAL, 'pose')
    rig.to_arm('ccd')
    rig.follow()
    assert rig.place() == pytest.approx(raised(T))
    assert '[x] ccd' in titles(rig.handle).values()
    rig.drag(T)
    assert rig.sent[-1][:2] == ('', 'pose')


def test_a_handle_that_nobody_has_moved_is_at_the_tip_after_every_change_of_solver():
    rig = Rig('arm_7r')
    rig.robot.move(rig.arm, rig.arm.start + 0.1)
    rig.to_figure()
    tip = rig.robot.figure.tasks[GOAL].target
    assert rig.place() == pytest.approx(tip)
    rig.to_arm()
    rig.robot.move(rig.arm, rig.arm.start + 0.2)
    rig.follow()
    assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start + 0.2))


def test_of_another_base_link_the_handle_begins_anew():
    rig = Rig('arm_7r', base_link='link_1')
    rig.drag(raised(rig.place(), -0.2))
    rig.to_figure(base_link='link_1')
    assert rig.handle.header.frame_id == 'base_link'
    assert rig.place() == pytest.approx(rig.robot.figure.tasks[GOAL].target)


def test_a_task_named_like_the_handle_of_the_tip_has_its_own():
    rig = Rig('arm_7r')
    rig.choose(POSITION_ONLY)
    rig.to_figure({'tip': TaskOptions(type='pose', link='tool0')})
    assert len(rig.handle.controls) == 7
    rig.drag(raised(rig.place(), -0.2))
    assert rig.sent[-1][:2] == ('tip', 'pose')


def test_an_unchanged_arm_is_not_sent_again():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T)
    rig.server.inserted.clear()
    rig.take_up(Robot(rig.robot.tree, rig.robot.arms, previous=rig.robot))
    rig.follow()
    assert rig.server.inserted == []
    assert rig.place() == pytest.approx(T)


def test_the_node_serves_handles_while_it_is_active_and_sets_the_parameter_of_the_solver(
        monkeypatch):
    server, parameters = Server(), []
    module = ModuleType('interactive_markers')
    module.InteractiveMarkerServer = lambda node, namespace: server
    monkeypatch.setitem(sys.modules, 'interactive_markers', module)
    rig = TaskRig(a=PALM)
    node = SimpleNamespace(set_parameters=parameters.extend)
    interaction = Interaction(node, None, SimpleNamespace(
        take_pose=lambda task, pose: rig.sent.append((task, pose))), None, lambda: (True, ''))
    interaction.take_up(rig.robot, rig.options, active=False)
    assert server.shown == {}
    interaction.take_up(rig.robot, rig.options, active=True)
    assert list(server.shown) == ['a']
    server.inserted.clear()
    interaction.take_up(rig.robot, NodeOptions(show_branches=True), active=True)
    assert server.inserted == []  # somebody may be dragging it
    interaction.take_up(rig.robot, NodeOptions(frame_prefix='p/'), active=True)
    assert server.shown['a'].header.frame_id == 'p/pelvis'
    (hierarchy,) = (entry.id for entry in server.shown['a'].menu_entries
                    if 'hierarchy' in entry.title)
    server.feedback(event_type=InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=hierarchy,
                    marker_name='a')
    assert [(parameter.name, parameter.value) for parameter in parameters] == [
        ('solver', 'hierarchy')]
    server.feedback(event_type=InteractiveMarkerFeedback.POSE_UPDATE, marker_name='a')
    assert [task for task, _ in rig.sent] == ['a']
    interaction.take_up(rig.robot, NodeOptions(interactive_marker=False), active=True)
    assert server.shown == {}

"""Handles of a robot, with a server that only keeps what it is sent."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from geometry_msgs.msg import PointStamped, Pose
from visualization_msgs.msg import InteractiveMarkerFeedback

from harness.goal_runs import controller
from harness.goals_here import GoalsHere
from ik_node import Goal
from ik_node.control.arm import Arm
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.task_group import TaskGroup
from ik_node.control.task_options import TaskOptions
from ik_node.model.readers import read_model
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from ik_node.ros.services.interaction.handles import Handles
from ik_node.spatial import matrix_from_quaternion, pose_from_rpy
from ik_node.support.resources import robot_file

PALM = {'type': 'pose', 'link': 'left_palm'}
TASKS = {
    'pose': PALM,
    'position': {'type': 'position', 'link': 'right_palm', 'point': np.array([0.1, 0.0, 0.0])},
    'orientation': {'type': 'orientation', 'link': 'chest'},
    'look': {'type': 'look_at', 'link': 'gaze', 'axis': np.array([1.0, 0.0, 0.0])},
    'mass': {'type': 'center_of_mass', 'target': np.array([0.1, 0.2])},
    'relative': {'type': 'relative_pose', 'link': 'left_palm', 'reference': 'right_palm'}}
MOVE, ROTATE = ([f'{kind}_{axis}' for axis in 'xyz'] for kind in ('move', 'rotate'))


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
        """Take feedback as the real one does: the pose is stored before the callback is called."""
        message = InteractiveMarkerFeedback(**{'marker_name': 'tip', **fields})
        if message.event_type == message.POSE_UPDATE:
            self.setPose(message.marker_name, message.pose)
        self.callback(message)
        self.applyChanges()


class Rig:
    """Handles of a robot, and what they made of it."""

    def __init__(self, name='arm_6r', arms=('',), prefix='', **options):
        self.server = Server()
        self.goals, self.sent, self.refused = {}, [], []
        self.options = NodeOptions(frame_prefix=prefix)
        self.handles = Handles(
            SimpleNamespace(set_parameters_atomically=self._set), self._take_any,
            lambda arm: self.goals.get(arm.name), self._go_home)
        self.handles._server = self.server
        self.refuses = False
        self.load(name, arms, prefix, **options)

    def load(self, name='arm_6r', arms=('',), prefix='', **options):
        tree = read_model(robot_file(name))
        self.options = NodeOptions(frame_prefix=prefix)
        self.update(Robot(tree, {arm: Arm(GroupSource(tree, ArmOptions(**{
            **options, **({'tip_link': f'{arm}_tool0', 'base_link': 'torso_link'} if arm else {})}),
            name=arm)) for arm in arms}))
        if arms:
            self.frame = f'{prefix}{self.arm.chain.base_link}'

    def update(self, robot):
        self.robot = robot
        self.handles.update(robot, self.options, active=True)

    def to_arm(self, solver='dls', **options):
        """Solve for the arm without a name, at the present joint values."""
        options = ArmOptions(solver=solver, **options)
        self.update(Robot(self.robot.tree, {'': Arm(GroupSource(self.robot.tree, options))},
                           previous=self.robot))

    def to_figure(self, tasks=None, solver='least_squares', root='fixed', **options):
        """Solve tasks, by default the pose of the tip, at the present joint values."""
        before = self.robot.groups.get('')
        figure = TaskGroup(GroupSource(
            self.robot.tree, ArmOptions(solver=solver, **options), {}, tasks or {}, root),
            before if isinstance(before, TaskGroup) else None)
        self.update(Robot(self.robot.tree, {'': figure}, previous=self.robot))

    @property
    def arm(self):
        return next(iter(self.robot.groups.values()))

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
        return pose_to_matrix(self.server.shown[name].pose)

    def target(self):
        """Return the pose (4, 4) of the goal of the only handle."""
        group = self.robot.groups['']
        if group.chain is None:
            (task,) = group.tasks.values()
            return task.target
        return self.goals[''].pose

    def set_target(self, T):
        """Set the goal of the only handle, as another client does."""
        group = self.robot.groups['']
        if group.chain is None:
            (task,) = group.tasks.values()
            task.target = T
        else:
            self.goals[''] = Goal.from_pose(T)

    def follow(self):
        self.handles.follow(self.robot)

    def _set(self, parameters):
        self.sent.append((*(parameter.name for parameter in parameters), parameters[0].value))

    def _go_home(self):
        self.sent.append('home')
        return True, ''

    def _take(self, arm, message):
        kind = self._note(arm, message)
        if not self.refuses:
            self.goals[arm] = Goal.from_pose(pose_to_matrix(message.pose)) if kind == 'pose' else (
                Goal([message.point.x, message.point.y, message.point.z]))

    def _take_any(self, name, message):
        group = self.robot.group_of(name)
        (self._take_task if group is None or group.chain is None else self._take)(name, message)

    def _note(self, name, message):
        kind = 'point' if isinstance(message, PointStamped) else 'pose'
        self.sent.append((name, kind, message))
        return kind

    def _take_task(self, name, message):
        """Do as the node, without solving: set the target, unless it is missed."""
        self._note(name, message)
        moved = controller(self.robot)
        moved.go = self._go
        goals = GoalsHere(self.robot, self.options, moved)
        goals.take(name, message)
        self.refused += goals.refused

    def _go(self, goals):
        yield from ()
        if not self.refuses:
            self.robot.groups[''].accept(goals)
        return SimpleNamespace(accepted=not self.refuses)


class TaskRig(Rig):
    """The same, of the tasks of a humanoid."""

    def __init__(self, prefix='', root='fixed', world='', **tasks):
        super().__init__('humanoid', (), prefix)
        self.options = NodeOptions(frame_prefix=prefix, world_frame=world)
        self.frame = self.options.world if root != 'fixed' else f'{prefix}base_link'
        self.root = root
        self.to_tasks(**tasks)

    def to_tasks(self, solver='least_squares', **tasks):
        """Solve other tasks: a mapping of fields each."""
        self.to_figure({name: TaskOptions(**fields) for name, fields in tasks.items()}, solver,
                       self.root)

    def task(self, name='a'):
        return self.robot.groups[''].tasks[name]

    def link(self, name):
        """Return where a link is in the world (4, 4)."""
        figure = self.robot.groups['']
        return figure.body.forward(self.robot.joint_configuration(figure))[name]

    def move_joints(self, by=0.05):
        figure = self.robot.groups['']
        self.robot.move(figure, np.clip(self.robot.joint_configuration(figure) + by,
                                        figure.body.lower, figure.body.upper))

    def mass(self):
        return self.robot.groups[''].body.center_of_mass(
            self.robot.joint_configuration(self.robot.groups['']))

    def controls(self, name='a'):
        return [control.name for control in self.server.shown[name].controls]


def titles(marker):
    return {entry.id: entry.title for entry in marker.menu_entries}


def modes(marker):
    return [(control.name, control.interaction_mode) for control in marker.controls]


def along(control):
    o = control.orientation
    return matrix_from_quaternion((o.x, o.y, o.z, o.w))[:, 0]


def arm():
    return Rig('arm_7r')


def body():
    """Return the handle of a tip that a solver of bodies moves."""
    rig = Rig('arm_7r')
    rig.to_figure()
    return rig


def task():
    return TaskRig(tip=PALM)


def raised(T, by=0.1):
    raised = np.array(T)
    raised[2, 3] += by
    return raised


def turned(T, yaw=0.5):
    return T @ pose_from_rpy(np.zeros(3), np.array([0.1, 0.2, yaw]))

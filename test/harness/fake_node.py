"""A node that is not there, as a connection of the page shows it.

It has the public interface of `ik_node.ros.clients.connection.Connection`; a test compares them.
Parameters are declared, checked and described by the node's own tables, the robot is built from
them by `ik_node.control`, and goals are solved there. Nothing crosses DDS: the listener is called
at once, in the thread of the caller.
"""

import functools
import threading
import time

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from harness.goal_runs import run
from ik_node import Goal
from ik_node.control.arm import Arm
from ik_node.control.building import NOTHING, Built, Source, build_robot, build_tree, section
from ik_node.control.collision_world import CollisionWorld
from ik_node.control.controller import Controller
from ik_node.control.group import TaskGoal
from ik_node.control.options import (
    SIDE,
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    MotionOptions,
    NodeOptions,
    StartOptions,
)
from ik_node.control.task_options import TaskOptions
from ik_node.ros.clients.client import Report
from ik_node.ros.clients.connection import SilentError
from ik_node.ros.clients.player_link import Playback
from ik_node.ros.intake.obstacle_messages import Contents, Place, frame_key
from ik_node.ros.parameters import Described, describe, from_parameter, to_parameter
from ik_node.ros.publishing import status
from ik_node.ros.publishing.markers.group_markers import SceneMarkers
from ik_node.solvers.registry import (
    body_solver_class,
    body_solver_names,
    solver_class,
    solver_names,
)
from ik_node.support.exceptions import IkError


def _alone(method):
    """Let threads call a method one after the other, as an executor does."""
    @functools.wraps(method)
    def call(node, *arguments, **named):
        with node._lock:
            return method(node, *arguments, **named)
    return call


class FakeNode:
    """A node, and the connection to it.

    - `sent`: what it was sent, in order: ('goal', name, T, position_only), ('path', arm, poses),
      ('joints', arm, values), ('obstacles', markers), ('parameters', values), 'reset', 'solve_all'.
    - `refusal`: the reason with which it refuses every request; '' for none.
    - `listed`: what `branches` returns.
    """

    def __init__(self, arms=('',), **parameters):
        """Begin with values of parameters, __ for a dot; its robot is in its start pose."""
        self._lock = threading.RLock()
        self.responds = True
        self.lifecycle, self.refusal = 'active', ''
        self.sent, self.listed, self.offered, self.process = [], ('', {}), set(), b'1'
        self._arms, self._specs, self._values = arms, {}, {}
        self._built, self._scene, self._listener = NOTHING, SceneMarkers(), None
        self._entries, self._number = {}, 0
        for kind in (ModelOptions, NodeOptions, StartOptions):
            self._declare(kind)
        self._declare(MotionOptions, f'{SIDE}.')
        self._values['arms'] = None if arms == ('',) else arms
        for arm in arms:
            self._declare(ArmOptions, f'{arm}.' if arm else '')
        for names, class_of in ((solver_names(), solver_class),
                                (body_solver_names(), body_solver_class)):
            for name in names:
                self._declare(class_of(name).Options, f'{name}.')
                self._declare(CollisionOptions, f'{name}.')
        self._set({name.replace('__', '.'): value for name, value in parameters.items()})

    def connect(self, listener, namespace='', target='ik_node', arms=('',), domain_id=None):
        """Return the connection, as the class Connection does: itself."""
        self._listener, self._namespace = listener, namespace.strip('/')
        self.offer_goals(arms)
        self.publish()
        return self

    @property
    def robot(self):
        return self._built.robot

    @_alone
    def publish(self):
        """Publish joint values, the pose of a moving root, and markers."""
        if self.robot is None or self._listener is None:
            return
        self._listener.on_joints(self.robot.joint_values())
        if self.robot.moves_root:
            self._listener.on_root_pose(self.robot.T_world_root)
        self._scene.update(self.robot)
        self._listener.on_markers(self._scene.message(
            self.robot, section(NodeOptions, self._values), None))

    @_alone
    def stand(self, values):
        """Move the robot to joint values, {name: rad or m} or (n,) of its only group."""
        if not isinstance(values, dict):
            values = dict(zip(next(iter(self.robot.groups.values())).space.joint_names, values))
        self.robot.place(values)
        self.publish()

    def report(self, level, message, **values):
        """Publish the outcome of a goal."""
        self._listener.on_report(Report(level, message, {'arm': '', 'task': '', **values}))

    def get(self, name):
        return to_parameter(self._values[name])

    def set(self, **values):
        """Set parameters as another client does, __ for a dot."""
        self._set({name.replace('__', '.'): value for name, value in values.items()})

    # The interface of a connection.

    def close(self):
        self.refusal, self.responds = 'the connection is closed', False

    def goal_topic(self, arm='', position_only=False):
        return f'/{f"{arm}/" if arm else ""}goal_{"point" if position_only else "pose"}'

    def processes(self):
        return frozenset([self.process])

    def offer_goals(self, names):
        self.offered.update(names)

    @_alone
    def send_goal(self, T_frame_goal, name='', position_only=False):
        self._request(('goal', name, np.array(T_frame_goal), position_only))
        assert name in self.offered, f'no goals were offered to {name!r}'
        robot = self.robot
        group, name = robot.tasks[name]
        target = self._target(group, name, T_frame_goal, position_only)
        goal = TaskGoal(name, target, None, Header())
        controller = Controller(robot, group, lambda: 0.0, None)
        controller.accept_closest = self.get('on_failure') == 'closest'
        found = run(controller.go([goal]))
        level, words = status.outcome(found)
        values = status.solved(group, found, goal, Time())
        self._scene.show(robot, group, found, level, words)
        self.publish()
        self.report(int.from_bytes(level, 'little'), words, **values)

    @staticmethod
    def _target(group, name, T, position_only):
        if isinstance(group, Arm):
            return Goal(T[:3, 3]) if position_only else Goal.from_pose(T)
        shape = np.shape(group.tasks[name].target)
        return T if shape == (4, 4) else T[:3, :3] if shape == (3, 3) else T[:3, 3]

    @_alone
    def send_obstacles(self, markers):
        self._request(('obstacles', list(markers)))
        contents = Contents(self._entries, 0)
        contents.add_markers(markers, {
            frame_key(marker.header): Place(None, np.eye(4)) for marker in markers})
        assert contents.problems == []
        self._entries = contents.entries
        self._set_world()
        self.publish()

    def _set_world(self):
        self._number += 1
        if self.robot is not None:
            self.robot.set_world(CollisionWorld((*self.robot.obstacles, *Contents(
                self._entries, 0).obstacles), 0, self._number))

    def send_path(self, poses, arm=''):
        self._request(('path', arm, np.array(poses)))

    @_alone
    def send_joints(self, values, arm=''):
        self._request(('joints', arm, dict(values)))
        self._leave(lambda: self.robot.place(values), [self.robot.group_of(arm)])
        return 'at the joint values'

    @_alone
    def reset(self):
        self._request('reset')
        self._leave(self.robot.reset, self.robot.groups.values())
        return 'at the start pose'

    def _leave(self, move, groups):
        move()
        self._scene.forget_goals(groups)
        for group in self.robot.groups.values():
            Controller(self.robot, group, lambda: 0.0, None).begin_at_present()
        self.publish()

    def enable(self, enabled):
        self._request(('enable', enabled))

    def branches(self):
        self._request('solve_all')
        return self.listed

    def set_parameters(self, values):
        self._request(('parameters', dict(values)))
        self._set(values)

    @_alone
    def parameters(self, prefixes=()):
        return self.describe(sorted(name for name in self._specs if not prefixes or any(
            name.startswith(f'{prefix}.') for prefix in prefixes)))

    @_alone
    def describe(self, names):
        self._request()
        return {name: Described.of(name, self.get(name), describe(self._specs[name]))
                for name in names}

    def call(self, call, what, whom='', works=False):
        raise NotImplementedError('no panel but the player calls services; see FakePlayer')

    def _request(self, *sent):
        self.sent += sent
        if self.refusal:
            raise SilentError(self.refusal)

    def _declare(self, options, prefix=''):
        for name, spec in options.specs().items():
            self._specs.setdefault(prefix + name, spec)
            self._values.setdefault(prefix + name, options.defaults()[name])

    @_alone
    def _set(self, values):
        """Set parameters, all or none. Raises SilentError with the reason of a refusal."""
        before = self._specs.copy(), self._values.copy()
        try:
            self._change(values)
        except IkError as error:
            self._specs, self._values = before
            raise SilentError(str(error)) from error
        if self._listener is not None:
            self._listener.on_parameters({name: to_parameter(self._values[name])
                                          for name in self._values
                                          if name in values or name not in before[1]})
            self.publish()

    def _change(self, values):
        ordered = sorted(values, key=lambda name: name != 'tasks')  # it declares others
        for name in ordered:
            if name not in self._specs:
                raise IkError(f'{name} is not declared')
            self._values[name] = from_parameter(
                name, Parameter(name, value=values[name]), self._specs[name])
            if name == 'tasks':
                self._declare_tasks(self._values[name] or ())
        source = Source(self._values.copy(), None)
        tree = build_tree(source, self._built)
        self._built = Built(source, None if tree is None else build_robot(
            source, tree, self._arms, self._built))
        self._set_world()

    def _declare_tasks(self, names):
        kept = ('', SIDE, *names, *self._arms, *solver_names(), *body_solver_names())
        for name in [name for name in self._specs if name.rpartition('.')[0] not in kept]:
            del self._specs[name], self._values[name]
        for name in names:
            self._declare(TaskOptions, f'{name}.')


class FakePlayer:
    """A player of motions, and the link to it: as PlayerLink. It begins to play when it is shown.

    - `sent`: ('pause', whether) and (name of the parameter, value).
    """

    def __init__(self):
        self.playback, self.sent, self.refusal = None, [], ''

    def connect(self, connection, target='ik_play', changed=lambda: None):
        """Return the link, as the class PlayerLink does: itself."""
        return self

    def show(self, **changed):
        """Publish a status."""
        values = {'message': 'paused', 'time': 2.0, 'start': 2.0, 'stop': 18.0, 'frame': 5,
                  'frames': 41, 'speed': 1.0, 'loop': False, 'paused': True}
        before = {} if self.playback is None else self.playback._asdict()
        self.playback = Playback(**{**values, **before, **changed, 'received': time.monotonic()})

    def pause(self, paused):
        self._request(('pause', paused))
        self.show(paused=paused, message='paused' if paused else 'playing')

    def set(self, name, value):
        self._request((name, value))
        self.show(**{name: value})

    def _request(self, sent):
        self.sent.append(sent)
        if self.refusal:
            raise SilentError(self.refusal)

"""The services ~/reset, ~/enable and ~/solve_all, and requests that are answered in turn."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar, cast

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode
from rclpy.task import Future
from std_srvs.srv import SetBool, Trigger

from ik_node.control.controller import Controller
from ik_node.control.group import Group
from ik_node.control.options import JUMP, SERVO
from ik_node.control.worker import START, CancelledError, Job, Worker
from ik_node.ros.configuration import Configuration
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.goals import Goals
from ik_node.ros.log import reason_of
from ik_node.ros.publishing.branches import Branches
from ik_node.ros.publishing.outputs import Outputs
from ik_node.support.exceptions import InputError

T = TypeVar('T')
_MOST = 16  # requests of a service that wait at a time


class Commands:
    """Serves commands to the robot."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, goals: Goals,
                 execution: Execution, outputs: Outputs, branches: Branches,
                 on_leave: Callable[[Group], None]) -> None:
        self._node, self._goals, self._execution = node, goals, execution
        self._outputs, self._branches, self._on_leave = outputs, branches, on_leave
        self._configuration = configuration
        node.create_service(SetBool, '~/enable', self._enable)
        for name, serve in (('reset', self._reset), ('solve_all', self._solve_all)):
            node.create_service(Trigger, f'~/{name}', serve,
                                callback_group=ReentrantCallbackGroup())

    async def go_to_start(self) -> None:
        """Go to the start pose, or warn why not."""
        done, message = await self._outcome(self._go_to_start())
        if not done:
            self._node.get_logger().warning(f'not going home: {message}')

    async def _go_to_start(self) -> tuple[bool, str]:
        robot = self._configuration.robot
        if robot is None:
            return False, 'there is no robot yet'
        if self._configuration.options.motion == SERVO:
            return False, 'motion is servo, which follows commands only'
        moves = self._configuration.options.motion != JUMP
        if not self._goals.enabled or (moves and not self._goals.active):
            return False, 'the node is not active, or disabled: motions are not allowed'
        moved = {name: controller for name, controller in self._execution.controllers.items()
                 if controller.has_moved or controller.group is not robot.side}
        for controller in moved.values() if moves else ():
            self._execution.commands.check(controller.group)
            if self._goals.measured.topic:
                self._goals.measured.check_freshness(controller.group)
                self._goals.measured.check_start(controller)
        self._goals.stop('the robot goes to its start pose')
        self._outputs.scene.forget_goals(robot.groups.values())
        if moves:
            duration = max([await in_turn(self._node, self._goals.worker, ('goals', name),
                                          self._start(controller))
                            for name, controller in moved.items()], default=0.0)
            return True, f'moving to the start pose for {duration:.3f} s'
        self._execution.freeze(robot)
        robot.reset()
        for group in robot.groups.values():
            self._leave(group)
        if self._goals.active:
            self._outputs.announce(robot, self._configuration.options)
        return True, 'at the start pose'

    def _start(self, controller: Controller) -> Job[float]:
        self._goals.measured.update(controller)
        duration = yield from controller.go_to_start()
        self._leave(controller.group)
        return duration

    def _leave(self, group: Group) -> None:
        self._on_leave(group)
        group.reset_targets(group.start)

    def freeze(self) -> None:
        """Let all motions of an active node brake, and publish the joint states."""
        robot = self._configuration.robot
        if robot is not None and self._goals.active:
            self._execution.freeze(robot)
            self._outputs.joint_states(robot)

    async def _reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = await self._outcome(self._go_to_start())
        return response

    async def _solve_all(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = await self._outcome(
            in_turn(self._node, self._goals.worker, 'solve_all', self._list_branches()))
        return response

    async def _outcome(self, command: Awaitable[tuple[bool, str]]) -> tuple[bool, str]:
        try:
            return await command
        except (Exception, CancelledError) as error:  # a defect must not stop the node
            return False, reason_of(error, self._node.get_logger().error)

    def _list_branches(self) -> Job[tuple[bool, str]]:
        robot = self._goals.active_robot()
        self._execution.follow(robot)
        return (yield from self._branches.publish_last(robot))

    def _enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._goals.enabled = request.data
        self._goals.stop('the node has been disabled' if not request.data else
                         'the node has been enabled anew')
        if not request.data:
            self.freeze()
        response.success = True
        response.message = 'goals are accepted' if request.data else 'goals are refused'
        return response


async def in_turn(node: LifecycleNode, worker: Worker, service: Hashable, answer: Job[T],
                  most: float = _MOST) -> T:
    """Return what answers a request, after the requests of the same service before it.

    For callbacks of a reentrant callback group. Raises what the answer raises, CancelledError where
    the worker cancels it, and InputError where too many requests wait.
    """
    if worker.count(service) >= most:
        answer.close()
        raise InputError(f'{most} requests wait already')
    future: Future[Any] = Future(executor=node.executor)
    worker.begin(service, _settle(future, answer), queued=True)
    await future
    return cast(T, future.result())


def _settle(future: Any, answer: Job[T]) -> Job[None]:
    try:
        yield START
        future.set_result((yield from answer))
    except (Exception, CancelledError) as error:  # raised in the callback of the service
        future.set_exception(error)
    finally:
        answer.close()

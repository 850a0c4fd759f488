"""Requests of services whose answers take a search: answered in turn, while the node goes on."""

from collections.abc import Hashable
from typing import Any, TypeVar, cast

from rclpy.node import Node
from rclpy.task import Future

from ik_node.control.worker import Goal, Worker, search
from ik_node.support.exceptions import InputError

T = TypeVar('T')
_MOST = 16  # requests of a service that wait at a time


async def in_turn(node: Node, worker: Worker, service: Hashable, answer: Goal[T]) -> T:
    """Return what answers a request, after the requests of the same service before it.

    For callbacks of a reentrant callback group. Raises what the answer raises, CancelledError where
    the worker gives it up, and InputError where too many requests wait.
    """
    if worker.count(service) >= _MOST:
        answer.close()
        raise InputError(f'{_MOST} requests wait already')
    future: Future[Any] = Future(executor=node.executor)
    worker.begin(service, _settle(future, answer), queued=True)
    await future
    return cast(T, future.result())


async def _settle(future: 'Future[Any]', answer: Goal[T]) -> None:
    try:
        await search()
        future.set_result(await answer)
    except Exception as error:  # raised in the callback of the service
        future.set_exception(error)
    finally:
        answer.close()


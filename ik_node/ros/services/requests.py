"""Requests of services that are answered by the worker, one after the other."""

from collections.abc import Hashable
from typing import Any, TypeVar, cast

from rclpy.lifecycle import LifecycleNode
from rclpy.task import Future

from ik_node.control.worker import START, CancelledError, Job, Worker
from ik_node.support.exceptions import InputError

T = TypeVar('T')
_MOST = 16  # requests of a service that wait at a time


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

"""Checks whether a node responds, by periodic requests for its lifecycle state."""

import math
import time
from typing import Any

from lifecycle_msgs.srv import GetState
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

_PERIOD = 0.25    # s between two requests
_OVERDUE = 0.5    # s after which a request without response is repeated
_SILENCE = 1.2    # s without a message after which the node counts as not responding


class Heartbeat:
    """Sends the requests from a node, which has to be spun.

    The graph is not enough: a killed node stays in it for the 20 s of DDS's lease. Nor are topics,
    whose rates are parameters.

    Services may be discovered seconds after topics: requests until the first response may be lost.

    - `lifecycle`: the label of the lifecycle state in the last response, '' before the first since
      the node was silent.
    - `processes`: an identifier of each process of the node that was on the graph at the last
      response, or had been recently; after a silence already at the first message.
    """

    def __init__(self, node: Node, target: str) -> None:
        self._node, self._topic = node, f'{node.resolve_topic_name(target)}/transition_event'
        self._client: Any = node.create_client(GetState, f'{target}/get_state')
        self._pending: Any = None
        self._requested, self._last_message = 0.0, -math.inf
        self.lifecycle = ''
        self.processes: frozenset[bytes] = frozenset()
        node.create_timer(_PERIOD, self._request, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def on_message(self) -> None:
        """Note a message that only this node sends."""
        if not self.responds:
            self.lifecycle = ''
            self._find_processes()  # it may have goals before its services are discovered
        self._last_message = time.monotonic()

    @property
    def responds(self) -> bool:
        """Whether a message has arrived recently."""
        return time.monotonic() - self._last_message < _SILENCE

    def _request(self) -> None:
        now = time.monotonic()
        if self._pending is not None:
            if now - self._requested < _OVERDUE:
                return
            self._client.remove_pending_request(self._pending)  # its process may have ended
            self._pending = None
        if self._client.service_is_ready():
            self._requested = now
            self._pending = self._client.call_async(GetState.Request())
            self._pending.add_done_callback(self._on_response)

    def _on_response(self, future: Any) -> None:
        if self._pending is future:
            self._pending = None
        if future.cancelled() or future.exception() is not None:
            return
        self.on_message()
        self._find_processes()
        self.lifecycle = future.result().current_state.label

    def _find_processes(self) -> None:
        self.processes = frozenset(bytes(info.endpoint_gid) for info in
                                   self._node.get_publishers_info_by_topic(self._topic))

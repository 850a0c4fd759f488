"""A connection's link to a player, such as `ik_play`: its state, and its commands."""

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from std_srvs.srv import SetBool

from ik_node.ros.clients.connection import Connection, SilentError

_SILENCE = 2.0  # s without a status after which there is no player; one comes every 0.2 s


class Playback(NamedTuple):
    """How far a player is."""

    message: str  # `playing`, `paused` or `ended`
    time: float  # of the motion, s, from `start` to `stop`, the range that plays
    start: float
    stop: float
    frame: int  # the first is 1
    frames: int
    speed: float
    loop: bool
    paused: bool
    received: float  # when the status came, s of `time.monotonic`


class PlayerLink:
    """The link to one player; methods may be called from any thread."""

    def __init__(self, connection: Connection, target: str = 'ik_play',
                 changed: Callable[[], None] = lambda: None) -> None:
        """Listen to the player named target, relative to the connection's namespace.

        changed: called, in the connection's thread, with every status.
        """
        self._connection, self._changed = connection, changed
        node = connection.node
        self._full_name = node.resolve_topic_name(target)
        self._playback: Playback | None = None
        self._pause: Any = node.create_client(SetBool, f'{target}/pause')
        self._parameters = AsyncParameterClient(node, target)
        node.create_subscription(DiagnosticStatus, f'{target}/status', self._on_status, 10)

    @property
    def playback(self) -> Playback | None:
        """The last state of the player; None where there is none, or it has been silent."""
        playback = self._playback
        if playback is None or time.monotonic() - playback.received > _SILENCE:
            return None
        return playback

    def pause(self, paused: bool) -> None:
        """Pause or go on. Raises SilentError where the player does not respond."""
        response = self._connection.call(
            lambda: self._pause.call_async(SetBool.Request(data=paused)), 'pause', self._full_name)
        if not response.success:
            raise SilentError(response.message)

    def set(self, name: str, value: float | bool) -> None:
        """Set `time`, which seeks, `speed` or `loop`. Raises SilentError with the reason."""
        response = self._connection.call(
            lambda: self._parameters.set_parameters_atomically([Parameter(name, value=value)]),
            'parameters', self._full_name)
        if not response.result.successful:
            raise SilentError(response.result.reason)

    def _on_status(self, message: DiagnosticStatus) -> None:
        """Store a status; one without the keys of a player is of another node, and ignored."""
        values = {pair.key: pair.value for pair in message.values}
        try:
            playback = Playback(
                message.message, float(values['time']), float(values['start']),
                float(values['stop']), int(values['frame']), int(values['frames']),
                float(values['speed']), values['loop'] == 'true', values['paused'] == 'true',
                time.monotonic())
        except (KeyError, ValueError):
            return
        if all(map(math.isfinite, playback[1:4])):
            self._playback = playback
            self._changed()

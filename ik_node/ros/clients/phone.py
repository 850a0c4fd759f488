"""A page for a phone whose turning and dragging move the tip of an arm while a finger is on it."""

import http
import json
import math
import secrets
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ik_node.spatial import screw
from ik_node.support import arguments
from ik_node.support.exceptions import IkError, InputError, UnsupportedError
from ik_node.support.processes import start_thread
from ik_node.support.web_sites import address_of, canonical, foreign, is_local, own_names

GAP = 0.1  # s without a message after which the clutch is open
_MOST_BYTES = 1000  # of a message
_ALIVE = 1.0  # s, in which a phone must have answered
_DRIFT = 1e-3  # s in a second, by which the clocks of phone and computer may drift apart
_HEADERS = {'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store',
            'Connection': 'close', 'Content-Security-Policy':
            "default-src 'self' 'unsafe-inline'; img-src data:; frame-ancestors 'none'"}
# From the axes of a phone (right, top, out of the screen) to those of the base.
_R_BASE_PHONE = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


class Touch(NamedTuple):
    """A message of the page.

    - `held`: whether a finger is on it; `drag`: (3,) how far it was dragged since, to the right, up
      and on the bar of heights, in widths of the page; `R`: (3, 3) the orientation of the phone,
      None where that is not to count; `grip`: 1 to open the gripper, −1 to close it, or 0.
    - `time`: s of the clock of the phone.
    """

    time: float
    held: bool
    drag: np.ndarray
    R: np.ndarray | None
    grip: int

    @classmethod
    def of(cls, text: Any) -> 'Touch':
        """Return what a message says. Raises InputError for a malformed one."""
        try:
            found = json.loads(text)
            angles = found['turn']
            if angles is not None:
                angles = np.radians(arguments.vector(angles, 3, 'turn'))
            return cls(arguments.number(found['time'], 'time'), found['held'] is True,
                       arguments.vector(found['drag'], 3, 'drag'),
                       None if angles is None else orientation(*angles.tolist()),
                       int(np.sign(arguments.number(found['grip'], 'grip'))))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(f'a message of the page is malformed: {error!r:.200}') from None


def orientation(alpha: float, beta: float, gamma: float) -> np.ndarray:
    """Return the orientation (3, 3) of a phone by the angles of its browser, rad: about z, x, y."""
    T = screw(alpha, 0.0, 2) @ screw(beta, 0.0, 0) @ screw(gamma, 0.0, 1)
    return np.asarray(T[:3, :3])


class Clutch:
    """Moves a pose as a phone moves while it is held: from where the tip is when that begins."""

    def __init__(self, reach: float) -> None:
        """Begin open. reach: m for a width of the page."""
        self._reach = reach
        self._begin: tuple[np.ndarray, Touch] | None = None
        self._last, self._fastest = -math.inf, math.inf

    def open(self) -> None:
        """Let the next touch begin anew."""
        self._begin = None

    def age(self, touch: Touch, now: float) -> float:
        """Return how much longer than the fastest message of late one was on its way, s."""
        delay = now - touch.time  # and the difference of the clocks
        self._fastest = min(delay, self._fastest + _DRIFT * (now - self._last))
        if now - self._last > GAP or not touch.held:
            self.open()
        self._last = now
        return delay - self._fastest

    def pose(self, touch: Touch, T_base_tip: np.ndarray) -> np.ndarray:
        """Return the pose (4, 4) of the tip, m, for a touch; T_base_tip: where the tip is now."""
        if self._begin is None or (self._begin[1].R is None) != (touch.R is None):
            self._begin = T_base_tip.copy(), touch
        start, first = self._begin
        T = start.copy()
        T[:3, 3] += self._reach * (_R_BASE_PHONE @ (touch.drag - first.drag))
        if touch.R is not None and first.R is not None:
            turned = _R_BASE_PHONE @ first.R.T @ touch.R @ _R_BASE_PHONE.T
            T[:3, :3] = turned @ start[:3, :3]
        return T


class PhonePage:
    """Serves the page, to one phone at a time, in threads of its own; `close` it.

    - `address`: what is opened on the phone; `text`: what the page shows.
    """

    def __init__(self, host: str, port: int, certificate: str, private_key: str,
                 receive: Callable[[Touch, bool], Any]) -> None:
        """Serve at a host and port.

        receive: called with each message, in another thread, and whether it is the first one.
        Raises InputError for a host that others reach without a certificate, and for files that are
        none, and UnsupportedError without websockets.
        """
        try:
            from websockets import ConnectionClosed, Headers, Response
            from websockets.sync.server import serve
        except ImportError as error:
            raise UnsupportedError('a phone needs the package websockets '
                                   f'({error}): pip install websockets') from error
        if not (certificate or is_local(host)):
            raise InputError(f'host {host!r} needs a certificate: browsers give the orientation of '
                             'a phone to https and to localhost only, see docs/teleop.md')
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            try:
                context.load_cert_chain(certificate, private_key or None, password='')
            except (OSError, ValueError) as error:
                raise InputError(f'certificate {certificate!r}: {error}') from error
        # Who reaches a host of others must know the address, too.
        self._path = '/' if is_local(host) else f'/{secrets.token_urlsafe(9)}/'
        self._own, self._receive, self.text = own_names(host), receive, ''
        page = Path(__file__).with_suffix('.html').read_bytes()
        self._page = Response(http.HTTPStatus.OK, 'OK', Headers(
            {**_HEADERS, 'Content-Length': str(len(page))}), page)
        self._free = threading.Lock()  # held while a phone is connected
        self._connection: Any = None
        self._lost = ConnectionClosed
        try:
            self._server = serve(self._talk, host, port, ssl=context, max_size=_MOST_BYTES,
                                 process_request=self._answer, compression=None,
                                 ping_interval=_ALIVE, ping_timeout=_ALIVE, close_timeout=_ALIVE)
        except OSError as error:
            raise InputError(f'port {port} of {host!r}: {error}') from error
        self.port = self._server.socket.getsockname()[1]
        self.address = address_of(host, self.port, 'https' if context else 'http') + self._path
        self._thread = start_thread(self._server.serve_forever, 'phone')

    def close(self) -> None:
        """End."""
        self._server.shutdown()
        self._thread.join()
        if self._connection is not None:
            self._connection.close()

    def _answer(self, connection: Any, request: Any) -> Any:
        """Return the response to a request; None where it opens a websocket."""
        local = canonical(str(connection.local_address[0]))
        if reason := foreign(request.headers, self._own | {local}, hint='The parameter host names '
                             'another one'):
            return connection.respond(http.HTTPStatus.FORBIDDEN, f'{reason}\n')
        if request.path == f'{self._path}touch':
            return None
        if request.path != self._path:
            return connection.respond(http.HTTPStatus.NOT_FOUND, 'There is no such page.\n')
        return self._page

    def _talk(self, connection: Any) -> None:
        """Pass on the messages of a phone until it goes; another one is sent away."""
        if not self._free.acquire(blocking=False):
            connection.close(1013, 'another phone is connected')
            return
        try:
            self._connection, is_first = connection, True
            with suppress(self._lost):
                for text in connection:
                    self._receive(Touch.of(text), is_first)
                    is_first = False
                    connection.send(self.text)
        except IkError as error:
            connection.close(1008, str(error)[:100])
        finally:
            self._connection = None
            self._free.release()

"""The server of the page, which refuses requests of foreign web sites, see `web_sites`."""

import contextlib
import http
import inspect
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import viser
import websockets.asyncio.server as asyncio_server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request

from ik_node.support.exceptions import IkError
from ik_node.support.web_sites import address_of, canonical, checked_name, foreign, own_names

_HINT = 'ik_view has an option for further names: --allow-host NAME'
ALIVE = '/alive'  # what the page asks for, to know that the server is there
_serving = threading.Lock()  # held while `serve` is another one


class PageServer(viser.ViserServer):
    """A server of viser that answers to its own names only, and is not shared with others.

    viser has no option to check requests. This class wraps the public `serve` of websockets, which
    viser calls once, while the server starts; it raises where viser does not call it.
    """

    def __init__(self, host: str, port: int, names: Iterable[str] = ()) -> None:
        """Serve at a host and port, or the next free one.

        names: further host names that the page is reached by. Raises IkError for a malformed one,
        and for a host that is not of this machine, for which viser would wait without end.
        """
        self.host = host
        named = frozenset(checked_name(name) for name in names)
        own = own_names(host) | named
        try:
            socket.create_server((host, 0), family=socket.AF_INET6 if ':' in host else
                                 socket.AF_INET).close()
        except OSError as error:
            raise IkError(f'no page can be served at {host!r}: {error.strerror}') from error
        with _serve_only(lambda request, local: foreign(
                request, own | {local}, named, _HINT)) as calls:
            super().__init__(host=host, port=port, label='ik_view', verbose=False)
        if not calls:
            self.stop()
            raise IkError('requests of foreign web sites cannot be refused with this release of '
                          'viser: it does not use websockets.asyncio.server.serve')
        self.set_dark(False)

    def set_dark(self, dark: bool) -> None:
        """Show the page in dark or in light colours, without viser's logo and its sharing."""
        self.gui.configure_theme(dark_mode=dark, show_share_button=False, show_logo=False)

    def request_share_url(self, verbose: bool = True) -> None:
        """Refuse to serve the page through a public server, which any client may ask for."""

    @property
    def address(self) -> str:
        """The address of the page for browsers on this machine."""
        return address_of(self.host, self.get_port())


@contextlib.contextmanager
def _serve_only(refusal: Callable[[Headers, str], str]) -> Iterator[list[bool]]:
    """Let servers that start in this context refuse requests. Yields a list, empty until one does.

    refusal: returns the reason, '' for none, from headers and the address that was reached.
    """
    calls: list[bool] = []

    def serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        async def checked(connection: ServerConnection, request: Request) -> Any:
            reason = refusal(request.headers, canonical(str(connection.local_address[0])))
            if reason:
                return connection.respond(http.HTTPStatus.FORBIDDEN, f'{reason}\n')
            if request.path == ALIVE:
                return connection.respond(http.HTTPStatus.OK, '')
            response = process_request and process_request(connection, request)
            if inspect.isawaitable(response):
                response = await response
            if response is not None:
                response.headers['X-Frame-Options'] = 'SAMEORIGIN'  # no clicks in a foreign frame
            return response
        calls.append(True)
        return original(*arguments, process_request=checked, **options)
    with _serving:
        original = asyncio_server.serve
        asyncio_server.serve = serve  # type: ignore[assignment,misc]
        try:
            yield calls
        finally:
            asyncio_server.serve = original  # type: ignore[misc]

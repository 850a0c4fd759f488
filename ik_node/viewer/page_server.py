"""The server of the page, which refuses requests of foreign web sites.

A browser sends requests to this machine for any site that its user visits. `Host` says by which
name it has reached the page, `Origin` which site asks. A request is served where both are the
page's own; without `Origin` it comes from the user, or from no browser at all.
"""

import contextlib
import http
import inspect
import ipaddress
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

import viser
import websockets.asyncio.server as asyncio_server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request

from ik_node.support.exceptions import IkError, shown

_LOOPBACK = ('localhost', '127.0.0.1', '::1')
_EVERYWHERE = ('', '0.0.0.0', '::')  # bound, they are addresses of this machine, not a name of it
_serving = threading.Lock()  # held while `serve` is another one


class PageServer(viser.ViserServer):
    """A server of viser that answers to its own names only, and is not shared with others.

    viser has no option to check requests. This class wraps the public `serve` of websockets, which
    viser calls once, while the server starts; it raises where viser does not call it.
    """

    def __init__(self, host: str, port: int, names: Iterable[str] = ()) -> None:
        """Serve at a host and port, or the next free one.

        names: further host names that the page is reached by. Raises IkError for a malformed one.
        """
        self.host = host
        named = frozenset(_named(name) for name in names)
        own = frozenset([*_LOOPBACK, *([] if host in _EVERYWHERE else [_named(host)]), *named])
        with _serve_only(lambda request, local: foreign(request, own | {local}, named)) as calls:
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
        host = 'localhost' if self.host in _EVERYWHERE else self.host
        return f'http://{f"[{host}]" if ":" in host else host}:{self.get_port()}'


def foreign(headers: Headers, own: Iterable[str], named: Iterable[str] = ()) -> str:
    """Return why a request with these headers is not for the page; '' where it is.

    own: the host names of the page, as `host_name` returns them. named: those of them that the
    user has given: a proxy that serves the page by one may put its own in `Host`.
    """
    hosts, origins = headers.get_all('Host'), headers.get_all('Origin')
    if len(hosts) != 1 or host_name(hosts[0]) not in own:
        return (f'The page is not served as {shown(", ".join(hosts))}. ik_view has an option for '
                'further names: --allow-host NAME')
    if not origins:
        return ''
    scheme, _, authority = origins[0].partition('://')
    if len(origins) > 1 or scheme not in ('http', 'https') or (
            authority.lower() != hosts[0].strip().lower() and host_name(authority) not in named):
        return f'The site {shown(", ".join(origins))} has no access to this page.'
    return ''


def host_name(authority: str) -> str:
    """Return the host of `host:port` as it is compared; '' for what is malformed."""
    authority = authority.strip()
    with contextlib.suppress(ValueError):
        parts = urlsplit(f'//{authority}')
        name, _ = parts.hostname or '', parts.port  # reading the port checks it
        if parts.netloc == authority and '@' not in authority:
            return _canonical(name)
    return ''


def _canonical(host: str) -> str:
    """Return a name in lower case, or an address as it is usually written."""
    host = host.lower().removesuffix('.')
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host.partition('%')[0])
        return str(getattr(address, 'ipv4_mapped', None) or address)
    return host


def _named(name: str) -> str:
    """Return a name that the user gives, as `host_name` does. Raises IkError."""
    found = host_name(f'[{name}]' if name.count(':') > 1 and '[' not in name else name)
    if not found or found in _EVERYWHERE:
        raise IkError(f'{shown(name)} is no host name; give it without http:// and path')
    return found


@contextlib.contextmanager
def _serve_only(refusal: Callable[[Headers, str], str]) -> Iterator[list[bool]]:
    """Let servers that start in this context refuse requests. Yields a list, empty until one does.

    refusal: returns the reason, '' for none, from headers and the address that was reached.
    """
    calls: list[bool] = []

    def serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        async def checked(connection: ServerConnection, request: Request) -> Any:
            reason = refusal(request.headers, _canonical(str(connection.local_address[0])))
            if reason:
                return connection.respond(http.HTTPStatus.FORBIDDEN, f'{reason}\n')
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

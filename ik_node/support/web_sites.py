"""Which requests a page answers: those of its own scripts, and not those of foreign web sites.

A browser sends requests to this machine for any site that its user visits. `Host` says by which
name it has reached the page, `Origin` which site asks. A request is served where both are the
page's own; without `Origin` it comes from the user, or from no browser at all.
"""

import contextlib
import ipaddress
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from ik_node.support.exceptions import InputError, shown

_LOOPBACK = frozenset(['localhost', '127.0.0.1', '::1'])  # names that no other machine reaches
_EVERYWHERE = ('', '0.0.0.0', '::')  # bound, they are addresses of this machine, not a name of it


def own_names(host: str) -> frozenset[str]:
    """Return the names of a page that is served at a host. Raises InputError."""
    return _LOOPBACK | (frozenset() if host in _EVERYWHERE else {checked_name(host)})


def is_local(host: str) -> bool:
    """Tell whether a page that is served at a host is reached by this machine only."""
    return host not in _EVERYWHERE and own_names(host) == _LOOPBACK


def address_of(host: str, port: int, scheme: str = 'http') -> str:
    """Return the address of a page for browsers on this machine."""
    host = 'localhost' if host in _EVERYWHERE else host
    return f'{scheme}://{f"[{host}]" if ":" in host else host}:{port}'


def foreign(headers: Any, own: Iterable[str], named: Iterable[str] = (),
            hint: str = '') -> str:
    """Return why a request with these headers is not for the page; '' where it is.

    own: the host names of the page, as `host_name` returns them. named: those of them that the
    user has given: a proxy that serves the page by one may put its own in `Host`. hint: how there
    may be more names.
    """
    hosts, origins = headers.get_all('Host'), headers.get_all('Origin')
    if len(hosts) != 1 or host_name(hosts[0]) not in own:
        return f'The page is not served as {shown(", ".join(hosts))}. {hint}'.rstrip()
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
            return canonical(name)
    return ''


def canonical(host: str) -> str:
    """Return a name in lower case, or an address as it is usually written."""
    host = host.lower().removesuffix('.')
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host.partition('%')[0])
        return str(getattr(address, 'ipv4_mapped', None) or address)
    return host


def checked_name(name: str) -> str:
    """Return a name that the user gives, as `host_name` does. Raises InputError."""
    found = host_name(f'[{name}]' if name.count(':') > 1 and '[' not in name else name)
    if not found or found in _EVERYWHERE:
        raise InputError(f'{shown(name)} is no host name; give it without http:// and path')
    return found

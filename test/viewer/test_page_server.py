"""Who is served by the page: requests over HTTP and websockets, by their names and sites."""

import http.client
import socket

import pytest

viser = pytest.importorskip('viser', reason='viser is not installed (make test brings it)')

import msgspec
import zstandard
from websockets.exceptions import InvalidMessage, InvalidStatus
from websockets.sync.client import connect

from ik_node import IkError
from ik_node.viewer.page_server import ALIVE, PageServer

PROTOCOL = f'viser-v{viser.__version__}'


@pytest.fixture(scope='module')
def server():
    server = PageServer('127.0.0.1', 8810, ['Robot.example', '192.0.2.7'])
    yield server
    server.stop()


@pytest.fixture(scope='module')
def port(server):
    return server.get_port()


def status(port, host='127.0.0.1:{port}', origin=None, method='GET', path='/'):
    """Return the status of a request over HTTP; None where the connection is closed."""
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    if host is not None:
        connection.putheader('Host', host.format(port=port))
    if origin is not None:
        connection.putheader('Origin', origin.format(port=port))
    connection.endheaders()
    try:
        return connection.getresponse().status
    except (http.client.HTTPException, ConnectionError):
        return None
    finally:
        connection.close()


def opens(port, host='127.0.0.1:{port}', origin=None):
    """Return whether a websocket is opened, by a client that says to be at a host."""
    with socket.create_connection(('127.0.0.1', port), timeout=60) as raw:
        try:
            with connect('ws://' + host.format(port=port), sock=raw, subprotocols=[PROTOCOL],
                         origin=origin and origin.format(port=port), compression=None,
                         max_size=None) as opened:
                return bool(opened.recv(timeout=60))
        except (InvalidStatus, InvalidMessage, ConnectionError, EOFError):
            return False


HOSTS = ['127.0.0.1:{port}', 'localhost:{port}', 'LOCALHOST.:1', '[::1]:{port}', 'robot.example',
         'ROBOT.example.:9000', '192.0.2.7']
FOREIGN_HOSTS = ['evil.example', 'evil.example:{port}', '127.0.0.1.evil.example:{port}',
                 'localhost.evil.example', '127.0.0.2:{port}', '0.0.0.0:{port}', '192.168.0.5',
                 'user@localhost:{port}', 'localhost:{port}/evil', 'localhost:port', '', '[::2]',
                 'localhost, evil.example']
FOREIGN_ORIGINS = ['https://evil.example', 'http://evil.example:{port}', 'null', '',
                   'http://localhost.evil.example:{port}', 'http://127.0.0.1:1', 'file://',
                   'http://127.0.0.1', 'http://user@127.0.0.1:{port}', 'http://127.0.0.1:{port}/',
                   'ftp://127.0.0.1:{port}', '127.0.0.1:{port}',
                   'http://127.0.0.1:{port} http://evil.example']
METHODS = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'HEAD', 'PROPFIND']


@pytest.mark.parametrize('host', HOSTS)
def test_the_page_is_served_by_its_own_names_and_to_its_own_scripts(port, host):
    assert status(port, host) == 200
    assert status(port, host, f'http://{host}') == 200
    assert opens(port, host.replace('LOCALHOST.', 'localhost.'))


def test_the_page_can_ask_whether_its_server_is_there(port):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.request('GET', ALIVE)
    response = connection.getresponse()
    assert (response.status, response.read()) == (200, b'')
    connection.close()


def test_the_script_of_the_page_and_a_named_proxy_open_a_websocket(port):
    assert opens(port, origin='http://127.0.0.1:{port}')
    assert opens(port, 'localhost:9000', 'http://localhost:9000')  # a forwarded port
    assert opens(port, origin='https://robot.example')  # a proxy with TLS


@pytest.mark.parametrize('host', FOREIGN_HOSTS)
def test_a_foreign_host_is_refused(port, host):
    assert status(port, host) == 403
    assert status(port, host, f'http://{host}') == 403


@pytest.mark.parametrize('origin', FOREIGN_ORIGINS)
def test_a_foreign_site_is_refused(port, server, origin):
    seen = []
    server.on_client_connect(seen.append)
    assert status(port, origin=origin) == 403
    if origin:  # the client leaves an empty one out
        assert not opens(port, origin=origin)
    assert seen == []


@pytest.mark.parametrize('method', METHODS)
def test_other_methods_than_get_are_refused(port, method):
    assert status(port, method=method) in (None, 400, 405, 501)
    assert status(port, origin='https://evil.example', method=method) in (None, 400, 405, 501)


def test_a_request_without_a_host_or_with_two_is_refused(port):
    assert status(port, None) == 403
    with socket.create_connection(('127.0.0.1', port), timeout=60) as raw:
        raw.sendall(f'GET / HTTP/1.1\r\nHost: localhost:{port}\r\nHost: evil.example\r\n\r\n'
                    .encode())
        assert raw.recv(100).startswith(b'HTTP/1.1 403')


def test_a_refusal_names_the_option_and_no_foreign_site_may_frame_the_page(port):
    for host, text in (('evil.example', '--allow-host'), (f'localhost:{port}', '<html')):
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
        connection.request('GET', '/', headers={'Host': host})
        response = connection.getresponse()
        assert text in response.read().decode()
        assert (response.getheader('X-Frame-Options') == 'SAMEORIGIN') is (text == '<html')
        connection.close()


def test_the_page_is_not_shared_whoever_asks(server, port):
    with connect(f'ws://127.0.0.1:{port}', subprotocols=[PROTOCOL], compression=None,
                 max_size=None) as opened:
        frame = opened.recv(timeout=60)
    packed = frame[16:16 + int.from_bytes(frame[8:16], 'little')]
    themes = [message for message in msgspec.msgpack.decode(
        zstandard.decompress(packed))['messages'] if 'show_share_button' in message]
    assert [theme['show_share_button'] for theme in themes] == [False]
    assert server.request_share_url() is None


def test_a_page_for_the_whole_network_is_reached_by_address():
    with pytest.raises(IkError, match='no host name'):
        PageServer('127.0.0.1', 8820, ['http://robot.example/'])
    server = PageServer('0.0.0.0', 8820)
    try:
        port = server.get_port()
        assert server.address == f'http://localhost:{port}'
        assert (status(port), status(port, '0.0.0.0:{port}')) == (200, 403)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as raw:
            raw.connect(('127.0.0.2', port))  # an address of this machine, too
            raw.sendall(b'GET / HTTP/1.1\r\nHost: 127.0.0.2\r\n\r\n')
            assert raw.recv(100).startswith(b'HTTP/1.1 200')
    finally:
        server.stop()


def test_a_toolkit_that_serves_otherwise_is_reported_and_not_served(monkeypatch):
    from ik_node.viewer import page_server
    monkeypatch.setattr(page_server, 'asyncio_server', type('Other', (), {'serve': None}))
    with pytest.raises(IkError, match='cannot be refused with this release of viser'):
        PageServer('127.0.0.1', 8830)

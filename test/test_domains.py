import itertools
import socket
import sys

import pytest

from domains import Domain, inhabited_domains

pytestmark = pytest.mark.skipif(sys.platform != 'linux', reason='sockets are listed on Linux only')


@pytest.fixture
def free():
    """Return a domain in which nobody is."""
    domain = Domain()
    domain.give_back()
    return domain.id


@pytest.mark.parametrize('kind', [socket.AF_INET, socket.AF_INET6])
@pytest.mark.parametrize('port', [0, 1, 10, 11, 249])
def test_a_domain_in_use_is_passed_over(monkeypatch, free, kind, port):
    monkeypatch.setattr(Domain, '_next', itertools.count(free - 1))
    with socket.socket(kind, socket.SOCK_DGRAM) as somebody:
        somebody.bind(('', 7400 + 250 * free + port))
        assert free in inhabited_domains()
        domain = Domain()
        assert domain.id != free
        domain.give_back()


def test_a_domain_is_not_shared_until_it_is_given_back(monkeypatch, free):
    monkeypatch.setattr(Domain, '_next', itertools.count(free - 1))
    one = Domain()
    assert one.id == free
    monkeypatch.setattr(Domain, '_next', itertools.count(free - 1))
    other = Domain()
    assert other.id != free
    other.give_back()
    one.give_back()
    monkeypatch.setattr(Domain, '_next', itertools.count(free - 1))
    again = Domain()
    assert again.id == free
    again.give_back()

"""What tests of a moving arm share; each module has its own `node`."""

import pytest


@pytest.fixture(params=['joint', 'cartesian'])
def mode(request):
    return request.param


@pytest.fixture
def heard(node, mode):
    from ros_motion import back_at_start
    return back_at_start(node, mode)

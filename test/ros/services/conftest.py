"""What tests of services need."""

import pytest


@pytest.fixture(params=['arm', 'body', 'task'])
def rig(request):
    """Return a robot with the handle 'tip' of an arm, of a body's tip, and of a task."""
    from harness import handle_rig
    return getattr(handle_rig, request.param)()

"""What several tests of the page share."""

import pytest


def pytest_pycollect_makemodule():
    """Skip every module of this folder, before it imports the page, without what the page needs."""
    for name in ('viser', 'fast_simplification', 'rclpy'):
        pytest.importorskip(name, reason=f'{name} is not installed (make test brings it)')


@pytest.fixture(scope='session')
def reader():
    """The process that reads meshes."""
    from ik_node.model.mesh_reader import MeshReader
    made = MeshReader()
    yield made
    made.close()


@pytest.fixture(scope='module')
def server():
    """A server of viser whose page nobody has open."""
    from harness.page_here import viser_server
    with viser_server() as made:
        yield made


@pytest.fixture
def page():
    """The page of an arm of six joints."""
    from harness.page_here import page_with
    with page_with('arm_6r') as made:
        yield made

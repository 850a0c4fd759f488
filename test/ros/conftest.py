"""What tests of the node need."""

import pytest


def pytest_pycollect_makemodule():
    """Skip every module of this folder, before it imports the node, without ROS 2."""
    pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

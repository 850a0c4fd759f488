"""Keeps the tests' messages on this machine, and apart from other graphs on it."""

import logging
import os
import signal
import sys
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pytest

from installed import use_installed

use_installed()

import ik_node
import robots
from compiled import outdated
from domains import Domain, stay_on_this_machine
from ik_node.support import plain

DOMAIN = Domain()
stay_on_this_machine()
os.environ['ROS_DOMAIN_ID'] = str(DOMAIN.id)

# With launch's, which pytest's plugin of a ROS 2 install sets, `caplog` would see nothing.
logging.setLoggerClass(logging.Logger)

# A shell ignores SIGINT for what it runs in the background, and what the tests start would inherit
# that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    """Name what is tested: an installed package comes before the sources."""
    return f'ik_node: {Path(ik_node.__file__).parent}'


def pytest_configure(config):
    """Test no old code; draw a part of all samples where slow tests are left out."""
    old = () if plain.is_wanted() else outdated(ik_node.__path__[0])
    if old:
        pytest.exit(f'{len(old)} kernels have changed since they were compiled, {old[0]} among '
                    'them: `make setup` compiles them', returncode=4)
    robots.without_slow = config.option.markexpr == 'not slow'


@pytest.fixture
def control_msgs(monkeypatch):
    """Let joint states stand in for joint jogs where control_msgs is not installed."""
    from sensor_msgs.msg import JointState
    package, messages = ModuleType('control_msgs'), ModuleType('control_msgs.msg')
    package.__spec__ = sys.__spec__
    messages.JointJog = JointState
    for field, own in (('joint_names', 'name'), ('velocities', 'velocity')):
        monkeypatch.setattr(JointState, field, property(
            attrgetter(own), lambda jog, values, own=own: setattr(jog, own, values)), raising=False)
    monkeypatch.setitem(sys.modules, 'control_msgs', package)
    monkeypatch.setitem(sys.modules, 'control_msgs.msg', messages)

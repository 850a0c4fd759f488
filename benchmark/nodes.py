"""The node as a process of its own, for what is measured from outside."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

from benchmark import arms

_DOMAIN = '77'


def stay_here() -> None:
    """Have all that is started from now on find each other, and nobody else."""
    os.environ.update(ROS_DOMAIN_ID=_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')


def node_command(name: str, solver: str) -> list[str]:
    """Return how the node is started with an arm and a solver; it publishes only answers."""
    arm = arms.load(name)
    return [sys.executable, '-m', 'ik_node.ros.node', '--ros-args', '-p', f'urdf_path:={arm.file}',
            '-p', f'base_link:={arm.chain.base_link}', '-p', f'tip_link:={arm.chain.tip_link}',
            '-p', f'solver:={solver}', '-p', 'publish_rate:=0.0']


@contextlib.contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Have a process run for a while."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20.0)

"""The node as a process of its own, for what is measured from outside."""

import contextlib
import os
import subprocess

from benchmark import arms
from ik_node.support import processes

_DOMAIN = '77'


def stay_here() -> None:
    """Have all that is started from now on find each other, and nobody else."""
    os.environ.update(ROS_DOMAIN_ID=_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')


def node_command(name: str, solver: str) -> list[str]:
    """Return how the node is started with an arm and a solver; it publishes only answers."""
    arm = arms.load(name)
    return processes.node_command(
        arm.file, solver, arm.chain.base_link, arm.chain.tip_link,
        ['--log-level', 'fatal', '-p', 'publish_rate:=0.0'])


def running(command: list[str]) -> contextlib.AbstractContextManager[subprocess.Popen[str]]:
    """Have a process run for a while; what it prints is not heard."""
    return processes.running(command, stdout=subprocess.DEVNULL)

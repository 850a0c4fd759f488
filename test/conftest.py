"""Keeps the tests' messages on this machine, and apart from other graphs on it."""

import functools
import inspect
import os
import signal
import typing

import numpy as np
import pytest

import ik_node
import robots
from compiled import outdated
from domains import Domain, stay_on_this_machine
from ik_node._jit import Kernel
from ik_node.support import plain

DOMAIN = Domain()
stay_on_this_machine()
os.environ['ROS_DOMAIN_ID'] = str(DOMAIN.id)

# A shell ignores SIGINT for what it runs in the background, and what the tests start would inherit
# that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def check_arguments() -> None:
    """Let entries check what they are called with, which they do not on their own."""
    scalars = {int: (int, np.integer), float: (float, np.floating), bool: (bool, np.bool_)}
    run = Kernel.__call__

    def fits(value, wanted):
        if wanted in scalars:
            return isinstance(value, scalars[wanted])
        if hasattr(wanted, '_fields'):
            return isinstance(value, wanted)
        _, dtype, dimensions = typing.get_args(wanted)
        return (type(value) is np.ndarray and value.dtype == dtype and value.ndim == dimensions
                and value.flags.c_contiguous)

    @functools.cache
    def parameters_of(kernel):
        return tuple(inspect.signature(kernel.function).parameters.values())

    def check_and_run(kernel, *arguments):
        if kernel.is_entry:
            wanted = parameters_of(kernel)
            assert len(arguments) == len(wanted), kernel
            for value, parameter in zip(arguments, wanted):
                assert fits(value, parameter.annotation), (kernel, parameter.name, value)
        return run(kernel, *arguments)

    Kernel.__call__ = check_and_run


check_arguments()


def pytest_configure(config):
    """Test no old code; draw a part of all samples where slow tests are left out."""
    old = () if plain.is_wanted() else outdated(ik_node.__path__[0])
    if old:
        pytest.exit(f'{len(old)} kernels have changed since they were compiled, {old[0]} among '
                    'them: `make setup` compiles them', returncode=4)
    robots.without_slow = config.option.markexpr == 'not slow'

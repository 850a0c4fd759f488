"""The clock in machine code: a call of clock_gettime, for the clock of `time.perf_counter`."""

import time
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, signature

from ik_node._jit.clock import clock

_INT, _LONG = ir.IntType(32), ir.IntType(64)


class _Reading(AbstractTemplate):
    key = clock

    def generic(self, arguments: Any, _: Any) -> Any:
        """Return the type: a number of no arguments."""
        return signature(types.float64)


CLOCK: Any = types.Function(_Reading)
"""Numba's type of the kernel `clock`."""


@lower_builtin(clock)
def _read(context: Any, builder: Any, _types: Any, _values: Any) -> Any:
    """Read the clock, whose seconds and nanoseconds are two integers."""
    which = getattr(time, 'CLOCK_UPTIME_RAW', time.CLOCK_MONOTONIC)  # macOS, and all others
    parts = cgutils.alloca_once(builder, _LONG, size=2)
    read = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_INT, [_INT, _LONG.as_pointer()]), 'clock_gettime')
    builder.call(read, [_INT(which), parts])
    seconds, nanoseconds = (
        builder.sitofp(builder.load(builder.gep(parts, [_INT(k)])), ir.DoubleType())
        for k in range(2))
    return builder.fadd(seconds, builder.fmul(nanoseconds, ir.DoubleType()(1e-9)))

"""Kernels: plain Python first, machine code when it is there.

`machine_code` is the only importer of numba, with `lowering` and `views`, which belong to it.
"""

from ik_node._jit.clock import clock
from ik_node._jit.kernel import (
    HAVE_NUMBA,
    INSTALL_HINT,
    Kernel,
    all_entries,
    allocating,
    entry,
    inline,
    njit,
    rare,
    specialise,
    together,
)
from ik_node._jit.layout import Layout, Shape, joined
from ik_node._jit.loading import (
    are_on_disk,
    begin,
    load_in_background,
    make_plain,
    prepare,
    runs_plain,
    stop,
    waiting_for,
)
from ik_node._jit.plain import (
    OutOfTimeError,
    is_limited,
    plain_code,
    time_is_over,
    time_limit,
    unlimited,
)
from ik_node._jit.types import Booleans, Integers, Matrix, Stack, Vector

__all__ = [
    'HAVE_NUMBA', 'INSTALL_HINT', 'Booleans', 'Integers', 'Kernel', 'Layout', 'Matrix',
    'OutOfTimeError', 'Shape', 'Stack', 'Vector', 'all_entries', 'allocating', 'are_on_disk',
    'begin', 'clock', 'entry', 'inline', 'is_limited', 'joined', 'load_in_background',
    'make_plain', 'njit', 'plain_code', 'prepare', 'rare', 'runs_plain', 'specialise', 'stop',
    'time_is_over', 'time_limit', 'together', 'unlimited', 'waiting_for',
]

"""Kernels: functions over flat arrays that other kernels and Python call."""

import functools
import importlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ik_node._jit.plain import plain_function

HAVE_NUMBA = importlib.util.find_spec('numba') is not None
INSTALL_HINT = ('numba is not installed: the solvers run as plain Python, with the same results '
                'but a hundred times slower; install it with "pip install numba"')

ENTRIES: dict[str, 'Kernel'] = {}  # by key


class Kernel:
    """A function over flat arrays; called by another kernel it is compiled along with that.

    One that Python calls is an entry: it becomes machine code, and runs as plain Python until that
    is loaded. What is not an entry always runs as plain Python when Python calls it.

    - `key`: what the compiler knows an entry by; `origin`: the module whose import makes it, None
      where there is none.
    - `group`: of an entry, the entries that become machine code together, itself included.
    - `layout`: where the kernel is the `unpack` of a `Layout`, that; machine code has its own.
    - `is_plain`: whether calls run as plain Python; `is_ready`: whether that stays as it is.
    """

    get_machine_code: ClassVar[Callable[[Any], None]]
    """Gets the machine code of an entry that is called, at once or later; set by `loading`."""

    def __init__(self, function: Callable[..., Any], inlined: bool = False,
                 allocates: bool = False, is_rare: bool = False) -> None:
        """Wrap a function. inlined: into its callers. allocates: whether it makes arrays.

        is_rare: whether its machine code is to be small rather than fast.
        """
        functools.update_wrapper(self, function)
        self.__qualname__: str = function.__qualname__
        self.function = function
        self.inlined, self.allocates, self.is_rare = inlined, allocates, is_rare
        self.key = ''
        self.origin: str | None = None
        self.group: tuple[Kernel, ...] = (self,)
        self.layout: Any = None
        self.is_entry, self.is_ready, self.is_plain = False, True, True
        self._call: Callable[..., Any] = self._run_plain

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel."""
        return self._call(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let an entry be pickled and copied by its key."""
        return _entry_of, (self.key, self.origin)

    def __repr__(self) -> str:
        """Return the name."""
        return f'<kernel {self.__module__}.{self.__qualname__}>'

    @property
    def name(self) -> str:
        """The name, without its module."""
        return self.__qualname__

    def make_entry(self) -> None:
        """Prepare for calls from Python. Raises TypeError where an argument has no type."""
        for name, parameter in inspect.signature(self.function).parameters.items():
            if parameter.annotation is inspect.Parameter.empty:
                raise TypeError(f'{self!r} is called from Python: its argument {name!r} needs a '
                                'type of ik_node._jit')
        self.key = f'{self.__module__}:{self.__qualname__}'
        self.origin = _importing_module()
        self.is_entry = True
        ENTRIES[self.key] = self
        if HAVE_NUMBA:
            self.is_ready = False
            self._call = self._first_call

    def await_machine_code(self) -> None:
        """Get machine code when the kernel is called next."""
        self._call = self._first_call

    def use(self, machine_code: Callable[..., Any] | None) -> None:
        """Run machine code from now on; None: stay with plain Python."""
        self._call = self._run_plain if machine_code is None else machine_code
        self.is_ready, self.is_plain = True, machine_code is None

    def _run_plain(self, *arguments: Any) -> Any:
        with np.errstate(all='ignore'):  # as machine code, which warns of nothing
            return plain_function(self)(*arguments)

    def _first_call(self, *arguments: Any) -> Any:
        """Load machine code that is on disk; else have it made, and run as plain Python."""
        self.get_machine_code()
        if not self.is_ready:
            self._call = self._run_plain
        return self._call(*arguments)


def njit(function: Callable[..., Any]) -> Kernel:
    """Make a kernel, which makes no arrays of its own."""
    return Kernel(function)


def inline(function: Callable[..., Any]) -> Kernel:
    """Make a kernel that is compiled into each of its callers: for what a solver's loop calls."""
    return Kernel(function, inlined=True)


def rare(function: Callable[..., Any]) -> Kernel:
    """Make a kernel whose machine code is small, and compiled once for all its callers.

    For what a solve calls once, or only for some goals or options: unrolled loops, and a copy for
    every caller, take most of the time of a compilation.
    """
    return Kernel(function, is_rare=True)


def allocating(function: Callable[..., Any]) -> Kernel:
    """Make a kernel that makes arrays.

    It must not take arrays that a kernel of the other kind returns, whose references are not
    counted.
    """
    return Kernel(function, allocates=True)


def entry(function: Callable[..., Any] | Kernel) -> Kernel:
    """Make a kernel that Python calls; its annotations say what types its arguments have.

    The arguments are not checked: arrays must be C-contiguous, of that type and dimension.
    """
    kernel = function if isinstance(function, Kernel) else Kernel(function)
    kernel.make_entry()
    return kernel


def together(*entries: Kernel) -> None:
    """Let entries become machine code together: what they share is compiled once."""
    for kernel in entries:
        kernel.group = entries


def specialise(template: Callable[..., Any], name: str,
               decorate: Callable[[Callable[..., Any]], Kernel] = njit, **kernels: Any) -> Kernel:
    """Return a kernel made from a template: its code, with the given kernels for its globals.

    For one loop over many methods.
    """
    function = types.FunctionType(template.__code__, {**template.__globals__, **kernels}, name)
    function.__qualname__ = name
    function.__module__ = template.__module__
    function.__doc__ = template.__doc__
    function.__annotations__ = template.__annotations__
    return decorate(function)


def all_entries() -> tuple[Kernel, ...]:
    """Return every entry that has been made so far."""
    return tuple(ENTRIES.values())


def _importing_module() -> str | None:
    """Return the module that is being imported by the frame nearest to the caller."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == '<module>':
            name: str = frame.f_globals.get('__name__', '__main__')
            return None if name == '__main__' else name
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _entry_of(key: str, origin: str | None) -> Kernel:
    if key not in ENTRIES and origin is not None:
        importlib.import_module(origin)
    return ENTRIES[key]

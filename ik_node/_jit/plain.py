"""Kernels as plain Python, with the arithmetic of their machine code.

In machine code a division by zero gives an infinity or NaN, and so does a function outside its
domain, as IEEE 754 has it; in Python both raise. The plain function of a kernel is made from its
source, with operators and functions that do not raise. It checks the clock whenever a kernel is
called.
"""

import ast
import builtins
import contextlib
import functools
import math
import os
import threading
import time
import types
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from ik_node.exceptions import IkError

_GRACE = 0.03    # s
_LEAST = -2 ** 63  # what machine code makes of a number that is no integer


class OutOfTimeError(IkError):
    """The time allowed by `time_limit` is over."""


class _Clock(threading.local):
    end: float | None = None
    expired = False


_clock = _Clock()


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Let kernels that run as plain Python in this thread take so long in all, s.

    Then the kernel that runs raises OutOfTimeError. What is called after that may go on for a
    moment, to say how good the best configuration is. Machine code is not interrupted.
    """
    before = _clock.end, _clock.expired
    _clock.end, _clock.expired = time.perf_counter() + seconds, False
    try:
        yield
    finally:
        _clock.end, _clock.expired = before


@contextlib.contextmanager
def unlimited() -> Iterator[None]:
    """Lift the limit, for what does not take long and has to be done."""
    before, _clock.end = _clock.end, None
    try:
        yield
    finally:
        _clock.end = before


def is_limited() -> bool:
    """Tell whether a `time_limit` is in force in this thread."""
    return _clock.end is not None


def time_is_over() -> bool:
    """Tell whether OutOfTimeError was raised within the present `time_limit`."""
    return _clock.expired


def _look_at_the_clock() -> None:
    end = _clock.end
    if end is not None and time.perf_counter() > end:
        _clock.end, _clock.expired = time.perf_counter() + _GRACE, True
        raise OutOfTimeError('the time for plain Python is over: the kernels are being compiled')


def plain_function(kernel: Any) -> Callable[..., Any]:
    """Return the plain Python function of a kernel; the kernels it calls are replaced likewise."""
    plain = _plain_functions.get(kernel)
    if plain is None:
        with _building:
            made: dict[Any, Callable[..., Any]] = {}
            plain = _make(kernel, made)
            # Only when all are complete: other threads take them from there.
            _plain_functions.update(made)
    return plain


def plain_code(kernel: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that runs in place of a kernel's own code while it is plain Python.

    For loops that take long: it does the same arithmetic in the same order, on whole rows by NumPy,
    so that the results are equal to the last bit.
    """
    def use(function: Callable[..., Any]) -> Callable[..., Any]:
        _replacements[kernel] = function
        return function
    return use


_replacements: dict[Any, Callable[..., Any]] = {}
_plain_functions: dict[Any, Callable[..., Any]] = {}
_building = threading.Lock()


def _make(kernel: Any, made: dict[Any, Callable[..., Any]]) -> Callable[..., Any]:
    """Make the plain functions of a kernel and of all it calls, except for existing ones."""
    if kernel in _plain_functions:
        return _plain_functions[kernel]
    if kernel not in made:
        function = _replacements.get(kernel, kernel.function)
        namespace: dict[str, Any] = {'__builtins__': builtins, **_NAMES}
        made[kernel] = types.FunctionType(_in_plain(function.__code__), namespace,
                                          function.__name__, function.__defaults__)
        for name in {*function.__code__.co_names, *made[kernel].__code__.co_names}:
            if name in function.__globals__:
                value = function.__globals__[name]
                namespace[name] = (_make(value, made) if type(value) is type(kernel) else
                                   _MATH if value is math else value)
    return made[kernel]


def _unlock() -> None:
    global _building
    _building = threading.Lock()


os.register_at_fork(after_in_child=_unlock)  # another thread may have had it


def _in_plain(code: types.CodeType) -> types.CodeType:
    """Return a function compiled again, with other arithmetic; itself where it has no source."""
    made = _codes.get(code)
    if made is None:
        made = _codes[code] = _from_source(code) or code
    return made


_codes: dict[types.CodeType, types.CodeType] = {}  # many kernels are made from one template


def _from_source(code: types.CodeType) -> types.CodeType | None:
    node = _definitions(code.co_filename).pop((code.co_name, code.co_firstlineno), None)
    if node is None:
        return None
    node.decorator_list, node.returns, node.args = [], None, _bare(node.args)
    node = _Arithmetic().visit(node)
    node.body.insert(0, ast.Expr(ast.Call(ast.Name('_look_at_the_clock', ast.Load()), [], [])))
    module = ast.fix_missing_locations(ast.Module([node], []))
    made: types.CodeType = next(
        constant for constant in compile(module, code.co_filename, 'exec').co_consts
        if isinstance(constant, types.CodeType))
    return made


@functools.cache
def _definitions(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Return the functions of a file by name and first line, which is that of a decorator."""
    try:
        with open(file, encoding='utf-8') as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    return {(node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])): node
            for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _bare(arguments: ast.arguments) -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[ast.arg(a.arg) for a in arguments.args],
                         kwonlyargs=[], kw_defaults=[], defaults=arguments.defaults)


class _Arithmetic(ast.NodeTransformer):
    """Replaces operators that may raise by functions."""

    _FUNCTIONS: ClassVar = {ast.Div: '_divided', ast.FloorDiv: '_floor_divided', ast.Mod: '_modulo',
                  ast.Pow: '_power'}

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self._replaced(node, node.left, node.op, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if type(node.op) not in self._FUNCTIONS:
            return node
        source = ast.parse(ast.unparse(node.target), mode='eval').body
        value = self._replaced(None, source, node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def _replaced(self, node: ast.expr | None, left: ast.expr, operator: ast.operator,
                  right: ast.expr) -> ast.expr:
        name = self._FUNCTIONS.get(type(operator))
        harmless = (isinstance(right, ast.Constant) and right.value != 0
                    and not isinstance(operator, ast.Pow))
        if name is None or (harmless and node is not None):
            assert node is not None
            return node
        called = ast.Call(ast.Name(name, ast.Load()), [left, right], [])
        return called if node is None else ast.copy_location(called, node)


def _divided(a: Any, b: Any) -> Any:
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def _floor_divided(a: Any, b: Any) -> Any:
    try:
        return a // b
    except ZeroDivisionError:
        return 0 if isinstance(a, int) and isinstance(b, int) else math.nan


def _modulo(a: Any, b: Any) -> Any:
    try:
        return a % b
    except ZeroDivisionError:
        return 0 if isinstance(a, int) and isinstance(b, int) else math.nan


def _power(a: Any, b: Any) -> Any:
    try:
        result = a ** b
    except ZeroDivisionError:
        odd = b == math.floor(b) and b % 2.0 == 1.0
        return math.copysign(math.inf, a) if odd else math.inf
    except OverflowError:
        return -math.inf if a < 0.0 and b % 2.0 == 1.0 else math.inf
    return math.nan if isinstance(result, complex) else result


def _guarded(function: Callable[[float], float]) -> Callable[[float], float]:
    @functools.wraps(function)
    def guarded(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf
    return guarded


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else (-math.inf if x == 0.0 else math.nan)


def _whole(function: Callable[[Any], int]) -> Callable[[Any], int]:
    @functools.wraps(function)
    def whole(x: Any) -> int:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return _LEAST
    return whole


_MATH = types.SimpleNamespace(**vars(math))
for _function in (math.sqrt, math.acos, math.asin, math.sin, math.cos, math.tan, math.exp):
    setattr(_MATH, _function.__name__, _guarded(_function))
_MATH.log = _log
_MATH.floor, _MATH.ceil = _whole(math.floor), _whole(math.ceil)

_NAMES: dict[str, Any] = {
    '_look_at_the_clock': _look_at_the_clock, '_divided': _divided,
    '_floor_divided': _floor_divided, '_modulo': _modulo, '_power': _power,
    'round': _whole(round), 'int': _whole(int)}

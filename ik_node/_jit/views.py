"""Named tuples with a `Layout`, and the clock, in machine code: what kernels read.

As a tuple of arrays a chain is a hundred values, which every call hands on and every kernel unpacks
and copies. A view is two pointers and two sizes, and the type of an array then says its constant
strides. The numbers of a tuple never change while a kernel runs; its arrays may. A view computes
where a field lies. The clock is that of `time.perf_counter`.
"""

import functools
import time
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import StructModel
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    signature,
)
from numba.extending import register_model
from numba.np.arrayobj import make_array, populate_array

from ik_node._jit.clock import clock
from ik_node._jit.kernel import Kernel
from ik_node._jit.layout import Field, Layout, Size

_SCALARS = {int: types.int64, float: types.float64, bool: types.boolean}


class View(types.Type):
    """A named tuple that lies in flat arrays. others: types of the fields that do not."""

    def __init__(self, layout: Layout, others: dict[str, Any]) -> None:
        self.layout, self.others = layout, others
        kind = layout.kind
        super().__init__(f'{kind.__module__}.{kind.__qualname__}({others})')


@register_model(View)
class _Model(StructModel):
    def __init__(self, manager: Any, view: View) -> None:
        super().__init__(manager, view, [
            ('codes', types.CPointer(types.int64)), ('numbers', types.CPointer(types.float64)),
            ('m', types.int64), ('n', types.int64), *view.others.items()])


@functools.cache
def maker(kernel: Kernel) -> Any:
    """Return numba's type of a layout's `unpack`."""
    layout = kernel.layout
    names = [name for name, field in layout.fields.items() if field is None]

    class Maker(AbstractTemplate):
        key = kernel

        def generic(self, arguments: Any, _: Any) -> Any:
            return signature(View(layout, dict(zip(names, arguments[6:], strict=True))), *arguments)

    lower_builtin(kernel, types.VarArg(types.Any))(_write_view)
    return types.Function(Maker)


def _write_view(context: Any, builder: Any, types_of: Any, values: Any) -> Any:
    """Make a view of (codes, c, numbers, x, m, n, *others)."""
    view = cgutils.create_struct_proxy(types_of.return_type)(context, builder)
    for name, k in (('codes', 0), ('numbers', 2)):
        if isinstance(types_of.args[k], types.Array):
            data = make_array(types_of.args[k])(context, builder, values[k]).data
            at = context.cast(builder, values[k + 1], types_of.args[k + 1], types.int64)
            setattr(view, name, builder.gep(data, [at], inbounds=True))
        else:  # of a tuple without integers
            setattr(view, name, cgutils.get_null_value(getattr(view, name).type))
    for name, value, kind in zip(('m', 'n', *types_of.return_type.others), values[4:],
                                 types_of.args[4:], strict=True):
        setattr(view, name, value if name in types_of.return_type.others else
                context.cast(builder, value, kind, types.int64))
    return view._getvalue()


@infer_getattr
class _Fields(AttributeTemplate):
    key = View

    def generic_resolve(self, view: View, name: str) -> Any:  # type: ignore[override]
        """Return the type of a field."""
        if name in view.others:
            return view.others[name]
        field = view.layout.fields.get(name)
        if field is None:
            return None
        if not field.shape:
            return _SCALARS[field.hint]
        return types.Array(types.int64 if field.is_code else types.float64, len(field.shape), 'C')


@lower_getattr_generic(View)
def _read(context: Any, builder: Any, view: View, value: Any, name: str) -> Any:
    """Read a field."""
    own = cgutils.create_struct_proxy(view)(context, builder, value)
    if name in view.others:
        return getattr(own, name)
    field = view.layout.fields[name]
    assert field is not None
    at = builder.gep(own.codes if field.is_code else own.numbers,
                     [_emit(builder, field.offset, own.m, own.n)], inbounds=True)
    return _array(context, builder, field, own, at) if field.shape else _number(
        builder, field.hint, at)


def _number(builder: Any, kind: type, at: Any) -> Any:
    number = builder.load(at)
    number.set_metadata('invariant.load', builder.module.add_metadata([]))
    if kind is int:
        return builder.fptosi(number, ir.IntType(64))
    return builder.fcmp_unordered('!=', number, number.type(0.0)) if kind is bool else number


def _array(context: Any, builder: Any, field: Field, own: Any, at: Any) -> Any:
    kind = types.Array(types.int64 if field.is_code else types.float64, len(field.shape), 'C')
    array = make_array(kind)(context, builder)
    strides = [Size({(0, 0): 8})]
    for size in field.shape[:0:-1]:
        strides.insert(0, strides[0] * size)
    populate_array(array, data=at, itemsize=ir.IntType(64)(8), meminfo=None,
                   shape=[_emit(builder, size, own.m, own.n) for size in field.shape],
                   strides=[_emit(builder, stride, own.m, own.n) for stride in strides])
    return array._getvalue()


def _emit(builder: Any, size: Size, m: Any, n: Any) -> Any:
    """Compute a size."""
    integer = ir.IntType(64)
    total = integer(0)
    for (i, j), c in size.terms.items():
        term = integer(c)
        for factor in [m] * i + [n] * j:
            term = builder.mul(term, factor, flags=['nsw'])
        total = builder.add(total, term, flags=['nsw']) if size.terms.keys() - {(i, j)} else term
    return total


class _Reading(AbstractTemplate):
    key = clock

    def generic(self, arguments: Any, _: Any) -> Any:
        """Return the type: a number of no arguments."""
        return signature(types.float64)


CLOCK: Any = types.Function(_Reading)
"""Numba's type of the kernel `clock`."""


@lower_builtin(clock)
def _read_clock(context: Any, builder: Any, _types: Any, _values: Any) -> Any:
    """Read the clock, whose seconds and nanoseconds are two integers."""
    which = getattr(time, 'CLOCK_UPTIME_RAW', time.CLOCK_MONOTONIC)  # macOS, and all others
    parts = cgutils.alloca_once(builder, ir.IntType(64), size=2)
    kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), ir.IntType(64).as_pointer()])
    read = cgutils.get_or_insert_function(builder.module, kind, 'clock_gettime')
    builder.call(read, [ir.IntType(32)(which), parts])
    seconds, nanoseconds = (
        builder.sitofp(builder.load(builder.gep(parts, [ir.IntType(32)(k)])), ir.DoubleType())
        for k in range(2))
    return builder.fadd(seconds, builder.fmul(nanoseconds, ir.DoubleType()(1e-9)))

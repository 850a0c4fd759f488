"""The path of kernels that make no arrays to LLVM's code: numba's, less what they do not need.

Numba keeps every variable and every array it indexes in memory, copies them around each use, and
counts references; a loop over a range takes it forty instructions. LLVM removes most of that again,
which took most of the time of a compilation. Here variables are values, and indexing and loops over
ranges are short.
"""

from typing import Any

from llvmlite import ir as llvm
from numba.core import types
from numba.core.analysis import compute_cfg_from_blocks, must_use_alloca
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.ir import Assign, Del, StaticSetItem
from numba.core.lowering import Lower
from numba.core.typed_passes import (
    BaseNativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    TranslateByteCode,
)

_INT = llvm.IntType(64)


class _Builder(llvm.IRBuilder):
    """A builder that takes a member of what has been put together from that."""

    def extract_value(self, agg: Any, idx: Any, name: str = '') -> Any:
        """Return a member of a structure."""
        path = list(idx) if isinstance(idx, (tuple, list)) else [idx]
        value = agg
        while isinstance(value, llvm.instructions.InsertValue) and len(value.indices) == 1:
            if value.indices[0] == path[0]:
                inner = value.operands[1]
                return self.extract_value(inner, path[1:]) if path[1:] else inner
            value = value.operands[0]
        return super().extract_value(value, path, name)


class _Lower(Lower):
    """Numba's lowering, with values for variables."""

    def setup_function(self, fndesc: Any) -> None:
        """Prepare."""
        super().setup_function(fndesc)
        self.builder = _Builder(self.entry_block)
        self._natural: set[Any] = set()  # values that are never negative

    def _find_singly_assigned_variable(self) -> None:
        """Find variables that are values: with one assignment, before every use."""
        blocks = self.func_ir.blocks
        dominators = compute_cfg_from_blocks(blocks).dominators()
        place: dict[str, tuple[int, int]] = {}
        slots = set(must_use_alloca(blocks))
        for label, block in blocks.items():
            for i, inst in enumerate(block.body):
                if isinstance(inst, Assign):
                    if inst.target.name in place:
                        slots.add(inst.target.name)
                    place[inst.target.name] = label, i
        for label, block in blocks.items():
            for i, inst in enumerate(block.body):
                for var in inst.list_vars():
                    at, k = place.get(var.name, (label, len(block.body)))
                    if k > i if at == label else at > label or at not in dominators[label]:
                        slots.add(var.name)
        self._singly_assigned_vars = place.keys() - slots
        self._blk_local_varmap: dict[str, Any] = {}

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """Make a place for a variable."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(lltype, name=name)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Assign to a variable."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Do nothing: nothing is counted."""

    def lower_inst(self, inst: Any) -> None:
        """Lower a statement."""
        if isinstance(inst, Del):
            return
        if isinstance(inst, StaticSetItem):
            self.lower_setitem(inst.target, inst.index_var, inst.value,
                               self.fndesc.calltypes[inst])
            return
        super().lower_inst(inst)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Lower an expression."""
        op, builder = expr.op, self.builder
        if op == 'static_getitem' and isinstance(self.typeof(expr.value.name), types.Array):
            return self.lower_getitem(resty, expr, expr.value, expr.index_var,
                                      self.fndesc.calltypes[expr])
        if op == 'getattr' and expr.attr == 'shape' and isinstance(
                self.typeof(expr.value.name), types.Array):
            return self._member(expr.value, 'shape')
        if op in ('pair_first', 'pair_second'):
            return builder.extract_value(self.loadvar(expr.value.name), int(op == 'pair_second'))
        if op == 'call' and resty == types.range_state64_type:
            return self._make_range(expr)
        if op == 'getiter' and resty == types.range_iter64_type:
            return self._begin_range(self.loadvar(expr.value.name))
        if op == 'iternext' and self.typeof(expr.value.name) == types.range_iter64_type:
            return self._next_of_range(self.loadvar(expr.value.name))
        return super().lower_expr(resty, expr)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Read an element."""
        at = self._element(value, index)
        if at is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        kind = self.typeof(value.name).dtype
        number = self.context.unpack_value(self.builder, kind, at)
        return self.context.cast(self.builder, number, kind, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any,
                      signature: Any) -> Any:
        """Write an element."""
        at = self._element(target_var, index_var)
        if at is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        kind = self.typeof(target_var.name).dtype
        value = self._cast_var(value_var, kind)
        self.context.pack_value(self.builder, kind, value, at)
        return None

    def _member(self, var: Any, name: str) -> Any:
        """Return a member of an array."""
        model = self.context.data_model_manager[self.typeof(var.name)]
        return self.builder.extract_value(self.loadvar(var.name), model.get_field_position(name))

    def _element(self, array: Any, index: Any) -> Any:
        """Return where an element lies; None for whatever else an index may select."""
        kind, of = self.typeof(array.name), self.typeof(index.name)
        kinds: Any = of if isinstance(of, types.BaseTuple) else ()
        if not isinstance(kind, types.Array) or kind.layout != 'C':
            return None
        value = self.loadvar(index.name)
        if isinstance(of, types.Integer):
            indices: list[Any] = [(value, of)]
        else:
            indices = [(self.builder.extract_value(value, k), one) for k, one in enumerate(kinds)]
        if len(indices) != kind.ndim or not all(isinstance(k, types.Integer) for k in kinds):
            return None
        builder, shape, offset = self.builder, self._member(array, 'shape'), None
        for k, (number, integer) in enumerate(indices):
            size = builder.extract_value(shape, k)
            at = self._counted(self.context.cast(builder, number, integer, types.intp), size)
            offset = at if offset is None else builder.add(_times(builder, offset, size), at)
        return builder.gep(self._member(array, 'data'), [offset], inbounds=True)

    def _counted(self, index: Any, size: Any) -> Any:
        """Return an index from the start, where a negative one counts from the end."""
        builder = self.builder
        if self._is_natural(index):
            return index
        if isinstance(index, llvm.Constant):
            return builder.add(index, size)
        return builder.select(builder.icmp_signed('<', index, _INT(0)), builder.add(index, size),
                              index)

    def _is_natural(self, value: Any) -> bool:
        return (value.constant >= 0 if isinstance(value, llvm.Constant)
                else value in self._natural)

    def _make_range(self, expr: Any) -> Any:
        arguments = [self._cast_var(argument, types.int64) for argument in expr.args]
        first, last, step = (_INT(0), *arguments, _INT(1)) if len(arguments) == 1 else (
            *arguments, _INT(1))[:3]
        state = self.context.get_value_type(types.range_state64_type)(llvm.Undefined)
        for k, value in enumerate((first, last, step)):
            state = self.builder.insert_value(state, value, k)
        return state

    def _begin_range(self, state: Any) -> Any:
        builder = self.builder
        first, last, step = (builder.extract_value(state, k) for k in range(3))
        with builder.goto_entry_block():
            counter = builder.alloca(_INT)
        builder.store(first, counter)
        kind = self.context.get_value_type(types.range_iter64_type)
        iterator = kind(llvm.Undefined)
        for k, value in enumerate((counter, last, step)):
            iterator = builder.insert_value(iterator, value, k)
        if self._is_natural(first) and self._is_natural(step):
            self._natural.add(counter)
        return iterator

    def _next_of_range(self, iterator: Any) -> Any:
        builder = self.builder
        counter, last, step = (builder.extract_value(iterator, k) for k in range(3))
        value = builder.load(counter)
        if counter in self._natural:
            self._natural.add(value)
        below = builder.icmp_signed('<', value, last)
        if not self._is_natural(step):
            below = builder.select(builder.icmp_signed('>', step, _INT(0)), below,
                                   builder.icmp_signed('>', value, last))
        builder.store(builder.add(value, step), counter)
        pair = llvm.LiteralStructType([_INT, llvm.IntType(1)])(llvm.Undefined)
        return builder.insert_value(builder.insert_value(pair, value, 0), below, 1)


def _times(builder: Any, a: Any, b: Any) -> Any:
    if isinstance(a, llvm.Constant) and isinstance(b, llvm.Constant):
        return _INT(a.constant * b.constant)
    return builder.mul(a, b)


@register_pass(mutates_CFG=False, analysis_only=False)
class _Lowering(BaseNativeLowering):
    _name: Any = 'kernel_lowering'
    lowering_class = _Lower


class _Passes(PassManager):
    """Passes that are trusted: numba checks the code after each, which takes longer than most."""

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:
        pss.analysis = self._analysis
        pss.run_pass(internal_state)


class KernelCompiler(CompilerBase):
    """Compiles kernels that make no arrays."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        passes = _Passes('kernel')
        for one in (TranslateByteCode, FixupArgs, IRProcessing, GenericRewrites, ReconstructSSA,
                    NopythonTypeInference, PreLowerStripPhis, _Lowering, NoPythonBackend):
            passes.add_pass(one, one.__name__)
        passes.finalize()
        return [passes]

"""Machine code of entry kernels, made and loaded by numba; the only importer of it.

`numba.njit` makes of every function a library of its own, which links and optimises all that it
calls. Here only entries become machine code: the kernels they call are typed and lowered once, and
their modules are linked into each group of entries as they are. A group is optimised as a whole.
"""

import contextlib
import gc
import inspect
import pickle
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from llvmlite import binding as llvm
from numba.core import compiler, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature
from numba.extending import typeof_impl

from ik_node._jit import views
from ik_node._jit.clock import clock
from ik_node._jit.kernel import Kernel
from ik_node._jit.lowering import KernelCompiler

_RARE = ('noinline', 'minsize', 'optsize')
_SCALARS = {int: types.int64, float: types.float64, bool: types.boolean}


class _CalledLibrary(JITCodeLibrary):
    """The module of a kernel that others call: never optimised, never machine code."""

    is_rare = False

    def add_ir_module(self, ir_module: Any) -> None:
        """Take the code of the kernel."""
        if self.is_rare:
            for function in ir_module.functions:
                if not function.is_declaration and 'alwaysinline' not in function.attributes:
                    for attribute in _RARE:
                        function.attributes.add(attribute)
        super().add_ir_module(ir_module)

    def finalize(self) -> None:
        """Prepare for linking."""
        self._finalized = True

    def add_linking_library(self, library: Any) -> None:
        """Keep what the kernel calls, for the entry to link."""
        if not isinstance(library, _CalledLibrary):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout  # the entry is optimised as a whole


class _GroupLibrary(JITCodeLibrary):
    """The module of a group of entries, into which all they call is linked."""

    def __init__(self, codegen: Any, name: str, entries: list[Any]) -> None:
        super().__init__(codegen, name)
        self._linking_libraries = [entry.library for entry in entries]
        self._own = {name for entry in entries for name in (
            entry.fndesc.llvm_func_name, entry.fndesc.llvm_cpython_wrapper_name)}
        self.enable_object_caching()

    def finalize(self) -> None:
        """Link all that is called, once each, optimise, and make machine code."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            library._ensure_finalized()
            self._final_module.link_in(library._final_module, preserve=True)
        for library in _all_called(self._linking_libraries, set(self._linking_libraries)):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = (llvm.Linkage.external if function.name in self._own
                                    else llvm.Linkage.internal)
        self._final_module.data_layout = self._codegen._data_layout
        # Vectorising takes a quarter of the time, and finds nothing in loops over three or six.
        passes = self._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False)
        if isinstance(passes, tuple):  # with what builds passes, since numba 0.62
            passes[0].run(self._final_module, passes[1])
        else:
            passes.run(self._final_module)
        self._final_module.verify()
        self._finalize_final_module()


def _all_called(libraries: Iterable[Any], seen: set[Any]) -> Iterator[Any]:
    """Return what libraries call, directly or not, each once and none of `seen`, which grows."""
    for library in libraries:
        for called in library._linking_libraries:
            if called not in seen:
                seen.add(called)
                yield called
                if isinstance(called, _CalledLibrary):
                    yield from _all_called([called], seen)


class _Called(CPUDispatcher):
    """A kernel as other kernels call it, for each combination of argument types."""

    is_rare = False

    def compile(self, signature: Any) -> Any:
        """Type and lower the kernel for some types of arguments; return what stands for that."""
        # The value of a literal argument is no reason to compile a kernel once more.
        arguments = [types.unliteral(kind) for kind in normalize_signature(signature)[0]]
        with global_compiler_lock:
            if tuple(arguments) not in self.overloads:
                flags = self._flags()
                flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
                result: Any = self._compile(arguments, flags)
                # Numba looks its code up by the function that it would have made for Python.
                result = result._replace(entry_point=object())
                cpu_target.target_context.insert_user_function(
                    result.entry_point, result.fndesc, [result.library])
                self.overloads[tuple(arguments)] = result
            compiled: Any = self.overloads[tuple(arguments)]
            return compiled.entry_point

    def entry(self, arguments: Any) -> Any:
        """Type and lower the kernel as one that Python can call."""
        flags = self._flags()
        flags.no_compile = flags.no_cfunc_wrapper = True
        flags.release_gil = True
        return self._compile(arguments, flags)

    def _flags(self) -> Any:
        flags = compiler.Flags()
        cpu_target.options.parse_as_flags(flags, self.targetoptions)
        return flags

    def _compile(self, arguments: Any, flags: Any) -> Any:
        context = cpu_target.target_context
        library = _CalledLibrary(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        library.is_rare = self.is_rare
        return compiler.compile_extra(
            cpu_target.typing_context, context, self.py_func, args=tuple(arguments),
            return_type=None, flags=flags, locals={}, library=library,
            pipeline_class=compiler.Compiler if flags.nrt else KernelCompiler)


_called: dict[Kernel, _Called] = {}


def _dispatcher(kernel: Kernel) -> _Called:
    if kernel not in _called:
        options: dict[str, Any] = {'nopython': True, 'error_model': 'numpy'}
        if kernel.inlined:
            options['forceinline'] = True
        if not kernel.allocates:
            # Counting the references to every array of every tuple that is handed on takes more
            # time than what the kernels do with them: without it a solve is twice as fast.
            options['_nrt'] = False
        _called[kernel] = _Called(kernel.function, targetoptions=options)
        _called[kernel].is_rare = kernel.is_rare
    return _called[kernel]


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel, _: Any) -> Any:
    if kernel.layout is not None:
        return views.maker(kernel)
    return views.CLOCK if kernel is clock else types.Dispatcher(_dispatcher(kernel))


def argument_types(kernel: Kernel) -> tuple[Any, ...]:
    """Return numba's types of an entry's arguments, from its annotations."""
    return tuple(_argument_type(parameter.annotation)
                 for parameter in inspect.signature(kernel.function).parameters.values())


def _argument_type(annotation: Any) -> Any:
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if hasattr(annotation, '_fields'):
        hints = typing.get_type_hints(annotation, include_extras=True)
        return types.NamedTuple([_argument_type(hints[name]) for name in annotation._fields],
                                annotation)
    _, dtype, dimensions, *_ = typing.get_args(annotation)
    return types.Array(types.boolean if dtype == 'bool' else getattr(types, dtype), dimensions, 'C')


@contextlib.contextmanager
def _quick_typing() -> Iterator[None]:
    """Save a quarter of the time: no garbage is collected, and operators on numbers are typed once.

    Numba tries all variants of an operator, some of numpy among them, wherever it stands.
    """
    functions: Any = types.Function
    collects, resolve = gc.isenabled(), functions.get_call_type

    def remembered(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
        if keywords or not all(isinstance(argument, _NUMBERS) for argument in arguments):
            return resolve(function, context, arguments, keywords)
        key = function, tuple(arguments)
        if key not in _signatures:
            _signatures[key] = resolve(function, context, arguments, keywords)
        return _signatures[key]
    functions.get_call_type = remembered
    gc.disable()
    try:
        yield
    finally:
        functions.get_call_type = resolve
        if collects:
            gc.enable()


_NUMBERS = (types.Number, types.Boolean)
_signatures: dict[Any, Any] = {}


def build(kernel: Kernel) -> bytes:
    """Compile an entry and its group; return what `load` makes functions of."""
    with global_compiler_lock, _quick_typing():
        context = cpu_target.target_context
        cpu_target.typing_context.refresh()
        context.refresh()
        entries = [_dispatcher(one).entry(argument_types(one)) for one in kernel.group]
        library = _GroupLibrary(context.codegen(), kernel.name, entries)
        library.finalize()
        symbols = [g.name for group in (library._final_module.functions,
                                        library._final_module.global_variables)
                   for g in group if not g.is_declaration]
        functions = []
        for one, entry in zip(kernel.group, entries, strict=True):
            entry.fndesc.typemap = entry.fndesc.calltypes = None
            functions.append((one.key, entry.fndesc, entry.environment, entry.reload_init,
                              tuple(entry._find_referenced_environments())))
        return dumps((library.codegen.magic_tuple(), library.name, library._compiled_object,
                      symbols, functions))


def load(code: bytes) -> dict[str, Any]:
    """Return the functions of `build` by key; none where they were made for another processor."""
    with global_compiler_lock:
        context = cpu_target.target_context
        cpu_target.typing_context.refresh()
        context.refresh()
        processor, name, machine_code, symbols, functions = pickle.loads(code)
        codegen = context.codegen()
        if processor != codegen.magic_tuple():
            return {}
        for _, _, _, initialisers, _ in functions:
            for initialise in initialisers:
                initialise()
        library = JITCodeLibrary(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        codegen._engine._defined_symbols.update(symbols)
        library._finalize_final_module()
        made = {}
        for key, description, environment, _, environments in functions:
            made[key] = context.get_executable(library, description, environment)
            for other in environments:
                codegen.set_env(other.env_name, other)
        return made

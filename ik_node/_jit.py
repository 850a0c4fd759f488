"""The only importer of numba: compile the kernels, or run the same functions as plain Python.

Compiled kernels are cached on disk. Numba looks only at the file a kernel stands in when it
decides whether a cached one is stale; a kernel whose callee changed would go on running the old
code. The cache therefore lies in a folder named after the contents of all files with kernels, and
after what compiles them and for which processor: environments that share a home do not take each
other's for their own.
"""

import hashlib
import os
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

numba: Any
try:
    import llvmlite.binding as llvmlite
    import numba
except ImportError:
    numba = None

HAVE_NUMBA = numba is not None
INSTALL_HINT = ('numba is not installed: the solvers run as plain Python, with the same answers '
                'but a hundred times slower; install it with "pip install numba"')

_Function = TypeVar('_Function', bound=Callable[..., Any])


def _cache_folder() -> Path:
    """Return the folder for compiled kernels: one per state of the sources, and per compiler."""
    package = Path(__file__).parent
    compiler = (numba.__version__, sys.implementation.cache_tag, llvmlite.get_host_cpu_name())
    digest = hashlib.sha256(repr(compiler).encode())
    for file in sorted(package.rglob('*.py')):
        source = file.read_bytes()
        if b'from ik_node._jit import' in source:
            digest.update(file.relative_to(package).as_posix().encode() + source)
    base = os.environ.get('NUMBA_CACHE_DIR') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache'),
        'ik_node')
    if not _writable(base):
        base = os.path.join(tempfile.gettempdir(), f'ik_node-{os.getuid()}')
    return Path(base) / digest.hexdigest()[:16]


def _writable(folder: str) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


CACHE_FOLDER = _cache_folder() if HAVE_NUMBA else None


def _compile(function: _Function, **options: bool) -> _Function:
    if not HAVE_NUMBA:
        return function
    config = numba.config
    previous, config.CACHE_DIR = config.CACHE_DIR, str(CACHE_FOLDER)
    try:
        return numba.njit(cache=True, nogil=True, error_model='numpy', **options)(function)
    finally:
        config.CACHE_DIR = previous


def _without_counting() -> dict[str, bool]:
    """Return numba's option to count no references to arrays, where this version has it."""
    try:
        numba.njit(_nrt=False)(lambda: None)
    except Exception:
        return {}
    return {'_nrt': False}


# Counting the references to every array of every tuple that is handed on takes more time than what
# the kernels do with them: without it a solve is twice as fast. It is needed to make arrays.
_UNCOUNTED = _without_counting() if HAVE_NUMBA else {}


def njit(function: _Function) -> _Function:
    """Compile a kernel with numba, cached on disk, without the interpreter's lock.

    It makes no arrays of its own; what does is compiled by `allocating`.
    """
    return _compile(function, **_UNCOUNTED)


def inline(function: _Function) -> _Function:
    """Compile a kernel into each of its callers: for what stands inside a solver's loop."""
    return _compile(function, forceinline=True, **_UNCOUNTED)


def allocating(function: _Function) -> _Function:
    """Compile a kernel that makes arrays, else as `njit`.

    It must not take arrays that a kernel of the other kind returns, whose references are not
    counted.
    """
    return _compile(function)


def specialise(template: _Function, name: str, **kernels: Any) -> _Function:
    """Return a kernel made from a template: its code, with the given kernels for its globals.

    For one loop over many methods. Handing a kernel to another as an argument or in a closure
    would do the same, but numba cannot cache such code: it would be compiled in every process.
    """
    function = types.FunctionType(template.__code__, {**template.__globals__, **kernels}, name)
    function.__qualname__ = name
    function.__module__ = template.__module__
    function.__doc__ = template.__doc__
    return njit(function)  # type: ignore[return-value]


def compiled(name: str) -> bool:
    """Tell whether a kernel need not be compiled: this very version of it is on disk."""
    return CACHE_FOLDER is None or any(CACHE_FOLDER.rglob(f'*{name}*.nbc'))

"""Machine code on disk: a file for each group of entries, named after all it is compiled from.

Whoever writes such a file runs code in the process that reads it: they are read from a folder of
this user with mode 0700 only.
"""

import atexit
import contextlib
import functools
import hashlib
import importlib.metadata
import os
import platform
import shutil
import stat
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from ik_node._jit.kernel import HAVE_NUMBA, Kernel

# What machine code depends on besides
_OWN = ('kernel.py', 'layout.py', 'lowering.py', 'machine_code.py', 'types.py', 'views.py')


@functools.cache
def folder() -> Path:
    """Return the folder for machine code of this user, compiler, Python and processor.

    Where it is not private, or cannot be written, that is one for this process alone.
    """
    name = f'{os.getuid()}-{hashlib.sha256(repr(environment()).encode()).hexdigest()[:16]}'
    base = os.environ.get('NUMBA_CACHE_DIR') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache'),
        'ik_node')
    path = Path(base) / name
    if not _usable(path):
        with contextlib.suppress(OSError):  # without any folder nothing is read or written
            path = _temporary() / name
            path.mkdir(mode=0o700)
    return path


def is_temporary() -> bool:
    """Tell whether machine code is kept for this process alone."""
    return _temporary.cache_info().currsize > 0


@functools.cache
def _temporary() -> Path:
    """Return a new folder with mode 0700, which is removed at the end of the process."""
    path = tempfile.mkdtemp(prefix='ik_node-')
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def _usable(path: Path) -> bool:
    """Tell whether a folder is private and can be written; make it where it is missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        return _is_private(path.lstat()) and os.access(path, os.W_OK | os.X_OK)
    except OSError:
        return False


def _is_private(status: os.stat_result) -> bool:
    """Tell whether it is a folder, not a link to one, that only this user can open."""
    return (stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
            and status.st_mode & 0o777 == 0o700)


def environment() -> tuple[str, ...]:
    """Return what machine code depends on besides the kernels."""
    own = b''.join((Path(__file__).parent / name).read_bytes() for name in _OWN)
    return (importlib.metadata.version('numba'), importlib.metadata.version('llvmlite'),
            str(sys.implementation.cache_tag), _processor(), hashlib.sha256(own).hexdigest())


def path_of(kernel: Kernel) -> Path:
    """Return the file of the machine code of an entry's group, whether it is there or not."""
    first = kernel.group[0]
    return folder() / f'{first.__module__}.{first.__qualname__}-{digest(first)}.bin'


def is_on_disk(kernel: Kernel) -> bool:
    """Tell whether machine code of this very kernel is there, or none is needed."""
    return not HAVE_NUMBA or path_of(kernel).exists()


def read(kernel: Kernel) -> bytes | None:
    """Return the machine code of an entry's group, None where there is none.

    The folder that is checked is the one that is read, whatever takes its name meanwhile.
    """
    path = path_of(kernel)
    with contextlib.suppress(OSError):
        folder_read = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if _is_private(os.fstat(folder_read)):
                with open(os.open(path.name, os.O_RDONLY, dir_fd=folder_read), 'rb') as file:
                    return file.read()
        finally:
            os.close(folder_read)
    return None


def write(kernel: Kernel, code: bytes) -> bool:
    """Keep the machine code of an entry's group; return whether that could be done."""
    path = path_of(kernel)
    part = path.with_name(f'{path.name}.{uuid4().hex}')
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        part.write_bytes(code)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        return False
    return True


def remove(kernel: Kernel) -> None:
    """Remove a file that is of no use."""
    with contextlib.suppress(OSError):
        path_of(kernel).unlink()


def is_writable() -> bool:
    """Tell whether machine code can be kept."""
    return _usable(folder())


def digest(kernel: Kernel) -> str:
    """Return a digest of the code of a kernel's group and of every kernel that it calls."""
    if kernel not in _digests:
        digested, seen = hashlib.sha256(), set[Any]()
        for part in (part for one in kernel.group for part in _parts(one, seen)):
            digested.update(part.encode() + b'\0')
        _digests[kernel] = digested.hexdigest()[:20]
    return _digests[kernel]


_digests: dict[Any, str] = {}


def _parts(kernel: Any, seen: set[Any]) -> Iterator[str]:
    """Return what the machine code of a kernel is made from, in words."""
    seen.add(kernel)
    code, names = kernel.function.__code__, kernel.function.__globals__
    yield (f'{kernel.__qualname__} {kernel.inlined} {kernel.allocates} {kernel.is_rare} '
           f'{code.co_code.hex()} '
           f'{code.co_varnames} {code.co_names} {_constants(code)} '
           f'{kernel.function.__defaults__} {kernel.function.__annotations__}')
    for name in code.co_names:
        value = names.get(name)
        if value is None or name in ('math', 'np'):
            continue
        if type(value) is type(kernel):
            yield f'{name} = {value.__qualname__}'
            if value not in seen:
                yield from _parts(value, seen)
        elif isinstance(value, type):
            yield f'{name} {value.__module__}.{value.__qualname__} {getattr(value, "_fields", "")}'
        else:
            yield f'{name} = {value!r}'


def _constants(code: types.CodeType) -> list[str]:
    return [f'{c.co_code.hex()} {_constants(c)}' if isinstance(c, types.CodeType) else repr(c)
            for c in code.co_consts if c != code.co_consts[0] or not isinstance(c, str)]


def _processor() -> str:
    """Return what the processor is, and what it can do."""
    try:
        text = Path('/proc/cpuinfo').read_text().split('\n\n')[0]
    except OSError:
        return f'{platform.machine()} {platform.processor()}'
    relevant = ('model name', 'flags', 'Features', 'CPU part', 'CPU implementer')
    return platform.machine() + ''.join(
        line for line in text.splitlines() if line.startswith(relevant))

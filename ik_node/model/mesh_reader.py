"""Reads and simplifies meshes in a process of its own, within bounds of time and memory.

A mesh may come from anyone, and each of its formats has ways to ask for far more than its size:
counts in headers, shapes that are repeated a billion times, pictures that are packed. The process
has as much processor time and memory as the size of a file warrants, and opens no file itself.
"""

import contextlib
import io
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

import numpy as np
import trimesh
from PIL import Image

try:
    import resource
except ImportError:  # on Windows a mesh may take as much as it likes
    resource = None  # type: ignore[assignment]

from ik_node.model.mesh_parts import MeshPart, simplified
from ik_node.model.polygon_files import read_polygons
from ik_node.support.bounds import MAX_MESH_BYTES

MESH_FORMATS = ('stl', 'dae', 'obj', 'glb', 'gltf', 'ply', 'off')
"""Of files, by their extensions. Those that are archives themselves are not read."""
SECONDS = 0.75          # of processor time, whatever the size
SECONDS_PER_MIB = 4.0   # for each MiB of a file, as it is stored
_MEMORY = 2**28         # bytes, besides those of the process
_MEMORY_PER_BYTE = 16   # of a file; COLLADA takes most
_PATIENCE = 5.0         # s that the process may take to end
_FILES = 100            # that a mesh may name: materials, pictures
_PIXELS = 2**24         # of a picture
_TRIANGLES = 2_000_000

Find = Callable[[str], bytes | None]
"""Returns a file that a mesh names; None where there is none."""


class MeshError(Exception):
    """A mesh cannot be shown; the text says why.

    `seconds`: how long its reader has taken; inf where that was ended.
    """

    def __init__(self, text: str, seconds: float = 0.0) -> None:
        super().__init__(text)
        self.seconds = seconds


class MeshReader:
    """A process that reads meshes; it starts with the first one. Not to be used by several threads.

    Times are of the processor, s, and of that process alone.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def read(self, content: bytes, kind: str, find: Find, seconds: float) -> tuple[Any, float]:
        """Return a mesh (trimesh.Trimesh), and the time that it took. Raises MeshError.

        kind: one of MESH_FORMATS. find: called for the files that the mesh names.
        """
        return self._do((content, kind, len(content), seconds), find)

    def simplify(self, part: MeshPart, most: int, seconds: float) -> tuple[Any, float]:
        """Return `mesh_parts.simplified` of a part, and the time that it took. Raises MeshError."""
        return self._do((part, most, part.vertices.nbytes + part.faces.nbytes, seconds),
                        lambda name: None)

    def _do(self, job: tuple[Any, ...], find: Find) -> tuple[Any, float]:
        process = self._process = self._process or _start()
        pipes: Any = process.stdin, process.stdout
        stdin, stdout = pipes
        left, files = MAX_MESH_BYTES, _FILES
        try:
            _send(stdin, job)
            while True:
                word, content, used = pickle.load(stdout)
                value = pickle.loads(content)
                if word == 'done':
                    return value, used
                if word == 'failed':
                    raise MeshError(value, used)
                file = find(value) if files > 0 else None
                files, left = files - 1, left - len(file or b'')
                _send(stdin, file if left >= 0 else None)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
            self.close()
            raise MeshError('it takes too long for its size'
                            if process.returncode == -getattr(signal, 'SIGPROF', 0) else
                            'it cannot be read: its reader has ended', math.inf) from error


def _start() -> 'subprocess.Popen[bytes]':
    return subprocess.Popen(
        [sys.executable, '-m', __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the page
        env={**os.environ, 'OPENBLAS_NUM_THREADS': '1', 'OMP_NUM_THREADS': '1',
             'PYTHONSAFEPATH': '1',  # nothing is imported from the present folder
             'PYTHONPATH': os.pathsep.join(filter(None, sys.path))})


def _send(pipe: Any, value: Any) -> None:
    pickle.dump(value, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def main() -> None:
    """Do what comes in, until there is no more."""
    Image.MAX_IMAGE_PIXELS = _PIXELS // 2  # of twice as many it raises an error
    pipe_in, pipe_out = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), 'wb')
    sys.stdout = sys.stderr  # libraries print
    with contextlib.suppress(ImportError):
        import collada  # noqa: F401  (its time is not that of a mesh)
    base = _data_bytes()

    def find(name: str) -> bytes | None:
        _send(pipe_out, ('find', pickle.dumps(name), 0.0))
        return pickle.load(pipe_in)
    while True:
        try:
            value, what, size, seconds = pickle.load(pipe_in)
        except EOFError:
            return
        most = base + _MEMORY + _MEMORY_PER_BYTE * size
        _bound(most, max(seconds, 1e-3))
        began = time.process_time()  # the timer counts in ticks, which many small meshes never fill
        try:
            done = (simplified(value, what) if isinstance(value, MeshPart) else
                    _read(value, what, find))
            word, content = 'done', pickle.dumps(done)  # unpacks pictures, too
        except MemoryError:
            word, content = 'failed', pickle.dumps('it needs too much memory for its size')
        except Exception as error:  # every reader has its own
            word, content = 'failed', pickle.dumps(f'{error or type(error).__name__}'[:500])
        used = time.process_time() - began
        _bound(None, 0.0)
        _send(pipe_out, (word, content, used))
        value = done = content = b''


def _bound(most: int | None, seconds: float) -> None:
    """Bound the memory of this process, bytes, None for all, and its time, s, 0 for all."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    least = hard if most is None else most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (least, hard))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, whatever it does
    signal.setitimer(signal.ITIMER_PROF, seconds)


class _NamedFiles(trimesh.resolvers.Resolver):
    """The files that a mesh names; they are only read, and found by these names."""

    def __init__(self, find: Find) -> None:
        self._find = find

    def get(self, key: str) -> bytes:
        found = self._find(key.strip())
        if found is None:
            raise KeyError(key)
        return found

    def keys(self) -> list[str]:
        return []

    def namespaced(self, namespace: str) -> '_NamedFiles':
        raise KeyError(namespace)

    def write(self, name: str, data: bytes) -> None:
        raise OSError('files are only read')


def _read(content: bytes, kind: str, find: Find) -> Any:
    if kind == 'dae':
        _check_xml(content)
    try:
        loaded: Any = trimesh.load(io.BytesIO(content), file_type=kind, resolver=_NamedFiles(find),
                                   force='mesh', skip_materials=False)
    except (KeyError, TypeError, ValueError):  # of polygons that differ in their number of corners
        if kind != 'off' and not (kind == 'ply' and b'format binary' in content[:100]):
            raise
        loaded = read_polygons(content, kind)
    if not isinstance(loaded, trimesh.Trimesh) or not len(loaded.faces) or not np.isfinite(
            loaded.vertices).all():
        raise MeshError('it has no triangles')
    if len(loaded.faces) > _TRIANGLES:
        raise MeshError(f'it has {len(loaded.faces)} triangles; at most {_TRIANGLES} are drawn')
    return loaded


def _check_xml(content: bytes) -> None:
    """Refuse what is no XML, such as an archive, and declarations of entities."""
    def refuse(name: str, *_: object) -> None:
        raise MeshError(f'it declares the XML entity {name[:60]!r}; entities are not read')
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    parser.Parse(content, True)


def _data_bytes() -> int:
    """Return how much memory of this process RLIMIT_DATA counts."""
    try:
        with open('/proc/self/status') as file:
            return next(1024 * int(line.split()[1]) for line in file if line.startswith('VmData'))
    except (OSError, StopIteration):  # no Linux
        return 2**28


if __name__ == '__main__':
    main()

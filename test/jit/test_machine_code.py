"""Machine code of kernels: what it computes, and what it is made of."""

import pickle
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from ik_node import _jit
from ik_node._jit import (
    Integers,
    Layout,
    Matrix,
    Shape,
    Stack,
    Vector,
    cache,
    entry,
    inline,
    njit,
    rare,
    together,
)

pytestmark = pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='nothing is compiled without numba')


class Mixed(NamedTuple):
    count: int
    names: Annotated[Integers, Shape('n')]
    gain: float
    frames: Annotated[Stack, Shape('m + 1', 2, 'n')]
    on: bool
    other: Any
    flags: Annotated[Integers, Shape('m * n')]
    pair: Annotated[Matrix, Shape(2, 'n')]


class Only(NamedTuple):
    values: Annotated[Vector, Shape('n')]


_MIXED, _ONLY = Layout(Mixed), Layout(Only)
unpack_mixed, unpack_only = _MIXED.unpack, _ONLY.unpack


@njit
def read(mixed, out):
    """Write every field of a tuple into out, and change one entry of an array."""
    out[0], out[1] = mixed.count // 2, mixed.gain
    out[2] = 1.0 if mixed.on else 0.0
    k = 3
    for i in range(mixed.frames.shape[0]):
        frame = mixed.frames[i]
        for a in range(frame.shape[0]):
            for b in range(frame.shape[1]):
                out[k] = frame[a, b]
                k += 1
    for i in range(mixed.names.shape[0]):
        out[k] = mixed.names[i]
        k += 1
    for flag in mixed.flags:
        out[k] = flag
        k += 1
    out[k] = mixed.other.values[-1] + mixed.pair[-2, -1] + mixed.frames[-1, 1, 0]
    mixed.pair[1, 0] = 7.0


@entry
def read_all(codes: Integers, numbers: Vector, m: int, n: int, others: Vector,
             out: Vector) -> None:
    """Unpack a tuple behind other numbers, one field of which is another tuple, and read it."""
    read(unpack_mixed(codes, 2, numbers, 3, m, n, unpack_only(0, 0, others, 1, m, n)), out)


@rare
def last_of(x, first, last, step):
    """Return the last value of a range, a thousand for an empty one, and the sum of x over it."""
    total, i = 0.0, 1000
    for i in range(first, last, step):
        total += x[i]
    return i, total


@inline
def triangle(x):
    """Return a sum over pairs, in loops that begin where another is."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, len(x)):
            if x[j] < 0.0:
                continue
            total += x[i] * x[j - 2]
    return total


@entry
def loops(x: Vector, first: int, last: int, step: int, out: Vector) -> float:
    """Run loops over ranges, and index from the end."""
    i, total = last_of(x, first, last, step)
    out[0], out[1] = i, total
    out[2], out[3] = last_of(x, 0, 3, 1)
    out[4] = triangle(x)
    for k in (-1, -2):
        out[k] = x[k] + x[1:][k]
    value = 0.0
    while value < 3.0:
        value += 1.0
        if value == 2.0:
            last = 5
    return value + last


def machine_code(kernel):
    from ik_node._jit import machine_code
    return machine_code.load(machine_code.build(kernel))


def test_a_view_reads_what_the_tuple_holds():
    m, n = 2, 3
    rng = np.random.default_rng(0)
    mixed = Mixed(9, rng.integers(-9, 9, n), 0.25, rng.random((m + 1, 2, n)), True, None,
                  rng.integers(0, 2, m * n), rng.random((2, n)))
    codes, numbers = _MIXED.pack(mixed)
    codes = np.concatenate([np.zeros(2, dtype=np.int64), *codes])
    numbers, others = np.concatenate([np.zeros(3), *numbers]), np.array([0.0, 1.0, 2.0, 3.0])
    found = []
    for call in (machine_code(read_all)[read_all.key], read_all._run_plain):
        own, out = numbers.copy(), np.zeros(40)
        call(codes, own, m, n, others, out)
        found.append((out, own))
    for one, other in zip(*found):
        np.testing.assert_array_equal(one, other)
    out, own = found[0]
    assert out[:3].tolist() == [4.0, 0.25, 1.0]
    np.testing.assert_array_equal(out[3:21], mixed.frames.ravel())
    np.testing.assert_array_equal(out[21:24], mixed.names)
    np.testing.assert_array_equal(out[24:30], mixed.flags)
    assert out[30] == 3.0 + mixed.pair[0, -1] + mixed.frames[-1, 1, 0]
    assert np.flatnonzero(own != numbers).tolist() == [len(numbers) - n]


@pytest.mark.parametrize(('first', 'last', 'step'), [
    (0, 5, 1), (1, 5, 2), (4, -1, -1), (4, 0, -3), (-3, 2, 1), (3, 3, 1), (0, 4, -1)])
def test_loops_and_indices_are_those_of_python(first, last, step):
    x = np.array([1.0, 2.0, -4.0, 8.0, 16.0])
    code, results = machine_code(loops)[loops.key], []
    for call in (code, loops._run_plain):
        out = np.zeros(7)
        results.append((call(x, first, last, step, out), out.tolist()))
    assert results[0] == results[1]
    wanted = list(range(first, last, step))
    assert results[0][1][:4] == [wanted[-1] if wanted else 1000, x[wanted].sum(), 2, -1.0]


@njit
def scaled(x):
    """Return a multiple of x."""
    return 3.0 * x


def once(x: float) -> float:
    """Call what another entry calls."""
    return scaled(x) + 1.0


def twice(x: float) -> float:
    """Call it as well."""
    return scaled(x) + 2.0


def test_entries_of_a_group_share_a_file_and_become_ready_together(tmp_path, monkeypatch):
    from ik_node._jit import loading
    monkeypatch.setattr(cache, 'folder', lambda: tmp_path)
    kernels = entry(once), entry(twice)
    together(*kernels)
    assert cache.path_of(kernels[0]) == cache.path_of(kernels[1])
    loading.compile_here(kernels[1])
    assert len(list(tmp_path.iterdir())) == 1
    assert [kernel.is_plain for kernel in kernels] == [False, False]
    assert [kernel(2.0) for kernel in kernels] == [7.0, 8.0]
    for kernel in kernels:
        kernel.is_ready = False
    assert loading.load_from_disk(kernels[0])
    assert kernels[1].is_ready
    assert kernels[1](3.0) == 11.0
    # What they share is in it once.
    symbols = pickle.loads(cache.path_of(kernels[0]).read_bytes())[3]
    assert sum('scaled' in name and 'Env' not in name for name in symbols) <= 1


def test_what_a_kernel_is_compiled_for_is_part_of_its_name():
    made = [entry(decorate(once)) for decorate in (njit, rare, inline)]
    assert len({cache.digest(kernel) for kernel in made}) == 3

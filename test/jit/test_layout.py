"""Layouts of named tuples: what is packed comes back, field by field."""

import typing
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from ik_node._jit import Booleans, Integers, Layout, Matrix, Shape, Stack, Vector
from ik_node._jit.plain import plain_function
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.ccd.solver import CcdSettings
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.settings import Settings, Work


class Mixed(NamedTuple):
    gain: float
    names: Annotated[Integers, Shape('n')]
    count: int
    frames: Annotated[Stack, Shape('m + 1', 2, 2)]
    on: bool
    other: Any
    flags: Annotated[Booleans, Shape('m')]
    pair: Annotated[Matrix, Shape(2, 'n')]


def a_value(hint, m, n, rng):
    if hint in (int, float, bool):
        return hint(rng.integers(0, 2) if hint is bool else rng.integers(1, 99))
    if hint is Any:
        return ('kept', 'as it is')
    shape = next(extra for extra in hint.__metadata__ if isinstance(extra, Shape))
    values = rng.uniform(1.0, 99.0, [eval(size, {'m': m, 'n': n}) for size in shape.sizes])
    dtype = hint.__metadata__[0]
    return values > 50.0 if dtype == 'bool' else values.astype(dtype)


@pytest.mark.parametrize(
    'kind', [Mixed, ChainArrays, Settings, JacobianSettings, CcdSettings, Work])
@pytest.mark.parametrize(('m', 'n'), [(1, 1), (7, 6), (3, 5)])
def test_what_is_packed_comes_back(kind, m, n):
    rng = np.random.default_rng(0)
    hints = typing.get_type_hints(kind, include_extras=True)
    value = kind(*(a_value(hint, m, n, rng) for hint in hints.values()))
    layout = Layout(kind)
    before = [np.full(3, -1)], [np.full(2, -1.0)]  # what lies before it
    codes, numbers = (np.concatenate([*first, *parts]) if parts else first[0]
                      for first, parts in zip(before, layout.pack(value)))
    given = [part for hint, part in zip(hints.values(), value) if hint is Any]
    back = plain_function(layout.unpack)(codes, 3, numbers, 2, m, n, *given)
    assert type(back) is kind
    for name, one, other in zip(hints, value, back):
        assert np.array_equal(one, other), name
        assert np.shape(one) == np.shape(other), name
        if type(one) is int:
            assert type(other) is int, name
    assert plain_function(layout.end)(3, 2, m, n) == (len(codes), len(numbers))
    assert layout.size(m, n) == (len(codes) - 3, len(numbers) - 2)


def test_arrays_are_views():
    layout = Layout(Mixed)
    codes, numbers = np.zeros(9, dtype=np.int64), np.zeros(40)
    back = plain_function(layout.unpack)(codes, 0, numbers, 0, 2, 3, None)
    back.pair[1, 2] = 5.0
    assert 5.0 in numbers
    assert np.shares_memory(back.names, codes)


def test_an_array_without_a_shape_is_refused():
    class Without(NamedTuple):
        values: Vector

    with pytest.raises(TypeError, match=r'Without\.values .* Shape'):
        Layout(Without)

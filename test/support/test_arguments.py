import math
from fractions import Fraction

import numpy as np
import pytest

import robots
from ik_node import Goal, IkError, make_solver
from ik_node.spatial.rotations import rotation_fault
from ik_node.support.arguments import flag, floats, number, vector, whole

Q = [0.1, -0.2, 0.3]


def big_endian(values):
    return np.array(values, dtype='>f8')


def frozen(values):
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


AS_GOOD = [tuple, np.array, np.float32, big_endian, frozen, np.asfortranarray,
           lambda values: np.repeat(values, 2, axis=0)[::2],
           lambda values: np.array(values, dtype=object), lambda values: np.array(values)[...]]


@pytest.mark.parametrize('made', AS_GOOD)
def test_numbers_of_any_kind_and_memory_order_become_contiguous_floats(made):
    array = vector(made(Q), 3, 'q')
    assert array == pytest.approx(np.array(Q), abs=1e-7)
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert array.flags.writeable


def test_a_column_order_is_kept_apart_from_the_values():
    square = np.arange(16.0).reshape(4, 4)
    array = floats(np.asfortranarray(square), 'T')
    assert array.tolist() == square.tolist()
    assert array.flags.c_contiguous


def test_integers_and_fractions_are_numbers():
    assert floats([1, 2], 'q').tolist() == [1.0, 2.0]
    assert floats([Fraction(1, 4), 1], 'q').tolist() == [0.25, 1.0]
    assert floats(np.array([1, 2], dtype=np.uint8), 'q').tolist() == [1.0, 2.0]
    assert number(np.float32(0.5), 's') == 0.5


@pytest.mark.parametrize(('values', 'words'), [
    ([1j, 0], r'q must be numbers, not .*\(complex numbers\)'), ('1', r'\(text\)'),
    (['1', '2'], r'\(text\)'), (b'1', r'\(bytes\)'), ([True, False], r'\(booleans\)'),
    (np.ones(3, dtype=bool), r'\(booleans\)'),
    (np.ma.masked_array([1.0, 2.0], [0, 1]), 'not a masked array; fill it first'),
    ([np.ma.masked_array([1.0, 2.0], [0, 1])], 'not a masked array'),
    ([[1.0], [1.0, 2.0]], 'must be numbers, not'), (None, 'must be numbers, not None'),
    ({'a': 1}, 'must be numbers, not'), ([10**400, 1], 'too large'),
    (10**5000, 'thousands of digits'),
    (np.array(['2020-01-01'], dtype='M8[D]'), r'\(dates\)'), ([1.0, None], 'must be numbers'),
    ([math.nan], 'must be finite numbers'), (np.longdouble('1e4000'), 'must be finite numbers')],
    ids=range(17))
def test_what_is_no_real_number_is_refused_and_named(values, words):
    with pytest.raises(IkError, match=words):
        floats(values, 'q')


def test_objects_whose_methods_raise_are_refused():
    class Hostile:
        def __array__(self, *_, **__):
            raise RuntimeError('hostile')

        def __repr__(self):
            raise RuntimeError('hostile')

    with pytest.raises(IkError, match='must be numbers, not an object of type Hostile'):
        floats(Hostile(), 'q')


def test_a_list_that_holds_itself_is_refused():
    values: list = []
    values.append(values)
    with pytest.raises(IkError, match='must be numbers'):
        floats(values, 'q')


def test_flags_and_whole_numbers():
    assert flag(np.True_, 'within_limits') is True
    assert whole(np.int32(3), 'seed') == 3
    for value in (1, 'yes', None, np.ones(2)):
        with pytest.raises(IkError, match='within_limits must be True or False'):
            flag(value, 'within_limits')
    for value in (True, 1.0, -1, 2**63, 10**5000, '1'):
        with pytest.raises(IkError, match='seed must be a whole number'):
            whole(value, 'seed')


SHEAR = np.array([[1.0, 0.1, 0.0], [0.0, math.sqrt(0.99), 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(('R', 'said', 'unsaid'), [
    (np.diag([2.0, 2.0, 2.0]), 'it scales: its columns have the lengths 2, 2, 2', 'mirrors'),
    (np.diag([1.0, 1.0, -1.0]), 'it mirrors', 'scales'), (SHEAR, 'it shears', 'scales'),
    (np.diag([1.0, 1.0, -3.0]), 'it scales.*; it mirrors', 'shears'),
    (np.zeros((3, 3)), 'it scales: its columns have the lengths 0, 0, 0', 'mirrors')])
def test_a_matrix_that_is_no_rotation_is_said_to_scale_to_shear_or_to_mirror(R, said, unsaid):
    with pytest.raises(IkError, match=said) as caught:
        Goal(orientation=R)
    assert unsaid not in str(caught.value)
    T = np.eye(4)
    T[:3, :3] = R
    solver = make_solver('ccd', robots.planar(0.4, 0.3))
    for method in (solver.solve, solver.closest):
        with pytest.raises(IkError, match=said):
            method(T)


def test_the_angle_of_a_shear_is_named():
    # The second column is turned by asin 0.1 = 5.739° towards the first.
    assert '84.26' in rotation_fault(SHEAR, 1e-6)

"""What a caller may pass as an argument, and numbers that are near the ends of floats."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

EXTREMES = [5e-324, 1e-300, 1e-160, 1e-12, 1e9, 1e160, 1e200, 1e300, 1e308, 10**9, 2**31 - 1]


class Hostile:
    """An object each of whose methods raises what nobody expects."""

    def _refuse(self, *_, **__):
        raise RuntimeError('hostile')

    __array__ = __len__ = __iter__ = __getitem__ = __eq__ = __bool__ = __float__ = _refuse
    __repr__ = __str__ = __index__ = __int__ = __lt__ = __add__ = __fspath__ = _refuse
    __contains__ = _refuse

    def __hash__(self):
        return 7


class HostileSequence(Sequence):
    def __len__(self):
        raise RuntimeError('hostile')

    def __getitem__(self, index):
        raise RuntimeError('hostile')


class HostileMapping(Mapping):
    def __len__(self):
        return 3

    def __getitem__(self, key):
        raise RuntimeError('hostile')

    def __iter__(self):
        raise RuntimeError('hostile')


def _nested():
    inside: list = []
    inside.append(inside)
    return inside


HOSTILE = [
    None, True, False, 0, -1, 1, 2, 10**400, -10**5000, 2**63, 0.0, -0.5, 0.5, 1e308, -1e308, 2e9,
    3e9, float('nan'), float('inf'), 1j, '', '1', 'x', '\0', '\ud800', 'a' * 5000, '<robot/>', b'1',
    Fraction(1, 3), [], [1], [[1], [1, 2]], (), {}, {'a': 1}, {1: 2}, set(), [None], ['1', '2'],
    [1.0, 10**400], [1j] * 6, [True] * 6, np.zeros(0), np.zeros(2), np.zeros((6, 6)), np.zeros(()),
    np.eye(3), np.eye(4), np.eye(4) * 1j, np.diag([2.0, 2, 2, 1]), np.full((4, 4), np.nan),
    np.eye(4).astype(str), np.eye(4, dtype=bool), np.array([1, 'a', None], dtype=object),
    np.ma.masked_array(np.zeros(6), [1, 0, 0, 0, 0, 0]), np.ma.masked_array(np.eye(4)),
    [np.ma.masked_array(np.eye(4), np.eye(4))], np.ma.masked, np.array(['2020'], dtype='M8'),
    np.zeros(6, dtype='f4,i4'), np.longdouble('1e4000'), np.float32(1.5), object, len, Hostile(),
    HostileSequence(), HostileMapping(), [Hostile()], {Hostile(): 1.0}, {'joint_1': Hostile()},
    _nested(), range(3), iter([1, 2]), lambda *_: None, np.zeros(3)[::2], np.full(6, 1e308)]

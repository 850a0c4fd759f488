"""What setup.py makes of annotations, for headers of kernels to include."""

import runpy
import sys
from pathlib import Path

import pytest
import setuptools

import ik_node

ROOT = Path(ik_node.__file__).parents[1]
SOURCE = '''
import math
from ik_node.kinematics import jacobian
from ik_node.support.arrays import Memory, Vector

LEAST, MOST = 1e-9, 10
UNUSED = 3.0


def shorten(v: Vector, n: int) -> tuple[bool, float]:
    """Scale v."""
    done = round(v[0]) > MOST
    return done, LEAST


def by_hand(v: Vector) -> None:
    """Do nothing."""


def in_python(values: list) -> int:
    """Return 0."""
'''


@pytest.fixture
def declarations(monkeypatch):
    if not (ROOT / 'setup.py').exists():
        pytest.skip('installed, without its setup.py')
    monkeypatch.setattr(setuptools, 'setup', lambda **_: None)
    monkeypatch.setattr(sys, 'argv', ['setup.py', '--name'])
    monkeypatch.chdir(ROOT)
    return runpy.run_path('setup.py')['declarations']


def test_functions_of_c_types_and_the_numbers_that_they_use_are_declared(declarations):
    assert declarations('cdef int by_hand(vector v) except -1', SOURCE, frozenset({'Vector'})) == (
        'cimport cython\n'
        'cimport ik_node.kinematics.jacobian as jacobian\n'
        'from ik_node.support.arrays cimport Memory\n'
        'from ik_node.support.arrays cimport vector\n'
        'from libc cimport math\n'
        'from libc.math cimport rint as round\n'
        'cdef double LEAST\n'
        'cdef int MOST\n'
        '@cython.locals(done=cython.bint)\n'
        'cdef (bint, double) shorten(vector v, int n) noexcept nogil\n')


def test_a_header_gets_its_types_its_classes_and_the_numbers_of_its_classes(declarations):
    source = ('LEAST = 1e-9\nFEW = 3\n\n\nclass Level:\n    def size(self) -> float:\n'
              '        return LEAST\n\n\ndef begin(own: Level, n: int) -> None:\n    pass\n')
    header = ('include "level.pxi"\n\ncdef class Level(Base):\n    cdef matrix A\n\n'
              'cdef class Other:\n    cdef int n\n')
    assert declarations(header, source, frozenset({'Matrix', 'Pose'})) == (
        'cimport cython\n'
        'from ik_node.support.arrays cimport matrix\n'
        'cdef double LEAST\n'
        'cdef class Level(Base)\n'
        'cdef void begin(Level own, int n) noexcept nogil\n')


def test_what_is_inlined_is_declared_whole(declarations):
    made = declarations('# Not compiled: inlined.', 'A, B = range(2)\nC = 8\n\n\n'
                        'def half(x: float) -> float:\n    """Halve x."""\n    return 0.5 * x\n',
                        frozenset())
    assert made == ('cimport cython\ncdef enum: A, B\ncdef enum: C = 8\n'
                    'cdef inline double half(double x) noexcept nogil:\n    return 0.5 * x\n')

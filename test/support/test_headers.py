"""What kernel_headers.py makes of annotations, for headers of kernels to include."""

import re
import runpy
from pathlib import Path

import pytest

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
    if not (ROOT / 'kernel_headers.py').exists():
        pytest.skip('installed, without what builds it')
    monkeypatch.chdir(ROOT)
    return runpy.run_path('kernel_headers.py')['declarations']


def test_functions_of_c_types_and_the_numbers_that_they_use_are_declared(declarations):
    assert declarations('cdef int by_hand(vector v) except -1', SOURCE) == (
        'cimport cython\n'
        'cimport ik_node.kinematics.jacobian as jacobian\n'
        'from ik_node.support.arrays cimport Memory\n'
        'from ik_node.support.arrays cimport vector\n'
        'from libc cimport math\n'
        'from libc.math cimport rint as round\n'
        'cdef double LEAST\n'
        'cdef int MOST\n'
        "@cython.locals(done='bint')\n"
        'cdef (bint, double) shorten(vector v, int n) noexcept nogil\n')


CLASSES = '''
from ik_node.support.arrays import InVector, Memory, OutVector, Vector


class Level:
    limit: float

    def __init__(self, n: int, options: dict) -> None:
        self.memory, self.n, self.met = Memory(), n, n > 3
        self.q, self.far, self.own = self.memory.zeros(n), 2.0 * n, options['own']

    def cost(self, q: Vector) -> float:
        return q[0]

    def run(self, q: InVector, most: float = 1.0) -> tuple:
        out: OutVector = q.copy()
        return out, most

    def as_list(self) -> list:
        return []


class Other(Level):
    def __init__(self) -> None:
        self.n, self.size = 3, 1.0

    def cost(self, q: Vector) -> float:
        return q[1]


class Error(Exception):
    pass
'''


def test_classes_have_the_attributes_and_the_methods_that_their_bases_do_not_have(declarations):
    assert declarations('', CLASSES).partition('arrays cimport vector\n')[2] == (
        'cdef class Level():\n'
        '    cdef readonly double limit\n'
        '    cdef readonly Memory memory\n'
        '    cdef readonly int n\n'
        '    cdef readonly bint met\n'
        '    cdef vector q\n'
        '    cdef readonly double far\n'
        '    cdef readonly object own\n'
        '    cdef double cost(self, vector q) noexcept nogil\n'
        "    @cython.locals(out='double[::1]')\n"
        '    cpdef tuple run(self, const double[::1] q, double most=*)\n'
        'cdef class Other(Level):\n'
        '    cdef readonly double size\n')


def test_notes_of_a_header_say_what_annotations_do_not(declarations):
    header = ('# public int: Level.own\n# except? -1.0 nogil: Level.cost()\n'
              '# cpdef: Level.run(), Level.as_list()\n# Python: Other\n')
    made = declarations(header, CLASSES)
    assert '    cdef public int own\n' in made
    assert '    cdef double cost(self, vector q) except? -1.0 nogil\n' in made
    assert '    cpdef list as_list(self)\n' in made
    assert 'Other' not in made


def test_a_class_is_known_to_those_before_it(declarations):
    made = declarations('', "class A:\n    def other(self) -> 'B':\n        return B()\n\n\n"
                        'class B:\n    pass\n')
    assert made == ('cimport cython\ncdef class B()\ncdef class A():\n    cdef B other(self)\n'
                    'cdef class B():\n    pass\n')


def test_of_all_functions_of_a_module_those_that_are_used_are_declared(declarations):
    made = declarations('', 'from ik_node.spatial.vector3 import *\n\n\n'
                        'def half(x: float) -> float:\n    return 0.5 * dot(x, x)\n')
    assert made.startswith('cimport cython\nfrom ik_node.spatial.vector3 cimport dot\ncdef double')


def test_what_is_inlined_is_declared_whole(declarations):
    made = declarations('# Not compiled: inlined.', 'A, B = range(2)\nC = 8\n\n\n'
                        'def half(x: float) -> float:\n    """Halve x."""\n    return 0.5 * x\n')
    assert made == ('cimport cython\ncdef enum: A, B\ncdef enum: C = 8\n'
                    'cdef inline double half(double x) noexcept nogil:\n    return 0.5 * x\n')


def test_no_kernel_has_integers_of_a_size_that_depends_on_the_system(declarations):
    """C's long has 32 bits on Windows, too few for the address of an array."""
    for header in (ROOT / 'ik_node').rglob('*.pxd'):
        text = header.read_text(encoding='utf-8')
        made = declarations(text, header.with_suffix('.py').read_text(encoding='utf-8'))
        assert not re.search(r'(?<!long )\blong\b(?! long)', made), header

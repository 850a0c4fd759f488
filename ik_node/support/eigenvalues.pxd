from libc cimport math
from ik_node.support.arrays cimport vector
cimport cython

ctypedef double (*sixteens)[16]

cdef int _PATIENCE, _STEPS
cdef double INF, _EPSILON

cdef int eigenvalues(sixteens A, vector real, vector imaginary) noexcept nogil
cdef int _first_of_block(sixteens A, int high, double norm) noexcept nogil
cdef (double, double, double, double) _pair(double a, double b, double c, double d) noexcept nogil
cdef void _to_hessenberg(sixteens A) noexcept nogil
@cython.locals(three=cython.bint)
cdef void _francis_step(sixteens A, int low, int high, double total, double product) noexcept nogil
cdef void _reflect_three(sixteens A, int k, int low, int high, double v, double w,
                         double beta) noexcept nogil
cdef void _reflect_two(sixteens A, int k, int low, int high, double v, double beta) noexcept nogil

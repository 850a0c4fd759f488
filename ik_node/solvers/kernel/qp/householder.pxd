from libc cimport math
from ik_node.support.arrays cimport matrix
from ik_node.solvers.kernel.qp.level cimport Level
cimport cython

cdef int SWEEPS
cdef double RANK, ORTHOGONAL

cdef void triangularise(Level own) noexcept nogil
cdef void reflect(Level own, int i, double length) noexcept nogil
cdef double inverse2(Level own) noexcept nogil
cdef void rotate(Level own) noexcept nogil
cdef void turn(matrix M, int a, int b, int first, int end, double cosine,
               double sine) noexcept nogil
@cython.locals(rotated=cython.bint)
cdef int partly_free(Level own, double singular) noexcept nogil

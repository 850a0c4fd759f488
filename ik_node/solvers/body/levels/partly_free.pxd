from libc cimport math
from ik_node.solvers.body.levels.level cimport Level
cimport cython

cdef int SWEEPS
cdef double ORTHOGONAL

@cython.locals(rotated=cython.bint)
cdef int directions(Level own, double singular) noexcept nogil

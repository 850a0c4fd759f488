from ik_node.collision.convex cimport Convex
from ik_node.spatial.vector3 cimport motion, vector3
from ik_node.support.arrays cimport Memory, integers, points, vector
cimport cython

cdef double INF, TOUCHING
cdef int STEPS


cdef class Gap:
    cdef Memory memory
    cdef points A, B, W
    cdef vector at, next
    cdef integers near_a, near_b
    cdef readonly int count
    cdef readonly bint is_far
    cdef double rest
    cdef readonly vector3 normal, on_a, on_b


@cython.locals(v=vector3)
cdef double approach(Convex a, Convex b, motion T_a_b, Gap gap, double far,
                     double tolerance) noexcept nogil
@cython.locals(v=vector3)
cdef bint _is_nearer(Gap gap, double length) noexcept nogil
include "gap.pxi"

from ik_node.collision.gap cimport Gap
from ik_node.spatial.vector3 cimport vector3
from ik_node.support.arrays cimport Memory, integers, points, vector
cimport cython


cdef class Polytope:
    cdef Memory memory
    cdef points W, A, B, normal
    cdef integers corners, edges, seen, stack
    cdef vector level
    cdef int count, faces


@cython.locals(sign=double, axis=int, x=vector3)
cdef vector3 _direction(Gap gap, int k) noexcept nogil
include "penetration.pxi"

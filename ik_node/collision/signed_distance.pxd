from ik_node.collision.gjk cimport Simplex
from ik_node.spatial.vector3 cimport vector3
from ik_node.support.arrays cimport integers, points, vector
cimport cython


cdef class PairData(Simplex):
    cdef points across
    cdef integers corners, edges
    cdef vector level
    cdef int vertices, faces


@cython.locals(sign=double, axis=int, x=vector3)
cdef vector3 _direction(PairData own, int k) noexcept nogil
include "signed_distance.pxi"

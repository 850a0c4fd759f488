from ik_node.spatial.vector3 cimport vector3
from ik_node.support.arrays cimport Memory, integers, points
cimport cython

cdef double ENCLOSED


cdef class Surface:
    cdef Memory memory
    cdef int count
    cdef points vertices
    cdef integers faces
    cdef vector3 low, high

    @cython.locals(p=vector3)
    cpdef bint encloses(self, const double[:, :] points, const double[:, :] R, const double[:] t)


include "winding.pxi"

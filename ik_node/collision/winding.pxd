from libc cimport math
cimport ik_node.spatial.vector3 as vectors
from ik_node.spatial.vector3 cimport cross, dot, minus, norm, vector3
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


cdef double winding(Surface own, vector3 p) noexcept nogil

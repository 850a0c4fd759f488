from libc cimport math
cimport ik_node.spatial.vector3 as vectors
from ik_node.spatial.vector3 cimport dot, vector3
from ik_node.support.arrays cimport Memory, integers, points
cimport cython


cdef class Convex:
    cdef Memory memory
    cdef readonly int vertices
    cdef readonly bint is_cylinder, is_plane
    cdef public bint is_larger
    cdef readonly double radius, bound
    cdef readonly vector3 half, middle
    cdef points points
    cdef integers first, neighbours


cdef vector3 support(Convex shape, vector3 d, integers near) noexcept nogil
@cython.locals(higher=cython.bint)
cdef vector3 _vertex(Convex shape, vector3 d, integers near) noexcept nogil

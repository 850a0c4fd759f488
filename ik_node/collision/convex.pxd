include "convex.pxi"


cdef class Convex:
    cdef Memory memory
    cdef readonly int vertices
    cdef readonly bint is_cylinder, is_plane
    cdef public bint is_larger
    cdef readonly double radius, bound
    cdef readonly vector3 half, middle
    cdef points points
    cdef integers first, neighbours

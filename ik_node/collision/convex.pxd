from ik_node.spatial.vector3 cimport vector3
from ik_node.support.arrays cimport Memory, integers, points


cdef class Convex:
    cdef Memory memory
    cdef readonly int core, vertices
    cdef readonly double radius, bound
    cdef readonly vector3 half, middle
    cdef points points
    cdef integers first, neighbours


include "convex.pxi"

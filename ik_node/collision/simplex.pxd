from ik_node.spatial.vector3 cimport vector3
cimport cython

@cython.locals(best=vector3, u=double, v=double, w=double)
cdef vector3 of_triangle(vector3 a, vector3 b, vector3 c) noexcept nogil
include "simplex.pxi"

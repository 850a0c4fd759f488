from libc cimport math
from ik_node.spatial.vector3 cimport along, cross, dot, minus, times, vector3
from ik_node.support.arrays cimport points, vector
cimport cython

cdef double INF

cdef (double, double) of_segment(vector3 a, vector3 b) noexcept nogil
@cython.locals(best=vector3, u=double, v=double, w=double)
cdef vector3 of_triangle(vector3 a, vector3 b, vector3 c) noexcept nogil
cdef double _signed_area(vector3 a, vector3 b, vector3 p, vector3 n) noexcept nogil
@cython.locals(inside=cython.bint)
cdef void of_tetrahedron(points W, vector at) noexcept nogil
cdef vector3 _vertex(points W, int k) noexcept nogil
cdef int _others(int k, int i) noexcept nogil

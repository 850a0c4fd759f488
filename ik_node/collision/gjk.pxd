from libc cimport math
cimport ik_node.collision.convex as convex
cimport ik_node.spatial.vector3 as vectors
from ik_node.collision.convex cimport Convex
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, motion, moved, norm, plus, rotated_back, times, vector3)
from ik_node.support.arrays cimport Memory, integers, points, vector
cimport cython

cdef double INF, TOUCHING
cdef int STEPS
cdef vector3 ZERO


cdef class Simplex:
    cdef Memory memory
    cdef points A, B, W
    cdef vector at, next
    cdef integers near_a, near_b
    cdef readonly int count
    cdef readonly bint is_far
    cdef double rest
    cdef readonly vector3 normal, on_a, on_b


@cython.locals(v=vector3)
cdef double core_distance(Convex a, Convex b, motion T_a_b, Simplex own, double far,
                          double tolerance) noexcept nogil
cdef vector3 difference(Convex a, Convex b, motion T_a_b, Simplex own, vector3 d) noexcept nogil
cdef void keep(Simplex own, int count) noexcept nogil
cdef void copy_vertex(Simplex own, int k, int m) noexcept nogil
cdef void nearest_points(Simplex own) noexcept nogil
cdef vector3 closest(Simplex own, int count, vector3 p) noexcept nogil
cdef (double, double) of_segment(vector3 a, vector3 b) noexcept nogil
@cython.locals(best=vector3, u=double, v=double, w=double)
cdef vector3 of_triangle(vector3 a, vector3 b, vector3 c) noexcept nogil
cdef double _signed_area(vector3 a, vector3 b, vector3 p, vector3 n) noexcept nogil
@cython.locals(inside=cython.bint)
cdef void of_tetrahedron(points W, vector at) noexcept nogil
cdef int _others(int k, int i) noexcept nogil

from libc cimport math
cimport ik_node.collision.gjk as gjk
cimport ik_node.spatial.vector3 as vectors
from ik_node.collision.convex cimport Convex
from ik_node.collision.gjk cimport Simplex
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, motion, norm, perpendicular, plus, rotated, times, vector3)
cimport cython

cdef double INF, LONGEST, CONVERGED, LEVEL, NEAR_AXIS, ON_AXIS, IN_LINE, ROUNDING, TOLERANCE, THIN
cdef int ROUNDS, STEPS
cdef vector3 Z


@cython.locals(p=vector3, u=vector3, v=vector3)
cdef double refine(Convex a, Convex b, motion T_a_b, Simplex own, vector3 n,
                   double most) noexcept nogil
cdef vector3 onto_axis(Convex a, Convex b, motion T_a_b, vector3 n) noexcept nogil
cdef bint is_along(Convex shape, vector3 axis, vector3 n) noexcept nogil
cdef vector3 on_rim(Convex shape, vector3 axis, vector3 n) noexcept nogil
cdef vector3 on_end(Convex shape, vector3 axis, vector3 n, vector3 p) noexcept nogil
cdef void add_vertex(Convex a, Convex b, motion T_a_b, vector3 z, Simplex own,
                     vector3 n) noexcept nogil
cdef void straighten(Convex a, Convex b, vector3 p, vector3 z, Simplex own, int k) noexcept nogil
cdef void keep_highest(Simplex own, vector3 n, double least) noexcept nogil
@cython.locals(c=vector3, e=vector3, x=vector3, y=vector3, s=double, t=double)
cdef vector3 lowest(Convex a, Convex b, vector3 z, Simplex own, vector3 n) noexcept nogil
@cython.locals(s=vector3)
cdef vector3 bend(Convex shape, vector3 axis, vector3 n) noexcept nogil
cdef vector3 unit(vector3 v) noexcept nogil

from libc cimport math
cimport ik_node.collision.cores as cores
cimport ik_node.collision.gap as gaps
cimport ik_node.collision.rims as rims
cimport ik_node.collision.simplex as simplex
cimport ik_node.spatial.vector3 as vectors
from ik_node.collision.convex cimport Convex
from ik_node.collision.gap cimport Gap
from ik_node.spatial.vector3 cimport along, cross, dot, minus, motion, norm, times, vector3
from ik_node.support.arrays cimport Memory, integers, points, vector
cimport cython

cdef double INF, TOLERANCE, COARSE, THIN, SLIVER, VISIBLE, NEAR, COPLANAR
cdef int VERTICES, FACES


cdef class Polytope:
    cdef Memory memory
    cdef points W, A, B, normal
    cdef integers corners, edges, seen, stack
    cdef vector level
    cdef int count, faces


@cython.locals(more=cython.bint, is_curved=cython.bint)
cdef double depth(Convex a, Convex b, motion T_a_b, Gap gap, Polytope polytope) noexcept nogil
cdef double _of_faces(Convex a, Convex b, motion T_a_b, Gap gap, Polytope polytope, double deepest,
                      double most) noexcept nogil
cdef void _find_points(Polytope polytope, vector3 p, double level, Gap gap) noexcept nogil
cdef vector3 _vertex(Polytope polytope, int face, int k) noexcept nogil
@cython.locals(found=cython.bint)
cdef bint _enclose(Convex a, Convex b, motion T_a_b, Gap gap, Polytope polytope) noexcept nogil
@cython.locals(sign=double, axis=int, x=vector3)
cdef vector3 _direction(Gap gap, int k) noexcept nogil
cdef double _extent(Gap gap, vector3 d) noexcept nogil
cdef void _take_vertex(Gap gap, int k, Polytope polytope) noexcept nogil
cdef void _give_vertex(Polytope polytope, int m, Gap gap, int k) noexcept nogil
cdef void _add_face(Polytope polytope, int i, int j, int k) noexcept nogil
cdef int _nearest_face(Polytope polytope) noexcept nogil
cdef bint _replace_visible(Polytope polytope, int nearest, vector3 w) noexcept nogil
cdef int _with_edge(Polytope polytope, int i, int j) noexcept nogil
cdef void _remove_seen(Polytope polytope) noexcept nogil

from libc cimport math
cimport ik_node.collision.convex as convex
cimport ik_node.collision.cylinder_newton as cylinder_newton
cimport ik_node.collision.gjk as gjk
cimport ik_node.spatial.vector3 as vectors
from ik_node.collision.convex cimport Convex
from ik_node.collision.gjk cimport Simplex
from ik_node.spatial.vector3 cimport (
    along, composed, cross, dot, minus, motion, moved, norm, reversed_motion, rotated, times,
    vector3)
from ik_node.support.arrays cimport integers, points, vector
cimport cython

cdef double INF, FINE, COARSE, EXACT, TOLERANCE, NEARLY, THIN, SLIVER, VISIBLE, NEAR, COPLANAR
cdef int VERTICES, FACES


cdef class PairData(Simplex):
    cdef points across
    cdef integers corners, edges
    cdef vector level
    cdef int vertices, faces


cdef double signed_distance(Convex a, motion A, Convex b, motion B, double far, PairData own,
                            bint deep) noexcept nogil
cdef double _above_plane(Convex a, motion T_a_b, PairData own) noexcept nogil
@cython.locals(is_curved=cython.bint)
cdef double _between(Convex a, Convex b, motion T_a_b, double far, PairData own,
                     bint deep) noexcept nogil
@cython.locals(more=cython.bint, is_curved=cython.bint)
cdef double _depth(Convex a, Convex b, motion T_a_b, PairData own) noexcept nogil
cdef double _of_faces(Convex a, Convex b, motion T_a_b, PairData own, double deepest,
                      double most) noexcept nogil
cdef void _find_points(PairData own, vector3 p, double level) noexcept nogil
cdef vector3 _corner(PairData own, int face, int k) noexcept nogil
cdef void _take_face(PairData own, int face) noexcept nogil
@cython.locals(found=cython.bint)
cdef bint _enclose(Convex a, Convex b, motion T_a_b, PairData own) noexcept nogil
@cython.locals(sign=double, axis=int, x=vector3)
cdef vector3 _direction(PairData own, int k) noexcept nogil
cdef double _extent(PairData own, vector3 d) noexcept nogil
cdef void _add_face(PairData own, int i, int j, int k) noexcept nogil
cdef bint _replace_visible(PairData own, int nearest, vector3 w) noexcept nogil
cdef bint _is_seen(PairData own, int m, int count, vector3 w) noexcept nogil
cdef int _edge_of(PairData own, int count, int i, int j) noexcept nogil

from libc cimport math
cimport ik_node.collision.convex as convex
cimport ik_node.collision.cores as cores
cimport ik_node.collision.gap as gaps
cimport ik_node.collision.penetration as penetration
cimport ik_node.collision.rims as rims
from ik_node.collision.convex cimport Convex
from ik_node.collision.gap cimport Gap
from ik_node.collision.penetration cimport Polytope
from ik_node.spatial.vector3 cimport (
    along, composed, dot, minus, motion, moved, reversed_motion, rotated, times)

cimport cython

cdef double INF, FINE, COARSE, EXACT


cdef double signed_distance(Convex a, motion A, Convex b, motion B, double far,
                            Gap gap, Polytope polytope, bint deep) noexcept nogil
@cython.locals(is_curved=cython.bint)
cdef double _between(Convex a, Convex b, motion T_a_b, double far, Gap gap,
                     Polytope polytope, bint deep) noexcept nogil
cdef double _above_plane(Convex a, motion T_a_b, Gap gap) noexcept nogil

from ik_node.collision.convex cimport Convex
from ik_node.collision.gap cimport Gap
from ik_node.collision.penetration cimport Polytope
from ik_node.collision.world cimport World
from ik_node.kinematics.tree cimport Tree
from ik_node.spatial.vector3 cimport motion, vector3
from ik_node.support.arrays cimport Memory, columns, integers, objects, points, pose, poses, vector
cimport cython

cdef int MOST


cdef class Scene:
    cdef Memory memory
    cdef readonly Tree tree
    cdef readonly int count, pair_count, moving_count
    cdef integers link, pairs, moving
    cdef poses placement
    cdef objects shape
    cdef readonly list idle
    cdef vector closer

    cpdef Touch touch(self)


cdef class Touch:
    cdef readonly Scene scene
    cdef Memory memory
    cdef poses frames, place
    cdef points axes, middle, normal, on_a, on_b
    cdef vector q, distance
    cdef columns J
    cdef readonly Gap gap
    cdef Polytope polytope
    cdef integers a, b, stack
    cdef readonly int count, most
    cdef public World world
    cdef public double margin, closer
    cdef bint deep

    cpdef leave(self)
    cpdef motion pose(self, World world, int k)
    cdef bint is_free(self, vector q) noexcept nogil
    @cython.locals(scene=Scene, d='double[::1]', G='double[:, ::1]')
    cpdef tuple rows(self)
    @cython.locals(scene=Scene)
    cpdef list find(self, World world, const double[::1] q, double far, int most=*,
                    bint deep=*)


cdef void put(motion T, pose pose) noexcept nogil
cdef bint measure(Convex a, Convex b, motion B, Touch touch, int i, int j,
                  double far) noexcept nogil
cdef bint is_apart(Convex b, pose T, vector3 p, double reach) noexcept nogil
include "scene.pxi"

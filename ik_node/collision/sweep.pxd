from libc cimport math
cimport ik_node.collision.convex as convex
cimport ik_node.collision.scene as scenes
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.kinematics.tree as trees
cimport ik_node.spatial.vector3 as vectors
cimport ik_node.support.clock as clock
from ik_node.collision.convex cimport Convex
from ik_node.collision.scene cimport Scene, SceneData
from ik_node.kinematics.tree cimport Tree
from ik_node.spatial.vector3 cimport dot, minus, moved, rotated, rotated_back, times, vector3
from ik_node.support.arrays cimport Memory, integers, points, pose, rows, vector
cimport cython

cdef int HALVINGS, LOOK, MOST_PLACES
cdef double FAR, NEARER, STOP, ROUNDING, INF


cdef class Sweep:
    cdef Memory memory
    cdef readonly Scene scene
    cdef readonly Tree tree
    cdef readonly int m, n, begun_count, frame
    cdef SceneData data
    cdef readonly bint is_late
    cdef readonly double around, slack
    cdef rows path
    cdef vector q, lever, turn, swing, of_a, of_b, bend, travel, begun, low
    cdef points plane
    cdef integers begun_b, near

    cpdef double run(self)


cdef void write_travel(Sweep own) noexcept nogil
cdef double advance(Sweep own) noexcept nogil
@cython.locals(places='int')
cdef double free_of(Sweep own, int a, int b, double until) noexcept nogil
cdef double room_at(Sweep own, int a, int b, double place) noexcept nogil
@cython.locals(i='int')
cdef void put_at(Sweep own, int a, int b, double place) noexcept nogil
cdef double lowest(Sweep own, int b, double distance, bint begins) noexcept nogil
@cython.locals(i='int')
cdef double farthest(Sweep own, double place, double room) noexcept nogil
@cython.locals(i='int')
cdef double separated_until(Sweep own, int a, int b, double place,
                            double room) noexcept nogil
cdef void write_planes(Sweep own) noexcept nogil
cdef bint are_separated(Sweep own, int a, int b, double place, double motion,
                        double least) noexcept nogil
cdef double separation(Sweep own, int a, Convex b, pose T,
                       vector3 n) noexcept nogil
@cython.locals(i='int', j='int', first='int', second='int', common='int')
cdef void write_levers(Sweep own, int a, int b) noexcept nogil
cdef void add_lever(Sweep own, int k, double of_a, double of_b, bint moves_a) noexcept nogil
cdef double extent(Sweep own, int shape) noexcept nogil
cdef double offset(Sweep own, int k) noexcept nogil

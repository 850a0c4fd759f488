from ik_node.collision.scene cimport SceneData
from ik_node.kinematics.tree cimport Tree
include "sweep.pxi"


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


@cython.locals(places='int')
cdef double free_of(Sweep own, int a, int b, double until) noexcept nogil
@cython.locals(i='int')
cdef void put_at(Sweep own, int a, int b, double place) noexcept nogil
@cython.locals(i='int')
cdef double farthest(Sweep own, double place, double room) noexcept nogil
@cython.locals(i='int')
cdef double separated_until(Sweep own, int a, int b, double place,
                            double room) noexcept nogil
@cython.locals(i='int', j='int', first='int', second='int', common='int')
cdef void write_levers(Sweep own, int a, int b) noexcept nogil

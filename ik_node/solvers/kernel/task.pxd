from ik_node.support.arrays cimport Memory, pose, vector
cimport cython


cdef class TipTask:
    cdef Memory memory
    cdef pose T
    cdef vector weights, rates
    cdef bint along_goal, partial_orientation
    cdef int rows, heading

    @cython.locals(some_free=cython.bint, orientation_uneven=cython.bint,
                   position_uneven=cython.bint)
    cdef void prepare(self) noexcept nogil


include "task.pxi"

include "task.pxi"


cdef class TipTask:
    cdef Memory memory
    cdef pose T
    cdef vector weights, rates
    cdef bint along_goal, partial_orientation
    cdef int rows, heading

    @cython.locals(some_free=cython.bint, orientation_uneven=cython.bint,
                   position_uneven=cython.bint)
    cdef void prepare(self) noexcept nogil

include "loop_6r.pxi"

cdef double _NEARLY_REAL, _REAL


cdef class GeneralArm(ClosedFamily):
    pass


@cython.locals(backward=cython.bint, sound=cython.bint, best=int, second=int)
cdef int _candidates(points axes, points points, transform M, EliminationData work) noexcept nogil
@cython.locals(v=vector3)
cdef void _write_across(columns lines, int line, int target) noexcept nogil
@cython.locals(a=int, b=int, best=int, second=int, most=double, next_most=double)
cdef (int, int) best_pairs(columns lines) noexcept nogil
@cython.locals(frame=transform)
cdef void normalise(columns lines, double disturbance) noexcept nogil

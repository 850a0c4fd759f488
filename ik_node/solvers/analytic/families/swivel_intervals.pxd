include "swivel_intervals.pxi"

cdef int _MOST


@cython.final
cdef class Intervals:
    cdef Memory memory
    cdef int count
    cdef integers elbow, shoulder, wrist, tried
    cdef vector begin, end
    cdef integers bounded
    cdef fours ends
    cdef pairs middle
    cdef vector half, cuts
    cdef points turning
    cdef integers inside
    cdef pose T
    cdef int find(self, Swivel arm, transform M, vector lower, vector upper,
                  double narrower) noexcept nogil
    cdef void _write_bound(self, int j, double lower, double upper) noexcept nogil
    cdef bint _is_inside(self, int j, double c, double s) noexcept nogil
    cdef int _cut(self, points axes, int place, triple carried, double slack, int n) noexcept nogil
    cdef int _roots(self, vector3 axis, vector3 u, vector3 v, double value, double slack,
                    int n) noexcept nogil
    @cython.locals(fits=cython.bint)
    cdef int _which_inside(self, int place, triple carried, double slack, double c,
                           double s) noexcept nogil
    @cython.locals(fits=cython.bint)
    cdef void _join(self, int n, int bits, int elbow, int shoulder, int wrist) noexcept nogil
    cdef void _add(self, double begin, double end, int elbow, int shoulder,
                   int wrist) noexcept nogil


cdef class SwivelAngles:
    cdef Memory memory
    cdef Swivel arm
    cdef vector lower, upper
    cdef list idle
    @cython.locals(found=Intervals)
    cpdef object intervals(self, const double[:, ::1] T_base_goal, double narrower)
    @cython.locals(found=Intervals)
    cpdef object towards(self, const double[:, ::1] T_base_goal, const double[::1] point)
    @cython.locals(found=Intervals)
    cdef Intervals _take(self, const double[:, ::1] T_base_goal)


cdef void _copy_out(Intervals found, double[:, ::1] rows) noexcept nogil

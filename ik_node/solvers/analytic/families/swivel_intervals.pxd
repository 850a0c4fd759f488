include "swivel_intervals.pxi"

cdef int _MOST


@cython.final
cdef class Intervals:
    cdef Memory memory
    cdef int count
    cdef rows found
    cdef integers tried, bounded, inside
    cdef fours ends
    cdef pairs middle
    cdef vector half, cuts, lower, upper
    cdef points turning
    cdef pose T
    cpdef object within(self, Swivel arm, const double[:, ::1] T_base_goal,
                        const double[::1] lower, const double[::1] upper, double narrower)
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

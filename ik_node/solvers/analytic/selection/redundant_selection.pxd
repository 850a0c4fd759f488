include "redundant_selection.pxi"


cdef class RedundantSelection(Selection):
    cdef int count, tried, sampled
    cdef double around
    cdef vector lowest, highest, low, high, costs, values
    cdef integers rank
    cdef rows samples
    cdef void choose_by_samples(self) noexcept nogil
    cdef void _choose_near(self, double best, int steps) noexcept nogil
    cdef void approach_limits(self) noexcept nogil
    cdef double next_minimum(self, int steps) noexcept nogil
    cdef bint is_met_inside(self) noexcept nogil
    @cython.locals(low=double, x=double, high=double, fx=double, v=double, w=double, fv=double,
                   fw=double, u=double, fu=double, moved=double, before=double, top=double,
                   bottom=double, r=double, p=double, middle=double, golden=cython.bint)
    cdef double minimum(self, double low, double x, double high, double fx,
                        int steps) noexcept nogil
    cdef double least_cost(self, vector q) noexcept nogil
    cdef void _bound(self) noexcept nogil
    cdef void _begin_nearby(self) noexcept nogil
    @cython.locals(first=cython.bint)
    cdef double _sample(self, double best) noexcept nogil


cdef class GuidedSelection(RedundantSelection):
    pass

include "swivel_selection.pxi"

cdef double NAN


cdef class ArmPreference:
    cdef Memory memory
    cdef bint guided, by_hand
    cdef vector comfort_lower, comfort_upper
    cdef vector3 hint, hand, elbow, wrist, plane_point, plane_normal, capsule_start, capsule_end
    cdef double capsule_radius
    cdef double cost(self, ChainRecord chain, ArmData work, vector q, double own) noexcept nogil
    cdef double discomfort(self, vector q, int n) noexcept nogil
    cdef double torso_depth(self, vector3 elbow, vector3 wrist) noexcept nogil


cdef class SwivelSelection(RedundantSelection):
    cdef Swivel arm
    cdef Intervals intervals
    cdef ArmPreference wanted
    cdef bint hinted, by_arm
    cdef vector3 hint
    @cython.locals(hinted=cython.bint)
    cdef void choose(self) noexcept nogil
    cdef int find_intervals(self, double narrower) noexcept nogil
    @cython.locals(best=double, at=double, cost=double, x=double)
    cdef void _choose_by_arm(self) noexcept nogil
    @cython.locals(best=double, at=double)
    cdef double _best_of_intervals(self, double wanted) noexcept nogil
    cdef void _choose_nearest(self, double wanted) noexcept nogil


cpdef (double, double) into_interval(double psi, double begin, double end) noexcept nogil

from ik_node.support.arrays cimport points, vector
from ik_node.solvers.analytic.selection.arm_preference cimport ArmPreference
from ik_node.solvers.analytic.selection.redundant_selection cimport RedundantSelection
from ik_node.solvers.analytic.families.swivel cimport Swivel
from ik_node.solvers.analytic.families.swivel_intervals cimport Intervals
cimport cython

cdef double INF, NAN, TWO_PI, _INWARDS, _WIDER, _HIDDEN
cdef int _STEPS, _ANGLES, _REFINED, _ARM_STEPS


cdef class SwivelSelection(RedundantSelection):
    cdef Swivel arm
    cdef Intervals intervals
    cdef bint hinted
    cdef points hint
    @cython.locals(hinted=cython.bint)
    cdef void choose(self) noexcept nogil
    cdef int find_intervals(self, double narrower) noexcept nogil
    cdef double _hinted_angle(self) noexcept nogil
    @cython.locals(best=double, at=double, low=double, high=double)
    cdef void _choose_within(self, double wanted) noexcept nogil
    cdef void _choose_nearest(self, double wanted) noexcept nogil


cdef class ArmSelection(SwivelSelection):
    cdef ArmPreference wanted
    cdef bint by_arm
    cdef void _choose_by_arm(self) noexcept nogil
    cdef double _best_of_intervals(self) noexcept nogil
    cdef void _sample_circle(self) noexcept nogil


cpdef (double, double) into_interval(double psi, double begin, double end) noexcept nogil
include "swivel_selection.pxi"

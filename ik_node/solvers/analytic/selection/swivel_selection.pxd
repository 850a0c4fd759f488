from libc cimport math
cimport ik_node.solvers.codes as codes
from ik_node.support.arrays cimport points, vector
from ik_node.solvers.analytic.selection.redundant_selection cimport RedundantSelection
from ik_node.solvers.analytic.families.swivel cimport Swivel
from ik_node.solvers.analytic.families.swivel_intervals cimport Intervals
from ik_node.spatial.vector3 cimport composed, motion_of, row
cimport cython

cdef double INF, NAN, TWO_PI, INWARDS, _WIDER
cdef int _STEPS


cdef class SwivelSelection(RedundantSelection):
    cdef Swivel arm
    cdef Intervals intervals
    cdef bint hinted
    cdef points hint
    @cython.locals(hinted=cython.bint)
    cdef void choose(self) noexcept nogil
    cdef int find_intervals(self, double narrower) noexcept nogil
    cdef double _hinted_angle(self) noexcept nogil
    cdef bint _is_clear(self) noexcept nogil
    @cython.locals(best=double, at=double, low=double, high=double)
    cdef void _choose_within(self, double wanted) noexcept nogil
    cdef void _choose_nearest(self, double wanted) noexcept nogil

cpdef (double, double) into_interval(double psi, double begin, double end) noexcept nogil

from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.analytic.selection.swivel_selection as swivel_selection
from ik_node.solvers.analytic.selection.arm_preference cimport ArmPreference
from ik_node.support.arrays cimport vector
from ik_node.solvers.analytic.selection.swivel_selection cimport SwivelSelection
cimport cython

cdef double INF, _SPACING
cdef int _ANGLES, _REFINED, _STEPS


cdef class ArmSelection(SwivelSelection):
    cdef ArmPreference wanted
    cdef bint by_arm
    cdef vector costs
    cdef void choose(self) noexcept nogil
    cdef double cost(self, vector q, double room) noexcept nogil
    cdef void _choose_by_arm(self) noexcept nogil
    cdef double _best_of_intervals(self) noexcept nogil
    cdef void _sample_circle(self) noexcept nogil
    cdef int _take_lowest(self) noexcept nogil

cdef double _angle(int k) noexcept nogil

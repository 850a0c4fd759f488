from ik_node.spatial.vector3 cimport vector3
include "closed_family.pxi"

cdef int MOST_BRANCHES


cdef class ClosedForm:
    cdef Memory memory
    cdef transform M
    cdef vector3 across
    cdef int n, count
    cdef double parameter
    cdef integers kind, column
    cdef points axes, points
    cdef points ranges
    cdef vector lower, upper, beside_start, parameters, q0
    cdef pose rotations, T
    cdef columns found, wrist
    cdef pairs values
    cdef EliminationData elimination
    cdef rows branches, directions
    cdef void write_value(self, int i, int j, double c, double s) noexcept nogil


cdef class ClosedFamily:
    cdef Memory memory
    cdef int place, span, count, n, locks, parameters
    cdef double size, slack
    cdef bint may_be_off
    cdef pose T_tip_base
    cdef integers kind, column, locked
    cdef points axes, points
    cdef list idle
    cdef int solve(self, ClosedForm work) noexcept nogil
    cdef double own_parameter(self, vector q) noexcept nogil
    cdef transform motion_to(self, pose T_base_goal) noexcept nogil
    cdef void parameters_of(self, vector q, vector parameters) noexcept nogil
    @cython.locals(has_locks=cython.bint)
    cdef int write_branches(self, pose T_base_goal, ClosedForm work) noexcept nogil
    cpdef object parameters_at(self, const double[::1] q)
    cpdef object branches(self, const double[:, :, ::1] T_base_goal, const double[::1] parameters,
                          const double[::1] q0)
    cdef ClosedForm take(self)

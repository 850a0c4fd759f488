from libc cimport math
cimport ik_node.support.checks as checks
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.support.arrays cimport Memory, pose, rows, vector
from ik_node.solvers.analytic.families.nominal cimport ClosedForm, Structure
from ik_node.spatial.vector3 cimport (
    composed, motion_of, moved, reversed_motion, rotated, rotation_about, row, standstill,
    translated)
cimport cython


cdef class NominalWork:
    cdef Memory memory
    cdef pose T
    cdef vector q, parameters
    cdef rows found
    cdef ClosedForm closed_form


cdef class ClosedFamily:
    cdef Structure structure
    cdef list idle
    cdef int solve(self, ClosedForm work, int n, rows out) noexcept nogil
    cdef double own_parameter(self, vector q) noexcept nogil
    cdef void parameters_of(self, vector q, vector parameters) noexcept nogil
    cpdef object parameters_at(self, const double[::1] q)
    @cython.locals(has_locks=cython.bint)
    cdef int branches(self, pose T_base_goal, vector parameters, vector q0, int n, ClosedForm work,
                      rows out) noexcept nogil
    cpdef object nominal(self, const double[:, :, ::1] T_base_goal, const double[::1] parameters,
                         const double[::1] q0)
    cdef NominalWork _take(self)

cdef void _copy(vector found, double[::1] out) noexcept nogil
cdef void copy_out(rows found, int count, int first, double[:, ::1] out) noexcept nogil

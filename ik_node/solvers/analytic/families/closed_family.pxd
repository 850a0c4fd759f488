from libc cimport math
cimport ik_node.kinematics.kinds as kinds
from ik_node.support.arrays cimport pose, rows, vector
from ik_node.solvers.analytic.families.nominal cimport ClosedForm, Structure
from ik_node.spatial.vector3 cimport (
    composed, motion_of, moved, reversed_motion, rotated, rotation_about, row, standstill,
    translated)
cimport cython


cdef class ClosedFamily:
    cdef Structure structure
    cdef int solve(self, ClosedForm work, int n, rows out) noexcept nogil
    cdef double own_parameter(self, vector q) noexcept nogil
    cdef void parameters_of(self, vector q, vector parameters) noexcept nogil
    @cython.locals(has_locks=cython.bint)
    cdef int branches(self, pose T_base_goal, vector parameters, vector q0, int n, ClosedForm work,
                      rows out) noexcept nogil

cimport ik_node.support.checks as checks
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.support.arrays cimport Memory, pose, rows, vector
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily
from ik_node.solvers.analytic.families.nominal cimport ClosedForm, Structure
cimport cython


cdef class NominalWork:
    cdef Memory memory
    cdef pose T
    cdef vector q, parameters
    cdef rows found
    cdef ClosedForm closed_form


cdef class NominalArm:
    cdef ClosedFamily family
    cdef list idle
    @cython.locals(structure=Structure)
    cpdef object parameters_at(self, const double[::1] q)
    @cython.locals(structure=Structure)
    cpdef object branches(self, const double[:, :, ::1] T_base_goal, const double[::1] parameters,
                          const double[::1] q0)
    cdef NominalWork _take(self)

cdef void _copy(vector found, double[::1] out) noexcept nogil
cdef void copy_out(rows found, int count, int first, double[:, ::1] out) noexcept nogil

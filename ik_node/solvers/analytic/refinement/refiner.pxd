cimport ik_node.support.checks as checks
cimport ik_node.solvers.analytic.refinement.precision as precision
cimport ik_node.solvers.search as search
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Settings, Scratch
cimport cython


cdef class Refiner:
    cdef ChainRecord chain
    cdef Settings settings
    cdef list idle
    cpdef tuple refine(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       double[::1] q)
    cpdef tuple errors(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       const double[::1] q)
    @cython.locals(work=Scratch)
    cdef Scratch _begin(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     const double[::1] q)

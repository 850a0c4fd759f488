from ik_node.kernels cimport conclusion, copies, jacobian, manipulability, search, task as tasks
from ik_node.kernels.entries cimport Verifier
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Settings, Work
cimport cython


cdef class GoalRows(Verifier):
    cdef Settings settings
    cdef JacobianSettings own

    @cython.locals(work=Work)
    cpdef tuple rows(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     const double[::1] q, double[::1] V, double[:, ::1] J)
    @cython.locals(work=Work, found=double)
    cpdef double manipulability(self, const double[:, ::1] T_base_goal,
                                const double[::1] weights, const double[::1] q,
                                double[::1] ascent)
    @cython.locals(work=Work, singular=cython.bint)
    cpdef bint is_singular(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                           const double[::1] q)

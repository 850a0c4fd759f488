cimport ik_node.support.arrays as arrays
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.jacobian.nullspace as nullspace
cimport ik_node.solvers.kernel.search as search
cimport ik_node.solvers.kernel.task as tasks
from ik_node.solvers.kernel.arm_kernel cimport Verifier
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport Scratch, Settings
cimport cython


cdef class GoalRows(Verifier):
    cdef Settings settings

    @cython.locals(work=Scratch)
    cpdef tuple rows(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     const double[::1] q, double[::1] V, double[:, ::1] J)
    @cython.locals(work=Scratch, found=double)
    cpdef double manipulability(self, const double[:, ::1] T_base_goal,
                                const double[::1] weights, const double[::1] q,
                                double[::1] ascent)

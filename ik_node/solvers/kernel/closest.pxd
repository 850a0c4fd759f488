from ik_node.support.arrays cimport Memory, vector
from ik_node.collision.scene cimport FreeSpace
from ik_node.solvers.kernel.arm_kernel cimport Verifier


cdef class Closest(Verifier):
    cdef Memory memory
    cdef vector samples
    cdef int guesses

    cpdef tuple find(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     double[::1] q, const double[::1] found, double deadline,
                     FreeSpace free=*)


include "closest.pxi"

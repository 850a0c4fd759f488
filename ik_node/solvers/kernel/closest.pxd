from libc cimport math
cimport ik_node.support.clock as clock
cimport ik_node.support.arrays as arrays
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.kernel.linear as linear
cimport ik_node.solvers.kernel.restarts as restarts
cimport ik_node.solvers.kernel.search as search
cimport ik_node.solvers.kernel.task as tasks
from ik_node.support.arrays cimport Memory, vector
from ik_node.collision.free_space cimport FreeSpace
from ik_node.solvers.kernel.arm_kernel cimport Verifier
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport Scratch
from ik_node.solvers.kernel.task cimport TipTask

cdef double INF, SETTLED, ALIKE
cdef int MOST_STEPS


cdef class Closest(Verifier):
    cdef Memory memory
    cdef vector samples
    cdef int guesses

    cpdef tuple find(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     double[::1] q, const double[::1] found, double deadline,
                     FreeSpace free=*)


cdef void best_of(ChainRecord chain, TipTask task, Scratch work, vector samples, int guesses,
                  double deadline) noexcept nogil
cdef double minimise(ChainRecord chain, TipTask task, Scratch work, vector q,
                     double deadline) noexcept nogil

from libc cimport math
cimport ik_node.kernels.clock as clock
cimport ik_node.kernels.jacobian as jacobian
cimport ik_node.kernels.linear as linear
cimport ik_node.kernels.restarts as restarts
cimport ik_node.kernels.search as search
cimport ik_node.kernels.task as tasks
from ik_node.kernels.arrays cimport Memory, vector
from ik_node.kernels.entries cimport Verifier
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Work
from ik_node.kernels.task cimport Task

cdef double INF, SETTLED
cdef int MOST_STEPS


cdef class Closest(Verifier):
    cdef Memory memory
    cdef vector samples
    cdef int guesses

    cpdef tuple find(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     double[::1] q, double deadline)


cdef void best_of(Chain chain, Task task, Work work, vector samples, int guesses,
                  double deadline) noexcept nogil
cdef double minimise(Chain chain, Task task, Work work, vector q) noexcept nogil

from libc cimport math
from ik_node.kernels cimport codes, restarts, search
from ik_node.kernels.entries cimport Verifier
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.restarts cimport Table
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task
cimport cython

cdef double INF


cdef class InitialGuesses(Verifier):
    cdef Settings settings
    cdef Table table

    @cython.locals(work=Work, end=int)
    cpdef int guess(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                    double[::1] q, int index)


cdef int choose(Chain chain, Task task, Settings settings, Table table, Work work,
                int index) noexcept nogil

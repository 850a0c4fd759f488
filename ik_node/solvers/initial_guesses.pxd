from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.restarts as restarts
cimport ik_node.solvers.search as search
from ik_node.solvers.entries cimport Verifier
from ik_node.kinematics.forward cimport Chain
from ik_node.solvers.restarts cimport Table
from ik_node.solvers.settings cimport Settings, Work
from ik_node.solvers.task cimport Task
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

from libc cimport math
from libc.math cimport rint as round
from ik_node.kernels cimport clock, codes, forward, preference, restarts, task as tasks
from ik_node.kernels.arrays cimport pose, vector
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.method cimport Method
from ik_node.kernels.restarts cimport Table
from ik_node.kernels.settings cimport Record, Settings, Work
from ik_node.kernels.task cimport Task
cimport cython

cdef double INF, PI, TWO_PI, ROUNDING, AT_LIMIT, FARTHEST, FAR_NEARER


@cython.locals(beyond=cython.bint, late=cython.bint, met=cython.bint, better=cython.bint)
cdef int try_starts(Chain chain, Method method, Settings settings, Table table, Task task,
                    Task plain, Work work, int attempts, Record record) except -1 nogil

cdef void load(Task task, const double[:, ::1] T_base_goal, const double[::1] weights)
cdef bint nothing_nearer(Work work, int index, int entries, double distance) noexcept nogil
cdef (double, double, double) residual(Chain chain, Task task, Work work, vector q) noexcept nogil
@cython.locals(whole=cython.bint)
cdef bint beyond_reach(Task task, Settings settings) noexcept nogil
@cython.locals(count=double)
cdef void nearest_turn(Chain chain, vector q0, vector q) noexcept nogil
cdef void into_limits(Chain chain, vector q) noexcept nogil

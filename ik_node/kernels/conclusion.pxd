from libc cimport math
from ik_node.kernels cimport codes, forward, jacobian, linear, search
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.method cimport Method
from ik_node.kernels.restarts cimport Table
from ik_node.kernels.settings cimport Record, Settings, Work
from ik_node.kernels.task cimport Task
cimport cython

cdef double NEARLY_SINGULAR

@cython.locals(beyond=cython.bint)
cdef int approach(Chain chain, Method method, Settings settings, Table table, Task task,
                  Task plain, Work work, Record record) except -1 nogil
cdef bint is_singular(Chain chain, double length, Task task, Work work) noexcept nogil

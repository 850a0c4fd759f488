from libc cimport math
cimport ik_node.kernels.codes as codes
cimport ik_node.kernels.forward as forward
cimport ik_node.kernels.jacobian as jacobian
cimport ik_node.kernels.linear as linear
cimport ik_node.kernels.search as search
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

from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.linear as linear
cimport ik_node.solvers.search as search
from ik_node.kinematics.forward cimport Chain
from ik_node.solvers.method cimport Method
from ik_node.solvers.restarts cimport Table
from ik_node.solvers.settings cimport Record, Settings, Work
from ik_node.solvers.task cimport Task
cimport cython

cdef double NEARLY_SINGULAR

@cython.locals(beyond=cython.bint)
cdef int approach(Chain chain, Method method, Settings settings, Table table, Task task,
                  Task plain, Work work, Record record) except -1 nogil
cdef bint is_singular(Chain chain, double length, Task task, Work work) noexcept nogil

from libc cimport math
from ik_node.kernels cimport codes, jacobian, linear, task as tasks
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task

cdef double INF

cdef double joint_distance(Settings settings, int n, vector q0, vector q) noexcept nogil
cdef double selection_cost(Chain chain, Task task, Settings settings, Work work, vector q0,
                           vector q) noexcept nogil

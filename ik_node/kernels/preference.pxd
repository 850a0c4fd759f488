from libc cimport math
cimport ik_node.kernels.codes as codes
cimport ik_node.kernels.jacobian as jacobian
cimport ik_node.kernels.linear as linear
cimport ik_node.kernels.task as tasks
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task

cdef double INF

cdef double joint_distance(Settings settings, int n, vector q0, vector q) noexcept nogil
cdef double selection_cost(Chain chain, Task task, Settings settings, Work work, vector q0,
                           vector q) noexcept nogil

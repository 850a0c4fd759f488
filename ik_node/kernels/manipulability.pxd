cimport ik_node.kernels.forward as forward
cimport ik_node.kernels.jacobian as jacobian
cimport ik_node.kernels.linear as linear
cimport ik_node.kernels.task as tasks
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task

cdef double APART

cdef double manipulability(Chain chain, Task task, Settings settings, Work work,
                           vector q) noexcept nogil
cdef void manipulability_gradient(Chain chain, Task task, Settings settings, JacobianSettings own,
                                  Work work, vector q) noexcept nogil

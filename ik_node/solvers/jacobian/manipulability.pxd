cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.linear as linear
cimport ik_node.solvers.task as tasks
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Settings, Work
from ik_node.solvers.task cimport Task

cdef double APART

cdef double manipulability(ChainRecord chain, Task task, Settings settings, Work work,
                           vector q) noexcept nogil
cdef void manipulability_gradient(ChainRecord chain, Task task, Settings settings,
                                  JacobianSettings own, Work work, vector q) noexcept nogil

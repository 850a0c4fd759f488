cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.linear as linear
cimport ik_node.solvers.task as tasks
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Settings, Scratch
from ik_node.solvers.task cimport TipTask

cdef double APART

cdef double manipulability(ChainRecord chain, TipTask task, Settings settings, Scratch work,
                           vector q) noexcept nogil
cdef void manipulability_gradient(ChainRecord chain, TipTask task, Settings settings,
                                  JacobianSettings own, Scratch work, vector q) noexcept nogil

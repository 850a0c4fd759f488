from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.linear as linear
cimport ik_node.solvers.task as tasks
from ik_node.support.arrays cimport vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Settings, Scratch
from ik_node.solvers.task cimport TipTask

cdef double INF

cdef double joint_distance(Settings settings, int n, vector q0, vector q) noexcept nogil
cdef double selection_cost(ChainRecord chain, TipTask task, Settings settings, Scratch work, vector q0,
                           vector q) noexcept nogil

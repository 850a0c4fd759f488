cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.linear as linear
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.solvers.settings cimport Settings, Scratch

cdef double FLOOR, LARGEST_DAMPING, LOW_MANIPULABILITY

cdef double task_energy(Settings settings, vector V) noexcept nogil
cdef double squared_damping(Settings settings, JacobianSettings own, int n, Scratch work,
                            vector V) noexcept nogil
cdef double _near_singular(Settings settings, int n, Scratch work) noexcept nogil

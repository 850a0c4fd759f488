cimport ik_node.kernels.codes as codes
cimport ik_node.kernels.linear as linear
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.settings cimport Settings, Work

cdef double FLOOR, LARGEST_DAMPING, LOW_MANIPULABILITY

cdef double task_energy(Settings settings, vector V) noexcept nogil
cdef double squared_damping(Settings settings, JacobianSettings own, int n, Work work,
                            vector V) noexcept nogil
cdef double _near_singular(Settings settings, int n, Work work) noexcept nogil

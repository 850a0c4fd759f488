from libc cimport math
cimport ik_node.kernels.linear as linear
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.settings cimport Settings, Work

cdef double NEGLIGIBLE

cdef void selective_step(Settings settings, JacobianSettings own, int n, Work work,
                         vector V) noexcept nogil

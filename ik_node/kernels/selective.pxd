from libc cimport math
from ik_node.kernels cimport linear
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.settings cimport Settings, Work

cdef double NEGLIGIBLE

cdef void selective_step(Settings settings, JacobianSettings own, int n, Work work,
                         vector V) noexcept nogil

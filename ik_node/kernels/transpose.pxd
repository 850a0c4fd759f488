cimport ik_node.kernels.linear as linear
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.loop cimport JacobianMethod
from ik_node.kernels.settings cimport Settings, Work


cdef class Transpose(JacobianMethod):
    cdef void step(self, Settings settings, int n, Work work, vector V) noexcept nogil


cdef void keep_on(int n, Work work, vector slope) noexcept nogil

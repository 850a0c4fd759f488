cimport ik_node.kernels.codes as codes
cimport ik_node.kernels.damping as damping
cimport ik_node.kernels.linear as linear
cimport ik_node.kernels.selective as selective
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.loop cimport JacobianMethod
from ik_node.kernels.settings cimport Settings, Work


cdef class DampedLeastSquares(JacobianMethod):
    cdef void step(self, Settings settings, int n, Work work, vector V) noexcept nogil

cimport ik_node.solvers.linear as linear
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.solvers.jacobian.loop cimport JacobianMethod
from ik_node.solvers.settings cimport Settings, Scratch


cdef class Transpose(JacobianMethod):
    cdef void step(self, Settings settings, int n, Scratch work, vector V) noexcept nogil


cdef void keep_on(int n, Scratch work, vector slope) noexcept nogil

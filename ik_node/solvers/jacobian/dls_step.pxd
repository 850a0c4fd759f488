cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.jacobian.damping as damping
cimport ik_node.solvers.linear as linear
cimport ik_node.solvers.jacobian.selective as selective
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.solvers.jacobian.loop cimport JacobianMethod
from ik_node.solvers.settings cimport Settings, Scratch


cdef class DampedLeastSquares(JacobianMethod):
    cdef void step(self, Settings settings, int n, Scratch work, vector V) noexcept nogil

from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.loop cimport JacobianMethod
from ik_node.solvers.kernel.settings cimport ArmData, Settings


cdef class Pseudoinverse(JacobianMethod):
    pass


cdef class DampedLeastSquares(JacobianMethod):
    cdef int damping_rule
    cdef double damping, error_share, max_angle


cdef class Transpose(JacobianMethod):
    cdef double alpha, alpha_scale


include "steps.pxi"

from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.kernel.linear as linear
cimport ik_node.solvers.jacobian.loop as loop
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.loop cimport JacobianMethod
from ik_node.solvers.kernel.settings cimport Scratch, Settings

cdef double FLOOR, LARGEST_DAMPING, LOW_MANIPULABILITY, NEGLIGIBLE


cdef class Pseudoinverse(JacobianMethod):
    cdef void step(self, Settings settings, int n, Scratch work, vector V) noexcept nogil


cdef class DampedLeastSquares(JacobianMethod):
    cdef int damping_rule
    cdef double damping, error_share, max_angle
    cdef void step(self, Settings settings, int n, Scratch work, vector V) noexcept nogil


cdef class Transpose(JacobianMethod):
    cdef double alpha, alpha_scale
    cdef void step(self, Settings settings, int n, Scratch work, vector V) noexcept nogil


cdef void conjugate(int n, Scratch work, vector slope) noexcept nogil
cdef double squared_damping(Settings settings, DampedLeastSquares own, int n, Scratch work,
                            vector V) noexcept nogil
cdef double _near_singular(Settings settings, int n, Scratch work) noexcept nogil
cdef void selective_step(Settings settings, double max_angle, int n, Scratch work,
                         vector V) noexcept nogil

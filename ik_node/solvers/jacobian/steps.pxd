include "steps.pxi"


cdef class Pseudoinverse(JacobianMethod):
    pass


cdef class DampedLeastSquares(JacobianMethod):
    cdef int damping_rule
    cdef double damping, error_share, max_angle


cdef class Transpose(JacobianMethod):
    cdef double alpha, alpha_scale

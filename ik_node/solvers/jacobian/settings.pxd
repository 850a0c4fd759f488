cimport ik_node.solvers.codes as codes
from ik_node.support.arrays cimport Memory, vector


cdef class JacobianSettings:
    cdef Memory memory
    cdef double bias_exponent, rank_tolerance, manipulability_gain, path_step
    cdef bint biased, alternate
    cdef vector bias_target, bias_gain
    cdef double parameter, error_share, max_angle, alpha_scale
    cdef int factorization, damping_rule

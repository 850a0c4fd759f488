cimport ik_node.solvers.codes as codes
from ik_node.support.arrays cimport Memory, vector


cdef class JacobianSettings:
    cdef Memory memory
    cdef vector bias_target, bias_gain
    cdef double bias_exponent, rank_tolerance, manipulability_gain, path_step
    cdef bint biased, alternate
    cdef int factorization

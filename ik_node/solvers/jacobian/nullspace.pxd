include "nullspace.pxi"


cdef class JacobianSettings:
    cdef Memory memory
    cdef vector bias_target, bias_gain
    cdef double bias_exponent, rank_tolerance, manipulability_gain, path_step
    cdef bint biased, alternate
    cdef int factorization


cdef class Manipulability(Verifier):
    cdef Settings settings

    @cython.locals(work=ArmData, n=int, found=double)
    cpdef tuple at(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                   const double[::1] q)

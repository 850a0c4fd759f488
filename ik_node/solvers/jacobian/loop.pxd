from ik_node.support.arrays cimport pose
include "loop.pxi"


cdef class JacobianMethod(Method):
    cdef JacobianSettings own

    cdef void step(self, Settings settings, int n, ArmData work, vector V) noexcept nogil
    @cython.locals(biased=cython.bint, has_prismatic=cython.bint, met=cython.bint)
    cdef int attempt(self, ChainRecord chain, TipTask task, Settings settings, ArmData work,
                     bint swing, vector q) except -1 nogil


@cython.locals(point=pose)
cdef void task_rows(ChainRecord chain, TipTask task, Settings settings, JacobianSettings own,
                    ArmData work, double position_share, double orientation_share,
                    vector q) noexcept nogil

from ik_node.support.arrays cimport Memory, integers, vector
cimport cython

cdef double PI, FARTHEST


cdef class JointLimits:
    cdef Memory memory
    cdef readonly int n
    cdef vector lower, upper
    cdef integers turns


@cython.locals(count=double)
cdef void nearest_turn(JointLimits limits, vector q0, vector q) noexcept nogil
include "joint_limits.pxi"

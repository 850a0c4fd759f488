include "joint_limits.pxi"


cdef class JointLimits:
    cdef Memory memory
    cdef readonly int n
    cdef vector lower, upper
    cdef integers turns

from ik_node.support.arrays cimport Memory, integers, vector


cdef class JointLimits:
    cdef Memory memory
    cdef readonly int n
    cdef vector lower, upper
    cdef integers turns


include "joint_limits.pxi"

from ik_node.support.arrays cimport Memory, integers, vector

cdef double _TURN


cdef class JointLimits:
    cdef Memory memory
    cdef readonly int n
    cdef vector lower, upper
    cdef integers turns


cdef double turned_inside(JointLimits limits, int k, double value) noexcept nogil

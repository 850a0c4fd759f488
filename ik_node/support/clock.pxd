cimport ik_node.support.native as native
from ik_node.support.arrays cimport Memory, vector


cdef class Cancellation:
    cdef Memory memory
    cdef vector limit


cpdef Cancellation present()
cpdef bint is_over(double deadline) noexcept nogil

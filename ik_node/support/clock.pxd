cimport ik_node.support.native as native
from ik_node.support.arrays cimport Memory, integers


cdef class Cancellation:
    cdef Memory memory
    cdef integers flag


cpdef Cancellation present()
cpdef bint is_over(double deadline) noexcept nogil

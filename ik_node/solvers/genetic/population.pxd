from ik_node.support.arrays cimport Memory, matrix, vector

cdef long MODULUS, MULTIPLIER
cdef double ROOT_3


cdef class Population:
    cdef Memory memory
    cdef int n
    cdef matrix parents, survivors
    cdef vector child, z, unit, start, samples
    cdef public long state
    cdef double deadline
    cdef int generations


cpdef double uniform(Population people) noexcept nogil
cpdef double normal(Population people) noexcept nogil
cdef int keep(matrix rows, int count, int most, vector one, int size) noexcept nogil

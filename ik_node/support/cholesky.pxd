from libc cimport math
from ik_node.support.arrays cimport matrix, vector

cdef double SINGULAR

cdef void factor(matrix G, int size) noexcept nogil
cdef void forward(matrix L, int size, vector b) noexcept nogil
cdef void backward(matrix L, int size, vector b) noexcept nogil
cdef void forward_rows(matrix L, int size, matrix B, int n) noexcept nogil

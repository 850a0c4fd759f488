from libc cimport math
from ik_node.support.arrays cimport matrix, square, vector

cdef double SINGULAR, SINGULAR_DAMPED, NO_PIVOT

cdef void factor(matrix G, int size) noexcept nogil
cdef void forward(matrix L, int size, vector b) noexcept nogil
cdef void backward(matrix L, int size, vector b) noexcept nogil
cdef void forward_rows(matrix L, int size, matrix B, int n) noexcept nogil
cdef void damped_solve(matrix G, vector y, int size, double damping2) noexcept nogil
cdef bint lu_solve(square A, vector b, vector x) noexcept nogil

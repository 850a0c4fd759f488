from ik_node.kernels cimport cholesky, level as levels, nearest
from ik_node.kernels.arrays cimport matrix, vector
from ik_node.kernels.level cimport Level

cdef double FLOOR

cdef void factor(Level own, matrix M, matrix A, matrix T, int width) noexcept nogil
cdef void unbound(Level own, matrix M, vector f, vector x) noexcept nogil

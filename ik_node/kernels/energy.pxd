cimport ik_node.kernels.cholesky as cholesky
cimport ik_node.kernels.level as levels
cimport ik_node.kernels.nearest as nearest
from ik_node.kernels.arrays cimport matrix, vector
from ik_node.kernels.level cimport Level

cdef double FLOOR

cdef void factor(Level own, matrix M, matrix A, matrix T, int width) noexcept nogil
cdef void unbound(Level own, matrix M, vector f, vector x) noexcept nogil

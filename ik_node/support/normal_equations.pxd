from libc cimport math
from ik_node.support.arrays cimport matrix, vector

cdef double SINGULAR

cdef void damped_solve(matrix G, vector y, int size, double damping2) noexcept nogil

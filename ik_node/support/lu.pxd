from libc cimport math
from ik_node.support.arrays cimport square, vector

cdef double NO_PIVOT

cdef bint lu_solve(square A, vector b, vector x) noexcept nogil

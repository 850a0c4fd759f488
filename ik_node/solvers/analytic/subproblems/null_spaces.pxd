from libc cimport math
from ik_node.support.arrays cimport fourteens, integers, nines, twelves, vector

cdef double INF

cdef double divide_by(twelves M, twelves V) noexcept nogil
cdef double null_vector(twelves M, integers order, vector v) noexcept nogil
cdef void left_null_space(nines Q, fourteens N) noexcept nogil

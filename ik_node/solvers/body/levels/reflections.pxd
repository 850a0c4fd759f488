from libc cimport math
from ik_node.support.arrays cimport matrix
from ik_node.solvers.body.levels.level cimport Level

cdef double RANK

cdef void triangularise(Level own) noexcept nogil
cdef void reflect(Level own, int i, double length) noexcept nogil
cdef double inverse2(Level own) noexcept nogil
cdef void rotate(Level own, matrix T) noexcept nogil

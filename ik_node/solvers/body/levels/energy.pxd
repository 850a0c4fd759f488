cimport ik_node.support.linear_systems as linear_systems
cimport ik_node.solvers.body.levels.level as levels
cimport ik_node.solvers.body.levels.nearest as nearest
from ik_node.support.arrays cimport matrix, vector
from ik_node.solvers.body.levels.level cimport Level

cdef double FLOOR

cdef void factor(Level own, matrix M, matrix A, matrix T, int width) noexcept nogil
cdef void unbound(Level own, matrix M, vector f, vector x) noexcept nogil

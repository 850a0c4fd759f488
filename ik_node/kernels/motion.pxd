cimport ik_node.kernels.cascade as cascades
cimport ik_node.kernels.cholesky as cholesky
cimport ik_node.kernels.limits as limited
cimport ik_node.kernels.mass_matrix as masses
cimport ik_node.kernels.second_order as second_order
cimport ik_node.kernels.velocity as velocities
from ik_node.kernels.arrays cimport Memory, integers, matrix, vector
from ik_node.kernels.limits cimport Limits
from ik_node.kernels.problem cimport Problem
from ik_node.kernels.tree cimport Tree
from ik_node.kernels.velocity cimport Velocity, Work

cdef double SINGULAR, MASSLESS, PSEUDO_TIME, INF


cdef class Mass:
    cdef Memory memory
    cdef bint has_inertia
    cdef Tree tree
    cdef vector diagonal, heavier


cdef class Motion(Velocity):
    cdef Memory memory
    cdef Mass mass
    cdef int constraints
    cdef integers constant
    cdef double feedback

    cdef Work make_work(self)
    cdef int step(self, Work work, double dt) except -1 nogil
    cdef int direction(self, Work work, int count) except -1 nogil


cdef void motion(Motion own, Work work, int count, double dt, bint at_rest) noexcept nogil
cdef void write_mass(Motion own, Work work) noexcept nogil
cdef void add_least(matrix M, matrix L, int n) noexcept nogil

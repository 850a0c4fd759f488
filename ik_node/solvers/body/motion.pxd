cimport ik_node.solvers.body.levels.cascade as cascades
cimport ik_node.support.linear_systems as linear_systems
cimport ik_node.solvers.body.limits as limited
cimport ik_node.kinematics.mass_matrix as masses
cimport ik_node.solvers.body.levels.second_order as second_order
cimport ik_node.solvers.body.levels.velocity as velocities
from ik_node.support.arrays cimport Memory, integers, matrix, vector
from ik_node.solvers.body.limits cimport Limits
from ik_node.solvers.body.stacked_tasks cimport Problem
from ik_node.kinematics.tree cimport Tree
from ik_node.solvers.body.levels.velocity cimport Velocity, Work

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

from libc cimport math
cimport ik_node.solvers.kernel.qp.hierarchical_qp as cascades
cimport ik_node.support.linear_systems as linear_systems
cimport ik_node.kinematics.mass_matrix as masses
cimport ik_node.solvers.kernel.body.velocity as velocities
cimport ik_node.solvers.kernel.body.steps as steps
from ik_node.support.arrays cimport Memory, integers, matrix, vector
from ik_node.solvers.kernel.body.stacked_tasks cimport StackedTasks
from ik_node.solvers.kernel.body.steps cimport Limits
from ik_node.kinematics.tree cimport Tree
from ik_node.solvers.kernel.body.velocity cimport Velocity, VelocityWork

cdef double SINGULAR, VANISHING, MASSLESS, PSEUDO_TIME, INF


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

    cdef int step(self, VelocityWork work, double dt) except -1 nogil
    cdef int direction(self, VelocityWork work, int count) except -1 nogil


cdef void motion(Motion own, VelocityWork work, int count, double dt, bint at_rest) noexcept nogil
cdef void write_mass(Motion own, VelocityWork work) noexcept nogil
cdef void add_least(matrix M, matrix L, int n) noexcept nogil

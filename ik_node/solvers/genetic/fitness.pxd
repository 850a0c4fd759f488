from ik_node.support.arrays cimport vector
from ik_node.solvers.kernel.evolution cimport Evolution, Population
from ik_node.kinematics.joint_limits cimport JointLimits
cimport cython

cdef double INF


cdef class FitnessEvolution(Evolution):
    cdef JointLimits limits
    cdef object meet, fitness
    cdef long judged

    @cython.locals(population=Population)
    cpdef object fittest(self, const double[::1] q, double deadline)
    cdef int judge(self, Population population) except -1 nogil
    cdef int call(self, int n, vector z, vector child) except -1 with gil

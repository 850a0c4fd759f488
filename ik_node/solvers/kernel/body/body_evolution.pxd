cimport ik_node.solvers.kernel.body.descent as descents
from ik_node.support.arrays cimport vector
from ik_node.solvers.kernel.body.descent cimport Descent, DescentWork
from ik_node.solvers.kernel.evolution cimport Evolution
from ik_node.solvers.kernel.evolution cimport Population
cimport cython


cdef class BodyPopulation(Population):
    cdef Descent descent
    cdef DescentWork work


cdef class BodyEvolution(Evolution):
    @cython.locals(people=BodyPopulation)
    cpdef tuple run(self, Descent descent, const double[::1] start, const double[::1] q,
                    long state, double deadline)
    cdef int judge(self, Population people) except -1 nogil
    cdef int judge_tasks(self, BodyPopulation people) except -1 nogil

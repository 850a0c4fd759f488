from libc cimport math
cimport ik_node.kernels.bounded as bounded
cimport ik_node.kernels.cascade as cascades
cimport ik_node.kernels.limits as limited
cimport ik_node.kernels.problem as problems
cimport ik_node.kernels.second_order as second_order
cimport ik_node.kernels.tree as trees
from ik_node.kernels.arrays cimport Memory, matrix, poses, vector
from ik_node.kernels.body_task cimport TaskWork
from ik_node.kernels.cascade cimport Cascade
from ik_node.kernels.limits cimport Limits
from ik_node.kernels.problem cimport Found, Problem
from ik_node.kernels.step_work cimport StepWork
from ik_node.kernels.tree cimport Tree
cimport cython

cdef double DAMPING, TINY, INF


cdef class Work:
    cdef Memory memory
    cdef TaskWork task
    cdef StepWork step
    cdef Cascade cascade
    cdef poses composite
    cdef matrix L
    cdef Found found
    cdef vector q


cdef class Velocity:
    cdef Tree tree
    cdef Problem problem
    cdef Limits limits
    cdef list idle

    @cython.locals(work=Work)
    cpdef run(self, const double[::1] q, double dt)
    cdef Work make_work(self)
    cdef int step(self, Work work, double dt) except -1 nogil
    cdef int direction(self, Work work, int count) except -1 nogil
    cdef bint write(self, Work work, double dt, double[::1] velocity)


@cython.locals(found=cython.bint)
cpdef bint within(const double[::1] values, double most)
cdef list one_sided_rows(Problem problem, int m)
cdef int rows_at(Velocity own, Work work, vector q) except -1 nogil

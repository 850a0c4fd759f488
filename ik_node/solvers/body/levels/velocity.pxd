from libc cimport math
cimport ik_node.solvers.body.bounded as bounded
cimport ik_node.solvers.body.levels.cascade as cascades
cimport ik_node.solvers.body.limits as limited
cimport ik_node.solvers.body.stacked_tasks as problems
cimport ik_node.solvers.body.levels.second_order as second_order
cimport ik_node.kinematics.tree as trees
from ik_node.support.arrays cimport Memory, matrix, poses, vector
from ik_node.tasks.body_task cimport TaskWork
from ik_node.solvers.body.levels.cascade cimport Cascade
from ik_node.solvers.body.limits cimport Limits
from ik_node.solvers.body.stacked_tasks cimport Found, Problem
from ik_node.solvers.body.step_work cimport StepWork
from ik_node.kinematics.tree cimport Tree
cimport cython

cdef double DAMPING, TINY, SINGULAR, INF


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

from ik_node.support.arrays cimport Memory, matrix, poses, vector
from ik_node.tasks.body_task cimport TaskWork
from ik_node.solvers.kernel.qp.hierarchical_qp cimport Cascade
from ik_node.solvers.kernel.body.stacked_tasks cimport LevelCost, StackedTasks
from ik_node.solvers.kernel.body.steps cimport Limits, StepWork
from ik_node.kinematics.tree cimport Tree
cimport cython

cdef int CORRECTIONS, SHORTER
cdef double DAMPING, TINY, SINGULAR, CONVERGING, SHORTEN, INF


cdef class VelocityWork:
    cdef Memory memory
    cdef TaskWork task
    cdef StepWork step
    cdef Cascade cascade
    cdef poses composite
    cdef matrix L
    cdef LevelCost found
    cdef vector q


cdef class Velocity:
    cdef Tree tree
    cdef StackedTasks stack
    cdef Limits limits
    cdef list idle, rows
    cdef bint energy

    @cython.locals(work=VelocityWork)
    cpdef run(self, const double[::1] q, double dt)
    cdef VelocityWork take_work(self)
    cdef int step(self, VelocityWork work, double dt) except -1 nogil
    cdef int direction(self, VelocityWork work, int count) except -1 nogil
    cdef bint write(self, VelocityWork work, double dt, double[::1] velocity)


@cython.locals(found=cython.bint)
@cython.locals(row='const double[::1]', found=cython.bint)
cpdef bint is_plain(values, int n, double most)
cdef int rows_at(Velocity own, VelocityWork work) except -1 nogil
cdef int correct(Velocity own, VelocityWork work, double dt, bint all_rows) except -1 nogil
cdef double converge(Velocity own, VelocityWork work, bint all_rows) except? -1.0 nogil
include "velocity.pxi"

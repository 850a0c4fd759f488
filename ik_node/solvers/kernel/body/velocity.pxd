from ik_node.support.arrays cimport Memory, matrix, poses, vector
from ik_node.tasks.body_task cimport TaskData
from ik_node.solvers.kernel.qp.hierarchical_qp cimport Cascade
from ik_node.solvers.kernel.body.stacked_tasks cimport LevelCost, StackedTasks
from ik_node.solvers.kernel.body.steps cimport Limits, StepData
from ik_node.kinematics.tree cimport Tree
cimport cython

cdef int CORRECTIONS, SHORTER
cdef double DAMPING, TINY, SINGULAR, CONVERGING, SHORTEN, INF


cdef class VelocityData:
    cdef Memory memory
    cdef TaskData task
    cdef StepData step
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

    @cython.locals(work=VelocityData)
    cpdef run(self, const double[::1] q, double dt)
    cdef VelocityData take_data(self)
    cdef int step(self, VelocityData work, double dt) except -1 nogil
    cdef int direction(self, VelocityData work, int count) except -1 nogil
    cdef bint write(self, VelocityData work, double dt, double[::1] velocity)


@cython.locals(found=cython.bint)
@cython.locals(row='const double[::1]', found=cython.bint)
cpdef bint is_plain(values, int n, double most)
cdef int rows_at(Velocity own, VelocityData work) except -1 nogil
cdef int correct(Velocity own, VelocityData work, double dt, bint all_rows) except -1 nogil
cdef double converge(Velocity own, VelocityData work, bint all_rows) except? -1.0 nogil
include "velocity.pxi"

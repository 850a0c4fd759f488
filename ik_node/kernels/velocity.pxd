from libc cimport math
from ik_node.kernels cimport bounded, cascade, problem as problems, tree as trees
from ik_node.kernels.arrays cimport Memory, matrix, vector
from ik_node.kernels.body_task cimport TaskWork
from ik_node.kernels.problem cimport Found, Problem
from ik_node.kernels.step_work cimport StepWork
from ik_node.kernels.tree cimport Tree
cimport cython

cdef double DAMPING, TINY, SHORTEN, CURVED, INF
cdef int CORRECTIONS, SHORTER


cdef class Limits:
    cdef Memory memory
    cdef vector lower, upper, speed, step, scale


cdef class Work:
    cdef Memory memory
    cdef TaskWork task
    cdef StepWork step
    cdef Found found
    cdef vector q
    cdef int iterations


cdef class Velocity:
    cdef Tree tree
    cdef Problem problem
    cdef Limits limits
    cdef list idle

    @cython.locals(work=Work)
    cpdef run(self, const double[::1] q, double dt, double[::1] velocity)


cdef int differential_step(Tree tree, Problem problem, Limits limits, TaskWork task, StepWork work,
                           Found found, vector q, double dt) except -1 nogil
cdef void set_bounds(Limits limits, StepWork work, vector q, double dt, double most) noexcept nogil
cdef int to_second_order(Tree tree, Problem problem, Limits limits, TaskWork task, StepWork work,
                         Found found, vector q, double dt) except -1 nogil
cdef void linear(StepWork work, int m) noexcept nogil
cdef double lacking(Problem problem, int i, double e) noexcept nogil
cdef double inside(Limits limits, int k, double q, double x, double dt) noexcept nogil

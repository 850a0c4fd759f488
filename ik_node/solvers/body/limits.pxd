from libc cimport math
from ik_node.support.arrays cimport Memory, vector
from ik_node.solvers.body.step_work cimport StepWork

cdef double INF


cdef class Limits:
    cdef Memory memory
    cdef vector lower, upper, speed, step, scale


cdef void set_bounds(Limits limits, StepWork work, vector q, double dt, double most) noexcept nogil
cdef double inside(Limits limits, int k, double q, double x, double dt) noexcept nogil

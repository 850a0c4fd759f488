from libc cimport math
from ik_node.kinematics.joint_limits cimport JointLimits
from ik_node.support.arrays cimport Memory, integers, matrix, vector

cdef double INF


cdef class Limits(JointLimits):
    cdef bint floats
    cdef vector speed, step, scale


cdef class StepWork:
    cdef Memory memory
    cdef readonly int n
    cdef matrix A, A_trial, G
    cdef vector e, e_trial, e_wanted, e_here, left, rest, values, y
    cdef vector x, trial, lower, upper
    cdef integers active, rows, places, columns, free, freed

    cdef vector row(self, int count)
    cdef integers indices(self, int count)


cdef void set_bounds(Limits limits, StepWork work, vector q, double dt, double most) noexcept nogil
cdef void set_region(Limits limits, StepWork work, vector q, double radius) noexcept nogil
cdef void scale_columns(Limits limits, matrix A, int m) noexcept nogil
cdef void subtract(matrix A, vector x, int n, int m, vector left) noexcept nogil
cdef double inside(Limits limits, int k, double q, double x, double dt) noexcept nogil
